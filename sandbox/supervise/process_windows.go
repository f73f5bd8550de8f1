package main

import (
	"os"
	"syscall"
)

const executableSuffix = ".exe"

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func killGroup(p *os.Process) { _ = p.Kill() }

// ask has one answer here: the supervisor is killed, and what it started is left to the machine.
func ask(p *os.Process, _ string) { _ = p.Kill() }

func stopRequests(bool) (<-chan string, error) { return nil, nil }

func statusOf(state *os.ProcessState) status { return status{exit: state.ExitCode()} }

// holdLock opens the file so that nobody else can, for as long as this process lives.
func holdLock(file string) (unlock func(), ok bool) {
	name, err := syscall.UTF16PtrFromString(file)
	if err != nil {
		return nil, false
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, false
	}
	return func() { syscall.CloseHandle(h) }, true
}
