package contrasts_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"evlab/contrasts"
)

func pair(task string, a, b float64) contrasts.Pair {
	return contrasts.Pair{Task: task, Cluster: "repo", A: a, B: b, HasA: true, HasB: true}
}

func TestRefusals(t *testing.T) {
	good := []contrasts.Pair{pair("t1", 1, 0), pair("t2", 0, 1), pair("t3", 1, 1)}
	with := func(p contrasts.Pair) []contrasts.Pair { return append(slices.Clone(good), p) }
	graded := contrasts.Design{Metric: "group_recall", A: "a", B: "b"}
	change := func(f func(d *contrasts.Design)) contrasts.Design {
		d := strict
		f(&d)
		return d
	}
	for _, c := range []struct {
		name   string
		pairs  []contrasts.Pair
		design contrasts.Design
		says   string
	}{
		{"not a number", with(pair("t4", math.NaN(), 0)), graded, `task "t4", condition "a": group_recall is NaN`},
		{"infinite", with(pair("t4", 0, math.Inf(-1))), graded, `task "t4", condition "b": group_recall is -Inf`},
		{"above the range", with(pair("t4", 1.5, 0)), graded, "outside its range 0 to 1"},
		{"below the range", with(pair("t4", 0, -0.1)), graded, "outside its range 0 to 1"},
		{"half a verdict", with(pair("t4", 0.5, 0)), strict, "a 0/1 metric is 0 or 1"},
		{"twice", with(pair("t2", 0, 0)), strict, `task "t2" occurs more than once`},
		{"nameless", with(pair("", 0, 0)), strict, "no task name"},
		{"no cluster", with(contrasts.Pair{Task: "t4", HasA: true, HasB: true}), change(func(d *contrasts.Design) { d.Unit = "repository" }),
			`task "t4" names no repository`},
		{"no week", with(contrasts.Pair{Task: "t4", HasA: true, HasB: true}), change(func(d *contrasts.Design) { d.Unit = "week" }),
			`task "t4" names no week`},
		{"interval method", good, change(func(d *contrasts.Design) { d.Interval = "wald" }), `interval method "wald" is none of`},
		{"0/1 method of a graded metric", good, contrasts.Design{Metric: "m", A: "a", B: "b", Also: []string{"tango"}}, "the tango interval is for 0/1 metrics"},
		{"0/1 method by cluster", good, change(func(d *contrasts.Design) { d.Unit, d.Interval = "repository", "bonett-price" }), "by task; this contrast is by repository"},
		{"exact without a lattice", with(pair("t4", math.Pi/4, 0)), contrasts.Design{Metric: "m", A: "a", B: "b", Interval: "exact"}, "a common denominator of at most 5040"},
		{"few draws", good, change(func(d *contrasts.Design) { d.Draws = 5 }), "5 draws are outside 100 to 10000000"},
		{"negative draws", good, change(func(d *contrasts.Design) { d.Draws = -1 }), "-1 draws"},
		{"many draws", good, change(func(d *contrasts.Design) { d.Draws = math.MaxInt }), "draws are outside"},
		{"itself", good, change(func(d *contrasts.Design) { d.B = d.A }), `both conditions are "oracle-mss"`},
		{"no metric", good, change(func(d *contrasts.Design) { d.Metric = "" }), "names no metric"},
		{"no condition", good, change(func(d *contrasts.Design) { d.B = "" }), "names no B"},
		{"margin", good, change(func(d *contrasts.Design) { d.Margin = math.NaN() }), "margin NaN is outside 0 to 100"},
		{"range", good, contrasts.Design{Metric: "m", A: "a", B: "b", Min: 2, Max: 2}, "range 2 to 2 is not a finite interval"},
		{"endless range", good, contrasts.Design{Metric: "m", A: "a", B: "b", Min: -math.MaxFloat64, Max: math.MaxFloat64},
			"not a finite interval"},
		{"range of a 0/1 metric", good, change(func(d *contrasts.Design) { d.Max = 2 }), "a 0/1 metric has the range 0 to 1"},
		{"too many", make([]contrasts.Pair, 1<<20+1), strict, "1048577 pairs; at most 1048576"},
	} {
		r, err := contrasts.Contrast(c.pairs, c.design)
		if !errors.Is(err, contrasts.ErrInput) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want ErrInput with %q", c.name, err, c.says)
		}
		if !reflect.DeepEqual(r, contrasts.Result{}) {
			t.Errorf("%s: a result beside the refusal: %+v", c.name, r)
		}
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	_, err := contrasts.Contrast([]contrasts.Pair{pair("t1", 2, 0), pair("t2", 0, 3), pair("t2", 0, 0)}, strict)
	for _, says := range []string{`"t1"`, `"t2", condition "bm25"`, `"t2" occurs more than once`} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q is not in %v", says, err)
		}
	}
	var many []contrasts.Pair
	for i := range 1000 {
		many = append(many, pair(fmt.Sprintf("t%04d", i), 7, 7))
	}
	if _, err := contrasts.Contrast(many, strict); err == nil || strings.Count(err.Error(), "\n") > 25 ||
		!strings.Contains(err.Error(), "and 1980 more") {
		t.Errorf("a thousand faults: %v", err)
	}
}

