//go:build unix && !linux

package main

import (
	"os"
	"os/signal"
	"syscall"

	"evlab/sandbox/plan"
)

const executableSuffix = ""

func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

var requestSignals = map[string]syscall.Signal{
	plan.Deadline: syscall.SIGUSR1, plan.Disk: syscall.SIGUSR2, plan.Stopped: syscall.SIGTERM, plan.Kill: syscall.SIGKILL,
}

func ask(p *os.Process, what string) {
	if s, known := requestSignals[what]; known {
		_ = p.Signal(s)
	}
}

func stopRequests(bool) (<-chan string, error) {
	signals, requests := make(chan os.Signal, 1), make(chan string, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGTERM)
	go func() {
		for s := range signals {
			for what, number := range requestSignals {
				if s == number {
					requests <- what
				}
			}
		}
	}()
	return requests, nil
}

func statusOf(state *os.ProcessState) status {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return status{exit: 128 + int(ws.Signal()), signal: int(ws.Signal())}
	}
	return status{exit: state.ExitCode()}
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
