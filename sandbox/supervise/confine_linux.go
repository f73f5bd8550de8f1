package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"evlab/sandbox/plan"
)

// confined is the supervisor of a step as its keeper sees it.
type confined struct{ pid int }

// insideUser is what this process's own user is called in a user namespace.
const insideUser = 65534

// confine starts the supervisor: in namespaces of its own, or loosely as a descendant that the keeper can find.
func confine(dir string, h plan.Host, stdout, stderr *os.File) (*confined, error) {
	runtime.LockOSThread() // the supervisor dies with the thread that started it
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetChildReaper, 1, 0, 0, 0, 0); e != 0 {
		return nil, e
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	attr := &syscall.ProcAttr{
		Dir: "/", Env: []string{plan.NonceVariable + "=" + h.Nonce}, Files: []uintptr{null.Fd(), stdout.Fd(), stderr.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	args := []string{self, "enter", dir}
	if h.Namespaces {
		attr.Sys.Cloneflags = syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
		if os.Geteuid() != 0 {
			attr.Sys.Cloneflags |= syscall.CLONE_NEWUSER
			attr.Sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: insideUser, HostID: os.Geteuid(), Size: 1}}
			attr.Sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: insideUser, HostID: os.Getegid(), Size: 1}}
			attr.Sys.AmbientCaps = []uintptr{capSetPCap, capNetAdmin, capSysAdmin} // to build the sandbox; given up in it
		}
	} else {
		args = []string{self, "step", h.In}
		if h.User >= 0 {
			attr.Sys.Credential = &syscall.Credential{Uid: uint32(h.User), Gid: uint32(h.User)}
		}
	}
	pid, err := syscall.ForkExec(self, args, attr)
	if err != nil {
		return nil, err
	}
	return &confined{pid: pid}, nil
}

// wait waits for the supervisor and then for the end of all that it may have left.
func (c *confined) wait() int {
	return collect(c.pid, func() {}).exit
}

func (c *confined) request(what string) {
	if what == plan.Kill {
		_ = syscall.Kill(c.pid, syscall.SIGKILL)
	}
	for signal, reason := range requestSignals {
		if reason == what {
			_ = syscall.Kill(c.pid, signal)
		}
	}
}

// holdLock takes the lock for as long as this process lives.
func holdLock(file string) (unlock func(), ok bool) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, false
	}
	return func() { f.Close() }, true
}

// enter builds the sandbox from inside its new namespaces and goes on as "step" there, without privilege.
func enter(dir string) {
	runtime.LockOSThread()
	nonce := os.Getenv(plan.NonceVariable)
	h, err := readHost(dir)
	others := 0
	if h.User >= 0 {
		others = tasksOf(h.User)
	}
	if err == nil {
		err = buildRoot(filepath.Join(dir, "root"), h)
	}
	if err == nil {
		err = raiseLoopback()
	}
	if err == nil {
		err = dropPrivileges(h.User, uint64(others+4*h.Processes+128))
	}
	if err == nil {
		err = syscall.Exec(h.Self, []string{h.Self, "step", h.In}, os.Environ())
	}
	os.Stderr.Write(plan.Frame(nonce, plan.Record{Event: plan.Failed, Reason: "confining the step: " + err.Error()}))
	os.Exit(125)
}

// buildRoot makes a file system that holds what h binds, a scratch folder, and nothing else, and moves into it.
func buildRoot(root string, h plan.Host) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	const noRights = syscall.MS_NOSUID | syscall.MS_NODEV
	if err := syscall.Mount("evlab", root, "tmpfs", noRights, "size=1m,mode=755"); err != nil {
		return fmt.Errorf("mounting the root: %w", err)
	}
	devices := []plan.Bind{}
	for _, name := range []string{"null", "zero", "full", "random", "urandom"} {
		devices = append(devices, plan.Bind{From: "/dev/" + name, To: "/dev/" + name, Write: true})
	}
	for _, b := range append(devices, h.Binds...) {
		if err := bind(root, b); err != nil {
			return fmt.Errorf("showing %s as %s: %w", b.From, b.To, err)
		}
	}
	for _, m := range []struct{ to, kind, data string }{
		{"/tmp", "tmpfs", fmt.Sprintf("size=%d,mode=1777", h.Scratch)}, {"/proc", "proc", ""},
	} {
		if err := os.MkdirAll(root+m.to, 0o755); err != nil {
			return err
		}
		if err := syscall.Mount("evlab", root+m.to, m.kind, noRights, m.data); err != nil {
			return fmt.Errorf("mounting %s: %w", m.to, err)
		}
	}
	for link, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"} {
		if err := os.Symlink(target, root+"/dev/"+link); err != nil {
			return err
		}
	}
	old := root + "/.old"
	if err := os.Mkdir(old, 0o700); err != nil {
		return err
	}
	if err := syscall.PivotRoot(root, old); err != nil {
		return fmt.Errorf("moving into the root: %w", err)
	}
	err := errors.Join(os.Chdir("/"), syscall.Unmount("/.old", syscall.MNT_DETACH), os.Remove("/.old"))
	if err != nil {
		return fmt.Errorf("leaving the machine's root: %w", err)
	}
	return syscall.Mount("", "/", "", syscall.MS_REMOUNT|syscall.MS_RDONLY|noRights, "size=1m,mode=755")
}

func bind(root string, b plan.Bind) error {
	info, err := os.Stat(b.From)
	if err != nil {
		return err
	}
	to := root + b.To
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if info.IsDir() {
		err = os.MkdirAll(to, 0o755)
	} else {
		err = os.WriteFile(to, nil, 0o644)
	}
	if err != nil {
		return err
	}
	if err := syscall.Mount(b.From, to, "", syscall.MS_BIND, ""); err != nil {
		return err
	}
	// A mount of another user's may not lose the restrictions that it has already.
	var st syscall.Statfs_t
	if err := syscall.Statfs(to, &st); err != nil {
		return err
	}
	const kept = syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC | syscall.MS_NOATIME | syscall.MS_NODIRATIME | syscall.MS_RELATIME
	flags := uintptr(st.Flags)&kept | syscall.MS_BIND | syscall.MS_REMOUNT | syscall.MS_NOSUID
	if info.Mode()&os.ModeDevice == 0 {
		flags |= syscall.MS_NODEV
	}
	if !b.Write {
		flags |= syscall.MS_RDONLY
	}
	return syscall.Mount("", to, "", flags, "")
}
