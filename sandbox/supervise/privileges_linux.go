package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"

	"evlab/sandbox/plan"
)

// More numbers of prctl(2), and of netdevice(7).
const (
	rlimitTasks       = 6 // RLIMIT_NPROC
	prSetPdeathsig    = 1
	prCapbsetDrop     = 24
	siocGetFlags      = 0x8913
	siocSetFlags      = 0x8914
	capabilityVersion = 0x20080522
	capSetPCap        = 8
	capNetAdmin       = 12
	capSysAdmin       = 21
)

func readHost(dir string) (plan.Host, error) {
	var h plan.Host
	data, err := os.ReadFile(filepath.Join(dir, plan.HostFile))
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	return h, err
}

// tasksOf counts the processes and threads that the user has on this machine now.
func tasksOf(user int) (tasks int) {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		var st syscall.Stat_t
		if syscall.Stat(folder, &st) != nil || int(st.Uid) != user {
			continue
		}
		if threads, err := os.ReadDir(folder + "/task"); err == nil {
			tasks += len(threads)
		}
	}
	return tasks
}

// raiseLoopback brings 127.0.0.1 up in the new network namespace, where there is no other address.
func raiseLoopback() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("raising the loopback device: %w", err)
	}
	defer syscall.Close(fd)
	var request struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:], "lo")
	for _, call := range []uintptr{siocGetFlags, siocSetFlags} {
		request.flags |= syscall.IFF_UP
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), call, uintptr(unsafe.Pointer(&request))); e != 0 {
			return fmt.Errorf("raising the loopback device: %w", e)
		}
		request.flags |= syscall.IFF_UP
	}
	return nil
}

// dropPrivileges becomes the user, or, where that is this process's own already, gives up what the new namespaces gave.
// The death signal is set last, for a change of user clears it. The limit on tasks only slows a fork bomb down until the
// gauge sees it: the kernel counts all of the user's tasks on the machine.
func dropPrivileges(user int, tasks uint64) error {
	syscall.Umask(0o022)
	for resource, value := range map[int]uint64{syscall.RLIMIT_NOFILE: 4096, syscall.RLIMIT_CORE: 0, rlimitTasks: tasks} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("setting a limit: %w", err)
		}
	}
	for c := uintptr(0); c < 64; c++ {
		if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, prCapbsetDrop, c, 0); e != 0 {
			break // beyond the last capability
		}
	}
	if user >= 0 {
		if err := syscall.Setgroups([]int{}); err != nil {
			return fmt.Errorf("leaving groups: %w", err)
		}
		if err := syscall.Setgid(user); err != nil {
			return fmt.Errorf("becoming group %d: %w", user, err)
		}
		if err := syscall.Setuid(user); err != nil {
			return fmt.Errorf("becoming user %d: %w", user, err)
		}
	} else {
		header := struct {
			version uint32
			pid     int32
		}{version: capabilityVersion}
		var none [2]struct{ effective, permitted, inheritable uint32 }
		_, _, e := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none[0])), 0)
		if e != 0 {
			return fmt.Errorf("giving up capabilities: %w", e)
		}
	}
	for _, option := range [][2]uintptr{{prSetNoNewPrivs, 1}, {prSetPdeathsig, uintptr(syscall.SIGKILL)}} {
		if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, option[0], option[1], 0, 0, 0, 0); e != 0 {
			return fmt.Errorf("giving up privileges: %w", e)
		}
	}
	return nil
}
