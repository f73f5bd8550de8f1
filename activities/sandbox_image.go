package activities

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"evlab/artifacts"
	"evlab/environments"
	"evlab/experiments"
	"evlab/sandbox"
	"evlab/workflows"
)

// Prepare makes the task's image: the base snapshot, the modules that base, reference and tests need, a warm build.
func (b *Sandbox) Prepare(ctx context.Context, in workflows.SandboxInput) (out workflows.Prepared, err error) {
	run, contract, err := b.run(in.RunID)
	if err != nil {
		return out, err
	}
	err = b.step(ctx, run, in.Task, "", "prepare", func(ctx context.Context) error {
		recipe, err := b.recipe(ctx, contract, in)
		if err != nil {
			return b.fault(ctx, in.RunID+"/"+in.Task+"/prepare", err)
		}
		image, err := b.Box.Ensure(ctx, recipe)
		if err != nil {
			return b.fault(ctx, in.RunID+"/"+in.Task+"/prepare", err)
		}
		if err := b.prepareReader(ctx, contract, in.Task); err != nil {
			return b.fault(ctx, in.RunID+"/"+in.Task+"/prepare", err)
		}
		out.Image = workflows.Image{ID: image.ID, Ref: image.Ref}
		return nil
	})
	return out, err
}

// ReleaseImage ends a task's use of its image. Tasks of one base tree may share an image; the last to close removes it.
func (b *Sandbox) ReleaseImage(ctx context.Context, in workflows.SandboxInput) error {
	run, contract, err := b.run(in.RunID)
	if err != nil || !b.Release {
		return err
	}
	return b.step(ctx, run, in.Task, "", "release", func(ctx context.Context) error {
		task, ok := contract.Task(in.Task)
		if !ok {
			return fmt.Errorf("run %s has no task %q", run.ID, in.Task)
		}
		own := contract.Environments[task.Recipe]
		shared, err := b.wanted(run, contract, in.Task, func(t experiments.FrozenTask) bool {
			return t.BaseTree == task.BaseTree && own.SameImage(contract.Environments[t.Recipe])
		})
		if err == nil && !shared {
			err = b.Box.Remove(ctx, sandbox.Image{ID: in.Image.ID, Ref: in.Image.Ref})
		}
		if err != nil {
			return err
		}
		return b.releaseReader(ctx, run, contract, task)
	})
}

// wanted reports whether another task of the run, of those that share an image with it, still has cells to do. Should two
// tasks close at once, both may remove; should one open just then, it makes the image again.
func (b *Sandbox) wanted(run *artifacts.Run, contract *experiments.Contract, task string, shares func(t experiments.FrozenTask) bool) (bool, error) {
	for _, t := range contract.Tasks {
		if t.ID == task || t.Excluded != "" || !shares(t) {
			continue
		}
		for _, cell := range contract.Cells(t.ID) {
			rec, err := run.RecordOf(contract, cell)
			if err != nil && !errors.Is(err, artifacts.ErrDamaged) {
				return false, err
			}
			if rec == nil {
				return true, nil
			}
		}
	}
	return false, nil
}

// recipe says what the task's image is made of.
func (b *Sandbox) recipe(ctx context.Context, contract *experiments.Contract, in workflows.SandboxInput) (sandbox.Recipe, error) {
	task, ok := contract.Task(in.Task)
	if !ok {
		return sandbox.Recipe{}, fmt.Errorf("run %s has no task %q", in.RunID, in.Task)
	}
	var h handOut
	if err := h.read(ctx, b.Folder.HandOut, in.Reference); err != nil {
		return sandbox.Recipe{}, err
	}
	mirror, err := b.mirror(ctx, task)
	if err != nil {
		return sandbox.Recipe{}, err
	}
	environment, err := contract.EnvironmentOf(task)
	if err != nil {
		return sandbox.Recipe{}, err
	}
	recipe := sandbox.Recipe{
		Task:       task.ID,
		Snapshot:   func(w io.Writer) error { return mirror.Archive(ctx, task.BaseCommit, w) },
		SnapshotID: task.BaseTree,
		Labels:     map[string]string{"evlab.run": in.RunID, "evlab.task": in.Task},
	}
	if environment.Given() {
		recipe.Given = &sandbox.Given{Image: environment.Image, Dockerfile: environment.Dockerfile, Workdir: environment.Workdir}
		return recipe, nil
	}
	recipe.Warm = environment.Warm
	if !environment.OnToolchain() {
		recipe.System = &sandbox.System{Image: environment.Base, Setup: environment.Setup, Env: environment.Env}
		if environment.Base == "" {
			if recipe.System, err = b.system(ctx, environment.Packages, environment.Setup, environment.Env); err != nil {
				return sandbox.Recipe{}, err
			}
		}
		recipe.System.Wheels, err = b.layWheels(ctx, recipe.System, environment.Wheels)
		return recipe, err
	}
	if len(environment.Beside) > 0 {
		if recipe.System, err = b.system(ctx, environment.Beside, environment.Setup, environment.Env); err != nil {
			return sandbox.Recipe{}, err
		}
		recipe.System.Toolchain = true
	}
	modules, err := prefetch(ctx, b.Folder.Modules(), mirror, task, h, environment.Cgo())
	if err != nil {
		return sandbox.Recipe{}, err
	}
	recipe.Modules, recipe.ModulesID, recipe.GoVersion = modules.dir, modules.id, contract.Versions["go"]
	return recipe, nil
}

// system is a base image of Debian packages, which are fetched where they are not there.
func (b *Sandbox) system(ctx context.Context, packages []string, setup [][]string, env []string) (*sandbox.System, error) {
	fetched, err := environments.Fetch(ctx, b.Folder.Modules(), packages, runtime.GOARCH)
	if err != nil {
		return nil, &sandbox.Fault{Class: "packages", Err: err}
	}
	return &sandbox.System{Packages: fetched.Dir, PackagesID: fetched.ID, Setup: setup, Env: env}, nil
}
