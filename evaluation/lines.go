package evaluation

import (
	"errors"

	"evlab/artifacts"
	"evlab/experiments"
)

// Line is one prediction's grade. Counts are of the task's tests; they are absent when no test was run.
type Line struct {
	Type       string              `json:"type"` // "prediction"
	Task       string              `json:"instance_id"`
	Model      string              `json:"model_name_or_path"`
	Verdict    experiments.Verdict `json:"verdict"`
	Class      string              `json:"class,omitempty"`  // infra: of which kind
	Reason     string              `json:"reason,omitempty"` // why the verdict is what it is
	F2PPassed  *int                `json:"f2p_passed,omitempty"`
	F2PTotal   *int                `json:"f2p_total,omitempty"`
	P2PPassed  *int                `json:"p2p_passed,omitempty"`
	P2PTotal   *int                `json:"p2p_total,omitempty"`
	Flags      []string            `json:"flags,omitempty"` // what the patch touches that deserves a reader's eye
	Repository string              `json:"repository,omitempty"`
	Cached     string              `json:"cached,omitempty"` // the run that the grade was taken over from
	Compat     *Compat             `json:"compat,omitempty"` // another harness's reading of the same logs, where asked for

	record   *experiments.Record
	loosely  string              // the file of Loosen's that has its patch as another harness applies it
	loosened *experiments.Record // of that patch
	file     string              // of predictions
}

// File is the predictions file that the prediction is from.
func (l Line) File() string { return l.file }

// Totals counts predictions by verdict: they add up to Predictions.
type Totals struct {
	Type        string                      `json:"type"` // "summary"
	RunID       string                      `json:"run_id"`
	Predictions int                         `json:"predictions"`
	Cached      int                         `json:"cached"`
	Verdicts    map[experiments.Verdict]int `json:"verdicts"`
	Models      []Model                     `json:"models"`
	WallS       float64                     `json:"wall_s"`
	CompatRule  string                      `json:"compat,omitempty"`
	Differ      int                         `json:"compat_differ"` // predictions for which the two rules differ
	Looser      int                         `json:"compat_looser"` // predictions that are refused here and tested there
}

// Model is one model's share.
type Model struct {
	Model       string                      `json:"model_name_or_path"`
	Predictions int                         `json:"predictions"`
	Verdicts    map[experiments.Verdict]int `json:"verdicts"`
}

// Lines reads the grades of a run, in the contract's order.
func Lines(run *artifacts.Run, c *experiments.Contract) ([]Line, error) {
	var lines []Line
	for i := range c.Tasks {
		task := &c.Tasks[i]
		for _, cell := range c.Cells(task.ID) {
			exec, _ := c.Executor(cell.Executor)
			l := Line{Type: "prediction", Task: task.ID, Model: exec.Model, Verdict: experiments.Pending, Repository: task.Repo, file: exec.Predictions}
			rec, err := run.RecordOf(c, cell)
			switch {
			case errors.Is(err, artifacts.ErrDamaged):
				l.Reason = "its record is damaged"
			case err != nil:
				return nil, err
			case rec != nil:
				l.fill(rec)
			}
			lines = append(lines, l)
		}
	}
	return lines, nil
}

func (l *Line) fill(rec *experiments.Record) {
	l.record = rec
	l.Verdict, l.Class, l.Reason, l.Flags, l.Cached = rec.Verdict, rec.Class, rec.Reason, rec.Flags, rec.Cached
	count := func(phase string) (passed, total *int) {
		p, n := 0, 0
		for _, t := range rec.Tests {
			if t.Phase != phase {
				continue
			}
			n++
			if t.Outcome == experiments.PassedTest {
				p++
			}
		}
		for _, c := range rec.Commands {
			if c.Phase == phase {
				return &p, &n
			}
		}
		return nil, nil
	}
	l.F2PPassed, l.F2PTotal = count(experiments.FailToPass)
	l.P2PPassed, l.P2PTotal = count(experiments.PassToPass)
}

// Count sums the lines up.
func Count(runID string, lines []Line) Totals {
	t := Totals{Type: "summary", RunID: runID, Predictions: len(lines), Verdicts: zero()}
	at := map[string]int{}
	for _, l := range lines {
		i, ok := at[l.Model]
		if !ok {
			i = len(t.Models)
			at[l.Model] = i
			t.Models = append(t.Models, Model{Model: l.Model, Verdicts: zero()})
		}
		t.Models[i].Predictions++
		t.Models[i].Verdicts[l.Verdict]++
		t.Verdicts[l.Verdict]++
		if l.Cached != "" {
			t.Cached++
		}
		if l.Compat != nil {
			t.CompatRule = l.Compat.Rule
			if l.Compat.Differs {
				t.Differ++
			}
			if l.Compat.Applies != "" {
				t.Looser++
			}
		}
	}
	return t
}

// Undecided counts predictions without a verdict.
func (t Totals) Undecided() int {
	n := 0
	for v, k := range t.Verdicts {
		if !v.Decided() {
			n += k
		}
	}
	return n
}

func zero() map[experiments.Verdict]int {
	m := map[experiments.Verdict]int{}
	for _, v := range experiments.Verdicts {
		m[v] = 0
	}
	return m
}
