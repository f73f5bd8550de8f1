package activities

import (
	"go.temporal.io/sdk/activity"

	"evlab/workflows"
)

// Registry is the part of a worker that takes activities.
type Registry interface {
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}

func register(r Registry, name string, f any) {
	r.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
}

// Register lists the organizer's activity types.
func (o *Organizer) Register(r Registry) {
	register(r, workflows.ListTasks, o.ListTasks)
	register(r, workflows.OpenTask, o.OpenTask)
	register(r, workflows.BuildBundle, o.BuildBundle)
	register(r, workflows.Score, o.Score)
	register(r, workflows.GiveUp, o.GiveUp)
	register(r, workflows.Aggregate, o.Aggregate)
}

// Register lists the activity types of inference.
func (f *Inference) Register(r Registry) {
	register(r, workflows.Retrieve, f.Retrieve)
	register(r, workflows.Propose, f.Propose)
}

// Register lists the sandbox's activity types.
func (b *Sandbox) Register(r Registry) {
	register(r, workflows.Prepare, b.Prepare)
	register(r, workflows.Preflight, b.Preflight)
	register(r, workflows.ApplyPatch, b.ApplyPatch)
	register(r, workflows.RunTests, b.RunTests)
	register(r, workflows.ReleaseImage, b.ReleaseImage)
}
