package environments

import "golang.org/x/sys/unix"

// limit bounds the files that a process writes and the memory that it takes.
func limit(pid int, file, memory int64) error {
	for resource, n := range map[int]int64{unix.RLIMIT_FSIZE: file, unix.RLIMIT_AS: memory, unix.RLIMIT_CORE: 0} {
		if err := unix.Prlimit(pid, resource, &unix.Rlimit{Cur: uint64(n), Max: uint64(n)}, nil); err != nil {
			return err
		}
	}
	return nil
}
