package agreement_test

import (
	"strings"
	"testing"

	"evlab/agreement"
)

func outcome(item, method string, k int, before, after bool) agreement.Outcome {
	return agreement.Outcome{Item: item, Method: method, Cutoff: k, Before: before, After: after}
}

func ledger(t *testing.T, events []agreement.Event, outcomes []agreement.Outcome) *agreement.Ledger {
	t.Helper()
	l := agreement.NewLedger(agreement.LockedCutoffs)
	for _, e := range events {
		if err := l.AddEvent(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range outcomes {
		if err := l.AddOutcome(o); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// TestClasses: a single flip at any locked cutoff makes L2, none at all L1; a replaced item is L3 whatever was edited before.
func TestClasses(t *testing.T) {
	var outcomes []agreement.Outcome
	for _, item := range []string{"same", "flip", "gone"} {
		for _, k := range agreement.LockedCutoffs {
			for _, m := range []string{"bm25", "mss"} {
				outcomes = append(outcomes, outcome(item, m, k, true, !(item == "flip" && k == 16 && m == "mss")))
			}
		}
	}
	a, err := ledger(t, []agreement.Event{
		{Item: "calm", Change: agreement.Unchanged}, {Item: "same", Change: agreement.Edited}, {Item: "flip", Change: agreement.Edited, Class: agreement.L2},
		{Item: "flip", Change: agreement.Edited}, {Item: "gone", Change: agreement.Edited}, {Item: "gone", Change: agreement.Replaced},
	}, outcomes).Account()
	if err != nil {
		t.Fatal(err)
	}
	for class, want := range map[agreement.Class]int{agreement.L0: 1, agreement.L1: 1, agreement.L2: 1, agreement.L3: 1} {
		if a.Classes[class] != want {
			t.Errorf("%d items are %s, want %d", a.Classes[class], class, want)
		}
	}
	if a.Items != 4 || a.Edits != 4 || a.Replacements != 1 || len(a.Flips) != 1 || a.Flips["mss@16"] != 1 {
		t.Errorf("account is %+v", a)
	}
}

func TestLedgerContradictions(t *testing.T) {
	edited := func(class agreement.Class) []agreement.Event {
		return []agreement.Event{{Item: "i", Change: agreement.Edited, Class: class}}
	}
	whole := []agreement.Outcome{outcome("i", "m", 5, true, true), outcome("i", "m", 8, true, true), outcome("i", "m", 16, true, true)}
	for name, c := range map[string]struct {
		events   []agreement.Event
		outcomes []agreement.Outcome
		want     string
	}{
		"no outcomes":       {edited(""), nil, "can't be told without the outcomes"},
		"an outcome misses": {edited(""), whole[:2], "m@16"},
		"recorded L2":       {edited(agreement.L2), whole, "recorded as L2, and its events and outcomes make it L1"},
		"recorded L3":       {edited(agreement.L3), whole, "recorded as L3"},
		"unchanged flips":   {[]agreement.Event{{Item: "i", Change: agreement.Unchanged}}, []agreement.Outcome{outcome("i", "m", 5, true, false)}, "nothing was changed"},
		"no event":          {nil, whole, "no event"},
	} {
		_, err := ledger(t, c.events, c.outcomes).Account()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if a, err := ledger(t, edited(agreement.L1), nil).Account(); err != nil || a.Classes[agreement.L1] != 1 {
		t.Errorf("a recorded class without outcomes: %+v, %v", a, err)
	}
	l := agreement.NewLedger([]int{5})
	for name, err := range map[string]error{
		"change": l.AddEvent(agreement.Event{Item: "i", Change: "fix"}), "class": l.AddEvent(agreement.Event{Item: "i", Change: agreement.Edited, Class: "L9"}),
		"cutoff": l.AddOutcome(outcome("i", "m", 8, true, true)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if l.AddOutcome(outcome("i", "m", 5, true, true)) != nil || l.AddOutcome(outcome("i", "m", 5, true, true)) == nil {
		t.Error("an outcome given twice is taken")
	}
}
