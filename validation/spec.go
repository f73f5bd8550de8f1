package validation

import (
	"time"

	"evlab/experiments"
)

// Runs of the tests before and after the reference repair: a test that does not end alike in all of them is flaky.
const (
	RunsBefore = 2
	RunsAfter  = 3
)

// Request is what shall be validated.
type Request struct {
	Name        string
	Cohort      experiments.CohortSource
	Tasks       []string // none means all
	Timeout     time.Duration
	Sandbox     string
	Concurrency experiments.Concurrency
	Engine      string
}

// Spec is the experiment that measures the cohort.
func Spec(r Request) experiments.Spec {
	spec := experiments.Defaults()
	spec.Name, spec.Cohort, spec.Tasks, spec.Sandbox, spec.Concurrency, spec.Engine = r.Name, r.Cohort, r.Tasks, r.Sandbox, r.Concurrency, r.Engine
	spec.Conditions = []experiments.ConditionSpec{{Name: experiments.NoEvidence, Kind: experiments.NoEvidence}}
	spec.Executors = []experiments.ExecutorSpec{
		{Name: "before", Kind: experiments.Base, Replicates: RunsBefore},
		{Name: "after", Kind: experiments.Reference, Replicates: RunsAfter},
	}
	spec.Preflight = experiments.PreflightNever
	spec.Tracks.Repair.Rounds, spec.Tracks.Repair.PassToPass = 1, experiments.PassToPassAlways
	if r.Timeout > 0 {
		spec.Limits.StepTimeout = r.Timeout
	}
	return spec
}

// Is reports whether the experiment validates a cohort.
func Is(s experiments.Spec) bool {
	return len(s.Executors) == 2 && s.Executors[0].Kind == experiments.Base && s.Executors[1].Kind == experiments.Reference
}
