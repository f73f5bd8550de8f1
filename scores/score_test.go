package scores_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"evlab/evidence"
	"evlab/organizer"
	"evlab/scores"
)

func bundleRequest(s scores.State) organizer.BundleRequest {
	r := organizer.BundleRequest{Certificate: s.Certificate, MaxItems: 8, Ceiling: 1 << 20}
	for _, u := range s.Pool {
		text := strings.Repeat(u.ID+" ", 5)
		r.Units = append(r.Units, evidence.Unit{ID: u.ID, Path: u.ID, StartLine: 1, EndLine: 1, Text: text, Tokens: u.Tokens})
	}
	return r
}

func group(id string, need int, ids ...string) organizer.Group {
	return organizer.Group{ID: id, AcceptableIDs: ids, MinimumRequired: need, NecessityWeight: 1}
}

func state(id string, units string, groups ...organizer.Group) scores.State {
	s := scores.State{ID: id, Certificate: &organizer.Certificate{StateID: id, Groups: groups}}
	for _, u := range strings.Fields(units) {
		s.Pool = append(s.Pool, scores.Unit{ID: u, Tokens: 1000})
	}
	return s
}

// complete reads a method's Complete-MSS at a cutoff.
func at(t *testing.T, r *scores.Result, cutoff string) scores.At {
	t.Helper()
	for _, a := range r.Methods[0].At {
		if a.Cutoff == cutoff {
			return a
		}
	}
	t.Fatalf("there is no cutoff %s", cutoff)
	return scores.At{}
}

func TestScores(t *testing.T) {
	two := []organizer.Group{group("one", 1, "a", "b"), group("two", 2, "b", "c", "d")}
	alternatives := state("s", "a b c d p q r x", two...)
	alternatives.Certificate.AlternativeMinimalSets = [][]string{{"p", "q"}, {"r", "x"}}
	observed := state("s", "o a b c d", two...)
	observed.Observed = []string{"o"}
	for _, c := range []struct {
		name     string
		s        scores.State
		returned string
		cutoff   string
		complete float64
		recall   float64
		tokens   float64
	}{
		{"one unit serves two groups, and one of them needs another", state("s", "a b c d", two...), "b", "1", 0, 0.5, 1000},
		{"the second of the group completes both", state("s", "a b c d", two...), "b d", "3", 1, 1, 2000},
		{"the group's own threshold", state("s", "a b c d", two...), "a c", "3", 0, 0.5, 2000},
		{"a whole alternative, no group", alternatives, "p q", "3", 1, 0, 2000},
		{"halves of two alternatives are none", alternatives, "p x", "3", 0, 0, 2000},
		{"an alternative that is cut", alternatives, "p a q", "1", 0, 0, 1000},
		{"an observed unit keeps its place and uses it up", observed, "o b c", "1", 0, 0, 1000},
		{"an observed unit is not replaced by a later one", observed, "o b c", "3", 1, 1, 3000},
		{"a cutoff beyond the list", state("s", "a b c d", two...), "b c", "16", 1, 1, 2000},
		{"a token cutoff", state("s", "a b c d", two...), "a b c d", "4096tokens", 1, 1, 4000},
		{"nothing returned", state("s", "a b c d", two...), "", "5", 0, 0, 0},
		{"what was returned", state("s", "a b c d", two...), "b c", "returned", 1, 1, 2000},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := score(t, []scores.State{c.s}, [][]string{strings.Fields(c.returned)}, scores.Options{})
			got := at(t, r, c.cutoff)
			if got.Complete != c.complete || got.GroupRecall != c.recall || *got.Tokens != c.tokens {
				t.Errorf("complete %v, recall %v, tokens %v", got.Complete, got.GroupRecall, *got.Tokens)
			}
		})
	}
}

func TestOverflow(t *testing.T) {
	s := state("s", "small large other", group("g", 1, "other"))
	s.Pool[1].Tokens = 5000
	list := [][]string{{"small", "large", "other"}}
	for overflow, want := range map[string]float64{evidence.OverflowSkip: 1, evidence.OverflowStop: 0} {
		r := score(t, []scores.State{s}, list, scores.Options{Overflow: overflow})
		if got := at(t, r, "4096tokens"); got.Complete != want || *got.Tokens > 4096 {
			t.Errorf("%s: %+v", overflow, got)
		}
	}
}

