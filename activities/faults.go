package activities

import (
	"errors"
	"fmt"
	"strings"

	"go.temporal.io/sdk/temporal"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/sandbox"
	"evlab/workflows"
)

// taskFault says that a task can't be used: it is not tried again, and its cells are excluded with this reason.
func taskFault(format string, args ...any) error {
	return temporal.NewNonRetryableApplicationError(fmt.Sprintf(format, args...), workflows.TaskFaultType, nil)
}

// infra is a fault of infrastructure of a class. final ends the retries.
func infra(class string, final bool, err error) error {
	return temporal.NewApplicationErrorWithOptions(err.Error(), workflows.FaultType,
		temporal.ApplicationErrorOptions{NonRetryable: final, Cause: err, Details: []any{class}})
}

// classed gives an error its class where the data folder is in the way: what is lost does not come back by another try, and
// a full disk is nobody's fault here. Errors that have a class keep it.
func classed(err error) error {
	var has *temporal.ApplicationError
	switch {
	case err == nil, errors.As(err, &has):
		return err
	case lost(err):
		return infra(experiments.ClassLost, true, err)
	case diskFull(err):
		return infra(sandbox.FaultDisk, false, err)
	}
	return err
}

// lost reports whether err says that something that was stored is gone, or is not what was stored.
func lost(err error) bool {
	return errors.Is(err, artifacts.ErrLost) || errors.Is(err, artifacts.ErrDamaged)
}

// diskFull reports whether err is that there is no room left. Programs such as git, and the engine, say it in words alone.
func diskFull(err error) bool {
	return artifacts.NoRoom(err) || strings.Contains(strings.ToLower(err.Error()), "no space left on device")
}
