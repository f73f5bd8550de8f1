package runs

import (
	"errors"
	"os"
	"path/filepath"

	"evlab/artifacts"
)

// A process that carries a run holds a lock on a file of the run's folder, so that others can tell a run that is being
// carried from one that was left: the operating system drops the lock with the process, however that ends. The lock is
// shared, since several processes may carry one run on one server; it is a sign, and guards nothing.
func holdFile(run *artifacts.Run) string { return filepath.Join(run.Dir, "carried") }

// Hold marks the run as carried by this process until release is called.
func Hold(run *artifacts.Run) (release func(), err error) {
	f, err := os.OpenFile(holdFile(run), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lockShared(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { f.Close() }, nil
}

// Held reports whether a process carries the run. The error says that this system, or the folder's file system, can't
// tell.
func Held(run *artifacts.Run) (bool, error) {
	f, err := os.Open(holdFile(run))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	return lockedByOthers(f)
}

// Sweep removes from the run's folder what a process that was killed left half-written. Where a process carries the run, or
// this system can't tell, everything stays.
func Sweep(run *artifacts.Run) error {
	f, err := os.Open(holdFile(run))
	if errors.Is(err, os.ErrNotExist) {
		return nil // nobody ever carried it
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if held, err := lockedByOthers(f); held || err != nil {
		return nil
	}
	return artifacts.Sweep(run.Dir) // nobody can begin to carry the run while the file is locked
}
