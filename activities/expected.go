package activities

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"evlab/evidence"
	"evlab/repos"
	"evlab/sandbox/testlog"
)

// Expected failures count as passed, since the tests' authors said so. A program can also make its tests expected failures
// while they run, so it has to be known who said it.

// expectedWords is how Python speaks of expected failures, in lower case.
var expectedWords = [][]byte{[]byte("xfail"), []byte("expectedfailure"), []byte("expected_failure")}

func speaksOfExpected(text []byte) bool {
	text = bytes.ToLower(text)
	return slices.ContainsFunc(expectedWords, func(word []byte) bool { return bytes.Contains(text, word) })
}

// bringsExpectedFailures reports whether a program speaks of expected failures in what was changed besides tests: it can
// then make any test one by itself, while it runs.
func bringsExpectedFailures(delta repos.Delta, run []string) bool {
	return slices.ContainsFunc(delta.Files, func(f repos.File) bool {
		asked := slices.ContainsFunc(run, func(name string) bool { return strings.HasPrefix(name, f.Path+"::") })
		return !asked && !evidence.IsTestPath(f.Path) && speaksOfExpected(f.Content)
	})
}

// unannounced are the tests, of those that run names by their files, that a report has as expected failures although nobody
// of the tests' side speaks of such: neither their own file, nor a conftest.py, nor a helper beside tests. tree has the
// hidden tests laid over it, so these are the task's own.
func unannounced(ctx context.Context, mirror *repos.Mirror, tree string, rep *testlog.Report, run []string) (map[string]bool, error) {
	files := map[string][]string{} // file -> tests
	for _, j := range rep.Judge(run) {
		if file, _, ok := strings.Cut(j.Name, "::"); ok && j.Outcome == testlog.ExpectedFailure && strings.HasSuffix(file, ".py") {
			files[file] = append(files[file], j.Name)
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	found, err := mirror.Files(ctx, tree, func(p string, _ int64) bool {
		return files[p] != nil || path.Base(p) == "conftest.py" || strings.HasSuffix(p, ".py") && evidence.IsTestPath(p) && !namedTest(p)
	})
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, f := range found {
		switch {
		case !speaksOfExpected(f.Content):
			for _, name := range files[f.Path] {
				names[name] = true
			}
		case files[f.Path] == nil:
			return nil, nil // it may say so of any test
		}
	}
	return names, nil
}

// namedTest reports whether pytest takes a file for tests by its name.
func namedTest(p string) bool {
	name := path.Base(p)
	return strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py")
}