func TestMissingAndEmptyCountZero(t *testing.T) {
	states := []scores.State{state("a", "u", group("g", 1, "u")), state("b", "u", group("g", 1, "u")), state("c", "u", group("g", 1, "u")), state("d", "u", group("g", 1, "u"))}
	c, err := scores.NewCohort(states)
	if err != nil {
		t.Fatal(err)
	}
	full, errs := scores.NewRanker(c).Rank(0, slices.Values([]string{"u"}))
	empty, errs2 := scores.NewRanker(c).Rank(1, slices.Values([]string{}))
	if errs != nil || errs2 != nil {
		t.Fatal(errs, errs2)
	}
	r, err := scores.Score(c, []scores.Method{{Name: "m", Rankings: []scores.Ranking{full, empty, {}, {}}}}, scores.Options{}, [2]string{})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Methods[0]; m.States != 4 || m.Missing != 2 || m.Empty != 1 || at(t, r, "5").Complete != 0.25 {
		t.Errorf("%+v", m)
	}
}

func TestRankRefuses(t *testing.T) {
	c, err := scores.NewCohort([]scores.State{state("a", "u v", group("g", 1, "u")), state("b", "w", group("g", 1, "w"))})
	if err != nil {
		t.Fatal(err)
	}
	ranking, errs := scores.NewRanker(c).Rank(0, slices.Values([]string{"u", "w", "nowhere", "u", "v"}))
	want := []string{`item 2: unit "w" is outside the pool of state "a"`, `item 3: there is no unit "nowhere"`, `item 4: unit "u" was returned before`}
	if fmt.Sprint(errs) != "["+strings.Join(want, " ")+"]" || ranking.Given() {
		t.Errorf("got %v", errs)
	}
}

