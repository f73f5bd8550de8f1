package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"evlab/experiments"
	"evlab/sandbox"
)

// trial is one recorded command with the tree that it is run in.
type trial struct {
	image, tree string
	args        []string
	passes      bool // as evlab found
}

// trials makes a tree for each command that evlab recorded: base, the model's patch, the hidden tests.
func (c *cohort) trials(ctx context.Context, g graded) ([]trial, error) {
	var trials []trial
	root, err := os.MkdirTemp(c.dir, "trees-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(root, 0o755); err != nil {
		return nil, err
	}
	for _, r := range g.records {
		i := slices.IndexFunc(c.tasks, func(t task) bool { return t.ID == r.Cell.Task })
		if i < 0 {
			return nil, fmt.Errorf("a record of task %q, which is not of this cohort", r.Cell.Task)
		}
		patch, ok := c.patches[r.Cell.Task+" "+r.Cell.Executor]
		if !ok {
			return nil, fmt.Errorf("a record of %q, which is no model of this round", r.Cell.Executor)
		}
		tree := filepath.Join(root, fmt.Sprint(len(trials)))
		if _, err := git(ctx, root, "clone", "-q", filepath.Join(c.repos, c.tasks[i].name), tree); err != nil {
			return nil, err
		}
		for _, p := range []string{patch, c.tasks[i].TestPatch} {
			file := filepath.Join(root, "patch")
			if err := os.WriteFile(file, []byte(p), 0o644); err != nil {
				return nil, err
			}
			if _, err := git(ctx, tree, "apply", file); err != nil {
				return nil, err
			}
		}
		steps := map[string]bool{} // phases that one command served
		for _, command := range r.Commands {
			if !steps[command.Step] {
				trials = append(trials, trial{command.Image, tree, plain(command.Args), r.Verdict == experiments.Resolved})
			}
			steps[command.Step] = true
		}
	}
	return trials, nil
}

// plain is the command without evlab's control, whose file is not in the tree.
func plain(args []string) []string {
	args = slices.Clone(args)
	if i := slices.Index(args, "-overlay"); i >= 0 {
		args = slices.Delete(args, i, i+2)
	}
	return args
}

// bare runs commands by docker run.
type bare struct {
	jobs   int
	images []string
}

// run gives the time of all trials; one whose command does not end as evlab says it did is an error.
func (b *bare) run(ctx context.Context, trials []trial) (time.Duration, error) {
	volumes := map[string]string{}
	for _, image := range b.images {
		volume, err := output(ctx, "", "docker", "image", "inspect", "--format", `{{index .Config.Labels "evlab.volume"}}`, image)
		if err != nil {
			return 0, err
		}
		volumes[image] = strings.TrimSpace(volume)
	}
	limits := experiments.Defaults().Limits
	common := []string{
		"run", "--rm", "--network", "none", "--user", "65534:65534", "--workdir", "/src",
		"--cpus", fmt.Sprint(limits.CPUs), "--memory", fmt.Sprint(int64(limits.Memory + limits.Scratch)),
		"--tmpfs", fmt.Sprintf("/tmp:rw,exec,nosuid,nodev,mode=1777,size=%d", int64(limits.Scratch)),
	}
	for _, v := range sandbox.Environment() {
		common = append(common, "--env", v)
	}
	queue := make(chan trial, len(trials))
	for _, t := range trials {
		queue <- t
	}
	close(queue)
	var all sync.WaitGroup
	errs := make([]error, b.jobs)
	began := time.Now()
	for i := range b.jobs {
		all.Go(func() {
			for t := range queue {
				args := append(slices.Clone(common), "--volume", t.tree+":/src", "--volume", volumes[t.image]+":/evlab/toolchain:ro",
					"--entrypoint", "/usr/local/go/bin/"+t.args[0], t.image)
				if err := ends(ctx, append(args, t.args[1:]...), t.passes); err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	all.Wait()
	return time.Since(began), errors.Join(errs...)
}

// ends runs docker and holds its status against what is expected.
func ends(ctx context.Context, args []string, passes bool) error {
	said, err := exec.CommandContext(ctx, "docker", args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return fmt.Errorf("docker %s: %w: %s", strings.Join(args, " "), err, said)
	}
	if (err == nil) != passes {
		return fmt.Errorf("evlab says that the tests pass: %t, and docker %s: %v: %s", passes, strings.Join(args, " "), err, said)
	}
	return nil
}

// removeImages removes the tasks' images; base and volume stay, as with every evaluation.
func (b *bare) removeImages(ctx context.Context) error {
	if len(b.images) == 0 {
		return nil
	}
	_, err := output(ctx, "", "docker", append([]string{"image", "rm"}, b.images...)...)
	return err
}
