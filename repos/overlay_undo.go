package repos

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"
)

// undone chooses the candidate's changes that the hidden tests run without, besides the paths of the test patch itself:
// what would run with the tests, or decide how they run, without being the program under test. Those are tests and their
// data, what configures the runner, and modules that the runner would load in place of its own. Of these, kept lists the
// paths that are the candidate's to change all the same, since the task's own repair changes them.
//
// Without this rule a patch could make every test pass, or none run, by a few lines that touch nothing of the program.
func (m *Mirror) undone(ctx context.Context, baseTree string, changes []change, kept []string) (map[string]bool, error) {
	all, err := m.entries(ctx, baseTree)
	if err != nil {
		return nil, err
	}
	inBase := map[string]bool{}
	for _, e := range all {
		inBase[e.path] = true
		root, _, _ := strings.Cut(e.path, "/")
		inBase[root] = true
	}
	undo := map[string]bool{}
	for _, c := range changes {
		if isGoTest(c.path) {
			undo[c.path] = true
			continue
		}
		if slices.Contains(kept, c.path) {
			continue
		}
		switch {
		case configuresRunner(c.path), inBase[c.path] && supportsTests(c.path), standsBeforeRunner(c.path, inBase):
			undo[c.path] = true
		case sharedConfig(c.path):
			changed, err := m.partChanged(ctx, c, runnerPart)
			if err != nil {
				return nil, err
			}
			if changed {
				undo[c.path] = true
			}
		case path.Base(c.path) == "go.mod":
			changed, err := m.partChanged(ctx, c, replaces)
			if err != nil {
				return nil, err
			}
			if changed {
				undo[c.path], undo[path.Join(path.Dir(c.path), "go.sum")] = true, true
			}
		}
	}
	return undo, nil
}

// configuresRunner reports whether a runner, or the interpreter before it, reads p for nothing but how to run. What also
// builds the program (package.json, Makefile) is not among it; that is flagged.
func configuresRunner(p string) bool {
	name, folder := strings.ToLower(path.Base(p)), path.Base(path.Dir(p))
	switch name {
	case "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "sitecustomize.py", "usercustomize.py", "go.work", "go.work.sum",
		".rspec", "phpunit.xml", "phpunit.xml.dist":
		return true
	case "entry_points.txt": // of a package that only seems to be installed: the runner loads its plugins
		return strings.HasSuffix(folder, ".dist-info") || strings.HasSuffix(folder, ".egg-info")
	case "config", "config.toml":
		return folder == ".cargo"
	}
	for _, prefix := range []string{"jest.config.", "vitest.config.", "vitest.workspace.", ".mocharc.", "karma.conf."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// RunnerPaths lists, of the paths that a patch changes, those that decide how tests run, or may: what Overlay undoes in a
// candidate's patch, and what is flagged there.
func RunnerPaths(patch []byte) []string {
	return slices.DeleteFunc(PatchPaths(patch), func(p string) bool { return configKind(p) == "" && !supportsTests(p) })
}

// supportsTests reports whether p is a test, or is there for tests, by its name or the folder that it is in.
func supportsTests(p string) bool {
	name := path.Base(p)
	if strings.HasSuffix(name, ".py") && (strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py")) {
		return true
	}
	for folder := range strings.SplitSeq(path.Dir(p), "/") {
		switch folder {
		case "tests", "testdata", "__tests__", "__snapshots__":
			return true
		}
	}
	return false
}

// sharedConfig reports whether a Python tool's settings may be in p beside those of others.
func sharedConfig(p string) bool {
	return slices.Contains([]string{"setup.cfg", "tox.ini", "pyproject.toml"}, path.Base(p))
}

// runnerPart is what a shared configuration file says to pytest: its sections, and every other line that names it.
func runnerPart(text string) string {
	var out []string
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			inside = strings.Contains(line, "pytest")
		}
		if line != "" && (inside || strings.Contains(line, "pytest")) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// runnerModules are what Python's runner is made of. It is started in the tree's root, where such a name comes first.
var runnerModules = []string{
	"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "py", "attr", "attrs", "exceptiongroup", "tomli", "pygments", "unittest",
}

// standsBeforeRunner reports whether p is, or is in, a module at the root that the runner would load in place of its own.
// A repository that is such a module itself has it in base.
func standsBeforeRunner(p string, inBase map[string]bool) bool {
	root, _, nested := strings.Cut(p, "/")
	module, rest, _ := strings.Cut(root, ".")
	if !slices.Contains(runnerModules, module) || inBase[root] || !nested && rest != "py" && !strings.HasSuffix(rest, "so") {
		return false
	}
	return !nested || rest == ""
}

// partChanged reports whether part of a file differs between the two sides of a change.
func (m *Mirror) partChanged(ctx context.Context, c change, part func(text string) string) (bool, error) {
	var sides [2]string
	for i, side := range []struct{ mode, id string }{{c.oldMode, c.oldID}, {c.newMode, c.newID}} {
		if !regular(side.mode) {
			continue
		}
		err := m.blobs(ctx, []entry{{id: side.id, path: c.path}}, func(_ entry, _ int64, content io.Reader) error {
			text, err := io.ReadAll(io.LimitReader(content, 1<<20))
			sides[i] = part(string(text))
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return sides[0] != sides[1], nil
}
