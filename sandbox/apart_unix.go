//go:build unix

package sandbox

import "syscall"

// apart makes a child process outlive this one and its terminal.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
