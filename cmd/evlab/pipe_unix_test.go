//go:build unix

package main

import (
	"context"
	"io"
	"path/filepath"
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
	for _, args := range [][]string{
		{"evaluate", "--tasks", pipe, "--repos", t.TempDir(), "--predictions", pipe}, {"import", pipe}, {"contrast", "--outcomes", pipe, "--family", pipe},
		{"run", pipe}, {"init", "--tasks", pipe, "--repos", t.TempDir(), "--predictions", pipe, "--model", "m", "-o", filepath.Join(t.TempDir(), "x.yaml")},
	} {
		if code, stderr := runIn(t, t.Context(), io.Discard, env, args...); code != exitUsage {
			t.Errorf("%v: code %d, %s", args, code, stderr)
		}
	}
}
