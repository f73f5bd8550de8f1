package organizer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"evlab/evidence"
	"evlab/organizer"
)

func excluded(b organizer.Bundle) string {
	var lines []string
	for _, e := range b.Report.Excluded {
		lines = append(lines, e.ID+": "+e.Reason)
	}
	return strings.Join(lines, "\n")
}

func TestOracleMinusGroupDropsTheMostNecessary(t *testing.T) {
	heavy := certificate(weighted(group("g1", 1, "a"), 1), weighted(group("g2", 1, "b", "c"), 3), weighted(group("g3", 1, "d"), 2))
	b, err := organizer.OracleMinusGroup(request(heavy, "a b c d x y", 4, "c b x a y"))
	same(t, b, err, "a d x y")
	if b.Report.DroppedGroup != "g2" || b.Report.CompleteMSS != 0 || len(b.Notes) != 0 {
		t.Errorf("report %+v, notes %q", b.Report, b.Notes)
	}
	if got, want := excluded(b), "b: the dropped group g2 accepts it\nc: the dropped group g2 accepts it"; got != want {
		t.Errorf("excluded:\n%s\nwant:\n%s", got, want)
	}
	ties := certificate(group("zz", 1, "a"), group("aa", 1, "b"))
	b, err = organizer.OracleMinusGroup(request(ties, "a b x", 2, "b a x"))
	same(t, b, err, "a x")
	if b.Report.DroppedGroup != "aa" {
		t.Errorf("dropped %s of two equals", b.Report.DroppedGroup)
	}
}

func TestOracleMinusGroupExcludesCopiesOfTheFact(t *testing.T) {
	r := request(certificate(weighted(group("g1", 1, "a"), 2), group("g2", 1, "d")), "d x y", 3, "window copy twin x y a d")
	r.Units = append(r.Units,
		evidence.Unit{ID: "a", Path: "f.go", StartLine: 10, EndLine: 20, Kind: "func", Text: "func A() int {\n\treturn 1\n}\n"},
		evidence.Unit{ID: "window", Path: "f.go", StartLine: 20, EndLine: 80, Text: "something else altogether\n"},
		evidence.Unit{ID: "copy", Path: "old/f.go", StartLine: 1, EndLine: 3, Kind: "func", Text: "func A() int { return 1 }\n"},
		evidence.Unit{ID: "twin", Path: "f_windows.go", StartLine: 1, EndLine: 3, Symbol: "A", Kind: "func", Text: "func A() int { return 2 }\n"})
	for i := range r.Units {
		if r.Units[i].ID == "a" || r.Units[i].ID == "copy" {
			r.Units[i].Symbol = "A"
		}
	}
	b, err := organizer.OracleMinusGroup(r)
	same(t, b, err, "d x y")
	for _, want := range []string{"a: the dropped group g1", "window: it carries the same fact as a: " + evidence.SameSpan,
		"copy: it carries the same fact as a: " + evidence.SameContent, "twin: it carries the same fact as a: "} {
		if !strings.Contains(excluded(b), want) {
			t.Errorf("%q is not among\n%s", want, excluded(b))
		}
	}
}

func TestOracleMinusGroupBreaksEveryBranch(t *testing.T) {
	c := certificate(weighted(group("g1", 1, "a"), 2), group("g2", 1, "b"))
	c.AlternativeMinimalSets = [][]string{{"a", "b"}, {"b", "p", "q"}, {"q", "r"}, {"s", "seen"}}
	r := request(c, "a b p q r s seen", 6, "p q r s b a")
	r.Observed = []string{"seen"}
	b, err := organizer.OracleMinusGroup(r)
	// {a, b} lacks a already. Of {b, p, q} b serves g2 and q ranks below p, so q goes, and {q, r} with it. {s, seen}
	// can't be returned whole.
	same(t, b, err, "b p r s")
	if got := excluded(b); got != "a: the dropped group g1 accepts it\nq: alternative_minimal_sets[1] would be complete with it" {
		t.Errorf("excluded:\n%s", got)
	}
	if len(b.Notes) != 1 || !strings.HasPrefix(b.Notes[0], "4 units instead of 6") {
		t.Errorf("notes %q", b.Notes)
	}
}

func TestOracleMinusGroupReportsWhatOtherGroupsLose(t *testing.T) {
	c := certificate(weighted(group("g1", 1, "a"), 2), group("g2", 1, "a"), group("g3", 1, "c", "a"))
	b, err := organizer.OracleMinusGroup(request(c, "a c x", 2, "x a c"))
	// Oracle-mss takes a alone for all three groups and fills with x.
	same(t, b, err, "c x")
	if got := excluded(b); got != "a: the dropped group g1 accepts it; also lost to group g2, g3" {
		t.Errorf("excluded: %s", got)
	}
	if len(b.Notes) != 1 || b.Notes[0] != "group g2 can't be covered any more: 0 of its units are left and it needs 1" {
		t.Errorf("notes %q", b.Notes)
	}
	if got := c.GroupRecall(b.IDs); got != 1.0/3 {
		t.Errorf("recall %v", got)
	}
}

func TestOracleMinusGroupKeepsTheItemCount(t *testing.T) {
	// One unit serves all groups; without it the two others need one unit each, and there is one place.
	c := certificate(weighted(group("g1", 1, "a"), 3), weighted(group("g2", 1, "a", "b"), 1), weighted(group("g3", 1, "a", "c"), 2))
	b, err := organizer.OracleMinusGroup(request(c, "a b c", 1, "b c a"))
	same(t, b, err, "c")
	if len(b.Notes) != 1 || !strings.HasPrefix(b.Notes[0], "group g2 is left out: the remaining groups need more than 1 units") {
		t.Errorf("notes %q", b.Notes)
	}
}

func TestSearchEndsOnLargeCertificates(t *testing.T) {
	// Groups that share units in a ring of many: no exact search of 12 places gets through it.
	const places = 12
	c := certificate()
	var ids []string
	for i := range 120 {
		ids = append(ids, fmt.Sprintf("u%03d", i))
	}
	for i := range 40 {
		var accept []string
		for j := range 12 {
			accept = append(accept, ids[(i*37+j*j*11)%len(ids)])
		}
		slices.Sort(accept)
		c.Groups = append(c.Groups, group(fmt.Sprintf("g%02d", i), 1, slices.Compact(accept)...))
	}
	r := request(c, strings.Join(ids, " "), 5, "")
	r.MaxItems, r.Ceiling = places, 1<<20
	first, err := organizer.OracleMSS(r)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Complete(first.IDs) || len(first.IDs) > places {
		t.Errorf("%d units, complete %v", len(first.IDs), c.Complete(first.IDs))
	}
	if len(first.Notes) != 1 || !strings.Contains(first.Notes[0], "greedily") {
		t.Errorf("notes %q: the limit was not tried", first.Notes)
	}
	again, err := organizer.OracleMSS(r)
	if err != nil || !slices.Equal(first.IDs, again.IDs) {
		t.Errorf("another bundle the second time: %v, %v", again.IDs, err)
	}
}
