package report_test

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"evlab/experiments"
	"evlab/report"
	"evlab/terminal"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// contract is of four tasks under two conditions, with one executor.
func contract(replicates int, contrasts ...experiments.ContrastSpec) *experiments.Contract {
	c := &experiments.Contract{RunID: "r", Created: start, Cohort: experiments.FrozenCohort{Name: "c"}, Sandbox: experiments.FrozenSandbox{Kind: "host"}}
	c.Spec.Name, c.Spec.Replicates, c.Spec.Contrasts = "e", replicates, contrasts
	c.Spec.Conditions = []experiments.ConditionSpec{{Name: "x", Kind: experiments.BM25}, {Name: "y", Kind: experiments.NoEvidence}}
	c.Spec.Executors = []experiments.ExecutorSpec{{Name: "m", Kind: experiments.Simulated}}
	for _, id := range []string{"t1", "t2", "t3", "t4"} {
		c.Tasks = append(c.Tasks, experiments.FrozenTask{ID: id, Repo: "repo-" + id[1:]})
	}
	return c
}

// records gives each cell of the contract what a table says of it: + strict, - not strict, e empty, i infra, x excluded, . none.
// A table has one row for each task: its cells in the contract's order.
func records(t *testing.T, c *experiments.Contract, table string) (list []*experiments.Record) {
	t.Helper()
	marks := strings.ReplaceAll(table, " ", "")
	for _, task := range c.Tasks {
		for _, cell := range c.Cells(task.ID) {
			r := &experiments.Record{Cell: cell, Finished: start.Add(time.Duration(len(list)+1) * time.Second), Scores: experiments.Scores{Tokens: 10, Calls: 1}}
			switch marks[len(list)] {
			case '+':
				r.Verdict, r.Scores.Strict = experiments.Resolved, true
			case '-':
				r.Verdict = experiments.Unresolved
			case 'e':
				r.Verdict = experiments.Empty
			case 'i':
				r.Verdict, r.Class, r.Reason = experiments.Infra, "engine", "it went away"
			case 'x':
				r.Verdict, r.Reason = experiments.Excluded, "no prediction"
			default:
				r = nil
			}
			list = append(list, r)
		}
	}
	if len(list) != len(marks) {
		t.Fatalf("%d cells, %d marks", len(list), len(marks))
	}
	return list
}

func summarize(t *testing.T, c *experiments.Contract, table string) *report.Summary {
	t.Helper()
	s, err := report.Summarize(c, records(t, c, table))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var strict = experiments.ContrastSpec{Metric: "strict", A: "x", B: "y", Executor: "m", Unit: "task", Draws: 1000}

// A cell without a verdict is neither a failure nor gone: it is counted, listed with its reason, and left out of the means,
// and the contrast says between which bounds it could lie.
func TestCellsWithoutVerdictAreNoFailures(t *testing.T) {
	s := summarize(t, contract(1, strict), "+- +i x- .+")
	if want := (report.Cells{Planned: 8, Done: 5, Infra: 1, Excluded: 1, Pending: 1}); s.Cells != want {
		t.Errorf("cells %+v, want %+v", s.Cells, want)
	}
	if x, y := s.Conditions[0], s.Conditions[1]; x.Tasks != 2 || x.Strict != 2 || y.Tasks != 3 || y.Strict != 1 || x.Tokens != 20 || !x.Simulated {
		t.Errorf("conditions %+v", s.Conditions)
	}
	var cells []string
	for _, m := range s.Missing {
		cells = append(cells, m.Cell+" "+string(m.Verdict)+" "+m.Class+" "+m.Reason)
	}
	want := []string{"t2/y/m/1 infra engine it went away", "t3/x/m/1 excluded  no prediction", "t4/x/m/1 pending  "}
	if slices.Sort(cells); !slices.Equal(cells, want) {
		t.Errorf("missing %q, want %q", cells, want)
	}
	c := s.Contrasts[0]
	if c.N != 1 || c.MissingA != 2 || c.MissingB != 1 || c.Problem == "" {
		t.Errorf("contrast %+v", c)
	}
	// t1 is +1; t2 is 0 or +1, t3 0 or +1, t4 -1 or 0.
	if math.Abs(c.BoundLo-0) > 1e-9 || math.Abs(c.BoundHi-75) > 1e-9 {
		t.Errorf("bounds %v to %v, want 0 to 75", c.BoundLo, c.BoundHi)
	}
}

// Replicates are averaged within their task, over those that have a verdict; they are no tasks.
func TestReplicatesAreAveragedWithinTheirTask(t *testing.T) {
	s := summarize(t, contract(2, strict), "+- -- ++ -- +i -- -- -+")
	if x := s.Conditions[0]; x.Tasks != 4 || x.Strict != 0.5+1+1+0 {
		t.Errorf("%+v", x)
	}
	if c := s.Contrasts[0]; c.N != 4 || c.Win != 3 || c.Loss != 1 || math.Abs(c.Diff-50) > 1e-9 {
		t.Errorf("%+v", c)
	}
}

// What may differ between a run and its repetition is named; nothing else does.
func TestSummariesOfARunAndItsRepetitionAreTheSame(t *testing.T) {
	read := func(c *experiments.Contract, all []*experiments.Record, active float64, processes int) map[string]any {
		t.Helper()
		s, err := report.Summarize(c, all)
		if err != nil {
			t.Fatal(err)
		}
		s.ActiveS, s.Processes = active, processes
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"run_id", "cells", "started", "finished", "wall_s"} {
			delete(fields, key)
		}
		return fields
	}
	table := "+- +e -- ++"
	once := contract(1, strict)
	again := contract(1, strict)
	again.RunID, again.Created = "s", start.Add(time.Hour)
	later := records(t, again, table)
	for _, r := range later {
		r.Cached, r.Finished = "r", r.Finished.Add(2*time.Hour)
	}
	a, b := read(once, records(t, once, table), 3, 1), read(again, later, 7, 4)
	for key := range maps.Keys(a) {
		x, _ := json.Marshal(a[key])
		y, _ := json.Marshal(b[key])
		if string(x) != string(y) {
			t.Errorf("%s: %s, then %s", key, x, y)
		}
	}
	if len(a) != len(b) {
		t.Errorf("fields %v, then %v", slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
	}
}

// What a task or a model said stands in reasons, and may hold what a terminal obeys.
func TestTextEscapesReasons(t *testing.T) {
	c := contract(1)
	all := records(t, c, "+- +i -- ++")
	all[3].Reason = "\x1b[2Jgone\nCells: 8 of 8 done"
	s, err := report.Summarize(c, all)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := report.Text(&text, s, 0); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "\x1b") || strings.Count(text.String(), "\nCells: ") != 1 {
		t.Errorf("%q", text.String())
	}
}

// TestTextKeepsToANarrowTerminal: what is no table is broken between words.
func TestTextKeepsToANarrowTerminal(t *testing.T) {
	c := contract(1)
	all := records(t, c, "+- +i -- ++")
	all[3].Reason = "the engine went away in the middle of it, and did not come back"
	s, err := report.Summarize(c, all)
	if err != nil {
		t.Fatal(err)
	}
	s.Simulated = true
	var text strings.Builder
	if err := report.Text(&text, s, 40); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if terminal.StringWidth(strings.TrimRight(line, "\n")) > 40 {
			t.Errorf("%q is longer than the terminal is wide", line)
		}
	}
}
