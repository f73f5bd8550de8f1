package workflows

import (
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/workflow"
)

// Experiment carries a run: it goes through the run's unfinished tasks page by page, keeps a window of Task workflows
// open, and aggregates at the end. It continues as new only when the engine suggests it, after the window has drained.
func Experiment(ctx workflow.Context, in ExperimentInput) (ExperimentResult, error) {
	progress := Progress{Listed: in.Done, Done: in.Done}
	err := workflow.SetQueryHandlerWithOptions(ctx, ProgressQuery, func() (Progress, error) { return progress, nil },
		workflow.QueryHandlerOptions{Description: "how many tasks are listed, open and done"})
	if err != nil {
		return ExperimentResult{}, err
	}
	full := func() bool { return workflow.GetInfo(ctx).GetContinueAsNewSuggested() }
	var failed error
	for cursor := in.Cursor; ; {
		var page TaskPage
		err := workflow.ExecuteActivity(books(ctx, "list tasks"), ListTasks, ListTasksInput{in.RunID, cursor}).Get(ctx, &page)
		if err != nil {
			return ExperimentResult{}, err
		}
		started, err := window(ctx, len(page.Tasks), in.Window, full, func(ctx workflow.Context, i int) error {
			progress.Listed++
			progress.Open++
			defer func() { progress.Open--; progress.Done++ }()
			id := in.RunID + "/" + page.Tasks[i]
			return workflow.ExecuteChildWorkflow(child(ctx, id, page.Tasks[i]), TaskType,
				TaskInput{in.RunID, page.Tasks[i], in.System, in.Cells}).Get(ctx, nil)
		})
		if ctx.Err() != nil {
			return ExperimentResult{}, ctx.Err()
		}
		if err != nil && failed == nil {
			failed = err // the other tasks go on; the cells of this one stay pending and are tried by a resume
		}
		if started < len(page.Tasks) {
			// The pages list unfinished tasks by their place in the cohort, so what was started here and closed is
			// passed over when the same page is listed again.
			next := in
			next.Cursor, next.Done = cursor, progress.Done
			return ExperimentResult{}, workflow.NewContinueAsNewError(ctx, ExperimentType, next)
		}
		if page.Next == 0 {
			break
		}
		cursor = page.Next
	}
	var out Aggregated
	if err := workflow.ExecuteActivity(books(ctx, "aggregate"), Aggregate, AggregateInput{in.RunID}).Get(ctx, &out); err != nil {
		return ExperimentResult{}, err
	}
	return ExperimentResult{Tasks: progress.Done, Summary: out.Summary}, failed
}

// child has the options of every child workflow: its id is the thing's own id, so that starting it twice is starting
// it once, and a resumed run may start it again after it closed.
func child(ctx workflow.Context, id, summary string) workflow.Context {
	return workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID:            id,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		ParentClosePolicy:     enums.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
		WaitForCancellation:   true,
		StaticSummary:         summary,
	})
}
