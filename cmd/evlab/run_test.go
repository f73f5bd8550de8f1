//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"evlab/sandbox"
	"evlab/terminal"
)

// runIn runs the program inside the test's process with an environment of its own.
func runIn(t *testing.T, ctx context.Context, stdout io.Writer, env []string, args ...string) (code int, stderr string) {
	t.Helper()
	var errs bytes.Buffer
	code = run(ctx, args, strings.NewReader(""), stdout, &errs, env)
	return code, errs.String()
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestAResultThatIsNotWrittenIsNoSuccess(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"version", "--json"}, {"completion", "bash"}, {"help"}, {"init", "-o", "-"}} {
		code, stderr := runIn(t, t.Context(), fullDisk{}, nil, args...)
		if code != exitUnexpected || !strings.Contains(stderr, "no space left on device") {
			t.Errorf("%v: code %d, %s", args, code, stderr)
		}
	}
}

func TestAnInterruptedCommandSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	env := []string{"EVLAB_DATA=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "DOCKER_HOST=tcp://127.0.0.1:1"}
	code, stderr := runIn(t, ctx, io.Discard, env, "doctor")
	if code != exitInterrupted || stderr != "error: interrupted\n" {
		t.Errorf("code %d, %q", code, stderr)
	}
}

func TestFailuresKeepTheirCode(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		code int
		want string
	}{
		"plain":   {errors.New("boom"), exitUnexpected, "error: boom\n"},
		"usage":   {usage("do that", "%s is wrong", "x"), exitUsage, "error: x is wrong\nhint: do that\n"},
		"wrapped": {errors.Join(precondition("", "no engine")), exitPrecondition, "error: no engine\n"},
		"hostile": {errors.New("a\x1b[2J\nb"), exitUnexpected, "error: a\\x1b[2J\nb\n"},
		"parts": {&failure{Code: exitDrift, Msg: "two things:", Faults: []error{errors.New("one"), errors.New("two\n")}}, exitDrift,
			"error: two things:\n  one\n  two\\n\n"},
	} {
		var stderr bytes.Buffer
		a := newApp(nil, io.Discard, &stderr, nil)
		a.began = true
		if code := a.fail(c.err); code != c.code || stderr.String() != c.want {
			t.Errorf("%s: code %d, %q", name, code, stderr.String())
		}
		stderr.Reset()
		a.json = true
		code := a.fail(c.err)
		var o errorObject
		if err := json.Unmarshal(stderr.Bytes(), &o); err != nil || o.Type != "error" || o.Code != code || o.Code != c.code {
			t.Errorf("%s: %v in %s", name, err, stderr.String())
		}
	}
}

func TestExitCodesAreOneTable(t *testing.T) {
	seen := map[int]bool{}
	for _, c := range exitCodes {
		if seen[c.Code] || c.Meaning == "" {
			t.Errorf("code %d is listed twice or means nothing", c.Code)
		}
		seen[c.Code] = true
	}
}

// TestEveryCommandHasExamples holds for those that others add as well.
func TestEveryCommandHasExamples(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Runnable() && c.Name() != "help" && !c.Hidden {
			if n := strings.Count("\n"+c.Example, "\n  evlab ") + strings.Count(c.Example, "<(evlab"); n < 2 {
				t.Errorf("%s has %d examples; help begins with two or three", c.CommandPath(), n)
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(newApp(nil, io.Discard, io.Discard, nil)))
}

func TestDataFolder(t *testing.T) {
	for name, c := range map[string]struct {
		flag string
		env  []string
		want string
	}{
		"flag":     {"/flag", []string{"EVLAB_DATA=/env", "HOME=/h"}, "/flag"},
		"variable": {"", []string{"EVLAB_DATA=/env", "HOME=/h"}, "/env"},
		"last one": {"", []string{"EVLAB_DATA=/first", "EVLAB_DATA=/last"}, "/last"},
	} {
		a := newApp(nil, nil, nil, c.env)
		a.data = c.flag
		if got, err := a.dataFolder(); err != nil || got != filepath.FromSlash(c.want) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

func TestDoctorSeesTheEnginesLock(t *testing.T) {
	state := t.TempDir()
	if c := checkEngineLock(filepath.Join(state, "missing")); c.State != checkOK {
		t.Errorf("no state: %+v", c)
	}
	f, err := os.Create(filepath.Join(state, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(`{"pid":4242,"started":"2026-12-01T10:00:00Z"}`); err != nil {
		t.Fatal(err)
	}
	if c := checkEngineLock(state); c.State != checkOK || !strings.Contains(c.Fact, "is free") {
		t.Errorf("unlocked: %+v", c)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	if c := checkEngineLock(state); c.State != checkWarn || !strings.Contains(c.Fact, "process 4242") || c.Fix == "" {
		t.Errorf("locked: %+v", c)
	}
}

func TestDoctorSeesClocksThatDiffer(t *testing.T) {
	now := time.Now()
	if c := checkClock(&dockerFacts{}); c.State != checkOK {
		t.Errorf("no engine: %+v", c)
	}
	if c := checkClock(&dockerFacts{Engine: sandbox.Engine{Time: now.Add(time.Second), Asked: now}}); c.State != checkOK {
		t.Errorf("a second: %+v", c)
	}
	if c := checkClock(&dockerFacts{Engine: sandbox.Engine{Time: now.Add(-time.Hour), Asked: now}}); c.State != checkWarn || !strings.Contains(c.Fact, "-1h0m0s") {
		t.Errorf("an hour: %+v", c)
	}
}

func TestDoctorReadsGitsVersion(t *testing.T) {
	for reply, want := range map[string]string{
		"git version 2.39.5":                 checkOK,
		"git version 2.50.1 (Apple Git-155)": checkOK,
		"git version 3.0.0-rc1":              checkOK,
		"git version 2.17.1":                 checkWarn,
		"git version 1.99":                   checkWarn,
		"something else":                     checkWarn,
	} {
		dir := t.TempDir()
		script := "#!/bin/sh\necho '" + reply + "'\n"
		if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		a := newApp(nil, nil, nil, []string{"PATH=" + dir + ":/bin:/usr/bin"})
		if c := a.checkGit(t.Context()); c.State != want {
			t.Errorf("%s: %+v", reply, c)
		}
	}
}

func TestOnlyOneOfManyWritersWins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.yaml")
	var wg sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		wg.Go(func() { errs[i] = writeFile(file, bytes.Repeat([]byte{byte('a' + i)}, 10000), false) })
	}
	wg.Wait()
	won := 0
	for i, err := range errs {
		switch {
		case err == nil:
			won++
			text, err := os.ReadFile(file)
			if err != nil || len(text) != 10000 || strings.Trim(string(text), string(rune('a'+i))) != "" {
				t.Errorf("the file is not the winner's: %v", err)
			}
		case !errors.Is(err, fs.ErrExist):
			t.Error(err)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if won != 1 || err != nil || len(entries) != 1 {
		t.Errorf("%d writers won, %d files are left, %v", won, len(entries), err)
	}
}

func TestProgressFollowsTheOutput(t *testing.T) {
	var stderr bytes.Buffer
	a := newApp(nil, io.Discard, &stderr, nil)
	a.json = true
	p := a.newProgress()
	p.Update(terminal.Snapshot{Total: 1})
	p.Close()
	if !strings.HasPrefix(stderr.String(), `{"type":"version","ui":"1.0"}`+"\n"+`{"type":"progress"`) {
		t.Error(stderr.String())
	}
}
