//go:build linux || darwin || freebsd

package runs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"evlab/artifacts"
)

// TestSweepWaitsForNobody: what was left half-written goes when nobody carries the run, and stays while somebody does.
func TestSweepWaitsForNobody(t *testing.T) {
	run := &artifacts.Run{ID: "r", Dir: t.TempDir()}
	left := filepath.Join(run.Dir, "cells", ".x-1.json.4711.tmp")
	if err := errors.Join(os.Mkdir(filepath.Dir(left), 0o755), os.WriteFile(left, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	release, err := Hold(run)
	if err != nil {
		t.Fatal(err)
	}
	if err := Sweep(run); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err != nil {
		t.Errorf("while the run is carried: %v", err)
	}
	release()
	if err := Sweep(run); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("afterwards: %v", err)
	}
}
