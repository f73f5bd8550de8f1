package sandbox

import (
	"errors"
	"syscall"
	"time"

	"evlab/sandbox/plan"
)

// ending is all that is known about how a step's first process ended.
type ending struct {
	began, over time.Time
	peak        int64
	exit        int     // of the supervisor
	oomKilled   bool    // the engine says so
	elapsed     bool    // it ran for at least Limits.Timeout
	killed      Outcome // why this process killed it; "" when it did not
	started     *plan.Record
	failed      *plan.Record
	ended       *plan.Record
	tail        string // of what the supervisor itself may have said
}

// judge turns an ending into an outcome and the command's exit status. An error is the infrastructure's fault.
func (e ending) judge() (Outcome, int, error) {
	switch {
	case e.failed != nil:
		return "", 0, fault(FaultEngine, "the command could not be run: %s", e.failed.Reason)
	case e.ended == nil:
		return e.judgeSilent()
	}
	end := e.ended
	switch end.Reason {
	case plan.Deadline:
		return Deadline, end.Exit, nil
	case plan.Disk:
		return Disk, end.Exit, nil
	case plan.Memory:
		return Memory, end.Exit, nil
	case plan.Processes:
		return Processes, end.Exit, nil
	case plan.Stopped:
		if e.killed != "" {
			return e.killed, end.Exit, nil
		}
		return EngineLost, 0, fault(FaultEngineLost, "the step was told to stop from outside of it")
	}
	switch {
	case end.OOM > 0, e.oomKilled, end.Signal == int(syscall.SIGKILL) && !end.Counted:
		return Memory, end.Exit, nil
	case end.Full && end.Exit != 0, end.Signal == signalFileSize:
		return Disk, end.Exit, nil
	case end.Forks > 0 && end.Exit != 0:
		return Processes, end.Exit, nil
	case end.Signal != 0:
		return Killed, end.Exit, nil
	}
	return Completed, end.Exit, nil
}

// errNeverBegan says of a supervisor that the command was not started.
var errNeverBegan = errors.New("before it began")

// signalFileSize is SIGXFSZ of Linux: a file grew beyond the limit.
const signalFileSize = 25

// judgeSilent judges a supervisor that was killed before it could tell.
func (e ending) judgeSilent() (Outcome, int, error) {
	switch {
	case e.killed != "":
		return e.killed, e.exit, nil
	case e.oomKilled:
		return Memory, e.exit, nil
	case e.started != nil && e.elapsed:
		return Deadline, e.exit, nil
	case e.started == nil:
		return "", 0, fault(FaultEngine, "the supervisor ended with status %d %w: %s", e.exit, errNeverBegan, e.tail)
	}
	return EngineLost, 0, fault(FaultEngineLost, "the step's supervisor was killed from outside (status %d)", e.exit)
}
