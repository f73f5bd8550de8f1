package agreement_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"evlab/agreement"
)

func table(t *testing.T, counts [][]int) *agreement.Table {
	t.Helper()
	names := []string{"a", "b", "c", "d", "e"}[:len(counts)]
	x := agreement.NewTable(names)
	for i := range counts {
		copy(x.Count[i], counts[i])
	}
	return x
}

func near(x *float64, want float64) bool { return x != nil && math.Abs(*x-want) < 5e-5 }

// TestPublishedTables are 2x2 tables whose coefficients are worked out in the literature: 80 and 15 of 100 (Byrt, Bishop and
// Carlin's kind), and balanced margins, where kappa, 2p-1 and AC1 are one number.
func TestPublishedTables(t *testing.T) {
	c := table(t, [][]int{{20, 5}, {10, 15}}).Coefficients()
	if !near(c.Raw, 0.7) || !near(c.Kappa, 0.4) || !near(c.TwoPMinus1, 0.4) {
		t.Errorf("20, 5, 10, 15: %v %v %v", *c.Raw, *c.Kappa, *c.TwoPMinus1)
	}
	c = table(t, [][]int{{118, 5}, {2, 0}}).Coefficients() // Gwet's paradox: 94.4% agree, and kappa is below zero
	if !near(c.Raw, 0.9440) || !near(c.Kappa, -0.0234) || !near(c.AC1, 0.9408) {
		t.Errorf("118, 5, 2, 0: raw %v kappa %v AC1 %v", *c.Raw, *c.Kappa, *c.AC1)
	}
	c = table(t, [][]int{{40, 10}, {10, 40}}).Coefficients()
	if !near(c.Kappa, 0.6) || !near(c.TwoPMinus1, 0.6) || !near(c.AC1, 0.6) {
		t.Errorf("balanced margins: %v %v %v", *c.Kappa, *c.TwoPMinus1, *c.AC1)
	}
}

func TestNoValue(t *testing.T) {
	c := table(t, [][]int{{9, 0}, {0, 0}}).Coefficients()
	if c.Kappa != nil || !near(c.AC1, 1) || !near(c.Raw, 1) {
		t.Errorf("everything accepted: kappa %v AC1 %v", c.Kappa, c.AC1)
	}
	if c := table(t, [][]int{{9}}).Coefficients(); c.AC1 != nil || c.Kappa != nil {
		t.Error("a single category has no chance-corrected agreement")
	}
	if c := table(t, [][]int{{0, 0}, {0, 0}}).Coefficients(); c.Raw != nil || c.TwoPMinus1 != nil {
		t.Error("no items have no agreement")
	}
}

// TestCoefficientProperties: swapping the reviewers and permuting the categories change nothing, no coefficient is above 1,
// and all are 1 exactly when the reviewers never differ.
func TestCoefficientProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		k := 2 + rng.IntN(4)
		x, swapped, permuted := make([][]int, k), make([][]int, k), make([][]int, k)
		for i := range k {
			x[i], swapped[i], permuted[i] = make([]int, k), make([]int, k), make([]int, k)
		}
		order, same := rng.Perm(k), true
		for i := range k {
			for j := range k {
				n := rng.IntN(4) * rng.IntN(2)
				same = same && (i == j || n == 0)
				x[i][j], swapped[j][i], permuted[order[i]][order[j]] = n, n, n
			}
		}
		c := table(t, x).Coefficients()
		for name, other := range map[string][][]int{"swapped": swapped, "permuted": permuted} {
			o := table(t, other).Coefficients()
			for i, pair := range [][2]*float64{{c.Raw, o.Raw}, {c.Kappa, o.Kappa}, {c.TwoPMinus1, o.TwoPMinus1}, {c.AC1, o.AC1}} {
				if (pair[0] == nil) != (pair[1] == nil) || pair[0] != nil && math.Abs(*pair[0]-*pair[1]) > 1e-12 {
					t.Fatalf("%v %s: coefficient %d differs", x, name, i)
				}
			}
		}
		for i, v := range []*float64{c.Raw, c.Kappa, c.TwoPMinus1, c.AC1} {
			if v != nil && (*v > 1+1e-12 || same != (math.Abs(*v-1) < 1e-12)) {
				t.Fatalf("%v: coefficient %d is %v, never differing: %v", x, i, *v, same)
			}
		}
	}
}

