package organizer_test

import (
	"testing"

	"evlab/organizer"
)

func group(id string, required int, ids ...string) organizer.Group {
	return organizer.Group{ID: id, AcceptableIDs: ids, MinimumRequired: required, NecessityWeight: 1}
}

func TestScores(t *testing.T) {
	c := &organizer.Certificate{
		Groups:                 []organizer.Group{group("one", 0, "a", "b"), group("two", 1, "b", "c"), group("both", 2, "d", "e", "f")},
		AlternativeMinimalSets: [][]string{{"p", "q"}, {"r", "s"}},
	}
	const third = 1.0 / 3
	for _, x := range []struct {
		name     string
		ids      []string
		complete bool
		recall   float64
	}{
		{"nothing", nil, false, 0},
		{"one group", []string{"a"}, false, third},
		{"a unit that two groups share counts for both", []string{"b"}, false, 2 * third},
		{"half of a group of two covers nothing", []string{"d"}, false, 0},
		{"the same unit twice is one unit", []string{"d", "d"}, false, 0},
		{"two of three", []string{"f", "d"}, false, third},
		{"all groups", []string{"b", "e", "f"}, true, 1},
		{"all groups among others", []string{"x", "b", "y", "e", "f"}, true, 1},
		{"a whole branch, no group", []string{"p", "q"}, true, 0},
		{"halves of two branches are no branch", []string{"p", "s"}, false, 0},
	} {
		if got := c.Complete(x.ids); got != x.complete {
			t.Errorf("%s: complete %v", x.name, got)
		}
		if got := c.GroupRecall(x.ids); got != x.recall {
			t.Errorf("%s: recall %v, want %v", x.name, got, x.recall)
		}
	}
	var none *organizer.Certificate
	if none.Complete([]string{"a"}) || none.GroupRecall([]string{"a"}) != 0 {
		t.Error("no certificate is complete")
	}
	empty := &organizer.Certificate{AlternativeMinimalSets: [][]string{{}}}
	if empty.Complete(nil) {
		t.Error("a certificate without groups, with an empty branch, is complete")
	}
}
