package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/api/workflowservice/v1"
)

// The kinds of StuckWorkflow.
const (
	StuckWorkflowTask = "workflow task"
	StuckActivity     = "activity"
)

const (
	// A workflow task is stuck beyond this attempt, an activity from this one on.
	workflowTaskAttempts = 3
	activityAttempts     = 3

	// recentEvents is how far back the reason of a failing workflow task is looked for. The server writes only the
	// first failure of a row into the history, so it is among the last few events.
	recentEvents = 50

	// maxCause bounds a cause's text, in bytes.
	maxCause = 1000
)

// StuckWorkflow is a workflow that counts as running and does not get on.
type StuckWorkflow struct {
	ID      string
	Kind    string // StuckWorkflowTask or StuckActivity
	Name    string // the type of the workflow or of the activity
	Attempt int    // the attempt that is pending, counted from 1
	Cause   string // one line: why the last attempt failed, or that nothing is known
}

// Stuck finds those of the given workflows and of the running ones below them that fail over and over: a workflow task
// beyond its third attempt (the workflow's code panics, is not deterministic, is not registered, or asks for more
// than the server's limits allow), or an activity at its third attempt or later. Both are retried for ever or for
// long, and nothing else reports them. The answer is sorted by id and names each workflow once.
func (e *Engine) Stuck(ctx context.Context, ids []string) ([]StuckWorkflow, error) {
	var mu sync.Mutex
	var found []StuckWorkflow
	err := e.walk(ctx, ids, func(d *workflowservice.DescribeWorkflowExecutionResponse) error {
		one, stuck, err := e.judge(ctx, d)
		if stuck {
			mu.Lock()
			found = append(found, one)
			mu.Unlock()
		}
		return err
	})
	slices.SortFunc(found, func(a, b StuckWorkflow) int { return cmp.Compare(a.ID, b.ID) })
	return found, err
}

func (e *Engine) judge(ctx context.Context, d *workflowservice.DescribeWorkflowExecutionResponse) (StuckWorkflow, bool, error) {
	info := d.GetWorkflowExecutionInfo()
	if attempt := d.GetPendingWorkflowTask().GetAttempt(); attempt > workflowTaskAttempts {
		cause, err := e.taskFailure(ctx, info.GetExecution())
		return StuckWorkflow{
			ID: info.GetExecution().GetWorkflowId(), Kind: StuckWorkflowTask, Name: info.GetType().GetName(),
			Attempt: int(attempt), Cause: cause,
		}, true, err
	}
	var worst StuckWorkflow
	for _, a := range d.GetPendingActivities() {
		if attempt := int(a.GetAttempt()); attempt >= activityAttempts && a.GetLastFailure() != nil && attempt > worst.Attempt {
			worst = StuckWorkflow{
				ID: info.GetExecution().GetWorkflowId(), Kind: StuckActivity, Name: a.GetActivityType().GetName(),
				Attempt: attempt, Cause: describeFailure(a.GetLastFailure()),
			}
		}
	}
	return worst, worst.Attempt > 0, nil
}

// taskFailure reads why a workflow's task fails off the end of its history.
func (e *Engine) taskFailure(ctx context.Context, execution *commonpb.WorkflowExecution) (string, error) {
	answer, err := e.client.WorkflowService().GetWorkflowExecutionHistoryReverse(ctx,
		&workflowservice.GetWorkflowExecutionHistoryReverseRequest{
			Namespace: e.options.Namespace, Execution: execution, MaximumPageSize: recentEvents,
		})
	if err != nil {
		return "unknown", fmt.Errorf("reading why workflow %s fails: %w", execution.GetWorkflowId(), err)
	}
	for _, event := range answer.GetHistory().GetEvents() {
		if failed := event.GetWorkflowTaskFailedEventAttributes(); failed != nil {
			if text := describeFailure(failed.GetFailure()); text != "" {
				return oneLine(failed.GetCause().String()+": "+text, maxCause), nil
			}
			return failed.GetCause().String(), nil
		}
		if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT {
			return "the workflow's code did not answer in time", nil
		}
	}
	return "unknown: the history says nothing", nil
}

// describeFailure is a failure's message followed by those of its causes, on one line.
func describeFailure(f *failurepb.Failure) string {
	var parts []string
	for ; f != nil && len(parts) < 10; f = f.GetCause() {
		text := f.GetMessage()
		if kind := f.GetApplicationFailureInfo().GetType(); kind != "" && kind != text {
			text += " (" + kind + ")"
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return oneLine(strings.Join(parts, ": "), maxCause)
}

// oneLine evens out white space and cuts at a length in bytes, between characters.
func oneLine(s string, limit int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "..."
}