// TestRawRange compares the range with all tables that have the margins.
func TestRawRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		n := 1 + rng.IntN(6)
		first, second := make([]int, 3), make([]int, 3)
		for range n {
			first[rng.IntN(3)]++
			second[rng.IntN(3)]++
		}
		got, err := agreement.RawRange(first, second, n)
		if err != nil {
			t.Fatal(err)
		}
		least, most := n+1, -1
		for a := range n + 1 {
			for b := range n + 1 {
				for c := range n + 1 {
					for d := range n + 1 {
						x := [3][3]int{{a, b, first[0] - a - b}, {c, d, first[1] - c - d}}
						ok := x[0][2] >= 0 && x[1][2] >= 0
						for j := range 3 {
							x[2][j] = second[j] - x[0][j] - x[1][j]
							ok = ok && x[2][j] >= 0
						}
						if ok {
							least, most = min(least, a+d+x[2][2]), max(most, a+d+x[2][2])
						}
					}
				}
			}
		}
		if want := (agreement.Range{Lo: float64(least) / float64(n), Hi: float64(most) / float64(n)}); got != want {
			t.Fatalf("%v and %v: %v, want %v", first, second, got, want)
		}
	}
	for _, bad := range [][3]any{{[]int{1}, []int{1, 0}, 1}, {[]int{1}, []int{1}, 2}, {[]int{}, []int{}, 0}} {
		if _, err := agreement.RawRange(bad[0].([]int), bad[1].([]int), bad[2].(int)); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}

