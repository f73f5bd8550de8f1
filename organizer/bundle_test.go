package organizer_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"evlab/evidence"
	"evlab/organizer"
)

// unit is a unit of its own file with words of its own, so that it carries no other's fact.
func unit(id string, words int) evidence.Unit {
	text := strings.Repeat(id+" ", words)
	return evidence.Unit{ID: id, Path: id + ".txt", StartLine: 1, EndLine: 3, Kind: "window", Text: text, Tokens: evidence.Tokens(text)}
}

func units(ids string) (list []evidence.Unit) {
	for _, id := range strings.Fields(ids) {
		list = append(list, unit(id, 10))
	}
	return list
}

func request(c *organizer.Certificate, ids string, items int, base string) organizer.BundleRequest {
	return organizer.BundleRequest{Certificate: c, Units: units(ids), Base: strings.Fields(base), Items: items, MaxItems: 8,
		Ceiling: 6144, Reference: "bm25"}
}

func certificate(groups ...organizer.Group) *organizer.Certificate {
	return &organizer.Certificate{Schema: organizer.CertificateSchema, StateID: "s", Groups: groups}
}

func weighted(g organizer.Group, weight float64) organizer.Group {
	g.NecessityWeight = weight
	return g
}

func same(t *testing.T, b organizer.Bundle, err error, want string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(b.IDs, " "); got != want {
		t.Errorf("bundle %q, want %q (notes: %q)", got, want, b.Notes)
	}
	if b.Report.Items != len(b.IDs) || b.Report.Reference != "bm25" {
		t.Errorf("report %+v", b.Report)
	}
}

func TestOracleMSS(t *testing.T) {
	two := certificate(group("g1", 1, "a", "b"), group("g2", 1, "c", "b"))
	for _, x := range []struct {
		name string
		r    organizer.BundleRequest
		want string
	}{
		{"a shared unit is taken once, however low it ranks", request(two, "a b c x y", 3, "a c x y b"), "b a c"},
		{"required units lead, in group order", request(certificate(group("g1", 1, "z"), group("g2", 1, "a")), "a b z", 3, "a b z"), "z a b"},
		{"the better ranked of equals", request(certificate(group("g1", 1, "a", "b", "c")), "a b c", 1, "c a b"), "c"},
		{"the first by id of unranked equals", request(certificate(group("g1", 1, "b", "a")), "a b", 1, ""), "a"},
		{"as many as are required", request(certificate(group("g1", 2, "a", "b", "c")), "a b c d", 3, "d c b"), "c b d"},
		{"coverage needs more than the reference returned", request(certificate(group("g1", 1, "a"), group("g2", 1, "b")), "a b c", 1, "c"), "a b"},
		{"an item count above the limit is cut", request(certificate(group("g1", 1, "a")), "a b c d e f g h i j", 10, "j i h g f e d c b a"), "a j i h g f e d"},
	} {
		t.Run(x.name, func(t *testing.T) {
			b, err := organizer.OracleMSS(x.r)
			same(t, b, err, x.want)
			if b.Report.CompleteMSS != 1 || len(b.Notes) != 0 {
				t.Errorf("complete %v, notes %q", b.Report.CompleteMSS, b.Notes)
			}
		})
	}
}

func TestOracleMSSLeavesObservedUnitsOut(t *testing.T) {
	r := request(certificate(group("g1", 1, "a", "b")), "a b x y", 2, "a x y b")
	r.Observed = []string{"a", "x"}
	b, err := organizer.OracleMSS(r)
	same(t, b, err, "b y")
	r.Observed = append(r.Observed, "b")
	_, err = organizer.OracleMSS(r)
	if !errors.Is(err, organizer.ErrBundle) || !strings.Contains(err.Error(), "group g1 needs 1 of its 2 acceptable units and the pool holds 0: a is observed already, b is observed already") {
		t.Errorf("got %v", err)
	}
}

func TestOracleMSSSkipsFillersThatDoNotFit(t *testing.T) {
	r := request(certificate(group("g1", 1, "a")), "a small", 3, "large small a")
	r.Units = append(r.Units, unit("large", 4000))
	r.Ceiling = 200
	b, err := organizer.OracleMSS(r)
	same(t, b, err, "a small")
	if len(b.Notes) != 1 || !strings.HasPrefix(b.Notes[0], "2 units instead of 3") {
		t.Errorf("notes %q", b.Notes)
	}
}

func TestOracleMSSFillsWithUnrankedUnitsLast(t *testing.T) {
	r := request(certificate(group("g1", 1, "a")), "z y x a w", 4, "z")
	b, err := organizer.OracleMSS(r)
	same(t, b, err, "a z w x")
	if len(b.Notes) != 1 || !strings.HasPrefix(b.Notes[0], "2 of the units are not in the base ranking") {
		t.Errorf("notes %q", b.Notes)
	}
}

