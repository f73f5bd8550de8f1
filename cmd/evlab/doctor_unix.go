//go:build linux || darwin || freebsd

package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// freeDisk is the number of bytes in dir's file system that this user may still write.
func freeDisk(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(max(s.Bavail, 0)) * uint64(s.Bsize), nil
}

// locked reports whether another open file holds the lock on f. A lock that it could take is given back at once.
func locked(f *os.File) (bool, error) {
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return true, nil
	case err != nil:
		return false, err
	}
	return false, unix.Flock(int(f.Fd()), unix.LOCK_UN)
}
