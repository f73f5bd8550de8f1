package activities

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
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
	name     string   // of the test
	beside   []string // of others that have the same answer
	outcome  testlog.Outcome
	files    []repos.File
	alone    []repos.File        // instead of files where it is run without the tests; nil for the same
	args     []string            // of the test command, by which it comes in
	scoped   bool                // it is in every package that has a test asked for
	last     string              // of an example that comes to an end after all tests, where the control is scoped
	places   map[string][]string // names of it in a report, each with the tests asked for that it stands for; nil where one name does
	anywhere string              // how all its names begin, where they depend on files that only the hidden tests may have
}

func newControl(t trial, prefix string, outcome testlog.Outcome) *control {
	sum := sha256.Sum256([]byte("evlab control of " + t.id))
	return &control{name: fmt.Sprintf("%s%x", prefix, sum[:8]), outcome: outcome}
}

// names are the names by which the control is run with the tests.
func (c *control) names(run []string) []string {
	var names []string
	for _, name := range run {
		for _, own := range []string{c.name, c.last} {
			if pkg, _ := testlog.SplitGo(name); pkg != "" {
				own = testlog.Key(pkg, own)
			}
			names = append(names, own)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// check lists where the control does not have its answer although a test asked for is named as passed there.
func (c *control) check(rep *testlog.Report, run []string) (wrong []string) {
	var passed []string
	for _, j := range rep.Judge(run) {
		if j.Outcome.OK() {
			_, test := testlog.SplitGo(j.Name)
			passed = append(passed, test)
		}
	}
	if len(passed) == 0 {
		return nil // there is nothing to doubt
	}
	switch {
	case c.places != nil:
		return c.absent(rep, c.doubted(rep))
	case !c.scoped:
		return c.absent(rep, append([]string{c.name}, c.beside...))
	}
	var keys []string
	for _, pkg := range slices.Sorted(maps.Keys(rep.Packages)) {
		if !slices.ContainsFunc(passed, func(test string) bool { return rep.Tests[testlog.Key(pkg, test)].OK() }) {
			continue
		}
		for _, name := range []string{c.name, c.last} {
			key := testlog.Key(pkg, name)
			if _, there := rep.Tests[key]; there || !rep.Packages[pkg].Bad() {
				keys = append(keys, key)
			} // else it ended early or says itself what failed; that it failed for nothing is held against it elsewhere
		}
	}
	return c.absent(rep, keys)
}

// problem says why a report is not believed.
func (c *control) problem(rep *testlog.Report, wrong []string) string {
	if rep.Tests[wrong[0]] == testlog.Unfinished {
		return fmt.Sprintf("the tests' process ended while evlab's control among them, %s, ran: something of the program goes on after its tests, and fails", wrong[0])
	}
	if c.last != "" && strings.HasSuffix(wrong[0], "::"+c.last) {
		return fmt.Sprintf("evlab's control after all tests, %s, did not run: something of the program ended the tests' process", wrong[0])
	}
	return fmt.Sprintf("evlab's control among the tests, %s, should be %s and is not: the report is not what the tests' runner found", wrong[0], c.outcome)
}

// controlHoldsAtBase runs the control alone on the base commit, where no candidate can answer for it. Where it does not
// have its answer there either, a repository's own settings are in its way, and nothing can be said by it.
func (b *Sandbox) controlHoldsAtBase(ctx context.Context, e experiments.Environment, command testCommand, step sandbox.Step, wrong []string) (holds bool, err error) {
	c := command.control
	step.ID += "/control"
	step.Files, step.Held = repos.Delta{Files: command.files}, nil
	if c.alone != nil {
		step.Files.Files = c.alone
	}
	step.Command = slices.Concat(e.Command, c.args)
	switch {
	case c.places != nil: // the command runs all tests
	case c.scoped:
		step.Command = append(step.Command, goSelection(wrong, nil)...)
	default:
		step.Command = append(step.Command, keepCollecting, "-k", c.name)
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
	case sandbox.Killed:
		return false, nil
	case sandbox.EngineLost, sandbox.Cancelled:
		return false, b.fault(ctx, step.ID, &sandbox.Fault{Class: string(res.Outcome), Err: errors.New("the control ended as " + string(res.Outcome))})
	}
	rep, err := readReport(e, step.Stdout)
	if err != nil {
		return false, err
	}
	return c.holds(rep, wrong), nil
}

// holds reports whether the control has its answer where no candidate is, in one at least of the places where it was missed.
// The files that it was missed in may not be there.
func (c *control) holds(rep *testlog.Report, wrong []string) bool {
	if c.anywhere == "" {
		return len(c.absent(rep, wrong)) < len(wrong)
	}
	for name, o := range rep.Tests {
		if strings.HasPrefix(name, c.anywhere) && o == c.outcome {
			return true
		}
	}
	return false
}

// absent lists those of the control's names for which a report does not have its answer.
func (c *control) absent(rep *testlog.Report, names []string) (wrong []string) {
	for _, name := range names {
		found := rep.Tests[name] == c.outcome
		if c.last != "" && strings.HasSuffix(name, "::"+c.last) {
			found = rep.Tests[name] == testlog.Passed || rep.Tests[name] == testlog.Failed
		}
		for key, o := range rep.Tests {
			found = found || !c.scoped && strings.HasSuffix(key, "::"+name) && o == c.outcome
		}
		if !found {
			wrong = append(wrong, name)
		}
	}
	return wrong
}
