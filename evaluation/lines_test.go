package evaluation

import (
	"testing"

	"evlab/experiments"
)

// TestTotalsAddUp: whatever the verdicts, every prediction is counted once, in the totals, by model and in the report of
// SWE-bench's shape.
func TestTotalsAddUp(t *testing.T) {
	var lines []Line
	for i, v := range experiments.Verdicts {
		for range i + 1 {
			lines = append(lines, Line{Task: string(v) + string(rune('a'+len(lines))), Model: []string{"m", "n"}[len(lines)%2], Verdict: v})
		}
	}
	totals := Count("r", lines)
	sum := 0
	for _, n := range totals.Verdicts {
		sum += n
	}
	models := 0
	var tasks []string
	for _, l := range lines {
		tasks = append(tasks, l.Task)
	}
	for _, m := range totals.Models {
		models += m.Predictions
		r := SWEBench(lines, m.Model, tasks)
		if r.SubmittedInstances != m.Predictions || r.CompletedInstances != r.ResolvedInstances+r.UnresolvedInstances ||
			r.SubmittedInstances != r.CompletedInstances+r.EmptyPatchInstances+r.ErrorInstances || r.TotalInstances != r.SubmittedInstances+len(r.IncompleteIDs) {
			t.Errorf("%s: %+v", m.Model, r)
		}
	}
	if sum != len(lines) || models != len(lines) || totals.Predictions != len(lines) {
		t.Errorf("%d lines: %d by verdict, %d by model, %d predictions", len(lines), sum, models, totals.Predictions)
	}
}

// TestCountsAreOfTheListsAsked: a list that is empty has nothing to pass, and one that was not asked has no counts.
func TestCountsAreOfTheListsAsked(t *testing.T) {
	var l Line
	l.fill(&experiments.Record{
		Commands: []experiments.Command{{Phase: experiments.FailToPass}, {Phase: experiments.PassToPass}},
		Tests:    []experiments.TestResult{{Phase: experiments.FailToPass, Name: "a", Outcome: "passed"}, {Phase: experiments.FailToPass, Name: "b", Outcome: "skipped"}},
	})
	if *l.F2PPassed != 1 || *l.F2PTotal != 2 || *l.P2PPassed != 0 || *l.P2PTotal != 0 {
		t.Errorf("%d/%d and %d/%d", *l.F2PPassed, *l.F2PTotal, *l.P2PPassed, *l.P2PTotal)
	}
	l = Line{}
	if l.fill(&experiments.Record{Commands: []experiments.Command{{Phase: experiments.FailToPass}}}); l.P2PTotal != nil {
		t.Error("pass-to-pass was not asked and has counts")
	}
}
