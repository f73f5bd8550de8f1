//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
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
