package activities

import (
	"context"
	"errors"
	"slices"
	"strings"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox"
	"evlab/sandbox/testlog"
	"evlab/workflows"
)

// silent reports whether a command told nothing of any test that was asked for, and something is wrong with its report.
func silent(done tried) bool {
	ended := done.Tested.Command.Outcome == string(sandbox.Completed) || done.Tested.Command.Outcome == string(sandbox.Killed)
	return done.Tested.Command.Problem != "" && ended &&
		!slices.ContainsFunc(done.Results, func(r experiments.TestResult) bool { return r.Outcome != string(testlog.Missing) })
}

// atOdds reports whether a dataset's own command contradicted itself: its status may be another one than the tests'.
func atOdds(e experiments.Environment, done tried) bool {
	return e.Given() && strings.HasPrefix(done.Tested.Command.Problem, string(testlog.Contradiction)+": ")
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
