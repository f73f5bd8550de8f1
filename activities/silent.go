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

// silent reports whether a command told nothing of any test that was asked for, and something is wrong with its report.
func silent(done tried) bool {
	ended := done.Tested.Command.Outcome == string(sandbox.Completed) || done.Tested.Command.Outcome == string(sandbox.Killed)
	return done.Tested.Command.Problem != "" && ended &&
		!slices.ContainsFunc(done.Results, func(r experiments.TestResult) bool { return r.Outcome != string(testlog.Missing) })
}

// proveVoice is asked when a candidate's tests were silent and no preflight has proved them: either the candidate
// silenced them, or they cannot be run in this environment at all, and then no candidate can be judged. The task's own
// repair tells; its tests are run once for all candidates. The error is the task's fault.
func (b *Sandbox) proveVoice(ctx context.Context, run *artifacts.Run, contract *experiments.Contract, in workflows.TestInput) error {
	var h handOut
	if err := h.read(ctx, b.Folder.HandOut, in.Reference); err != nil {
		return err
	}
	task, ok := contract.Task(in.Cell.Task)
	if !ok || len(h.Reference) == 0 {
		return nil
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
	if errors.Is(err, repos.ErrTestPatch) {
		return taskFault("task %s: %v", task.ID, err)
	}
	if err != nil {
		return err
	}
	if silent(own) {
		return taskFault("task %s: its tests give no report here with its own repair either (%s)", task.ID, oneLine(own.Tested.Reason))
	}
	return nil
}
