//go:build unix

package sandbox

import "golang.org/x/sys/unix"

// freeDisk is the bytes that dir's file system has left for this user, -1 when that cannot be told.
func freeDisk(dir string) int64 {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return -1
	}
	return int64(st.Bavail) * int64(st.Bsize)
}
