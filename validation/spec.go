package validation

import "evlab/experiments"

// Runs of the tests before and after the reference repair: a test that does not end alike in all of them is flaky.
const (
	RunsBefore = 2
	RunsAfter  = 3
)

// Request is what shall be validated.
type Request struct {
	experiments.Testing
	Tasks []string // none means all
}

// Spec is the experiment that measures the cohort.
func Spec(r Request) experiments.Spec {
	spec := r.Testing.Spec()
	spec.Tasks = r.Tasks
	spec.Executors = []experiments.ExecutorSpec{
		{Name: "before", Kind: experiments.Base, Replicates: RunsBefore},
		{Name: "after", Kind: experiments.Reference, Replicates: RunsAfter},
	}
	return spec
}

// Is reports whether the experiment validates a cohort.
func Is(s experiments.Spec) bool {
	return len(s.Executors) == 2 && s.Executors[0].Kind == experiments.Base && s.Executors[1].Kind == experiments.Reference
}
