package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"evlab/report"
)

// TestDataFoldersThatCantBeWritten end with the code of what is missing, wherever a command meets them.
func TestDataFoldersThatCantBeWritten(t *testing.T) {
	at := func(op string, err error) error {
		return fmt.Errorf("reading the cohort: %w", &fs.PathError{Op: op, Path: "data/scratch", Err: err})
	}
	for _, c := range []struct {
		err  error
		code int
		hint string
	}{
		{at("mkdir", syscall.EROFS), exitPrecondition, makeWritable},
		{at("mkdir", syscall.EACCES), exitPrecondition, makeWritable},
		{at("write", syscall.ENOSPC), exitPrecondition, makeRoom},
		{at("open", syscall.EACCES), exitUsage, "evlab config check"}, // somebody's file
	} {
		var planned *failure
		if !errors.As(planningFailure(c.err, "exp.yaml"), &planned) || planned.Code != c.code || !strings.HasPrefix(planned.Hint, c.hint) {
			t.Errorf("planning, %v: %+v", c.err, planned)
		}
		if c.code != exitPrecondition {
			continue
		}
		var session *failure
		if !errors.As(sessionFailure(nil, c.err, "r"), &session) || session.Code != c.code || !strings.HasPrefix(session.Hint, c.hint) {
			t.Errorf("carrying, %v: %+v", c.err, session)
		}
		var told bytes.Buffer
		a := newApp(nil, nil, &told, nil)
		a.began = true
		if code := a.fail(c.err); code != c.code || !strings.Contains(told.String(), c.hint) {
			t.Errorf("at last, %v: code %d, %s", c.err, code, &told)
		}
	}
	for _, c := range []struct {
		lost, open int
		want, not  string
	}{{0, 2, "evlab resume r tries", "evlab evaluate"}, {1, 0, "evlab evaluate with the same files, in a new run", "resume"}, {1, 1, "; evlab evaluate", "reasons"}, {0, 0, "looks at it anew", "resume"}} {
		f := undecided("r", "evlab evaluate", c.lost, c.open, "no verdict for 2 of 3 predictions")
		if f.Code != exitUndecided || !strings.Contains(f.Hint, c.want) || strings.Contains(f.Hint, c.not) {
			t.Errorf("%d lost, %d open: %s", c.lost, c.open, f.Hint)
		}
	}
}

// TestGradesAreShownWithoutTheirReport: a place where no report can be written keeps nobody from the grades.
func TestGradesAreShownWithoutTheirReport(t *testing.T) {
	env, _ := graded(t)
	for _, asJSON := range []bool{false, true} {
		var told bytes.Buffer
		a := newApp(nil, &told, io.Discard, env)
		folder, run, err := a.openNamed("graded")
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		contract, err := run.Contract()
		if err != nil {
			t.Fatal(err)
		}
		a.json = asJSON
		var failed *failure
		err = a.printGrades(t.Context(), &ended{
			folder: folder, run: run, contract: contract, summary: &report.Summary{},
			ending: ending{Report: filepath.Join(run.Dir, "run.json", "reports")},
		})
		if !errors.As(err, &failed) || failed.Code != exitUsage || !strings.Contains(failed.Msg, "--report: ") || failed.Hint != reportAgain {
			t.Errorf("%+v", err)
		}
		if !strings.Contains(told.String(), "org/new") || !strings.Contains(told.String(), "old") {
			t.Errorf("the grades were not shown:\n%s", &told)
		}
	}
}
