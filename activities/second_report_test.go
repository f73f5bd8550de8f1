package activities

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"evlab/sandbox/testlog"
)

const (
	secondLog = "=== test session starts ===\n=== short test summary info ===\nPASSED t/test_a.py::test_a\nPASSED t/test_a.py::test_b\n=== 2 passed in 0.01s ===\n"
	secondXML = `<testsuite tests="2"><testcase classname="t.test_a" name="test_a"/><testcase classname="t.test_a" name="test_b"/></testsuite>`
)

// TestSecondReport runs the command around a stand-in for pytest, which is told how to end.
func TestSecondReport(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("such commands run in Linux images")
	}
	python := environment(t, "python")
	for name, c := range map[string]struct {
		does    string // instead of pytest; $1 is the file that it is to write
		finding testlog.Finding
		status  int
		failed  string // the tests that are not believed
	}{
		"honest":                         {`cat log; cp xml "$1"`, testlog.Sound, 0, ""},
		"noise on both streams":          {`echo x; cat log; cp xml "$1"; head -c 200000 /dev/zero >&2; printf 'no end of line' >&2`, testlog.Sound, 0, ""},
		"status":                         {`cat log; cp xml "$1"; exit 3`, testlog.Contradiction, 3, ""},
		"a signal":                       {`cat log; cp xml "$1"; kill -SEGV $$`, testlog.Contradiction, -int(syscall.SIGSEGV), ""},
		"it ended early":                 {`cat log`, testlog.Contradiction, 0, ""},
		"cut short":                      {`cat log; head -c 90 xml >"$1"`, testlog.Contradiction, 0, ""},
		"a link to another":              {`cat log; ln -s "$PWD/xml" "$1"`, testlog.Contradiction, 0, ""},
		"an empty file":                  {`cat log; : >"$1"`, testlog.Contradiction, 0, ""},
		"a test that it does not know":   {`cat log; sed 's/test_b/test_c/' xml >"$1"`, testlog.Sound, 0, "t/test_a.py::test_b"},
		"a test that failed there":       {`cat log; sed 's,"test_b"/>,"test_b"><failure/></testcase>,' xml >"$1"`, testlog.Sound, 0, "t/test_a.py::test_b"},
		"a mark that the tests print":    {`cat log; echo "$MARK" >&2; cat xml >&2; sed 's/test_b/test_c/' xml >"$1"`, testlog.Sound, 0, "t/test_a.py::test_b"},
		"a mark in the middle of a line": {`cat log; cp xml "$1"; sed -i "s/<testsuite/<!-- $MARK --><testsuite/" "$1"`, testlog.Sound, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{"log": secondLog, "xml": secondXML, "pytest": "#!/bin/sh\nfor last; do :; done\nset -- \"${last#--junitxml=}\"\n" + c.does + "\n"} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			args, second := withSecondReport(python, newPytestControl(python, trial{id: t.TempDir()}), []string{"./pytest"})
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "/tmp/evlab-", filepath.Join(dir, "evlab-"))
			}
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "MARK="+second.mark)
			stderr, err := os.Create(filepath.Join(dir, "stderr"))
			if err != nil {
				t.Fatal(err)
			}
			defer stderr.Close()
			cmd.Stderr = stderr
			stdout, err := cmd.Output()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			status := cmd.ProcessState.ExitCode()
			if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
				status = -int(ws.Signal())
			}
			rep := reportOf(t, testlog.Pytest, string(stdout))
			if err := second.confirm(rep, stderr.Name()); err != nil {
				t.Fatal(err)
			}
			finding, why := rep.Assess(max(status, -status))
			var failed []string
			for _, j := range rep.Judge([]string{"t/test_a.py::test_a", "t/test_a.py::test_b"}) {
				if !j.Outcome.OK() {
					failed = append(failed, j.Name)
				}
			}
			if finding != c.finding || status != c.status || strings.Join(failed, " ") != c.failed {
				t.Errorf("%s (%s), status %d, not believed %q; want %+v", finding, why, status, failed, c)
			}
		})
	}
	if args, second := withSecondReport(environment(t, "javascript"), &control{}, []string{"node"}); second != nil || !slices.Equal(args, []string{"node"}) {
		t.Errorf("%q: node has no second report", args)
	}
}
