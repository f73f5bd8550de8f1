//go:build unix

package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockHeld says whether a living process holds the lock.
func lockHeld(file string) bool {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil
}
