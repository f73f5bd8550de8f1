package validation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"evlab/artifacts"
	"evlab/experiments"
)

// State is what a task's measurement came to. The set is closed.
type State string

// The states.
const (
	Valid     State = "valid"     // its own repair resolves it, every time, and its lists hold
	Differs   State = "differs"   // it can be asked, but with other lists than the dataset's: Wrong and Flaky name the tests
	Excluded  State = "excluded"  // its own repair does not resolve it, or it can't be run
	Undecided State = "undecided" // not measured whole yet
)

// Task is what was measured of one task. Names are the task's own for tests that its lists name, the runner's for others.
type Task struct {
	Type   string `json:"type"` // "task"
	Task   string `json:"instance_id"`
	State  State  `json:"state"`
	Class  string `json:"class,omitempty"`  // undecided: the class of fault
	Reason string `json:"reason,omitempty"` // why it is excluded or undecided, with the deciding line of the log

	FailToPass []string `json:"fail_to_pass"` // failed or absent in every run before, passed in every run after
	PassToPass []string `json:"pass_to_pass"` // passed in every run
	Flaky      []string `json:"flaky"`        // ended differently in runs of the same tree
	// Wrong are tests that the task's lists name and the measurement does not bear out, with what was measured.
	Wrong []string `json:"wrong,omitempty"`
	// Unlisted counts measured tests that no list names.
	UnlistedFailToPass int    `json:"unlisted_fail_to_pass"`
	UnlistedPassToPass int    `json:"unlisted_pass_to_pass"`
	Cached             string `json:"cached,omitempty"` // a run that some of it was taken over from

	listed map[string]bool // names of the task's own lists
}

// Lists are the measured tests that the task should be asked with: of its own lists what was borne out, or all that was
// measured when it has no lists.
func (t Task) Lists() (failToPass, passToPass []string) {
	keep := func(names []string) []string {
		if len(t.listed) == 0 {
			return names
		}
		var kept []string
		for _, name := range names {
			if t.listed[name] {
				kept = append(kept, name)
			}
		}
		return kept
	}
	return keep(t.FailToPass), keep(t.PassToPass)
}

// test is one test's outcomes.
type test struct {
	phase         string // the list that names it, or experiments.Others
	before, after []string
}

