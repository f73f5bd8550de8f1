package activities

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox"
	"evlab/sandbox/testlog"
)

// control is a test of evlab's own that runs among a trial's tests, as a control with a known answer does in an
// experiment. The tests run in one process with the code under test, and that process writes the report: a patch can
// print a whole report and end the process, or have the runner pass whatever fails. But a patch cannot know the
// control's name, which follows from the trial; so what it prints lacks the control, and a runner that passes everything
// passes the control, too, which is not its answer: it fails as expected in pytest, and skips itself in go test.
type control struct {
	name    string // of the test
	outcome testlog.Outcome
	files   []repos.File
	scoped  bool // it is in every package that has a test asked for
}

func newControl(t trial, prefix string, outcome testlog.Outcome) *control {
	sum := sha256.Sum256([]byte("evlab control of " + t.id))
	return &control{name: fmt.Sprintf("%s%x", prefix, sum[:8]), outcome: outcome}
}

const fileControlText = `"""A test with a known answer, put here by evlab: it fails, and says so."""
import pytest


@pytest.mark.xfail(reason="known answer", strict=True)
def %s():
    assert 1 == 2
`

// fileControl puts the control beside the first of the files that are run: pytest takes its root folder, and with it its
// settings, from where the files are. It is nil where none is named, so that nobody knows which ones the runner reads.
func fileControl(e experiments.Environment, t trial, files []string) *control {
	if len(files) == 0 || e.Report != testlog.Pytest {
		return nil
	}
	c := newControl(t, "test_evlab_", testlog.ExpectedFailure)
	c.files = []repos.File{{Path: path.Join(path.Dir(files[0]), c.name+".py"), Mode: "100644", Content: fmt.Appendf(nil, fileControlText, c.name)}}
	return c
}

const goControlText = `package %s_test

import "testing"

// A test with a known answer, put here by evlab.
func %s(t *testing.T) { t.Skip("known answer") }
`

// goControl puts the control into every package that declares a test asked for, as an external test: the package's own
// tests need not be compiled anew for it.
func goControl(g *goTree, t trial) *control {
	c := newControl(t, "TestEvlab", testlog.Skipped)
	c.scoped = true
	for _, dir := range slices.Sorted(maps.Keys(g.tests)) {
		c.files = append(c.files, repos.File{
			Path: path.Join(dir, strings.ToLower(c.name)+"_test.go"), Mode: "100644", Content: fmt.Appendf(nil, goControlText, g.tests[dir], c.name),
		})
	}
	return c
}

// names are the names by which the control is run with the tests.
func (c *control) names(run []string) []string {
	var names []string
	for _, name := range run {
		own := c.name
		if pkg, _ := splitGoName(name); pkg != "" {
			own = testlog.Key(pkg, c.name)
		}
		names = append(names, own)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// check lists where the control does not have its answer although a test asked for is named as passed there.
func (c *control) check(rep *testlog.Report, run []string) (wrong []string) {
	var passed []string
	for _, j := range rep.Judge(run) {
		if j.Outcome.OK() {
			_, test := splitGoName(j.Name)
			passed = append(passed, test)
		}
	}
	if len(passed) == 0 {
		return nil // there is nothing to doubt
	}
	if !c.scoped {
		return c.absent(rep, []string{c.name})
	}
	var keys []string
	for _, pkg := range slices.Sorted(maps.Keys(rep.Packages)) {
		if slices.ContainsFunc(passed, func(test string) bool { return rep.Tests[testlog.Key(pkg, test)].OK() }) {
			keys = append(keys, testlog.Key(pkg, c.name))
		}
	}
	return c.absent(rep, keys)
}

// problem says why a report is not believed.
func (c *control) problem(wrong []string) string {
	return fmt.Sprintf("evlab's control among the tests, %s, should be %s and is not: the report is not what the tests' runner found", wrong[0], c.outcome)
}

// controlHoldsAtBase runs the control alone on the base commit, where no candidate can answer for it. Where it does not
// have its answer there either, a repository's own settings are in its way, and nothing can be said by it.
func (b *Sandbox) controlHoldsAtBase(ctx context.Context, e experiments.Environment, command testCommand, step sandbox.Step, wrong []string) (holds bool, err error) {
	c := command.control
	step.ID += "/control"
	step.Files = repos.Delta{Files: command.files}
	step.Command = slices.Clone(e.Command)
	if c.scoped {
		step.Command = append(step.Command, goSelection(wrong, nil)...)
	} else {
		step.Command = append(step.Command, c.files[0].Path)
	}
	dir := filepath.Dir(step.Stdout)
	step.Stdout, step.Stderr = filepath.Join(dir, "control-stdout"), filepath.Join(dir, "control-stderr")
	res, err := b.Box.Run(ctx, step)
	if err != nil {
		return false, b.fault(ctx, step.ID, err)
	}
	if ferr := b.Box.Forget(ctx, step.ID, 1); ferr != nil {
		b.Log.Warn("removing a finished container", "step", step.ID, "error", ferr)
	}
	switch res.Outcome {
	case sandbox.EngineLost, sandbox.Killed, sandbox.Cancelled:
		return false, b.fault(ctx, step.ID, &sandbox.Fault{Class: string(res.Outcome), Err: errors.New("the control ended as " + string(res.Outcome))})
	}
	rep, err := readReport(e, step.Stdout)
	if err != nil {
		return false, err
	}
	return len(c.absent(rep, wrong)) == 0, nil
}

// absent lists those of the control's names for which a report does not have its answer.
func (c *control) absent(rep *testlog.Report, names []string) (wrong []string) {
	for _, name := range names {
		found := rep.Tests[name] == c.outcome
		for key, o := range rep.Tests {
			found = found || !c.scoped && strings.HasSuffix(key, "::"+name) && o == c.outcome
		}
		if !found {
			wrong = append(wrong, name)
		}
	}
	return wrong
}
