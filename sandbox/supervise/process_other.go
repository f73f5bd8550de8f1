//go:build !linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"evlab/sandbox/plan"
)

// Elsewhere than on Linux the supervisor has its own process group and nothing more: a process that leaves the group
// escapes it, and limits on memory, processes and disk are not kept.

// running is the command that killAll kills.
var running struct {
	sync.Mutex
	process *os.Process
}

func deafen(string)           {}
func harden() error           { return nil }
func become(string, []string) { os.Exit(2) }
func enter(string)            { os.Exit(2) }

func spawn(p *plan.Plan, file string, argv []string, files []*os.File) (*os.Process, error) {
	process, err := os.StartProcess(file, argv, &os.ProcAttr{Dir: p.Dir, Env: p.Env, Files: files, Sys: ownGroup()})
	if err == nil {
		running.Lock()
		running.process = process
		running.Unlock()
	}
	return process, err
}

func killAll() {
	running.Lock()
	defer running.Unlock()
	if running.process != nil {
		killGroup(running.process)
	}
}

func collect(process *os.Process, _ func()) status {
	state, err := process.Wait()
	killAll()
	if err != nil {
		return status{exit: 255}
	}
	return statusOf(state)
}

// gauge sees nothing here.
type gauge struct{}

func newGauge(*plan.Plan) *gauge                          { return &gauge{} }
func (*gauge) check(func(string))                         {}
func (*gauge) look()                                      {}
func (*gauge) fill(*plan.Record)                          {}
func (*gauge) watch(done <-chan struct{}, _ func(string)) { <-done }

// confined is the supervisor of a step as its keeper sees it.
type confined struct{ command *exec.Cmd }

func confine(_ string, h plan.Host, stdout, stderr *os.File) (*confined, error) {
	if h.Namespaces || h.User >= 0 {
		return nil, fmt.Errorf("namespaces and other users are for Linux only")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.Command(self, "watch", h.In)
	c.Env = append(os.Environ(), plan.NonceVariable+"="+h.Nonce)
	c.Stdout, c.Stderr = stdout, stderr
	return &confined{command: c}, c.Start()
}

func (c *confined) wait() int {
	err := c.command.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return statusOf(exit.ProcessState).exit
	}
	return 255
}

func (c *confined) request(what string) { ask(c.command.Process, what) }
