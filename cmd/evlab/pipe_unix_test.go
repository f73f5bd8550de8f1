//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestAPipeThatNobodyWritesTo: one interrupt ends a command that waits for it; commands that would read it twice refuse it.
func TestAPipeThatNobodyWritesTo(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.jsonl")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"EVLAB_DATA=" + t.TempDir()}
	ended := make(chan int, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		code, _ := runIn(t, ctx, io.Discard, env, "contrast", "--outcomes", pipe, "--metric", "m", "--a", "x", "--b", "y")
		ended <- code
	}()
	time.Sleep(300 * time.Millisecond) // it is at the pipe now; earlier would do, too
	cancel()
	select {
	case code := <-ended:
		if code != exitInterrupted {
			t.Errorf("contrast ended with code %d", code)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("an interrupt does not end a command that waits for a pipe")
	}
	graded, _ := graded(t) // a blob of it is a pipe
	blobs, err := filepath.Glob(filepath.Join(strings.TrimPrefix(graded[0], "EVLAB_DATA="), "blobs", "sha256", "*", "*"))
	if err != nil || len(blobs) == 0 {
		t.Fatal(err, blobs)
	}
	for _, blob := range blobs {
		if err := errors.Join(os.Remove(blob), unix.Mkfifo(blob, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel = context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	go func() {
		code, _ := runIn(t, ctx, io.Discard, graded, "history", "graded", "t", "--show", "patch")
		ended <- code
	}()
	select {
	case code := <-ended:
		if code != exitInterrupted {
			t.Errorf("history ended with code %d", code)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("an interrupt does not end history, which waits for a pipe")
	}
	carried := filepath.Join(strings.TrimPrefix(graded[0], "EVLAB_DATA="), "runs", "graded", "carried")
	if err := unix.Mkfifo(carried, 0o600); err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	if code, stderr := runIn(t, t.Context(), &told, graded, "status", "graded"); code != exitOK || !strings.Contains(told.String(), "graded: open, ") {
		t.Errorf("a pipe in the place of the sign that a run is carried: code %d, %s%s", code, told.String(), stderr)
	}
	for _, args := range [][]string{
		{"evaluate", "--tasks", pipe, "--repos", t.TempDir(), "--predictions", pipe}, {"import", pipe}, {"contrast", "--outcomes", pipe, "--family", pipe},
		{"run", pipe}, {"init", "--tasks", pipe, "--repos", t.TempDir(), "--predictions", pipe, "--model", "m", "-o", filepath.Join(t.TempDir(), "x.yaml")},
	} {
		if code, stderr := runIn(t, t.Context(), io.Discard, env, args...); code != exitUsage {
			t.Errorf("%v: code %d, %s", args, code, stderr)
		}
	}
}

// carrying starts a small run in the host sandbox and waits until it is planned.
func (l *lab) carrying(id string, stdout, stderr io.Writer) *exec.Cmd {
	l.t.Helper()
	cmd, _, _ := l.command("run", l.file, "--yes", "--json", "--fresh", "--run-id", id)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { cmd.Process.Kill() })
	plan := filepath.Join(l.data, "runs", id, "plan.json")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(plan); err == nil {
			return cmd
		}
		if time.Now().After(deadline) {
			l.t.Fatal("the run has no plan after a minute")
		}
	}
}

// TestRunsOutliveTheirReaders: a run whose progress nobody reads any more goes on to its end, and one whose result nobody
// reads says so and has it in its folder.
func TestRunsOutliveTheirReaders(t *testing.T) {
	l := newLabOf(t, "host", 1)
	pipe := func() (read, write *os.File) {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		return read, write
	}
	read, write := pipe()
	var out bytes.Buffer
	cmd := l.carrying("unseen", &out, write)
	read.Close()
	write.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("a run without a reader of its progress: %v", err)
	}
	if cells := l.summary(out.String())["cells"].(map[string]any); cells["done"] != 4.0 {
		t.Errorf("it did %v", cells)
	}

	read, write = pipe()
	var told bytes.Buffer
	cmd = l.carrying("unheard", write, &told)
	read.Close()
	write.Close()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitUnexpected || !strings.Contains(told.String(), "writing the result") || !strings.Contains(told.String(), "evlab resume unheard") {
		t.Errorf("a run without a reader of its result ended with code %d: %s", code, lastLine(told.String()))
	}
	stdout, _ := l.evlab(exitOK, "status", "unheard")
	if !strings.Contains(stdout, "finished, 4 of 4") {
		t.Errorf("its status: %s", stdout)
	}
}

// TestATerminalThatCloses ends a run as an interrupt does, however often it is said; under nohup it ends nothing.
func TestATerminalThatCloses(t *testing.T) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, unix.SIGHUP) // tests may be under nohup themselves, and what they start would be, too
	defer signal.Stop(hangups)
	l := newLabOf(t, "host", 1)
	var told bytes.Buffer
	cmd := l.carrying("closed", io.Discard, &told)
	for range 3 {
		cmd.Process.Signal(unix.SIGHUP)
		time.Sleep(10 * time.Millisecond)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(told.String(), "evlab resume closed") {
		t.Errorf("it ended with code %d: %s", code, lastLine(told.String()))
	}
	l.evlab(exitOK, "resume", "closed")

	nohup, err := exec.LookPath("nohup")
	if err != nil {
		t.Skip("there is no nohup")
	}
	cmd, _, _ = l.command("run", l.file, "--yes", "--fresh", "--run-id", "kept")
	cmd.Path, cmd.Args = nohup, append([]string{nohup}, cmd.Args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	cmd.Process.Signal(unix.SIGHUP)
	if err := cmd.Wait(); err != nil {
		t.Errorf("under nohup: %v", err)
	}
}
