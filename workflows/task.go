package workflows

import (
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"evlab/experiments"
)

// Task carries one task of a run: its image, its preflight, a window of its cells, and the image's release. A task
// that can't be asked sets its cells aside by name; nothing here turns into a verdict about a patch.
func Task(ctx workflow.Context, in TaskInput) (TaskResult, error) {
	var opened OpenedTask
	sandbox := SandboxInput{RunID: in.RunID, Task: in.Task}
	if err := workflow.ExecuteActivity(books(ctx, "open "+in.Task), OpenTask, sandbox).Get(ctx, &opened); err != nil {
		return TaskResult{}, err
	}
	var cells []experiments.Cell
	for _, c := range opened.Cells {
		cells = append(cells, c.Cell)
	}
	if len(cells) == 0 {
		return TaskResult{}, nil
	}
	if opened.Excluded != "" {
		return setAside(ctx, in.RunID, cells, experiments.Excluded, "", opened.Excluded)
	}
	if opened.Lost != "" {
		return setAside(ctx, in.RunID, cells, experiments.Infra, experiments.ClassLost, opened.Lost)
	}
	sandbox.HandOut, sandbox.Reference = opened.HandOut, opened.Reference

	var image Prepared
	err := workflow.ExecuteActivity(building(ctx, in.System, "image of "+in.Task), Prepare, sandbox).Get(ctx, &image)
	if err != nil {
		return failTask(ctx, in.RunID, cells, err)
	}
	sandbox.Image = image.Image
	// Whatever happens to the cells, even a cancellation, the image's use ends with the task.
	defer func() {
		ctx, cancel := workflow.NewDisconnectedContext(ctx)
		defer cancel()
		err := workflow.ExecuteActivity(building(ctx, in.System, "release "+in.Task), ReleaseImage, sandbox).Get(ctx, nil)
		if err != nil {
			workflow.GetLogger(ctx).Warn("releasing the image", "task", in.Task, "error", err)
		}
	}()

	var checked Checked
	if !opened.SkipPreflight {
		err = workflow.ExecuteActivity(testing(ctx, in.System, "preflight of "+in.Task), Preflight, sandbox).Get(ctx, &checked)
		if err != nil {
			return failTask(ctx, in.RunID, cells, err)
		}
		if !checked.OK {
			return setAside(ctx, in.RunID, cells, experiments.Excluded, "", checked.Reason)
		}
	}

	_, err = window(ctx, len(cells), in.Window, nil, func(ctx workflow.Context, i int) error {
		id := in.RunID + "/" + cells[i].ID()
		cell := CellInput{
			RunID: in.RunID, Cell: cells[i], System: in.System, HandOut: opened.HandOut, Image: image.Image, Plan: opened.Cells[i].Plan,
		}
		if cell.Plan.Of == experiments.Reference || (opened.SkipPreflight || checked.Doubts) && cell.Plan.Of == "" {
			cell.Reference = opened.Reference
		}
		return workflow.ExecuteChildWorkflow(child(ctx, id, cells[i].ID()), CellType, cell).Get(ctx, nil)
	})
	return TaskResult{Cells: len(cells)}, err
}

// failTask records a task's cells after a step of the task itself failed for good: a fault of the task excludes them,
// a fault of infrastructure leaves them for a resume. A cancellation records nothing.
func failTask(ctx workflow.Context, runID string, cells []experiments.Cell, err error) (TaskResult, error) {
	if ctx.Err() != nil || temporal.IsCanceledError(err) {
		return TaskResult{}, err
	}
	verdict, class, reason := fault(err)
	return setAside(ctx, runID, cells, verdict, class, reason)
}

func setAside(ctx workflow.Context, runID string, cells []experiments.Cell, v experiments.Verdict, class, reason string) (TaskResult, error) {
	err := workflow.ExecuteActivity(books(ctx, "set aside"), GiveUp, GiveUpInput{runID, cells, v, class, reason}).Get(ctx, nil)
	return TaskResult{Cells: len(cells), Excluded: reason}, err
}

// fault reads what an activity's final error means for a cell.
func fault(err error) (verdict experiments.Verdict, class, reason string) {
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		switch app.Type() {
		case TaskFaultType:
			return experiments.Excluded, "", app.Message()
		case FaultType:
			class = "infrastructure"
			var detail string
			if app.HasDetails() && app.Details(&detail) == nil && detail != "" {
				class = detail
			}
			return experiments.Infra, class, app.Message()
		}
		return experiments.Infra, "internal", app.Message()
	}
	var late *temporal.TimeoutError
	if errors.As(err, &late) {
		return experiments.Infra, "timeout", "a step did not end within evlab's own limit: " + late.Error()
	}
	return experiments.Infra, "internal", err.Error()
}
