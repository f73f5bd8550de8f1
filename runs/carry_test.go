package runs

import (
	"errors"
	"fmt"
	"testing"

	"go.temporal.io/sdk/temporal"
)

func TestCauseOfAWorkflowsError(t *testing.T) {
	app := temporal.NewApplicationErrorWithCause("writing x: no room", "Fault", errors.New("no room"))
	for want, err := range map[string]error{
		"writing x: no room": fmt.Errorf("workflow r: %w", fmt.Errorf("child workflow r/t: %w", app)),
		"it took too long":   fmt.Errorf("workflow r: %w", errors.New("it took too long")),
	} {
		if got := cause(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
