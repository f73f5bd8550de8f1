package activities

import (
	"archive/tar"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox"
	"evlab/sandbox/testlog"
)

// Some datasets bring programs that make a report out of what the tests print. Such a program is a stranger's code, and its
// answer decides; so it runs in a step of its own, in an image of evlab's where nothing of a candidate has ever been, and
// all that it gets of the candidate is the logs, as files.

//go:embed reader.py
var readerScript []byte

// readerTime bounds a program that reads logs, within the step's own limit.
const readerTime = 5 * time.Minute

// readerImage makes or finds the image where programs read logs. It is the base of the recipe with an empty tree, one for
// all tasks.
func (b *Sandbox) readerImage(ctx context.Context, task string, r experiments.Reader) (sandbox.Image, error) {
	system, err := b.system(ctx, r.Packages, r.Setup, r.Env)
	if err != nil {
		return sandbox.Image{}, err
	}
	return b.Box.Ensure(ctx, sandbox.Recipe{
		Task: task, Snapshot: func(w io.Writer) error { return tar.NewWriter(w).Close() }, SnapshotID: "evlab-reader",
		System: system,
	})
}

// prepareReader makes sure of that image before any test runs, where a task needs it.
func (b *Sandbox) prepareReader(ctx context.Context, contract *experiments.Contract, id string) error {
	task, ok := contract.Task(id)
	if !ok {
		return fmt.Errorf("the contract has no task %q", id)
	}
	e, err := contract.EnvironmentOf(task)
	if err != nil || e.Reader == nil {
		return err
	}
	_, err = b.readerImage(ctx, id, *e.Reader)
	return err
}

// releaseReader ends a task's use of that image.
func (b *Sandbox) releaseReader(ctx context.Context, run *artifacts.Run, contract *experiments.Contract, task *experiments.FrozenTask) error {
	e, err := contract.EnvironmentOf(task)
	if err != nil || e.Reader == nil {
		return err
	}
	shared, err := b.wanted(run, contract, task.ID, func(t experiments.FrozenTask) bool { return contract.Environments[t.Recipe].Reader != nil })
	if err != nil || shared {
		return err
	}
	image, err := b.readerImage(ctx, task.ID, *e.Reader)
	if err != nil {
		return err
	}
	return b.Box.Remove(ctx, image)
}

// report reads the report of a command that has ended. problem says why no program made one out of its logs; it is the
// command's problem then, and never says that anything passed.
func (b *Sandbox) report(ctx context.Context, e experiments.Environment, step sandbox.Step, res sandbox.Result) (rep *testlog.Report, made experiments.Digest, problem string, err error) {
	if e.Reader == nil {
		rep, err = readReport(e, step.Stdout)
		return rep, "", "", err
	}
	grammar, err := testlog.Find(e.Report)
	if err != nil {
		return nil, "", "", err
	}
	if rep, err = grammar.Read(); err != nil { // that there is none
		return nil, "", "", err
	}
	if res.Outcome != sandbox.Completed || res.Truncated || repos.IsTestSource(res.Altered) {
		return rep, "", "", nil // half of a log may read like a whole one, and whatever it says does not count
	}
	image, err := b.readerImage(ctx, step.Labels["evlab.task"], *e.Reader)
	if err != nil {
		return nil, "", "", b.fault(ctx, step.ID+"/reader", err)
	}
	reading, err := b.readerStep(ctx, *e.Reader, step, image)
	if err != nil {
		return nil, "", "", err
	}
	res, err = b.Box.Run(ctx, reading)
	if err != nil {
		return nil, "", "", b.fault(ctx, reading.ID, err)
	}
	if ferr := b.Box.Forget(ctx, reading.ID, 1); ferr != nil {
		b.Log.Warn("removing a finished container", "step", reading.ID, "error", ferr)
	}
	hard := res.Outcome == sandbox.Killed && res.Exit == killedHard && b.kills.another(reading.ID) < allowedFaults
	if hard || res.Outcome == sandbox.EngineLost || res.Outcome == sandbox.Cancelled {
		return nil, "", "", b.fault(ctx, reading.ID, &sandbox.Fault{Class: string(res.Outcome), Err: errors.New("the program that reads the report ended as " + string(res.Outcome))})
	}
	if why := unread(res, reading.Stderr); why != "" {
		return rep, "", string(testlog.Unread) + ": its dataset's program that reads the report " + why, nil
	}
	if made, err = b.Folder.Public.PutFile(ctx, reading.Stdout); err != nil {
		return nil, "", "", err
	}
	rep, err = readReport(e, reading.Stdout)
	return rep, made, "", err
}

// readerStep is the program's step. Its files lie beside those of the tests' command.
func (b *Sandbox) readerStep(ctx context.Context, r experiments.Reader, of sandbox.Step, image sandbox.Image) (sandbox.Step, error) {
	program, err := b.Folder.HandOut.Get(ctx, r.Program)
	if err != nil {
		return sandbox.Step{}, err
	}
	files := []repos.File{{Path: "read.py", Mode: "100644", Content: readerScript}, {Path: "program.py", Mode: "100644", Content: program}}
	for _, log := range [][2]string{{"stdout.log", of.Stdout}, {"stderr.log", of.Stderr}} {
		text, err := os.ReadFile(log[1])
		if err != nil {
			return sandbox.Step{}, err
		}
		files = append(files, repos.File{Path: log[0], Mode: "100644", Content: text})
	}
	dir := filepath.Dir(of.Stdout)
	limits := of.Limits
	limits.Timeout = min(limits.Timeout, readerTime)
	return sandbox.Step{
		ID: of.ID + "/reader", Attempt: 1, Image: image, Command: []string{"python3", "read.py", r.Takes}, Env: r.Env,
		Files: repos.Delta{Files: files}, Limits: limits, Labels: of.Labels,
		Stdout: filepath.Join(dir, "reader-stdout"), Stderr: filepath.Join(dir, "reader-stderr"),
	}, nil
}

// unread says why a program's answer is none, or "".
func unread(res sandbox.Result, stderr string) string {
	switch {
	case res.Outcome == sandbox.Killed:
		return fmt.Sprintf("was ended by signal %d", res.Exit-128)
	case res.Outcome != sandbox.Completed:
		return "ended by its limit: " + string(res.Outcome)
	case res.Exit != 0:
		return "gave none: " + lastLine(stderr)
	case res.Truncated:
		return "said more than the log limit"
	}
	return ""
}

// lastLine is the last line of a file that says something.
func lastLine(name string) string {
	text, err := os.ReadFile(name) // as long as the log limit at most
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(text), "?")), "\n")
	return oneLine(lines[len(lines)-1])
}
