//go:build unix

package artifacts_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"evlab/artifacts"
)

// TestCheckFolder: a run whose folder has links or pipes in the places of its own files is not gone on with.
func TestCheckFolder(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"":                                nil,
		"events.jsonl is a link":          func(dir string) error { return os.Symlink("/dev/null", filepath.Join(dir, "events.jsonl")) },
		"steps is a link":                 func(dir string) error { return os.Symlink(os.TempDir(), filepath.Join(dir, "steps")) },
		"events.jsonl is no regular file": func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "events.jsonl"), 0o600) },
	} {
		run := &artifacts.Run{ID: "r", Dir: t.TempDir()}
		if err := os.MkdirAll(filepath.Join(run.Dir, "cells"), 0o755); err != nil {
			t.Fatal(err)
		}
		if spoil == nil {
			if err := run.CheckFolder(); err != nil {
				t.Errorf("a sound folder: %v", err)
			}
			continue
		}
		if err := spoil(run.Dir); err != nil {
			t.Fatal(err)
		}
		if err := run.CheckFolder(); !errors.Is(err, artifacts.ErrDamaged) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
