//go:build linux || darwin || freebsd

package artifacts

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockShared waits for a process that is looking, which takes no time.
func lockShared(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_SH); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// lockedByOthers tries to lock f for itself alone. A lock that it gets goes with the file.
func lockedByOthers(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