func TestNewCohortRefuses(t *testing.T) {
	many := state("many", "u")
	for i := range organizer.MaxGroups + 1 {
		many.Certificate.Groups = append(many.Certificate.Groups, group(fmt.Sprint(i), 1, "u"))
	}
	_, err := scores.NewCohort([]scores.State{
		state("a", "u", group("g", 1, "u")), state("a", "u", group("g", 1, "u")), state("b", "u u", group("g", 1, "u")), state("c", "u"), {ID: "d"}, many,
		state("e", "u", organizer.Group{ID: "g", AcceptableIDs: []string{"u"}, NecessityWeight: math.NaN()}),
	})
	for _, want := range []string{`state "a" is given twice`, `state "b": the unit id "u" is twice in its pool`, `state "c": it has no certificate with groups`,
		`state "d": it has no certificate`, `state "many": its certificate has 65 groups`, `state "e": group "g" has the weight NaN`} {
		if !errors.Is(err, scores.ErrCohort) || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if _, err := scores.NewCohort(nil); !errors.Is(err, scores.ErrCohort) {
		t.Error("a cohort without states")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	c, err := scores.NewCohort([]scores.State{state("a", "u", group("g", 1, "u"))})
	if err != nil {
		t.Fatal(err)
	}
	_, err = scores.Score(c, nil, scores.Options{Items: []int{0}, Tokens: []int{-1}, Overflow: "drop", Gain: "all"}, [2]string{})
	for _, want := range []string{"cutoff 0", "cutoff -1", `overflow "drop"`, `gain "all"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

// TestASearchThatIsCutShortSaysSo: a certificate whose ways to be covered are beyond counting gets bounds, never a guess.
func TestASearchThatIsCutShortSaysSo(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := scores.State{ID: "s", Pool: pool(60), Certificate: &organizer.Certificate{}}
	for j := range 30 {
		g := organizer.Group{ID: fmt.Sprint(j), NecessityWeight: 1}
		for _, at := range rng.Perm(60)[:6] {
			g.AcceptableIDs = append(g.AcceptableIDs, s.Pool[at].ID)
		}
		s.Certificate.Groups = append(s.Certificate.Groups, g)
	}
	list := ids(s.Pool)
	r := score(t, []scores.State{s}, [][]string{list}, scores.Options{Items: []int{1, 5, 10, 60}})
	for i, ref := range r.References[:4] {
		t.Log(ref.Cutoff, ref.Oracle)
		if i == 0 && ref.Oracle != (scores.Ceiling{Complete: 0, Exact: true}) {
			t.Errorf("one unit is no cover of 30 groups, and every single one was looked at: %+v", ref.Oracle)
		}
		if ref.Uniform != nil {
			t.Errorf("the count was cut short, and there is a uniform draw %v", *ref.Uniform)
		}
	}
	if got := r.References[1].Oracle; got.Exact || got.Complete != 0 {
		t.Errorf("at 5: %+v", got)
	}
	if got := r.References[3].Oracle; !got.Exact || got.Complete != 1 {
		t.Errorf("at 60 the greedy cover is enough to know: %+v", got)
	}
	if a := at(t, r, "5"); a.NDCG != nil {
		t.Errorf("nDCG %v without its ideal", *a.NDCG)
	}
}

// TestStrataAddUp: in every partition, strata exclude each other and their weighted means are the whole's.
func TestStrataAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260915, 6))
	for range 50 {
		var states []scores.State
		var lists [][]string
		for i := range 40 {
			s := randomState(rng, fmt.Sprint(i))
			s.Boundary = append(slices.Clone(evidence.Boundaries), "")[rng.IntN(5)]
			s.Language = []string{"go", "python", ""}[rng.IntN(3)]
			if rng.IntN(3) > 0 {
				s.Observed = []string{fmt.Sprintf("u%02d", rng.IntN(20))}
			}
			list := ids(s.Pool)
			rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			states, lists = append(states, s), append(lists, list)
		}
		r := score(t, states, lists, scores.Options{})
		if len(r.Partitions) != len(scores.PartitionNames) {
			t.Fatalf("%d partitions", len(r.Partitions))
		}
		for _, p := range r.Partitions {
			weights := 0.0
			for k, whole := range r.Methods[0].At {
				var complete, group, ndcg, tokens []scores.Part
				for _, s := range p.Strata {
					at := s.Methods[0].At[k]
					complete = append(complete, scores.Part{Weight: s.Weight, Mean: at.Complete})
					group = append(group, scores.Part{Weight: s.Weight, Mean: at.GroupRecall})
					ndcg = append(ndcg, scores.Part{Weight: s.Weight, Mean: *at.NDCG})
					tokens = append(tokens, scores.Part{Weight: s.Weight, Mean: *at.Tokens})
				}
				for _, c := range []struct {
					parts []scores.Part
					want  float64
				}{{complete, whole.Complete}, {group, whole.GroupRecall}, {ndcg, *whole.NDCG}, {tokens, *whole.Tokens}} {
					if got := scores.Recombine(c.parts); math.Abs(got-c.want) > 1e-9*max(1, c.want) {
						t.Fatalf("by %s at %s: %v instead of %v", p.By, whole.Cutoff, got, c.want)
					}
				}
			}
			for _, s := range p.Strata {
				weights += s.Weight
			}
			if !near(weights, 1) {
				t.Fatalf("by %s the weights sum to %v", p.By, weights)
			}
		}
	}
}

func TestStrataNames(t *testing.T) {
	s := []scores.State{
		state("a", "u", group("g", 1, "u")), state("b", "u", group("g", 1, "u"), group("h", 1, "u")),
		state("c", "u", group("g", 1, "u"), group("h", 1, "u"), group("i", 1, "elsewhere")),
	}
	s[0].Observed, s[0].Boundary = []string{"u"}, "before_edit"
	s[1].Observed, s[1].Boundary = []string{}, "before_search"
	r := score(t, s, [][]string{nil, nil, nil}, scores.Options{})
	var got []string
	for _, p := range r.Partitions {
		for _, s := range p.Strata {
			got = append(got, fmt.Sprintf("%s=%s:%d", p.By, s.Name, s.States))
		}
	}
	want := "groups=1:1 groups=2:1 groups=>=3:1 boundary=before_search:1 boundary=before_edit:1 boundary=(not given):1 " +
		"overlap=no:1 overlap=yes:1 overlap=(not given):1 coverable=no:1 coverable=yes:2 repository=(not given):3 language=(not given):3"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s", strings.Join(got, " "))
	}
}

// TestPermutingStatesChangesNothing, and neither does another pool order behind the same returned ids.
func TestPermutingStatesChangesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260915, 7))
	var states []scores.State
	var lists [][]string
	for i := range 30 {
		s := randomState(rng, fmt.Sprint(i))
		states, lists = append(states, s), append(lists, ids(s.Pool)[:rng.IntN(len(s.Pool)+1)])
	}
	want := score(t, states, lists, scores.Options{})
	for range 10 {
		rng.Shuffle(len(states), func(i, j int) {
			states[i], states[j] = states[j], states[i]
			lists[i], lists[j] = lists[j], lists[i]
		})
		for i := range states {
			states[i].Pool = slices.Clone(states[i].Pool)
			rng.Shuffle(len(states[i].Pool), func(a, b int) { states[i].Pool[a], states[i].Pool[b] = states[i].Pool[b], states[i].Pool[a] })
		}
		got := score(t, states, lists, scores.Options{})
		for k, w := range want.Methods[0].At {
			g := got.Methods[0].At[k]
			if !near(g.Complete, w.Complete) || !near(g.GroupRecall, w.GroupRecall) || !near(*g.NDCG, *w.NDCG) || math.Abs(*g.Tokens-*w.Tokens) > 1e-9 {
				t.Fatalf("at %s: %+v, want %+v", w.Cutoff, g, w)
			}
		}
		for k, w := range want.References {
			if g := got.References[k]; g.Oracle != w.Oracle || w.Uniform != nil && !near(*g.Uniform, *w.Uniform) {
				t.Fatalf("at %s: %+v, want %+v", w.Cutoff, g, w)
			}
		}
	}
}

func TestPair(t *testing.T) {
	states := []scores.State{state("a", "u v w", group("g", 1, "u")), state("b", "u v w", group("g", 1, "w"))}
	c, err := scores.NewCohort(states)
	if err != nil {
		t.Fatal(err)
	}
	r := scores.NewRanker(c)
	rank := func(name string, lists ...string) (m scores.Method) {
		m.Name = name
		for i, list := range lists {
			ranking, errs := r.Rank(i, slices.Values(strings.Fields(list)))
			if errs != nil {
				t.Fatal(errs)
			}
			m.Rankings = append(m.Rankings, ranking)
		}
		return m
	}
	methods := []scores.Method{rank("short", "u", "v w"), rank("long", "v u w", "w v u")}
	result, err := scores.Score(c, methods, scores.Options{Items: []int{1}, Tokens: []int{2000}}, [2]string{"short", "long"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range result.Pair.Rows {
		got = append(got, fmt.Sprintf("%s %v-%v=%v %d/%d/%d %v:%v", p.Cutoff, p.A, p.B, p.Diff, p.Win, p.Tie, p.Loss, *p.TokensA, *p.TokensB))
	}
	want := []string{"1 0.5-0.5=0 1/0/1 1000:1000", "2000tokens 1-1=0 0/2/0 1500:2000", "returned 1-1=0 0/2/0 1500:3000", "matched 1-0.5=0.5 1/1/0 1500:1500"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// Swapped, every difference changes its sign, except where the first method sets the budget.
	swapped, err := scores.Score(c, methods, scores.Options{Items: []int{1}, Tokens: []int{2000}}, [2]string{"long", "short"})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range swapped.Pair.Rows[:3] {
		if q := result.Pair.Rows[i]; p.Diff != -q.Diff || p.Group != -q.Group || p.Win != q.Loss || p.Loss != q.Win || p.Tie != q.Tie {
			t.Errorf("%s: %+v against %+v", p.Cutoff, p, q)
		}
	}
	for _, pair := range [][2]string{{"short", "lang"}, {"short", "short"}} {
		if _, err := scores.Score(c, methods, scores.Options{}, pair); err == nil {
			t.Errorf("%v can't be compared", pair)
		}
	}
}

// TestTheLargestCertificateEnds: a certificate at the reader's bounds is scored with bounds instead of answers, and soon.
func TestTheLargestCertificateEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := scores.State{ID: "s", Certificate: &organizer.Certificate{}}
	for i := range 2000 {
		s.Pool = append(s.Pool, scores.Unit{ID: fmt.Sprint("u", i), Tokens: 1})
	}
	some := func(n int) (list []string) {
		for _, at := range rng.Perm(len(s.Pool))[:n] {
			list = append(list, s.Pool[at].ID)
		}
		return list
	}
	for j := range organizer.MaxGroups {
		s.Certificate.Groups = append(s.Certificate.Groups, group(fmt.Sprint(j), 1+rng.IntN(100), some(organizer.MaxUnitIDs)...))
	}
	for range organizer.MaxBranches {
		s.Certificate.AlternativeMinimalSets = append(s.Certificate.AlternativeMinimalSets, some(1+rng.IntN(20)))
	}
	r := score(t, []scores.State{s}, [][]string{some(500)}, scores.Options{})
	if ref := r.References[0]; ref.Uniform != nil {
		t.Errorf("%+v", ref)
	}
	for _, a := range r.Methods[0].At {
		if a.NDCG != nil && a.Cutoff != "1" {
			t.Errorf("at %s: nDCG %v", a.Cutoff, *a.NDCG)
		}
	}
}
