package report

import (
	"errors"
	"fmt"
	"time"

	"evlab/artifacts"
	"evlab/contrasts"
	"evlab/experiments"
)

// Summary is a run in figures. Counts are counts of tasks (fractions when replicates disagree), CompleteMSS and
// GroupRecall means in 0..1, differences and bounds percentage points. Between a run and its repetition only RunID,
// Cells, Started, Finished and WallS may differ in its JSON, so that two of them can be compared; what else there is to
// say of how a run went is for its text alone.
type Summary struct {
	Type       string      `json:"type"` // "summary"
	RunID      string      `json:"run_id"`
	Experiment string      `json:"experiment"`
	Cohort     string      `json:"cohort"`
	Sandbox    string      `json:"sandbox"`
	Simulated  bool        `json:"simulated"` // some executor stands in for a model
	Cells      Cells       `json:"cells"`
	Conditions []Condition `json:"conditions"`
	Contrasts  []Contrast  `json:"contrasts"`
	Missing    []Missing   `json:"missing"` // cells without a verdict, with the reason
	Started    time.Time   `json:"started"`
	Finished   time.Time   `json:"finished"`
	WallS      float64     `json:"wall_s"` // from the start to the last verdict, pauses included
	ActiveS    float64     `json:"-"`      // of that, processes were at work; 0 when the ledger does not say
	Processes  int         `json:"-"`      // that carried it
}

// Cells counts a run's cells. Done + Infra + Excluded + Pending = Planned; Cached counts those of Done that were taken
// over from other runs.
type Cells struct {
	Planned  int `json:"planned"`
	Done     int `json:"done"`
	Cached   int `json:"cached"`
	Infra    int `json:"infra"`
	Excluded int `json:"excluded"`
	Pending  int `json:"pending"`
}

// Complete reports whether every cell has a verdict.
func (c Cells) Complete() bool { return c.Done == c.Planned }

// Condition is one condition under one executor.
type Condition struct {
	Condition     string   `json:"condition"`
	Executor      string   `json:"executor"`
	Simulated     bool     `json:"simulated"`
	Tasks         int      `json:"tasks"` // tasks with a verdict
	Strict        float64  `json:"strict"`
	FailToPass    float64  `json:"fail_to_pass"`
	PassToPass    float64  `json:"pass_to_pass"`
	TargetFileHit float64  `json:"target_file_hit"`
	CompleteMSS   *float64 `json:"complete_mss"` // null when the cohort has no certificates
	GroupRecall   *float64 `json:"group_recall"`
	Tokens        int      `json:"tokens"`
	Calls         int      `json:"calls"`
	Empty         int      `json:"empty"`        // cells
	ApplyFailed   int      `json:"apply_failed"` // cells
}

// Contrast is one declared contrast.
type Contrast struct {
	contrasts.Result
	Executor string `json:"executor"`
	Family   string `json:"family,omitempty"`
	Problem  string `json:"problem,omitempty"` // why it could not be computed
}

// Missing is a cell without a verdict.
type Missing struct {
	Cell    string              `json:"cell"`
	Verdict experiments.Verdict `json:"verdict"`
	Class   string              `json:"class,omitempty"`
	Reason  string              `json:"reason,omitempty"`
}

