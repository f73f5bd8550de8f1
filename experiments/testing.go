package experiments

import "time"

// Testing is what experiments have in common that test patches which nobody proposes in them: no evidence, one round, no
// preflight, and both phases of tests.
type Testing struct {
	Name        string
	Cohort      CohortSource
	Timeout     time.Duration // of one test command; 0 takes the default
	Sandbox     string
	Concurrency Concurrency
	Engine      string
}

// Spec is the experiment without its executors.
func (t Testing) Spec() Spec {
	spec := Defaults()
	spec.Name, spec.Cohort, spec.Sandbox, spec.Concurrency, spec.Engine = t.Name, t.Cohort, t.Sandbox, t.Concurrency, t.Engine
	spec.Conditions = []ConditionSpec{{Name: NoEvidence, Kind: NoEvidence}}
	spec.Preflight = PreflightNever
	spec.Tracks.Repair.Rounds, spec.Tracks.Repair.PassToPass = 1, PassToPassAlways
	if t.Timeout != 0 {
		spec.Limits.StepTimeout = t.Timeout
	}
	return spec
}
