package planning

import (
	"strings"
	"testing"

	"evlab/datasets"
	"evlab/experiments"
)

// TestSimulatedNotes: a simulated executor is noted on tasks of one's own, with how many of them it can do nothing for; on the
// bundled cohort, and of other executors, there is nothing to note.
func TestSimulatedNotes(t *testing.T) {
	tasks := []experiments.Task{{ID: "a"}, {ID: "b"}}
	scripts := func(ids ...string) *datasets.Cohort {
		c := &datasets.Cohort{Simulated: map[string][]byte{}}
		for _, id := range ids {
			c.Simulated[id] = []byte("{}")
		}
		return c
	}
	bundled := scripts("a")
	bundled.Trusted = true
	simulated := experiments.Spec{Executors: []experiments.ExecutorSpec{{Name: "reader", Kind: experiments.Simulated}, {Name: "m", Kind: experiments.Replay}}}
	for name, c := range map[string]struct {
		cohort *datasets.Cohort
		spec   experiments.Spec
		says   string
	}{
		"no script":   {scripts(), simulated, "Executor reader is simulated: a rule that plays the scripts of a cohort, and no model. Its figures say nothing about any model. No task has a script"},
		"one of two":  {scripts("b"), simulated, "1 of the 2 tasks have no script"},
		"all of them": {scripts("a", "b"), simulated, "Its figures say nothing about any model."},
		"the demo":    {bundled, simulated, ""},
		"replay":      {scripts(), experiments.Spec{Executors: simulated.Executors[1:]}, ""},
	} {
		notes := strings.Join(simulatedNotes(c.cohort, tasks, c.spec), "\n")
		if !strings.Contains(notes, c.says) || (notes == "") != (c.says == "") {
			t.Errorf("%s: %q, want %q", name, notes, c.says)
		}
	}
}

// TestNeedsIssue: a task without an issue can be tested, and nobody can be asked to solve it.
func TestNeedsIssue(t *testing.T) {
	replay, simulated := []experiments.ExecutorSpec{{Kind: experiments.Replay}}, []experiments.ExecutorSpec{{Kind: experiments.Replay}, {Kind: experiments.Simulated}}
	none, bm25 := []experiments.ConditionSpec{{Kind: experiments.NoEvidence}}, []experiments.ConditionSpec{{Kind: experiments.NoEvidence}, {Kind: experiments.BM25}}
	for name, c := range map[string]struct {
		spec experiments.Spec
		want bool
	}{
		"patches alone":                  {experiments.Spec{Conditions: none, Executors: replay}, false},
		"somebody is asked":              {experiments.Spec{Conditions: none, Executors: simulated}, true},
		"evidence, even if nobody reads": {experiments.Spec{Conditions: bm25, Executors: replay}, true},
	} {
		if got := needsIssue(c.spec); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