// TestTooFew: what can be said is said, and what can't isn't made up.
func TestTooFew(t *testing.T) {
	byRepo := strict
	byRepo.Unit = contrasts.UnitRepository
	one := pair("t1", 1, 0)
	for _, c := range []struct {
		name      string
		pairs     []contrasts.Pair
		design    contrasts.Design
		says      string
		n, planed int
	}{
		{"nothing", nil, strict, "0 complete of 0 planned pairs", 0, 0},
		{"one", []contrasts.Pair{one}, strict, "1 complete of 1 planned pairs", 1, 1},
		{"one complete", []contrasts.Pair{one, {Task: "t2"}, {Task: "t3", A: 1, HasA: true}}, strict, "1 complete of 3 planned pairs", 1, 3},
		{"none complete", []contrasts.Pair{{Task: "t2", B: math.NaN()}, {Task: "t3", A: 1, HasA: true}}, strict,
			"0 complete of 2 planned pairs", 0, 2},
		{"one cluster", []contrasts.Pair{one, pair("t2", 0, 1), pair("t3", 1, 1)}, byRepo, "all 3 complete pairs are of one repository", 3, 3},
	} {
		r, err := contrasts.Contrast(c.pairs, c.design)
		if !errors.Is(err, contrasts.ErrTooFew) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want ErrTooFew with %q", c.name, err, c.says)
		}
		if r.N != c.n || r.Planned != c.planed || r.Lo != -100 || r.Hi != 100 || r.Verdict != "underpowered: fewer than 5 discordant pairs" {
			t.Errorf("%s: %+v", c.name, r)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestOneClusterShowsNothing: twenty wins in one repository are one observation, and no p-value says otherwise.
func TestOneClusterShowsNothing(t *testing.T) {
	d := strict
	d.Unit = contrasts.UnitRepository
	pairs := counts(20, 10, 0)
	for i := range pairs {
		pairs[i].Cluster = "one"
	}
	r, err := contrasts.Contrast(pairs, d)
	if !errors.Is(err, contrasts.ErrTooFew) || r.P != 1 || r.Test != contrasts.BySignFlip || r.Verdict != "not decided (could be -100.0 to +100.0)" {
		t.Errorf("p %v by %s, %s, %v", r.P, r.Test, r.Verdict, err)
	}
}

// TestMissingValuesAreIgnored: a verdict that isn't there may hold anything.
func TestMissingValuesAreIgnored(t *testing.T) {
	pairs := counts(6, 6, 2)
	pairs = append(pairs, contrasts.Pair{Task: "x", A: math.Inf(1), B: 1, HasB: true}, contrasts.Pair{Task: "y", A: 0.3, B: math.NaN()})
	if r := contrast(t, pairs, strict); r.N != 14 || r.MissingA != 2 || r.MissingB != 1 || math.IsNaN(r.Diff+r.Lo+r.Hi+r.BoundLo+r.BoundHi) {
		t.Errorf("%+v", r)
	}
}

// TestOtherRanges: points are hundredths of the metric's range.
func TestOtherRanges(t *testing.T) {
	stars := []contrasts.Pair{pair("t1", 5, 1), pair("t2", 3, 3), pair("t3", 2, 4), pair("t4", 4, 2)}
	r := contrast(t, stars, contrasts.Design{Metric: "stars", A: "a", B: "b", Min: 1, Max: 5})
	if r.Diff != 25 || r.Win != 2 || r.Loss != 1 || r.Method != contrasts.MethodExact || r.MeanA != 62.5 {
		t.Errorf("%+v", r)
	}
}

// TestDustIsATie: values that differ by rounding alone don't win.
func TestDustIsATie(t *testing.T) {
	dusty := []contrasts.Pair{pair("t1", 0.1+0.2, 0.3), pair("t2", 0.3, 0.1+0.2)}
	for name, pairs := range map[string][]contrasts.Pair{
		"on a lattice": append(slices.Clone(dusty), pair("t3", 0.5, 0)),
		"on none":      append(slices.Clone(dusty), pair("t3", math.Pi/10, 0)),
	} {
		if r := contrast(t, pairs, contrasts.Design{Metric: "m", A: "a", B: "b"}); r.Tie != 2 || r.Win != 1 {
			t.Errorf("%s: %d ties, %d wins; want 2 and 1", name, r.Tie, r.Win)
		}
	}
}

// Values whose ratio no float64 holds are told by task, and never become an infinity in a table.
func TestRatiosOfValuesOutOfRange(t *testing.T) {
	d := contrasts.Design{Metric: "tokens", A: "a", B: "b"}
	for _, far := range []float64{1e308, 1e-300} {
		_, err := contrasts.ContrastRatio([]contrasts.Pair{
			{Task: "t1", A: far, HasA: true, B: 1, HasB: true}, {Task: "t2", A: 2, HasA: true, B: 1, HasB: true},
		}, d)
		if !errors.Is(err, contrasts.ErrInput) || !strings.Contains(err.Error(), `task "t1", condition "a"`) {
			t.Errorf("%g: %v", far, err)
		}
	}
}