func study(t *testing.T, choice agreement.Choice, reviews ...agreement.Review) *agreement.Study {
	t.Helper()
	s := agreement.NewStudy()
	for _, r := range reviews {
		if err := s.Add(r, choice); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Check(choice); err != nil {
		t.Fatal(err)
	}
	return s
}

// pair is an item with both verdicts.
func pair(item, cluster, x, y string) []agreement.Review {
	return []agreement.Review{{Item: item, Cluster: cluster, Reviewer: "x", Verdict: x}, {Item: item, Cluster: cluster, Reviewer: "y", Verdict: y}}
}

func many(clusters bool) (all []agreement.Review) {
	for i := range 60 {
		x, y := "accept", "accept"
		if i%7 == 0 {
			x = "revise"
		}
		if i%5 == 0 {
			y = "revise"
		}
		cluster := ""
		if clusters {
			cluster = fmt.Sprintf("r%d", i/6)
		}
		all = append(all, pair(fmt.Sprintf("i%02d", i), cluster, x, y)...)
	}
	return all
}

// TestIntervals: intervals hold their coefficient, repositories are resampled where there are any, the order of reviews and
// the number of cores change nothing.
func TestIntervals(t *testing.T) {
	o := agreement.Options{Draws: 2000, Seed: 1, Accept: "accept"}
	for _, clustered := range []bool{false, true} {
		reviews := many(clustered)
		want, err := study(t, agreement.Choice{}, reviews...).Agree(o)
		if err != nil {
			t.Fatal(err)
		}
		r := want[0]
		if r.N != 60 || r.Clusters != map[bool]int{false: 60, true: 10}[clustered] {
			t.Errorf("%d items, %d clusters", r.N, r.Clusters)
		}
		for name, x := range map[string]struct {
			value *float64
			in    agreement.Interval
		}{"raw": {r.Raw, r.Intervals.Raw}, "kappa": {r.Kappa, r.Intervals.Kappa}, "2p-1": {r.TwoPMinus1, r.Intervals.TwoPMinus1}, "AC1": {r.AC1, r.Intervals.AC1}} {
			if x.in.Lo == nil || *x.in.Lo > *x.value || *x.in.Hi < *x.value || *x.in.Lo == *x.in.Hi {
				t.Errorf("%s %v is outside its interval %+v", name, *x.value, x.in)
			}
		}
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
		slices.Reverse(reviews)
		for i := range reviews { // the reviewers keep their places
			if reviews[i].Reviewer == "x" {
				reviews[0], reviews[i] = reviews[i], reviews[0]
				break
			}
		}
		again, err := study(t, agreement.Choice{}, reviews...).Agree(o)
		if err != nil || !reflect.DeepEqual(again, want) {
			t.Errorf("another order gives %+v, %v; want %+v", again, err, want)
		}
	}
}

// TestKappaWithoutInterval: where most resamples hold no disagreement at all, kappa is 0/0 in them and has no interval.
func TestKappaWithoutInterval(t *testing.T) {
	var reviews []agreement.Review
	for i := range 20 {
		x := "accept"
		if i == 0 {
			x = "revise"
		}
		reviews = append(reviews, pair(fmt.Sprint(i), "", x, "accept")...)
	}
	r, err := study(t, agreement.Choice{}, reviews...).Agree(agreement.Options{Draws: 1000, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	if x := r[0].Intervals.Kappa; x.Lo != nil || x.Undefined < 0.2 || x.Undefined > 0.6 {
		t.Errorf("kappa's interval is %+v", x)
	}
	if r[0].Intervals.AC1.Lo == nil {
		t.Error("AC1 has a value in every resample and no interval")
	}
}

func TestFieldsAndArbiter(t *testing.T) {
	at := func(item, field, reviewer, verdict string) agreement.Review {
		return agreement.Review{Item: item, Field: field, Reviewer: reviewer, Verdict: verdict, Arbiter: reviewer == "z"}
	}
	s := study(t, agreement.Choice{Categories: []string{"yes", "no", "unsure"}},
		at("g1", "grounding", "x", "yes"), at("g1", "grounding", "y", "yes"), at("g1", "necessity", "x", "yes"), at("g1", "necessity", "y", "no"), at("g1", "necessity", "z", "no"),
		at("g2", "grounding", "x", "yes"), at("g2", "grounding", "y", "yes"), at("g2", "necessity", "x", "no"), at("g2", "necessity", "y", "no"), at("g2", "necessity", "z", "yes"),
		at("g3", "grounding", "x", "no"), at("g3", "grounding", "y", "yes"), at("g3", "necessity", "x", "no"))
	r, err := s.Agree(agreement.Options{Draws: 100, Accept: "yes"})
	if err != nil {
		t.Fatal(err)
	}
	if len(r) != 3 || r[0].Field != "grounding" || r[1].Field != "necessity" || r[2].Field != agreement.AllFields {
		t.Fatalf("reports are %+v", r)
	}
	if r[0].N != 3 || !near(r[0].Raw, 2.0/3) || r[1].N != 2 || r[1].Missing != 1 || r[2].N != 2 || r[2].Missing != 1 || !near(r[2].Raw, 0.5) {
		t.Errorf("grounding %d, necessity %d (%d missing), whole %d (%d missing) %v", r[0].N, r[1].N, r[1].Missing, r[2].N, r[2].Missing, r[2].Raw)
	}
	if r[2].Kappa != nil || r[2].Table != nil {
		t.Error("whole items have margins")
	}
	if a := r[0].Arbitration; a.Disagreements != 1 || a.Open != 1 || a.Final["yes"] != 2 {
		t.Errorf("grounding: %+v", a)
	}
	if a := r[1].Arbitration; a.Disagreements != 1 || a.Arbitrated != 1 || a.WithSecond != 1 || a.OnAgreed != 1 || a.Overturned != 1 || a.Final["no"] != 1 || a.Final["yes"] != 1 {
		t.Errorf("necessity: %+v", a)
	}
	if a := r[0].Accepted; a.ByBoth != 2 || a.FlaggedByOne != 1 || a.FlaggedByBoth != 0 {
		t.Errorf("accepted: %+v", a)
	}
}

func TestStudyRefuses(t *testing.T) {
	base := pair("i", "r", "a", "b")
	for name, c := range map[string]struct {
		choice agreement.Choice
		add    agreement.Review
	}{
		"third reviewer":  {agreement.Choice{}, agreement.Review{Item: "i", Cluster: "r", Reviewer: "w", Verdict: "a"}},
		"twice":           {agreement.Choice{}, agreement.Review{Item: "i", Cluster: "r", Reviewer: "x", Verdict: "a"}},
		"other cluster":   {agreement.Choice{}, agreement.Review{Item: "i", Cluster: "q", Reviewer: "z", Verdict: "a", Arbiter: true}},
		"unknown verdict": {agreement.Choice{Categories: []string{"a", "b"}}, agreement.Review{Item: "j", Reviewer: "x", Verdict: "c"}},
	} {
		s := agreement.NewStudy()
		for _, r := range base {
			if err := s.Add(r, c.choice); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Add(c.add, c.choice); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s := agreement.NewStudy()
	if err := s.Add(base[0], agreement.Choice{}); err != nil {
		t.Fatal(err)
	}
	if s.Check(agreement.Choice{}) == nil {
		t.Error("one reviewer is no study")
	}
	if err := s.Add(base[0], agreement.Choice{Reviewers: []string{"y", "z"}}); err != nil {
		t.Errorf("a reviewer who was not chosen is an error: %v", err)
	}
	if s.Check(agreement.Choice{Reviewers: []string{"y", "z"}}) == nil {
		t.Error("a chosen reviewer who says nothing is taken")
	}
}