// Tasks measures all tasks of a validating run.
func Tasks(run *artifacts.Run, c *experiments.Contract) ([]Task, error) {
	var tasks []Task
	for i := range c.Tasks {
		t, err := measure(run, c, &c.Tasks[i])
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

func measure(run *artifacts.Run, c *experiments.Contract, frozen *experiments.FrozenTask) (Task, error) {
	t := Task{Type: "task", Task: frozen.ID, FailToPass: []string{}, PassToPass: []string{}, Flaky: []string{}}
	if frozen.Excluded != "" {
		t.State, t.Reason = Excluded, frozen.Excluded
		return t, nil
	}
	tests := map[string]*test{}
	failed, broken := "", false
	for _, cell := range c.Cells(frozen.ID) {
		rec, err := run.RecordOf(c, cell)
		if errors.Is(err, artifacts.ErrDamaged) {
			rec, err = nil, nil
		}
		if err != nil {
			return t, err
		}
		if rec == nil || !rec.Verdict.Decided() {
			t.State, t.Reason = Undecided, "not measured yet"
			if rec != nil && rec.Verdict == experiments.Excluded {
				t.State = Excluded
			}
			if rec != nil {
				t.Class, t.Reason = rec.Class, rec.Reason
			}
			return t, nil
		}
		if rec.Cached != "" {
			t.Cached = rec.Cached
		}
		after := cell.Executor == c.Spec.Executors[1].Name
		if after && !(rec.Scores.FailToPass && rec.Scores.PassToPass) {
			broken = broken || len(rec.Commands) == 0 || rec.Commands[0].Problem != ""
			if failed == "" {
				failed = fmt.Sprintf("its own repair does not resolve it (run %d of %d): %s", cell.Replicate, RunsAfter, rec.Reason)
			}
		}
		for _, r := range rec.Tests {
			one := tests[r.Name]
			if one == nil {
				one = &test{phase: r.Phase}
				tests[r.Name] = one
			}
			if after {
				one.after = append(one.after, r.Outcome)
			} else {
				one.before = append(one.before, r.Outcome)
			}
		}
	}
	t.listed = map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		if phase := tests[name].phase; phase == experiments.FailToPass || phase == experiments.PassToPass {
			t.listed[name] = true
		}
		t.sort(name, tests[name])
	}
	switch {
	case failed != "" && (broken || !t.onlyFlaky(tests)):
		t.State, t.Reason = Excluded, failed
		if broken { // a report that ends early says nothing of how the tests behind its end behave
			t.Flaky = []string{}
		}
	case len(t.FailToPass) == 0:
		t.State, t.Reason = Excluded, "no test fails before its repair and passes after it"
	case len(t.Wrong)+len(t.Flaky) > 0:
		t.State = Differs
	default:
		t.State = Valid
	}
	return t, nil
}

// onlyFlaky reports whether flaky tests are all that the repair does not make pass: without them the task can be asked.
func (t *Task) onlyFlaky(tests map[string]*test) bool {
	for name, one := range tests {
		if t.listed[name] && !slices.Contains(t.Flaky, name) && (len(one.after) == 0 || one.after[0] != experiments.PassedTest) {
			return false
		}
	}
	return true
}

// sort puts one test where its outcomes say.
func (t *Task) sort(name string, one *test) {
	pad := func(outcomes []string, n int) []string {
		for len(outcomes) < n {
			outcomes = append(outcomes, "missing")
		}
		return outcomes
	}
	before, after := pad(one.before, RunsBefore), pad(one.after, RunsAfter)
	steady := func(outcomes []string) bool {
		return !slices.ContainsFunc(outcomes, func(o string) bool { return (o == experiments.PassedTest) != (outcomes[0] == experiments.PassedTest) })
	}
	if !steady(before) || !steady(after) {
		t.Flaky = append(t.Flaky, name)
		return
	}
	measured := ""
	switch wasPassed, isPassed := before[0] == experiments.PassedTest, after[0] == experiments.PassedTest; {
	case !wasPassed && isPassed:
		measured = experiments.FailToPass
		t.FailToPass = append(t.FailToPass, name)
	case wasPassed && isPassed:
		measured = experiments.PassToPass
		t.PassToPass = append(t.PassToPass, name)
	}
	switch {
	case !t.listed[name]:
		if measured == experiments.FailToPass {
			t.UnlistedFailToPass++
		} else if measured == experiments.PassToPass {
			t.UnlistedPassToPass++
		}
	case one.phase != measured && !(one.phase == experiments.PassToPass && measured == experiments.FailToPass):
		t.Wrong = append(t.Wrong, fmt.Sprintf("%s is listed as %s: %s before, %s after", name, one.phase, before[0], after[0]))
	}
}

// Totals counts tasks by state.
type Totals struct {
	Type   string        `json:"type"` // "summary"
	RunID  string        `json:"run_id"`
	Tasks  int           `json:"tasks"`
	States map[State]int `json:"states"`
	WallS  float64       `json:"wall_s"`
}

// Count sums the tasks up.
func Count(runID string, tasks []Task) Totals {
	t := Totals{Type: "summary", RunID: runID, Tasks: len(tasks), States: map[State]int{Valid: 0, Differs: 0, Excluded: 0, Undecided: 0}}
	for _, one := range tasks {
		t.States[one.State]++
	}
	return t
}

// Lines reads the deciding lines of a task's log: those of the first run after the repair that names a failed test.
func Lines(ctx context.Context, store *artifacts.Store, run *artifacts.Run, c *experiments.Contract, task string, most int) ([]string, error) {
	for _, cell := range c.Cells(task) {
		rec, err := run.RecordOf(c, cell)
		if err != nil || rec == nil || cell.Executor != c.Spec.Executors[1].Name || rec.Verdict == experiments.Resolved || len(rec.Commands) == 0 {
			continue
		}
		var names []string
		for _, r := range rec.Tests {
			if r.Phase != experiments.Others && r.Outcome != experiments.PassedTest {
				names = append(names, r.Name)
			}
		}
		data, err := store.Get(ctx, rec.Commands[0].Log)
		if err != nil {
			return nil, err
		}
		return deciding(data, names, most), nil
	}
	return nil, nil
}
