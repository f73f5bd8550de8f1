package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"evlab/sandbox/plan"
)

const executableSuffix = ""

// Numbers of prctl(2) and friends that package syscall does not name.
const (
	prSetDumpable     = 4
	prSetChildReaper  = 36
	prSetNoNewPrivs   = 38
	sigSetMask        = 2
	signalfdCloseExec = 0x80000
)

// Requests from outside come as signals that the Go runtime lets a program block.
var requestSignals = map[syscall.Signal]string{
	syscall.SIGPWR: plan.Stopped, syscall.SIGUSR1: plan.Deadline, syscall.SIGUSR2: plan.Disk,
}

// deadly are the signals that would end a Go program and that it cannot block.
var deadly = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGABRT, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGBUS,
	syscall.SIGFPE, syscall.SIGSEGV, syscall.SIGSYS, syscall.SIGSTKFLT,
}

// requestMask is the set of requestSignals.
func requestMask() (set uint64) {
	for s := range requestSignals {
		set |= 1 << (uint(s) - 1)
	}
	return set
}

func setSignalMask(set uint64) error {
	if _, _, e := syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, sigSetMask, uintptr(unsafe.Pointer(&set)), 0, 8, 0, 0); e != 0 {
		return e
	}
	return nil
}

// deafen holds the requests' signals back and executes the program again, for only a signal that is blocked before the Go
// runtime starts stays blocked in all threads. Read as they come, they tell who sent them: the command runs under the
// supervisor's own user and may signal it, too.
func deafen(dir string) {
	runtime.LockOSThread()
	self, err := os.Executable()
	if err == nil {
		err = setSignalMask(requestMask())
	}
	if err == nil {
		err = execute(self, []string{self, "watch", dir})
	}
	os.Stderr.Write(plan.Frame(os.Getenv(plan.NonceVariable), plan.Record{Event: plan.Failed, Reason: "starting over: " + err.Error()}))
	os.Exit(125)
}

// stopRequests reads the held signals. A sender outside of the process namespace has the number 0: only it is obeyed,
// unless the plan is a loose one.
func stopRequests(loose bool) (<-chan string, error) {
	signal.Notify(make(chan os.Signal, 1), deadly...) // never read: they come to nothing
	mask := requestMask()
	fd, _, e := syscall.RawSyscall6(syscall.SYS_SIGNALFD4, ^uintptr(0), uintptr(unsafe.Pointer(&mask)), 8, signalfdCloseExec, 0, 0)
	if e != 0 {
		return nil, fmt.Errorf("listening for signals: %w", e)
	}
	requests := make(chan string, 1)
	go func() {
		var info [128]byte // struct signalfd_siginfo: number, errno, code, pid
		for {
			n, err := syscall.Read(int(fd), info[:])
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			if err != nil || n < len(info) {
				return
			}
			number := *(*uint32)(unsafe.Pointer(&info[0]))
			sender := *(*uint32)(unsafe.Pointer(&info[12]))
			if sender == 0 || loose {
				requests <- requestSignals[syscall.Signal(number)]
			}
		}
	}()
	return requests, nil
}

// harden closes the supervisor's own memory and environment to processes of the same user, adopts orphans, and makes
// the threads that it will need while a fork bomb has taken all the others.
func harden() error {
	for _, option := range [][2]uintptr{{prSetDumpable, 0}, {prSetChildReaper, 1}} {
		if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, option[0], option[1], 0, 0, 0, 0); e != 0 {
			return fmt.Errorf("hardening the supervisor (prctl %d): %w", option[0], e)
		}
	}
	ready, release := make(chan bool), make(chan bool)
	const threads = 8
	for range threads {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready <- true
			<-release
		}()
	}
	for range threads {
		<-ready
	}
	close(release)
	return nil
}

// spawn starts the program by way of become, in a process group of its own.
func spawn(p *plan.Plan, file string, argv []string, files []*os.File) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	fds := make([]uintptr, len(files))
	for i, f := range files {
		fds[i] = f.Fd()
	}
	args := append([]string{self, "command", strconv.FormatInt(p.Limits.Scratch, 10) + ":" + file}, argv...)
	return syscall.ForkExec(self, args, &syscall.ProcAttr{Dir: p.Dir, Env: p.Env, Files: fds, Sys: &syscall.SysProcAttr{Setpgid: true}})
}

// become turns this process into the command: signals let through again, chosen before the supervisor when memory runs
// out, and with the limits on files that an engine would set.
func become(what string, argv []string) {
	runtime.LockOSThread()
	size, file, _ := strings.Cut(what, ":")
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("800"), 0) // raising one's own score needs no privilege
	if limit, err := strconv.ParseUint(size, 10, 63); err == nil && limit > 0 {
		for resource, value := range map[int]uint64{syscall.RLIMIT_FSIZE: limit, syscall.RLIMIT_CORE: 0} {
			if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
				fmt.Fprintln(os.Stderr, "supervise: setting a limit:", err)
				os.Exit(125)
			}
		}
	}
	syscall.Umask(0o022)
	err := setSignalMask(0)
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0); err == nil && e != 0 {
		err = e
	}
	if err == nil {
		err = execute(file, argv)
	}
	fmt.Fprintf(os.Stderr, "supervise: running %s: %v\n", file, err)
	os.Exit(126)
}

// execute does not return if the program could be run. A program that was just written may be busy: a process that was
// forked beside the writing, for another step, holds the file open until it becomes its own program.
func execute(file string, argv []string) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := syscall.Exec(file, argv, os.Environ())
		if !errors.Is(err, syscall.ETXTBSY) || wait > time.Second {
			return err
		}
		time.Sleep(wait)
	}
}

// killAll kills every process of the sandbox but the supervisor.
func killAll() {
	if os.Getpid() == 1 {
		_ = syscall.Kill(-1, syscall.SIGKILL)
		return
	}
	for _, pid := range descendants() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// descendants lists the processes below this one; orphans of them count, since this process adopts them.
func descendants() []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		pid, parent, ok := parseStat(string(data))
		if ok {
			children[parent] = append(children[parent], pid)
		}
	}
	var all []int
	queue := []int{os.Getpid()}
	for len(queue) > 0 {
		below := children[queue[0]]
		queue = append(queue[1:], below...)
		all = append(all, below...)
	}
	return all
}

// parseStat reads pid and parent from a line of /proc/PID/stat; the name between them may hold any character.
func parseStat(line string) (pid, parent int, ok bool) {
	first, _, found := strings.Cut(line, " ")
	end := strings.LastIndexByte(line, ')')
	if !found || end < 0 {
		return 0, 0, false
	}
	rest := strings.Fields(line[end+1:])
	if len(rest) < 2 {
		return 0, 0, false
	}
	pid, err := strconv.Atoi(first)
	parent, err2 := strconv.Atoi(rest[1])
	return pid, parent, err == nil && err2 == nil
}

// collect waits for the command, then kills and reaps all that it left behind. The function atEnd is called in between.
func collect(command int, atEnd func()) status {
	var st status
	ended := false
	for {
		var ws syscall.WaitStatus
		options := 0
		if ended && !st.leftover {
			options = syscall.WNOHANG
		}
		pid, err := syscall.Wait4(-1, &ws, options, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil: // ECHILD: nobody is left
			return st
		case pid == 0:
			st.leftover = true
			killAll()
		case pid == command:
			ended = true
			st.exit = ws.ExitStatus()
			if ws.Signaled() {
				st.signal = int(ws.Signal())
				st.exit = 128 + st.signal
			}
			atEnd()
		case st.leftover:
			killAll() // something may have been forked after the last look
		}
	}
}
