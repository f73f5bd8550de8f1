package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
)

// End ends the given workflows and the running ones below them where they stand: no code of theirs runs any more, and
// what of them was handed out is nobody's. It returns how many. One that is started again under its id begins anew, so
// what it did has to be known elsewhere.
func (e *Engine) End(ctx context.Context, ids []string, why string) (int, error) {
	return e.end(ctx, why, func(visit func(*workflowservice.DescribeWorkflowExecutionResponse) error) error {
		return e.walk(ctx, ids, visit)
	})
}

// EndOthers ends, as End does, every running workflow but keep and those below it. ids are those that there may be: the
// list of what is running lags a little behind.
//
// It must be called before this process starts its workers, and not where other processes have theirs: whoever carries
// one run of a state folder would carry all that were left open there.
func (e *Engine) EndOthers(ctx context.Context, keep string, ids []string, why string) (int, error) {
	listed, err := e.running(ctx, "")
	if err != nil {
		return 0, fmt.Errorf("listing the running workflows: %w", err)
	}
	n, err := e.end(ctx, why, func(visit func(*workflowservice.DescribeWorkflowExecutionResponse) error) error {
		seen := map[string]bool{}
		level := slices.DeleteFunc(unique(append(slices.Clone(ids), listed...), seen), func(id string) bool { return id == keep || isBelow(id, keep) })
		return e.descend(ctx, level, seen, visit)
	})
	return n, err
}

func (e *Engine) end(ctx context.Context, why string, walk func(visit func(*workflowservice.DescribeWorkflowExecutionResponse) error) error) (int, error) {
	var found []string
	visits := make(chan string)
	gathered := make(chan struct{})
	go func() {
		for id := range visits {
			found = append(found, id)
		}
		close(gathered)
	}()
	err := walk(func(d *workflowservice.DescribeWorkflowExecutionResponse) error {
		visits <- d.GetWorkflowExecutionInfo().GetExecution().GetWorkflowId()
		return nil
	})
	close(visits)
	<-gathered
	// Those below come first: one whose parent has ended is asked to cancel itself, and would need a worker for that.
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) })
	n := 0
	errs := []error{err}
	for _, id := range found {
		err := e.client.TerminateWorkflow(ctx, id, "", why)
		var gone *serviceerror.NotFound
		switch {
		case err == nil:
			n++
		case !errors.As(err, &gone):
			errs = append(errs, fmt.Errorf("ending workflow %s: %w", id, err))
		}
	}
	return n, errors.Join(errs...)
}
