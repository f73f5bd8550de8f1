package activities

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/sandbox"
	"evlab/sandbox/testlog"
)

// readerBox stands in for a sandbox: it notes what programs are given, and ends as it is told.
type readerBox struct {
	sandbox.Sandbox
	steps          []sandbox.Step
	result         sandbox.Result
	err            error
	stdout, stderr string
}

func (b *readerBox) Ensure(_ context.Context, r sandbox.Recipe) (sandbox.Image, error) {
	return sandbox.Image{ID: r.SnapshotID, Ref: r.SnapshotID}, nil
}

func (b *readerBox) Run(_ context.Context, s sandbox.Step) (sandbox.Result, error) {
	b.steps = append(b.steps, s)
	return b.result, errors.Join(b.err, os.WriteFile(s.Stdout, []byte(b.stdout), 0o644), os.WriteFile(s.Stderr, []byte(b.stderr), 0o644))
}

func (b *readerBox) Forget(context.Context, string, int) error { return nil }

// TestReportsThatAProgramReads: a program is given whole logs and nothing else, and whatever goes wrong with it never says
// that a test passed. What is the machine's fault is no report at all.
func TestReportsThatAProgramReads(t *testing.T) {
	ctx := context.Background()
	folder, err := artifacts.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	program, err := folder.HandOut.Put(ctx, []byte("the program"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(runtime.GOARCH + "\npython3"))
	packages := filepath.Join(folder.Modules(), fmt.Sprintf("debian-%x", sum[:8])) // as if they had been fetched
	if err := errors.Join(os.MkdirAll(packages, 0o755), os.WriteFile(filepath.Join(packages, "whole"), []byte("id"), 0o644)); err != nil {
		t.Fatal(err)
	}
	e := experiments.Environment{Report: testlog.Parsed, Reader: &experiments.Reader{Program: program, Takes: experiments.ReaderTakesLog, Packages: []string{"python3"}}}
	const passed = `{"tests": [{"name": "a", "status": "passed"}]}`
	ended := sandbox.Result{Outcome: sandbox.Completed}
	for name, c := range map[string]struct {
		tests   sandbox.Result // of the tests' command
		box     readerBox
		asked   bool
		outcome testlog.Outcome
		problem string
		fault   string
	}{
		"an answer":                  {ended, readerBox{result: ended, stdout: passed}, true, testlog.Passed, "", ""},
		"a log that was cut":         {sandbox.Result{Outcome: sandbox.Completed, Truncated: true}, readerBox{result: ended, stdout: passed}, false, testlog.Missing, "", ""},
		"tests that took too long":   {sandbox.Result{Outcome: sandbox.Deadline}, readerBox{result: ended, stdout: passed}, false, testlog.Missing, "", ""},
		"tests that were changed":    {sandbox.Result{Outcome: sandbox.Completed, Altered: "a_test.go"}, readerBox{result: ended, stdout: passed}, false, testlog.Missing, "", ""},
		"data that was changed":      {sandbox.Result{Outcome: sandbox.Completed, Altered: "testdata/a"}, readerBox{result: ended, stdout: passed}, true, testlog.Passed, "", ""},
		"a program that fails":       {ended, readerBox{result: sandbox.Result{Outcome: sandbox.Completed, Exit: 1}, stdout: passed, stderr: "Traceback\n\nKeyError: 'x'\n"}, true, testlog.Missing, "unread: its dataset's program that reads the report gave none: KeyError: 'x'", ""},
		"one that takes too long":    {ended, readerBox{result: sandbox.Result{Outcome: sandbox.Deadline, Exit: 137}, stdout: passed}, true, testlog.Missing, "unread: its dataset's program that reads the report ended by its limit: deadline", ""},
		"one that crashes":           {ended, readerBox{result: sandbox.Result{Outcome: sandbox.Killed, Exit: 128 + 11}, stdout: passed}, true, testlog.Missing, "signal 11", ""},
		"one that says too much":     {ended, readerBox{result: sandbox.Result{Outcome: sandbox.Completed, Truncated: true}, stdout: passed}, true, testlog.Missing, "log limit", ""},
		"one that says nothing":      {ended, readerBox{result: ended}, true, testlog.Missing, "", ""},
		"an engine that is gone":     {ended, readerBox{result: sandbox.Result{Outcome: sandbox.EngineLost}}, true, "", "", "engine-lost"},
		"somebody else kills it":     {ended, readerBox{result: sandbox.Result{Outcome: sandbox.Killed, Exit: killedHard}}, true, "", "", "killed"},
		"a step that cannot be made": {ended, readerBox{err: &sandbox.Fault{Class: sandbox.FaultImage, Err: errors.New("no image")}}, true, "", "", "no image"},
	} {
		b := &Sandbox{Site: &Site{Folder: folder, Log: slog.New(slog.DiscardHandler)}, Box: &c.box}
		dir := t.TempDir()
		step := sandbox.Step{ID: "run/task/" + name, Stdout: filepath.Join(dir, "stdout"), Stderr: filepath.Join(dir, "stderr")}
		if err := errors.Join(os.WriteFile(step.Stdout, []byte("out"), 0o644), os.WriteFile(step.Stderr, []byte("err"), 0o644)); err != nil {
			t.Fatal(err)
		}
		rep, made, problem, err := b.report(ctx, e, step, c.tests)
		if len(c.box.steps) > 0 != c.asked {
			t.Errorf("%s: %d steps", name, len(c.box.steps))
		}
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := rep.Judge([]string{"a"})[0].Outcome; got != c.outcome || !strings.Contains(problem, c.problem) || (problem == "") != (c.problem == "") {
			t.Errorf("%s: %s, %q", name, got, problem)
		}
		if finding, _ := rep.Assess(0); (finding == testlog.Sound) != (c.outcome == testlog.Passed) {
			t.Errorf("%s: %s", name, finding)
		}
		if kept, _ := folder.Public.Get(ctx, made); c.asked && c.problem == "" && string(kept) != c.box.stdout {
			t.Errorf("%s: kept %q", name, kept)
		}
		if !c.asked {
			continue
		}
		given := map[string]string{}
		for _, f := range c.box.steps[0].Files.Files {
			given[f.Path] = string(f.Content)
		}
		if s := c.box.steps[0]; s.Image.Ref != "evlab-reader" || len(given) != 4 || given["program.py"] != "the program" || given["stdout.log"] != "out" || given["stderr.log"] != "err" {
			t.Errorf("%s: in %s with %q", name, s.Image.Ref, given)
		}
	}
}

// TestReaderScript: what programs say is taken as it is or not at all.
func TestReaderScript(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err) // cmd/evlab has it run in the sandbox
	}
	for name, c := range map[string]struct {
		takes, program, log string
		want                string // on standard output, or in the last line of standard error
		fails               bool
	}{
		"a dict":                {"log", "def parser(log): return {l: 'PASS' for l in log.split()}", "a \x1b[31mb\x1b[0m\r\n\xff", `{"tests": [{"name": "a", "status": "PASS"}, {"name": "b", "status": "PASS"}, {"name": "\ufffd", "status": "PASS"}]}`, false},
		"nothing":               {"log", "def parser(log): return {}", "", `{"tests": []}`, false},
		"one that prints":       {"log", "import os\ndef parser(log):\n  print('{}'); os.write(1, b'x'); return {}", "", `{"tests": []}`, false},
		"one that exits":        {"log", "def parser(log): exit(0)", "", "SystemExit: 0", true},
		"one that fails":        {"log", "def parser(log): return log['a\\nb']", "", "TypeError: string indices must be integers", true},
		"one that is no text":   {"log", "def parser(", "", "SyntaxError", true},
		"no function":           {"log", "def parse(log): return {}", "", "no function parser(log)", true},
		"no dict":               {"log", "def parser(log): return [1]", "", "gives a list", true},
		"a name that is none":   {"log", "def parser(log): return {1: 'pass'}", "", "1 is no name of a test", true},
		"an outcome as object":  {"log", "def parser(log): return {'a': True}", "", "'a' is said to be True", true},
		"an outcome of its own": {"log", "def parser(log): return {'a': 'fine'}", "", "'a' is said to be 'fine', which is no outcome", true},
		"files":                 {"files", "import sys\nopen(sys.argv[3], 'w').write('{\"tests\": [{\"name\": \"%s%s\", \"status\": \"PASSED\"}]}' % (open(sys.argv[1]).read(), open(sys.argv[2]).read()))\nprint('x')", "a", `{"tests": [{"name": "aerr", "status": "PASSED"}]}`, false},
		"files, and it fails":   {"files", "import sys\nsys.exit('it is\\nno log')", "a", "status 1: no log", true},
		"files, and no answer":  {"files", "pass", "a", "FileNotFoundError", true},
		"files, and no list":    {"files", "import sys\nopen(sys.argv[3], 'w').write('{}')", "a", "KeyError: 'tests'", true},
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{"read.py": string(readerScript), "program.py": c.program, "stdout.log": c.log, "stderr.log": "err"} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var stdout, stderr strings.Builder
		cmd := exec.Command(python, "read.py", c.takes)
		cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, &stdout, &stderr, append(os.Environ(), "TMPDIR="+dir)
		err := cmd.Run()
		if err := os.WriteFile(filepath.Join(dir, "said"), []byte(stderr.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		got := strings.TrimSpace(stdout.String())
		if c.fails {
			got = lastLine(filepath.Join(dir, "said"))
		}
		if (err != nil) != c.fails || !c.fails && got != c.want || !strings.Contains(got, c.want) {
			t.Errorf("%s: %v, %q; want %q", name, err, got, c.want)
		}
	}
}
