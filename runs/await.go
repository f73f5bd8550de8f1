package runs

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
)

// await waits for a workflow's end. An engine that does not answer in time, as on a machine that is busy with the run
// itself, has not ended the workflow: it is asked again after a pause.
func await(ctx context.Context, handle client.WorkflowRun, pause time.Duration) error {
	for {
		err := handle.Get(ctx, nil)
		if err == nil || ctx.Err() != nil || !unanswered(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// unanswered reports whether an error is about the asking and not about what was asked.
func unanswered(err error) bool {
	var late *serviceerror.DeadlineExceeded
	var away *serviceerror.Unavailable
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late) || errors.As(err, &away)
}
