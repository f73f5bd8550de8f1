package runs

import (
	"path/filepath"

	"evlab/artifacts"
)

// A process that carries a run holds a file of the run's folder, so that others can tell a run that is being carried from
// one that was left. Several processes may carry one run on one server.
func holdFile(run *artifacts.Run) string { return filepath.Join(run.Dir, "carried") }

// Hold marks the run as carried by this process until release is called.
func Hold(run *artifacts.Run) (release func(), err error) { return artifacts.Hold(holdFile(run)) }

// Held reports whether a process carries the run. The error says that this system, or the folder's file system, can't
// tell.
func Held(run *artifacts.Run) (bool, error) { return artifacts.Held(holdFile(run)) }

// Sweep removes from the run's folder what a process that was killed left half-written. Where a process carries the run, or
// this system can't tell, everything stays.
func Sweep(run *artifacts.Run) error {
	return artifacts.Alone(holdFile(run), func() error { return artifacts.Sweep(run.Dir) })
}
