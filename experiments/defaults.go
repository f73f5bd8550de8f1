package experiments

import "time"

// Defaults is what an experiment file leaves unsaid. Conditions, executors, contrasts and the cohort have none.
func Defaults() Spec {
	return Spec{
		Replicates: 1,
		Tracks: Tracks{Repair: RepairTrack{
			Rounds: 3, UnitsPerCall: 5, TokenCeiling: 6144, Overflow: "skip", PassToPass: PassToPassAfterF2P,
		}},
		Limits: Limits{
			StepTimeout: 5 * time.Minute, Memory: 2 << 30, Scratch: 512 << 20, Log: 64 << 20, Processes: 512, CPUs: 1,
		},
		Preflight: PreflightAlways, Sandbox: "auto",
	}
}

// FillIn completes what one entry of a list leaves unsaid: names from kinds, parameters from the paper's values. It
// takes a zero for unsaid; a reader that knows better (b: 0 is a legal BM25) puts the zero back afterwards, so a spec
// that was completed once must not be completed again.
func (s *Spec) FillIn() {
	for i := range s.Conditions {
		c := &s.Conditions[i]
		if c.Name == "" {
			c.Name = c.Kind
		}
		if c.Kind == "" {
			c.Kind = c.Name
		}
		if c.Kind != NoEvidence {
			if c.K1 == 0 {
				c.K1 = 1.2
			}
			if c.B == 0 {
				c.B = 0.75
			}
		}
		if c.Diagnostic() {
			if c.Reference == "" {
				c.Reference = BM25
			}
			if c.MaxItems == 0 {
				c.MaxItems = 8
			}
		}
	}
	for i := range s.Executors {
		e := &s.Executors[i]
		if e.Kind == "" {
			e.Kind = e.Name
		}
		if e.Name == "" {
			e.Name = e.Kind
		}
		if e.Kind == Replay && e.Missing == "" {
			e.Missing = MissingExcluded
		}
	}
	for i := range s.Contrasts {
		c := &s.Contrasts[i]
		if c.Unit == "" {
			c.Unit = "task"
		}
		if c.Draws == 0 {
			c.Draws = 20000
		}
		if c.Seed == 0 {
			c.Seed = 20260912
		}
		if c.Executor == "" && len(s.Executors) == 1 {
			c.Executor = s.Executors[0].Name
		}
	}
}
