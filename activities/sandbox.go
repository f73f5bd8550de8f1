package activities

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox"
	"evlab/workflows"
)

// Sandbox is the role that runs untrusted code. Of the organizer's it reads hand-outs only.
type Sandbox struct {
	*Site
	Box     sandbox.Sandbox
	Release bool // drop a task's image when the task has closed
	faults  faults
	kills   faults // commands that SIGKILL ended

	memories sync.Map // run id -> *artifacts.Once
}

// ApplyPatch makes the candidate tree and lays the hidden tests over it. A hidden test patch that does not apply is
// the task's fault.
func (b *Sandbox) ApplyPatch(ctx context.Context, in workflows.PatchInput) (out workflows.AppliedPatch, err error) {
	run, contract, err := b.run(in.RunID)
	if err != nil {
		return out, err
	}
	err = b.step(ctx, run, in.Cell.Task, in.Cell.ID(), "apply", func(ctx context.Context) error {
		task, ok := contract.Task(in.Cell.Task)
		if !ok {
			return fmt.Errorf("run %s has no task %q", in.RunID, in.Cell.Task)
		}
		var h handOut
		if err := h.read(ctx, b.Folder.HandOut, in.HandOut); err != nil {
			return err
		}
		mirror, err := b.mirror(ctx, task)
		if err != nil {
			return err
		}
		var applied repos.Applied
		switch in.Of {
		case experiments.Base:
			applied = repos.Applied{Outcome: "applied", Tree: task.BaseTree}
		case experiments.Reference:
			applied, err = mirror.Apply(ctx, task.BaseCommit, h.Reference)
		default:
			var patch []byte
			if patch, err = b.Folder.Public.Get(ctx, in.Patch); err == nil {
				applied, err = mirror.Apply(ctx, task.BaseCommit, patch)
			}
		}
		if err != nil {
			return err
		}
		out = workflows.AppliedPatch{
			Outcome: applied.Outcome, Reason: applied.Reason, Tree: applied.Tree, Flags: applied.Flags,
			// Where the task's own repair is one of configuration, a candidate's may be.
			ConfigOnly: applied.OnlyRunnerConfig && !slices.ContainsFunc(applied.Paths, func(p string) bool { return slices.Contains(h.Kept, p) }),
		}
		if applied.Outcome != "applied" {
			return nil
		}
		tested, err := mirror.Overlay(ctx, task.BaseCommit, applied.Tree, h.Tests.Patch, h.Kept...)
		if errors.Is(err, repos.ErrTestPatch) {
			return taskFault("task %s: %v", in.Cell.Task, err)
		}
		if err != nil {
			return err
		}
		out.Tested = tested.Tree
		for _, path := range tested.Neutralised {
			out.Flags = append(out.Flags, "undone before the tests: "+path)
		}
		return nil
	})
	return out, err
}

// RunTests runs one phase of the hidden tests on the candidate.
func (b *Sandbox) RunTests(ctx context.Context, in workflows.TestInput) (out workflows.Tested, err error) {
	run, contract, err := b.run(in.RunID)
	if err != nil {
		return out, err
	}
	err = b.step(ctx, run, in.Cell.Task, in.Cell.ID(), in.Phase, func(ctx context.Context) error {
		var h handOut
		if err := h.read(ctx, b.Folder.HandOut, in.HandOut); err != nil {
			return err
		}
		names := map[string][]string{workflows.FailToPass: h.Tests.FailToPass, workflows.PassToPass: h.Tests.PassToPass}[in.Phase]
		t, err := trial{
			phase: in.Phase, names: names, run: bothPhases(h), all: in.All, nth: in.Repeat, tree: in.Tested, adds: h.Requires, asks: h.Asks, image: in.Image,
			cell: in.Cell.ID(), task: in.Cell.Task, hidden: repos.PatchPaths(h.Tests.Patch),
		}.named(in.RunID)
		if err != nil {
			return err
		}
		// A tree that both phases were run on already, as the preflight does with the reference repair, is not run again.
		if !in.Together && !b.steps(run).Known(t.id) {
			t.run = names
			if t, err = t.named(in.RunID); err != nil {
				return err
			}
		}
		done, err := b.try(ctx, b.steps(run), contract, t)
		if err != nil {
			return err
		}
		if in.All && in.Reference != "" {
			done.ownDoubts(t)
		} else if err := b.holdAgainstOwn(ctx, run, contract, in, t, &done); err != nil {
			return err
		}
		out = done.Tested
		if in.Together && in.Phase != workflows.FailToPass {
			out.Starts = 0 // the one command was counted for the phase before
		}
		out.Results, err = b.Folder.Public.PutJSON(ctx, done.Results)
		return err
	})
	return out, err
}

// Preflight proves that a task can be asked: its fail-to-pass tests fail at base, and all its tests pass with the
// reference repair. It is measured once per task, environment and limits.
func (b *Sandbox) Preflight(ctx context.Context, in workflows.SandboxInput) (out workflows.Checked, err error) {
	run, contract, err := b.run(in.RunID)
	if err != nil {
		return out, err
	}
	err = b.step(ctx, run, in.Task, "", "preflight", func(ctx context.Context) error {
		task, ok := contract.Task(in.Task)
		if !ok {
			return fmt.Errorf("run %s has no task %q", in.RunID, in.Task)
		}
		key, err := experiments.DigestJSON([]any{"preflight-v5", task.BaseTree, in.Reference, task.Environment, contract.Spec.Limits})
		if err != nil {
			return err
		}
		return b.Folder.Checks.Do(ctx, string(key), b.Boot, &out, func(ctx context.Context, _ int) (any, error) {
			return b.preflight(ctx, b.steps(run), contract, task, in)
		})
	})
	return out, err
}

