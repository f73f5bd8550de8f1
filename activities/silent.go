package activities

import (
	"context"
	"errors"
	"slices"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox"
	"evlab/sandbox/testlog"
	"evlab/workflows"
)

// endedItself reports whether a command came to an end of its own, whichever.
func endedItself(done tried) bool {
	outcome := done.Tested.Command.Outcome
	return outcome == string(sandbox.Completed) || outcome == string(sandbox.Killed)
}

// silent reports whether a command told nothing of any test that was asked for, and something is wrong with its report.
func silent(done tried) bool {
	return done.Tested.Command.Problem != "" && endedItself(done) &&
		!slices.ContainsFunc(done.Results, func(r experiments.TestResult) bool { return r.Outcome != string(testlog.Missing) })
}

// atOdds reports whether a report does not hold as a whole: a dataset's command may have a status that is not its tests', a
// runner's settings may fail what no test did, and tests may change their own files, whatever the patch. What the control
// says is weighed by itself.
func atOdds(done tried) bool {
	return done.Tested.Command.Problem != "" && !done.doubted() && endedItself(done)
}

// unnamed lists the tests that a report does not know which holds as a whole.
func unnamed(done tried) (names []string) {
	if done.Tested.Command.Problem != "" || !endedItself(done) {
		return nil
	}
	for _, r := range done.Results {
		if r.Outcome == string(testlog.Missing) {
			names = append(names, r.Name)
		}
	}
	return names
}

// holdAgainstOwn is for tasks whose tests no preflight has proved, or not without doubts: what is strange about a candidate's
// report is the task's doing where the report of the task's own repair is as strange.
func (b *Sandbox) holdAgainstOwn(ctx context.Context, run *artifacts.Run, contract *experiments.Contract, in workflows.TestInput, t trial, done *tried) error {
	if in.Reference == "" {
		return nil
	}
	if err := b.proveVoice(ctx, run, contract, in, *done); err != nil {
		return err
	}
	return b.weigh(ctx, run, contract, in, t, done)
}

// proveVoice is about tests without a report that can be believed, or that a report does not know. Where a candidate's were
// silent, at odds with themselves or without some of the names, either that is the candidate's doing, or they cannot be run
// in this environment at all, or nobody's tests have such a name, and then no candidate can be judged. The task's own repair tells; its tests are run once for all candidates. The error is the task's fault.
func (b *Sandbox) proveVoice(ctx context.Context, run *artifacts.Run, contract *experiments.Contract, in workflows.TestInput, done tried) error {
	task, ok := contract.Task(in.Cell.Task)
	lacks := unnamed(done)
	if !ok || !silent(done) && !atOdds(done) && len(lacks) == 0 {
		return nil
	}
	own, err := b.ownRepair(ctx, run, contract, in, task)
	switch {
	case errors.Is(err, repos.ErrTestPatch):
		return taskFault("task %s: %v", task.ID, err)
	case err != nil || own == nil:
		return err
	case silent(*own):
		return taskFault("task %s: its tests give no report here with its own repair either (%s)", task.ID, oneLine(own.Tested.Reason))
	case atOdds(*own):
		return taskFault("task %s: its tests' report is not believed here with its own repair either (%s)", task.ID, oneLine(own.Tested.Reason))
	}
	for _, name := range unnamed(*own) {
		if slices.Contains(lacks, name) {
			return taskFault("task %s: no test is reported as %s with its own repair either: evlab cohort validate measures the names", task.ID, oneLine(name))
		}
	}
	return nil
}

// ownRepair runs a task's tests with its own repair, once for all candidates. It is nil where there is no such repair at hand.
func (b *Sandbox) ownRepair(ctx context.Context, run *artifacts.Run, contract *experiments.Contract, in workflows.TestInput, task *experiments.FrozenTask) (*tried, error) {
	var h handOut
	if err := h.read(ctx, b.Folder.HandOut, in.Reference); err != nil || len(h.Reference) == 0 {
		return nil, err
	}
	mirror, err := b.mirror(ctx, task)
	if err != nil {
		return nil, err
	}
	repaired, err := mirror.Apply(ctx, task.BaseCommit, h.Reference)
	if err != nil || repaired.Outcome != "applied" {
		return nil, err
	}
	all := bothPhases(h)
	t := trial{phase: in.Phase, names: all, run: all, tree: repaired.Tree, image: in.Image, task: task.ID}
	own, err := b.tryOwn(ctx, b.steps(run), contract, mirror, task, h, t)
	return &own, err
}

// weigh is about a control that has not its answer, data of the tests that was written anew, tests that failed as expected, and tests that only one report knows.
func (b *Sandbox) weigh(ctx context.Context, run *artifacts.Run, contract *experiments.Contract, in workflows.TestInput, t trial, done *tried) error {
	task, ok := contract.Task(in.Cell.Task)
	if !ok || !done.doubted() && !slices.ContainsFunc(done.Results, done.inDoubt) {
		return nil
	}
	own, err := b.ownRepair(ctx, run, contract, in, task)
	if err != nil || own == nil {
		return err
	}
	done.weigh(*own)
	done.narrow(t)
	return nil
}

// ownDoubts takes all doubts away from a trial of the task's own repair, where nobody's candidate is: what is strange there
// is the way of its tests. It reports whether there were any, by which candidates may have to be excused.
func (out *tried) ownDoubts(t trial) bool {
	if !out.doubted() && !slices.ContainsFunc(out.Results, out.inDoubt) {
		return false
	}
	out.weigh(*out)
	out.narrow(t)
	return true
}

func (out *tried) inDoubt(r experiments.TestResult) bool {
	return slices.Contains(out.Expected, r.Name) || slices.Contains(out.Alone, r.Name)
}

// doubted reports whether the command's problem is one that the task's own repair may have, too.
func (out *tried) doubted() bool { return out.Doubted || out.Rewrote != "" }

// weigh takes a doubt away that the task's own repair meets with, too: a fixture or a hook of the tests is in the control's
// way, or tests write their own data. A test that failed as expected, or that the second report has under another name, passed if it did the same there.
func (out *tried) weigh(own tried) {
	if out.doubted() && (own.Doubted || !out.Doubted) && (own.Rewrote != "" || out.Rewrote == "") {
		out.Tested.Command.Problem = ""
	}
	if own.Tested.Command.Problem != "" && !own.doubted() {
		return // nothing of it is believed
	}
	for i, r := range out.Results {
		switch {
		case !out.inDoubt(r):
		case slices.Contains(out.Expected, r.Name) && slices.Contains(own.Expected, r.Name), slices.Contains(out.Alone, r.Name) && slices.Contains(own.Alone, r.Name):
			out.Results[i].Outcome = experiments.PassedTest
		case slices.Contains(out.Expected, r.Name):
			out.Results[i].Outcome = string(testlog.ExpectedFailure)
		}
	}
}