func TestOracleMSSPrefersACoverThatFits(t *testing.T) {
	r := request(certificate(group("g1", 1, "large", "a")), "a", 1, "large a")
	r.Units = append(r.Units, unit("large", 4000))
	r.Ceiling = 200
	b, err := organizer.OracleMSS(r)
	same(t, b, err, "a")
}

func TestOracleMSSRefuses(t *testing.T) {
	five := certificate(group("g1", 2, "a", "b"), group("g2", 2, "c", "d"), group("g3", 1, "e"))
	narrow := request(five, "a b c d e", 1, "")
	narrow.MaxItems = 4
	low := request(five, "a b c d e", 1, "")
	low.Ceiling = 30
	for _, x := range []struct {
		name string
		r    organizer.BundleRequest
		want string
	}{
		{"no certificate", request(nil, "a", 1, ""), "there is no certificate"},
		{"too few items", narrow, "its groups can't be covered by 4 units, the most that are allowed"},
		{"too few tokens", low, "fits under the ceiling of 30 tokens: the smallest, a, b, c, d, e, needs"},
		{"an unknown base id", request(five, "a b c d e", 1, "a q"), `base ranking, place 2: there is no unit "q"`},
		{"an acceptable id without a unit", request(five, "a b c d", 1, ""), "e is no unit of the base tree"},
		{"no room at all", organizer.BundleRequest{Certificate: five}, "expected items of at least 0"},
	} {
		t.Run(x.name, func(t *testing.T) {
			for name, build := range builders {
				b, err := build(x.r)
				if !errors.Is(err, organizer.ErrBundle) || !strings.Contains(err.Error(), x.want) || b.IDs != nil {
					t.Errorf("%s: got %v, want %q", name, err, x.want)
				}
			}
		})
	}
}

var builders = map[string]func(organizer.BundleRequest) (organizer.Bundle, error){
	"mss": organizer.OracleMSS, "minus": organizer.OracleMinusGroup,
}

// bruteCover is the definition: of all covering sets that may be returned, the smallest; of equals, the one whose
// units, best ranked first, come first.
func bruteCover(r organizer.BundleRequest, groups []organizer.Group, out map[string]bool, most int) []string {
	var pool []evidence.Unit
	for _, u := range r.Units {
		if !slices.Contains(r.Observed, u.ID) && !out[u.ID] {
			pool = append(pool, u)
		}
	}
	place := func(id string) int {
		if i := slices.Index(r.Base, id); i >= 0 {
			return i
		}
		return 1 << 20
	}
	key := func(ids []string) string {
		var parts []string
		for _, id := range ids {
			parts = append(parts, fmt.Sprintf("%08d %s", place(id), id))
		}
		slices.Sort(parts)
		return strings.Join(parts, "|")
	}
	var best []string
	for mask := range 1 << len(pool) {
		var ids []string
		var chosen []evidence.Unit
		for i, u := range pool {
			if mask&(1<<i) != 0 {
				ids, chosen = append(ids, u.ID), append(chosen, u)
			}
		}
		if len(ids) > most || best != nil && len(ids) > len(best) {
			continue
		}
		if len(groups) > 0 && !(&organizer.Certificate{Groups: groups}).Complete(ids) {
			continue
		}
		if _, shown, _ := evidence.Render(chosen, r.Ceiling, "skip"); len(shown) != len(chosen) {
			continue
		}
		if best == nil || len(ids) < len(best) || key(ids) < key(best) {
			best = append([]string{}, ids...)
		}
	}
	slices.Sort(best)
	return best
}

func randomRequest(rng *rand.Rand) organizer.BundleRequest {
	names := strings.Fields("a b c d e f g h i")[:3+rng.IntN(7)]
	some := func(most int) (ids []string) {
		for _, i := range rng.Perm(len(names))[:1+rng.IntN(min(most, len(names)))] {
			ids = append(ids, names[i])
		}
		return ids
	}
	c := certificate()
	for i := range 1 + rng.IntN(4) {
		ids := some(4)
		c.Groups = append(c.Groups, weighted(group(fmt.Sprint("g", i), rng.IntN(len(ids)+1), ids...), float64(1+rng.IntN(3))))
	}
	for range rng.IntN(3) {
		c.AlternativeMinimalSets = append(c.AlternativeMinimalSets, some(3))
	}
	r := organizer.BundleRequest{Certificate: c, Items: rng.IntN(7), MaxItems: 1 + rng.IntN(8), Ceiling: 60 + rng.IntN(400), Reference: "bm25"}
	for _, id := range names {
		r.Units = append(r.Units, unit(id, 1+rng.IntN(40)))
	}
	if rng.IntN(4) > 0 {
		r.Base = some(len(names))
	}
	if rng.IntN(3) == 0 {
		r.Observed = some(2)
	}
	return r
}

func TestBundlesAgreeWithBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260912, 1))
	made, refused, reduced := 0, 0, 0
	for n := range 3000 {
		r := randomRequest(rng)
		want := bruteCover(r, r.Certificate.Groups, nil, r.MaxItems)
		full, err := organizer.OracleMSS(r)
		if want == nil {
			refused++
			if !errors.Is(err, organizer.ErrBundle) {
				t.Fatalf("case %d: %+v has no cover, got %v, %v", n, r, full.IDs, err)
			}
			continue
		}
		made++
		if err != nil {
			t.Fatalf("case %d: %v has the cover %v: %v", n, r.Certificate, want, err)
		}
		checkBundle(t, r, full, want, nil, min(r.MaxItems, max(r.Items, len(want))))
		if !r.Certificate.Complete(full.IDs) {
			t.Fatalf("case %d: incomplete", n)
		}

		minus, err := organizer.OracleMinusGroup(r)
		if err != nil {
			t.Fatalf("case %d: %v", n, err)
		}
		out := map[string]bool{}
		for _, e := range minus.Report.Excluded {
			out[e.ID] = true
		}
		if r.Certificate.Complete(minus.IDs) || minus.Report.CompleteMSS != 0 {
			t.Fatalf("case %d: complete without %s", n, minus.Report.DroppedGroup)
		}
		var rest []organizer.Group
		lost := false
		for _, g := range r.Certificate.Groups {
			if g.ID == minus.Report.DroppedGroup {
				continue
			}
			have := 0
			for _, id := range g.AcceptableIDs {
				if !out[id] && !slices.Contains(r.Observed, id) {
					have++
				}
			}
			if lost = lost || have < g.Required(); have >= g.Required() {
				rest = append(rest, g)
			}
		}
		if lost { // then only the note and the general rules below are checked
			if len(minus.Notes) == 0 {
				t.Fatalf("case %d: a group lost its units and no note says so", n)
			}
		} else if want := bruteCover(r, rest, out, len(full.IDs)); want != nil {
			checkBundle(t, r, minus, want, out, len(full.IDs))
		} else {
			reduced++
			if !strings.Contains(strings.Join(minus.Notes, "\n"), "is left out") {
				t.Fatalf("case %d: the rest can't be covered and no note says so: %q", n, minus.Notes)
			}
		}
		if len(minus.IDs) > len(full.IDs) || len(minus.IDs) < len(full.IDs) && len(minus.Notes) == 0 {
			t.Fatalf("case %d: %d items instead of %d, notes %q", n, len(minus.IDs), len(full.IDs), minus.Notes)
		}
	}
	if made < 500 || refused < 500 || reduced < 5 {
		t.Errorf("%d made, %d refused, %d reduced: the cases don't try everything", made, refused, reduced)
	}
}

// checkBundle compares a bundle with its covering set, and its fillers with the rule in words.
func checkBundle(t *testing.T, r organizer.BundleRequest, b organizer.Bundle, cover []string, out map[string]bool, n int) {
	t.Helper()
	lead := slices.Sorted(slices.Values(b.IDs[:len(cover)]))
	if !slices.Equal(lead, cover) {
		t.Fatalf("%+v\nleads with %v, want %v", r, lead, cover)
	}
	byID := map[string]evidence.Unit{}
	for _, u := range r.Units {
		byID[u.ID] = u
	}
	render := func(ids []string) int {
		var list []evidence.Unit
		for _, id := range ids {
			list = append(list, byID[id])
		}
		_, shown, tokens := evidence.Render(list, r.Ceiling, "stop")
		if len(shown) != len(list) {
			return -1
		}
		return tokens
	}
	want := slices.Clone(b.IDs[:len(cover)])
	fillers := slices.Clone(r.Base)
	for _, u := range r.Units { // they come sorted by id
		if !slices.Contains(fillers, u.ID) {
			fillers = append(fillers, u.ID)
		}
	}
	for _, id := range fillers {
		if with := append(slices.Clone(want), id); len(want) < n && !out[id] && !slices.Contains(want, id) &&
			!slices.Contains(r.Observed, id) && render(with) >= 0 {
			want = with
		}
	}
	if !slices.Equal(b.IDs, want) || b.Report.Tokens != render(b.IDs) {
		t.Fatalf("bundle %v with %d tokens, want %v with %d", b.IDs, b.Report.Tokens, want, render(want))
	}
}
