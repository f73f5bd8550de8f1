package engine

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Locks are mandatory on Windows, so one byte far behind the text is locked: others can still read who holds it.
const lockOffset = 1 << 30

func lockRegion() *windows.Overlapped { return &windows.Overlapped{Offset: lockOffset} }

func tryLock(file *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, lockRegion())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errLocked
	}
	return err
}

func unlock(file *os.File) error {
	return windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, lockRegion())
}
