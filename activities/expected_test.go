package activities

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"evlab/sandbox"
	"evlab/sandbox/testlog"
)

// TestExpectedFailuresThatNobodyAnnounced: a program that makes its tests expected failures without saying the word is not
// repaired by it. What the tests' side says of expected failures holds.
func TestExpectedFailuresThatNobodyAnnounced(t *testing.T) {
	run := []string{"tests/test_a.py::test_x", "tests/test_b.py::test_y"}
	rep := reportOf(t, testlog.Pytest, "=== short test summary info ===\nXFAIL tests/test_a.py::test_x - later\nPASSED tests/test_b.py::test_y\n=== 1 passed, 1 xfailed in 0.01s ===\n")
	for name, c := range map[string]struct {
		files    map[string]string
		doubtful bool
	}{
		"nobody":               {map[string]string{"lib/core.py": "getattr(pytest, 'x' + 'fail')()"}, true},
		"another file":         {map[string]string{"tests/test_b.py": "@pytest.mark.xfail"}, true},
		"the file itself":      {map[string]string{"tests/test_a.py": "@unittest.expectedFailure"}, false},
		"a conftest":           {map[string]string{"tests/conftest.py": "item.add_marker(pytest.mark.xfail)"}, false},
		"a helper beside them": {map[string]string{"tests/marks.py": "known = pytest.mark.xfail"}, false},
		"as others call it":    {map[string]string{"tests/test_a.py": "@XFAIL"}, false},
	} {
		tree := map[string]string{"tests/test_a.py": "def test_x(): pass", "tests/test_b.py": "def test_y(): pass"}
		for p, text := range c.files {
			tree[p] = text
		}
		m, commit := repository(t, tree)
		got, err := unannounced(context.Background(), m, commit, rep, run)
		if err != nil {
			t.Fatal(err)
		}
		if got[run[0]] != c.doubtful || got[run[1]] {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestCommandsThatASignalEnded: a crash, and tests that were rewritten while they ran, are what a report cannot tell.
func TestCommandsThatASignalEnded(t *testing.T) {
	run := []string{"tests/test_a.py::test_x"}
	rep := reportOf(t, testlog.Pytest, "=== short test summary info ===\nPASSED tests/test_a.py::test_x\n=== 1 passed in 0.01s ===\n")
	for want, res := range map[string]sandbox.Result{
		"":                                   {Outcome: sandbox.Completed},
		"the command was ended by signal 11": {Outcome: sandbox.Killed, Exit: 139},
		"the tests' own file tests/test_a.py was changed while they ran": {Outcome: sandbox.Completed, Altered: "tests/test_a.py"},
	} {
		var out tried
		out.read(rep, res, trial{run: run}, func(string) bool { return false })
		if out.Tested.Command.Problem != want {
			t.Errorf("%q, want %q", out.Tested.Command.Problem, want)
		}
	}
}

// TestComplaint: what a build says of its progress is not why there is no report.
func TestComplaint(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"usage: run [FILE]\nmore\n": "usage: run [FILE]",
		"\n\n  said late\n":         "said late",
		"[  2%] Building C object a.c.o\na.c:3:1: error: expected ';'\nerror: 1\n": "a.c:3:1: error: expected ';'",
		"   Compiling a v0.1\nerror[E0425]: cannot find value\n":                   "error[E0425]: cannot find value",
		"Traceback (most recent call last):\n  x\nSyntaxError: invalid\n":          "SyntaxError: invalid",
		"Building C object error.c.o\n[ERROR] no compiler\n":                       "[ERROR] no compiler",
		"no such module\nMARK\n<testsuite><error/></testsuite>\n":                  "no such module",
		"\nMARK\n": "",
	} {
		file := filepath.Join(t.TempDir(), "stderr")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := complaint(file, &secondReport{mark: "MARK"}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := complaint(filepath.Join(t.TempDir(), "none"), nil); got != "" {
		t.Errorf("no file: %q", got)
	}
}

// TestCompilersComplaint: a test that is missing because nothing compiled is told with what the compiler said.
func TestCompilersComplaint(t *testing.T) {
	rep := reportOf(t, testlog.GoTestJSON, `{"ImportPath":"x/y","Action":"build-output","Output":"# x/y\n"}
{"ImportPath":"x/y","Action":"build-output","Output":"./y.go:3:9: undefined: gone\n"}
{"ImportPath":"x/y","Action":"build-fail"}
{"Time":"2026-01-01T00:00:00Z","Action":"start","Package":"x/y"}
{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"x/y","Output":"FAIL\tx/y [build failed]\n"}
{"Time":"2026-01-01T00:00:00Z","Action":"fail","Package":"x/y","Elapsed":0,"FailedBuild":"x/y"}
`)
	if got, want := compilerSaid(rep), "the build failed: ./y.go:3:9: undefined: gone"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := compilerSaid(reportOf(t, testlog.Pytest, "=== 1 passed in 0.01s ===\n")); got != "" {
		t.Errorf("nothing was built: %q", got)
	}
}
