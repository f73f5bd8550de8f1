package workflows

import "go.temporal.io/sdk/workflow"

// Registry is the part of a worker (and of a replayer) that takes workflows.
type Registry interface {
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
}

// Register is the one list of workflow types.
func Register(r Registry) {
	r.RegisterWorkflowWithOptions(Experiment, workflow.RegisterOptions{Name: ExperimentType})
	r.RegisterWorkflowWithOptions(Task, workflow.RegisterOptions{Name: TaskType})
	r.RegisterWorkflowWithOptions(Cell, workflow.RegisterOptions{Name: CellType})
}