func (b *Sandbox) preflight(ctx context.Context, steps *artifacts.Once, contract *experiments.Contract, task *experiments.FrozenTask, in workflows.SandboxInput) (workflows.Checked, error) {
	var h handOut
	if err := h.read(ctx, b.Folder.HandOut, in.Reference); err != nil {
		return workflows.Checked{}, err
	}
	if len(h.Tests.FailToPass) == 0 {
		return workflows.Checked{Reason: "it names no fail-to-pass test"}, nil
	}
	mirror, err := b.mirror(ctx, task)
	if err != nil {
		return workflows.Checked{}, err
	}
	repaired, err := mirror.Apply(ctx, task.BaseCommit, h.Reference)
	if err != nil {
		return workflows.Checked{}, err
	}
	if repaired.Outcome != "applied" {
		return workflows.Checked{Reason: "its reference repair does not apply: " + repaired.Outcome + " " + repaired.Reason}, nil
	}
	doubts := false
	for _, p := range []struct {
		phase, tree string
		names, run  []string
		pass        bool
	}{
		{workflows.FailToPass, task.BaseTree, h.Tests.FailToPass, h.Tests.FailToPass, false},
		{workflows.FailToPass, repaired.Tree, h.Tests.FailToPass, bothPhases(h), true}, // one command,
		{workflows.PassToPass, repaired.Tree, h.Tests.PassToPass, bothPhases(h), true}, // asked twice
	} {
		t := trial{phase: p.phase, names: p.names, run: p.run, tree: p.tree, image: in.Image, task: in.Task}
		done, err := b.tryOwn(ctx, steps, contract, mirror, task, h, t)
		if errors.Is(err, repos.ErrTestPatch) {
			return workflows.Checked{Reason: err.Error()}, nil
		}
		if err != nil {
			return workflows.Checked{}, err
		}
		if p.pass && done.ownDoubts(t) {
			doubts = true
		}
		for _, r := range done.Results {
			if passed := r.Outcome == experiments.PassedTest; passed != p.pass {
				return workflows.Checked{Reason: preflightReason(p.pass, r, done.Tested.Reason)}, nil
			}
		}
		if p.pass && !done.Tested.Passed {
			return workflows.Checked{Reason: "its tests do not hold with the reference repair: " + done.Tested.Reason}, nil
		}
	}
	return workflows.Checked{OK: true, Doubts: doubts}, nil
}

// tryOwn runs a trial of one of the task's own trees, which the trial names without the hidden tests; they are laid over
// it here. repos.ErrTestPatch says that they do not apply.
func (b *Sandbox) tryOwn(ctx context.Context, steps *artifacts.Once, contract *experiments.Contract, mirror *repos.Mirror, task *experiments.FrozenTask, h handOut, t trial) (tried, error) {
	laid, err := mirror.Overlay(ctx, task.BaseCommit, t.tree, h.Tests.Patch, h.Kept...)
	if err != nil {
		return tried{}, err
	}
	t.tree, t.hidden = laid.Tree, laid.Owned
	if t, err = t.named(contract.RunID); err != nil {
		return tried{}, err
	}
	return b.try(ctx, steps, contract, t)
}

// bothPhases are the names of all hidden tests.
func bothPhases(h handOut) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(h.Tests.FailToPass, h.Tests.PassToPass))))
}

func preflightReason(wantPass bool, r experiments.TestResult, reason string) string {
	if wantPass {
		return fmt.Sprintf("with the reference repair its test %s is %s (%s)", r.Name, r.Outcome, reason)
	}
	return fmt.Sprintf("its fail-to-pass test %s passes before any repair", r.Name)
}

// steps is the run's memory of trials. One value serves all activities of a run, so that two cells with the same tree
// wait for each other.
func (b *Sandbox) steps(run *artifacts.Run) *artifacts.Once {
	v, _ := b.memories.LoadOrStore(run.ID, run.Steps())
	return v.(*artifacts.Once)
}

// allowedFaults is how often a trial may meet a fault of infrastructure in one process; then its cells say infra.
const allowedFaults = 3

// fault turns an error of the sandbox into what the workflow reads. A step that was cancelled stays cancelled.
func (b *Sandbox) fault(ctx context.Context, step string, err error) error {
	if ctx.Err() != nil {
		return err
	}
	class := "sandbox"
	var f *sandbox.Fault
	switch {
	case lost(err):
		return infra(experiments.ClassLost, true, err)
	case diskFull(err):
		class = sandbox.FaultDisk
	case errors.As(err, &f):
		class = f.Class
	}
	return infra(class, b.faults.another(step) >= allowedFaults, err)
}

// logs is a fresh folder for a step's streams.
func logs(dir string) (stdout, stderr string, remove func(), err error) {
	dir, err = os.MkdirTemp(dir, "streams-")
	if err != nil {
		return "", "", nil, err
	}
	return filepath.Join(dir, "stdout"), filepath.Join(dir, "stderr"), func() { os.RemoveAll(dir) }, nil
}

func oneLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "..."
	}
	return s
}
