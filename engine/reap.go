package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/temporal"
)

// WorkerLost is the type of the application error with which an orphaned activity's attempt is ended.
const WorkerLost = "WorkerLost"

// ReapOrphans ends the attempts of activities that were handed to a worker which is gone, so that they are tried again
// at once and not after their timeouts; it returns how many. The given workflows (by id, those that are not running are
// passed over) and all running ones below them are looked at. An ended attempt counts as an ordinary failure of type
// WorkerLost: the retry policy and the heartbeat details apply, so a policy of one attempt must not be used. Where
// cancellation had been asked for, the activity ends as cancelled.
//
// It must be called before this process starts its workers. With an embedded server, every started activity is then
// an orphan, since the state folder's lock says that there is no other process. On a remote server only those last
// started under this process's host (the part of Options.Identity before the slash) are.
//
// The count is right even when an error is returned, which then names each workflow that could not be dealt with.
func (e *Engine) ReapOrphans(ctx context.Context, ids []string) (int, error) {
	var count atomic.Int64
	err := e.walk(ctx, ids, func(found *workflowservice.DescribeWorkflowExecutionResponse) error {
		workflow := found.GetWorkflowExecutionInfo().GetExecution()
		var errs []error
		for _, activity := range found.GetPendingActivities() {
			if !e.orphaned(activity) {
				continue
			}
			err := e.client.CompleteActivityByID(ctx, e.options.Namespace, workflow.GetWorkflowId(), workflow.GetRunId(),
				activity.GetActivityId(), nil, verdict(activity))
			var gone *serviceerror.NotFound // it timed out just now
			switch {
			case err == nil:
				count.Add(1)
			case !errors.As(err, &gone):
				errs = append(errs, fmt.Errorf("handing out activity %s of workflow %s again: %w",
					activity.GetActivityType().GetName(), workflow.GetWorkflowId(), err))
			}
		}
		return errors.Join(errs...)
	})
	if n := count.Load(); n > 0 {
		e.options.Log.Info("activities of a dead worker are handed out again", "count", n)
	}
	return int(count.Load()), err
}

func (e *Engine) orphaned(activity *workflowpb.PendingActivityInfo) bool {
	switch activity.GetState() {
	case enumspb.PENDING_ACTIVITY_STATE_STARTED,
		enumspb.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED, // one that has not started is cancelled on the spot
		enumspb.PENDING_ACTIVITY_STATE_PAUSE_REQUESTED:
	default:
		return false
	}
	return e.Embedded() || strings.HasPrefix(activity.GetLastWorkerIdentity(), hostOf(e.options.Identity)+"/")
}

func verdict(activity *workflowpb.PendingActivityInfo) error {
	if activity.GetState() == enumspb.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED {
		return temporal.NewCanceledError()
	}
	return temporal.NewApplicationError("worker died", WorkerLost)
}