// Records reads the records of all the run's cells, in the contract's order; nil stands for a cell that has none, or
// one that is not whole.
func Records(run *artifacts.Run, contract *experiments.Contract) ([]*experiments.Record, error) {
	var all []*experiments.Record
	for _, t := range contract.Tasks {
		for _, cell := range contract.Cells(t.ID) {
			r, err := run.RecordOf(contract, cell)
			if err != nil && !errors.Is(err, artifacts.ErrDamaged) {
				return nil, err
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// Summarize computes the summary of a run from its contract and its records (as Records returns them).
func Summarize(contract *experiments.Contract, records []*experiments.Record) (*Summary, error) {
	s := &Summary{
		Type: "summary", RunID: contract.RunID, Experiment: contract.Spec.Name, Cohort: contract.Cohort.Name,
		Sandbox: contract.Sandbox.Kind, Missing: []Missing{}, Contrasts: []Contrast{}, Started: contract.Created,
	}
	byCell := make(map[experiments.Cell]*experiments.Record, len(records))
	err := each(contract, records, func(cell experiments.Cell, r *experiments.Record) {
		s.Cells.add(r)
		if r == nil {
			s.Missing = append(s.Missing, Missing{Cell: cell.ID(), Verdict: experiments.Pending})
			return
		}
		if !r.Verdict.Decided() {
			s.Missing = append(s.Missing, Missing{Cell: cell.ID(), Verdict: r.Verdict, Class: r.Class, Reason: r.Reason})
		}
		byCell[cell] = r
		if r.Finished.After(s.Finished) && r.Cached == "" {
			s.Finished = r.Finished
		}
	})
	if err != nil {
		return nil, err
	}
	if s.Finished.IsZero() {
		s.Finished = s.Started // everything was taken over
	}
	s.WallS = s.Finished.Sub(s.Started).Round(time.Millisecond).Seconds()
	for _, cond := range contract.Spec.Conditions {
		for _, exec := range contract.Spec.Executors {
			s.Conditions = append(s.Conditions, condition(contract, byCell, cond.Name, exec))
			s.Simulated = s.Simulated || exec.Kind == experiments.Simulated
		}
	}
	s.contrast(contract, byCell)
	return s, nil
}

// Count counts a run's cells from its records (as Records returns them).
func Count(contract *experiments.Contract, records []*experiments.Record) (Cells, error) {
	var c Cells
	err := each(contract, records, func(_ experiments.Cell, r *experiments.Record) { c.add(r) })
	return c, err
}

// each pairs cells and records, which come in the same order.
func each(contract *experiments.Contract, records []*experiments.Record, f func(experiments.Cell, *experiments.Record)) error {
	i := 0
	for _, t := range contract.Tasks {
		for _, cell := range contract.Cells(t.ID) {
			if i >= len(records) {
				return fmt.Errorf("run %s: %d records for more cells than that", contract.RunID, len(records))
			}
			f(cell, records[i])
			i++
		}
	}
	return nil
}

func (c *Cells) add(r *experiments.Record) {
	c.Planned++
	switch {
	case r == nil || r.Verdict == experiments.Pending:
		c.Pending++
	case r.Verdict == experiments.Infra:
		c.Infra++
	case r.Verdict == experiments.Excluded:
		c.Excluded++
	default:
		c.Done++
		if r.Cached != "" {
			c.Cached++
		}
	}
}

// taskMean is a metric's mean over a task's decided replicates.
func taskMean(c *experiments.Contract, byCell map[experiments.Cell]*experiments.Record, task, cond, exec, name string) (v float64, ok bool) {
	sum, n := 0.0, 0
	for k := 1; k <= c.Spec.Replicates; k++ {
		cell := experiments.Cell{Task: task, Condition: cond, Executor: exec, Replicate: k}
		if x, ok := byCell[cell].Metric(name); ok {
			sum, n = sum+x, n+1
		}
	}
	if n == 0 {
		return 0, false
	}
	return sum / float64(n), true
}

func condition(c *experiments.Contract, byCell map[experiments.Cell]*experiments.Record, cond string, exec experiments.ExecutorSpec) Condition {
	out := Condition{Condition: cond, Executor: exec.Name, Simulated: exec.Kind == experiments.Simulated}
	var mss, recall float64
	measured := 0
	for _, t := range c.Tasks {
		for _, f := range []struct {
			name string
			to   *float64
		}{{"strict", &out.Strict}, {"fail_to_pass", &out.FailToPass}, {"pass_to_pass", &out.PassToPass}, {"target_file_hit", &out.TargetFileHit}} {
			if v, ok := taskMean(c, byCell, t.ID, cond, exec.Name, f.name); ok {
				*f.to += v
				if f.name == "strict" {
					out.Tasks++
				}
			}
		}
		if v, ok := taskMean(c, byCell, t.ID, cond, exec.Name, "complete_mss"); ok {
			w, _ := taskMean(c, byCell, t.ID, cond, exec.Name, "group_recall")
			mss, recall, measured = mss+v, recall+w, measured+1
		}
		for k := 1; k <= c.Spec.Replicates; k++ {
			if r := byCell[experiments.Cell{Task: t.ID, Condition: cond, Executor: exec.Name, Replicate: k}]; r != nil && r.Verdict.Decided() {
				out.Tokens += r.Scores.Tokens
				out.Calls += r.Scores.Calls
				switch r.Verdict {
				case experiments.Empty:
					out.Empty++
				case experiments.ApplyFailed:
					out.ApplyFailed++
				}
			}
		}
	}
	if measured > 0 {
		mss, recall = mss/float64(measured), recall/float64(measured)
		out.CompleteMSS, out.GroupRecall = &mss, &recall
	}
	return out
}

// contrast computes every declared contrast, and Holm's adjustment within each family.
func (s *Summary) contrast(c *experiments.Contract, byCell map[experiments.Cell]*experiments.Record) {
	families := map[string][]int{}
	var names []string
	for _, spec := range c.Spec.Contrasts {
		out := Contrast{Executor: spec.Executor, Family: spec.Family}
		var pairs []contrasts.Pair
		for _, t := range c.Tasks {
			p := contrasts.Pair{Task: t.ID}
			p.A, p.HasA = taskMean(c, byCell, t.ID, spec.A, spec.Executor, spec.Metric)
			p.B, p.HasB = taskMean(c, byCell, t.ID, spec.B, spec.Executor, spec.Metric)
			switch spec.Unit {
			case "repository":
				p.Cluster = t.Repo
			case "episode":
				p.Cluster = t.Episode
			}
			pairs = append(pairs, p)
		}
		binary := c.Spec.Replicates == 1 && spec.Metric != "group_recall"
		result, err := contrasts.Contrast(pairs, contrasts.Design{
			Metric: spec.Metric, A: spec.A, B: spec.B, Unit: spec.Unit, Draws: spec.Draws, Seed: spec.Seed, Binary: binary,
		})
		switch {
		case errors.Is(err, contrasts.ErrTooFew):
			out.Problem = err.Error() // the result beside it has the counts
		case err != nil:
			out.Problem = err.Error()
			result.Metric, result.A, result.B = spec.Metric, spec.A, spec.B
		case spec.Family != "":
			if families[spec.Family] == nil {
				names = append(names, spec.Family)
			}
			families[spec.Family] = append(families[spec.Family], len(s.Contrasts))
		}
		out.Result = result
		s.Contrasts = append(s.Contrasts, out)
	}
	for _, name := range names {
		var family []contrasts.Result
		for _, i := range families[name] {
			family = append(family, s.Contrasts[i].Result)
		}
		contrasts.AdjustFamily(family)
		for k, i := range families[name] {
			s.Contrasts[i].Result = family[k]
		}
	}
}
