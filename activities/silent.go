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

// atOdds reports whether the report of a command in somebody else's image does not hold as a whole: a dataset's command may
// have a status that is not its tests', or change their files, whatever the patch.
func atOdds(e experiments.Environment, done tried) bool {
	return e.Given() && done.Tested.Command.Problem != "" && endedItself(done)
}

// proveVoice is asked when no preflight has proved a task's tests. Where a candidate's were silent, or at odds with
// themselves, either that is the candidate's doing, or they cannot be run in this environment at all, and then no candidate
// can be judged. The task's own repair tells; its tests are run once for all candidates. The error is the task's fault.
func (b *Sandbox) proveVoice(ctx context.Context, run *artifacts.Run, contract *experiments.Contract, in workflows.TestInput, done tried) error {
	task, ok := contract.Task(in.Cell.Task)
	if !ok {
		return nil
	}
	e, err := contract.EnvironmentOf(task)
	if err != nil || !silent(done) && !atOdds(e, done) {
		return err
	}
	var h handOut
	if err := h.read(ctx, b.Folder.HandOut, in.Reference); err != nil || len(h.Reference) == 0 {
		return err
	}
	mirror, err := b.mirror(ctx, task)
	if err != nil {
		return err
	}
	repaired, err := mirror.Apply(ctx, task.BaseCommit, h.Reference)
	if err != nil || repaired.Outcome != "applied" {
		return err
	}
	all := bothPhases(h)
	t := trial{phase: in.Phase, names: all, run: all, tree: repaired.Tree, image: in.Image, task: task.ID}
	own, err := b.tryOwn(ctx, b.steps(run), contract, mirror, task, h, t)
	switch {
	case errors.Is(err, repos.ErrTestPatch):
		return taskFault("task %s: %v", task.ID, err)
	case err != nil:
		return err
	case silent(own):
		return taskFault("task %s: its tests give no report here with its own repair either (%s)", task.ID, oneLine(own.Tested.Reason))
	case atOdds(e, own):
		return taskFault("task %s: its tests' report is not believed here with its own repair either (%s)", task.ID, oneLine(own.Tested.Reason))
	}
	return nil
}
