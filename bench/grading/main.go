// Command grading measures what evlab's grading of predictions costs beside the bare containers of the same test
// commands: `evlab evaluate`, as a user calls it, and then `docker run` of each command that it recorded, on the same
// image, with the same volume, processors and memory, as many at once.
//
// The decision that shapes it: images are cold on neither side. A first evaluation of the tasks' own repairs makes the
// images and checks the tasks, and is not counted. Bare containers get trees that were patched beforehand, which is not
// counted either, and nobody reads what they print; so all that evlab does besides running the command is in the ratio,
// its start, its engine and its records among them. The verdicts of both sides must agree, or there is no figure.
//
// What may not be here: anything of evlab that a user cannot call, but for its vocabulary. To run it (some minutes; it
// needs a Docker engine that can mount folders of this machine):
//
//	go run ./bench/grading [-models 16] [-rounds 2] [-jobs 2] [-evlab FILE]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "grading:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("grading", flag.ContinueOnError)
	flags.SetOutput(stderr)
	models := flags.Int("models", 16, "models; each answers every task")
	rounds := flags.Int("rounds", 2, "rounds, each of other predictions")
	jobs := flags.Int("jobs", runtime.NumCPU(), "test commands at once, on both sides")
	binary := flags.String("evlab", "", "the program to measure; built from this tree when empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *models < 1 || *rounds < 1 || *jobs < 1 {
		return fmt.Errorf("-models %d -rounds %d -jobs %d: at least one of each is needed", *models, *rounds, *jobs)
	}
	dir, err := os.MkdirTemp("", "evlab-grading-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if *binary == "" {
		*binary = filepath.Join(dir, "evlab")
		if _, err := output(ctx, "", "go", "build", "-o", *binary, "evlab/cmd/evlab"); err != nil {
			return err
		}
	}
	c, err := makeCohort(ctx, dir)
	if err != nil {
		return err
	}
	e := &evaluator{binary: *binary, data: filepath.Join(dir, "data"), cohort: c, jobs: *jobs}
	b := &bare{jobs: *jobs}
	defer func() { err = errors.Join(err, b.removeImages(context.WithoutCancel(ctx))) }()

	warm, err := e.evaluate(ctx, "gold")
	if err != nil {
		return err
	}
	b.images = warm.images()
	fmt.Fprintf(stdout, "%d tasks, %d predictions a round, %d at once, %s/%s, %d processors; images are made\n",
		len(c.tasks), len(c.tasks)**models, *jobs, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	var ours, theirs time.Duration
	for round := range *rounds {
		predictions, err := c.predict(ctx, round, *models)
		if err != nil {
			return err
		}
		graded, err := e.evaluate(ctx, predictions)
		if err != nil {
			return err
		}
		trials, err := c.trials(ctx, graded)
		if err != nil {
			return err
		}
		took, err := b.run(ctx, trials)
		if err != nil {
			return err
		}
		before, between, after := graded.idle()
		fmt.Fprintf(stdout, "round %d: evlab %.2f s (without a command: %.2f s before the first, %.2f s between, %.2f s after the last); docker run %.2f s; ratio %.3f\n",
			round+1, graded.took.Seconds(), before.Seconds(), between.Seconds(), after.Seconds(), took.Seconds(), graded.took.Seconds()/took.Seconds())
		ours, theirs = ours+graded.took, theirs+took
	}
	fmt.Fprintf(stdout, "all rounds: evlab %.2f s, docker run %.2f s, ratio %.3f\n", ours.Seconds(), theirs.Seconds(), ours.Seconds()/theirs.Seconds())
	return nil
}

// output runs a program in dir and gives what it printed; the error has what it said.
func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}
