package contrasts_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"evlab/contrasts"
)

// counts makes a 0/1 cohort with so many wins, ties (half of them both 1) and losses.
func counts(win, tie, loss int) []contrasts.Pair {
	var pairs []contrasts.Pair
	add := func(n int, a, b func(i int) float64) {
		for i := range n {
			pairs = append(pairs, contrasts.Pair{Task: fmt.Sprintf("task-%04d", len(pairs)), A: a(i), B: b(i), HasA: true, HasB: true})
		}
	}
	zero := func(int) float64 { return 0 }
	one := func(int) float64 { return 1 }
	either := func(i int) float64 { return float64(i % 2) }
	add(win, one, zero)
	add(tie, either, either)
	add(loss, zero, one)
	return pairs
}

var strict = contrasts.Design{Metric: "strict", A: "oracle-mss", B: "bm25", Binary: true}

func contrast(t testing.TB, pairs []contrasts.Pair, d contrasts.Design) contrasts.Result {
	t.Helper()
	r, err := contrasts.Contrast(pairs, d)
	if err != nil {
		t.Fatalf("Contrast: %v", err)
	}
	return r
}

func TestTable25(t *testing.T) {
	data, err := os.ReadFile("testdata/table25.json")
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Tasks, Draws int
		Seed         uint64
		Rows         []contrasts.Result
	}
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != 8 {
		t.Fatalf("%d rows, want 8", len(table.Rows))
	}
	for _, want := range table.Rows {
		got := contrast(t, counts(want.Win, want.Tie, want.Loss),
			contrasts.Design{Metric: want.Metric, A: want.A, B: want.B, Draws: table.Draws, Seed: table.Seed, Binary: true})
		name := fmt.Sprintf("%s, %s minus %s", want.Metric, want.A, want.B)
		line := func(r contrasts.Result) string {
			return fmt.Sprintf("%+.2f [%+.2f, %+.2f] %d/%d/%d", r.Diff, r.Lo, r.Hi, r.Win, r.Tie, r.Loss)
		}
		if line(got) != line(want) {
			t.Errorf("%s: got %s, the paper prints %s", name, line(got), line(want))
		}
		if got.N != table.Tasks || got.Method != contrasts.MethodExact || got.Edge || got.Draws != 0 {
			t.Errorf("%s: n %d, method %s, edge %t, draws %d", name, got.N, got.Method, got.Edge, got.Draws)
		}
	}
}

// Values: Fagerland, Lydersen and Laake (2013), the airway data (1 and 7); the rest by hand from binomial tables.
func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		win, loss   int
		exact, midP float64
	}{
		{7, 1, 0.0703125, 0.0390625},
		{1, 7, 0.0703125, 0.0390625},
		{5, 0, 0.0625, 0.03125},
		{6, 0, 0.03125, 0.015625},
		{0, 0, 1, 1},
		{4, 4, 1, 1},
		{1, 0, 1, 0.5},
		{20, 17, 0.74282935922, 0.62710256996},
	} {
		exact, midP, err := contrasts.McNemar(c.win, c.loss)
		if err != nil || math.Abs(exact-c.exact) > 1e-7 || math.Abs(midP-c.midP) > 1e-7 {
			t.Errorf("McNemar(%d, %d) = %.9f, %.9f, %v; want %.9f, %.9f", c.win, c.loss, exact, midP, err, c.exact, c.midP)
		}
	}
	if exact, midP, err := contrasts.McNemar(5000, 0); err != nil || !(exact > 0) || !(midP > 0) {
		t.Errorf("McNemar(5000, 0) = %v, %v, %v; p-values are never zero", exact, midP, err)
	}
	if _, _, err := contrasts.McNemar(-1, 3); !errors.Is(err, contrasts.ErrInput) {
		t.Errorf("McNemar(-1, 3): %v, want ErrInput", err)
	}
}

func TestHolm(t *testing.T) {
	got := contrasts.Holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("adjusted p %d is %v, want %v", i, got[i], want)
		}
	}
	if got := contrasts.Holm([]float64{math.NaN(), -1, 2}); got[0] != 1 || got[1] != 0 || got[2] != 1 {
		t.Errorf("Holm of NaN, -1, 2 is %v, want 1, 0, 1", got)
	}
	if got := contrasts.Holm(nil); len(got) != 0 {
		t.Errorf("Holm of nothing is %v", got)
	}
}

func TestAdjustFamily(t *testing.T) {
	near, far := contrast(t, counts(13, 100, 4), strict), contrast(t, counts(40, 100, 2), strict)
	if near.Verdict != "oracle-mss better" {
		t.Fatalf("alone: verdict %q, p %v", near.Verdict, near.P)
	}
	family := []contrasts.Result{near, far, contrast(t, counts(6, 100, 6), strict)}
	contrasts.AdjustFamily(family)
	for i, want := range contrasts.Holm([]float64{family[0].P, family[1].P, family[2].P}) {
		if family[i].PHolm == nil || *family[i].PHolm != want {
			t.Errorf("contrast %d: adjusted p %v, want %v", i, family[i].PHolm, want)
		}
	}
	if !strings.HasPrefix(family[0].Verdict, "not decided (could be ") || family[1].Verdict != "oracle-mss better" {
		t.Errorf("in a family of three: %q (adjusted p %v), %q", family[0].Verdict, *family[0].PHolm, family[1].Verdict)
	}
}

func TestVerdicts(t *testing.T) {
	missing := func(pairs []contrasts.Pair, n int) []contrasts.Pair {
		for i := range n {
			pairs = append(pairs, contrasts.Pair{Task: fmt.Sprintf("missing-%d", i), A: 0, HasB: true, B: 1})
		}
		return pairs
	}
	margin := strict
	margin.Margin = 5
	for _, c := range []struct {
		name   string
		pairs  []contrasts.Pair
		design contrasts.Design
		want   string
	}{
		{"wins", counts(20, 80, 2), strict, "oracle-mss better"},
		{"losses", counts(2, 80, 20), strict, "bm25 better"},
		{"four all one way", counts(4, 10, 0), strict, "underpowered: fewer than 5 discordant pairs"},
		{"five all one way", counts(5, 18, 0), strict, "oracle-mss better"},
		{"even", counts(10, 80, 10), strict, "not decided (could be -9.0 to +9.0)"},
		{"wins, but the missing could turn it", missing(counts(20, 80, 2), 20), strict, "not decided (could be -1.6 to +26.5)"},
		{"even and many, with a margin", counts(10, 1980, 10), margin, "equivalent within ±5"},
		{"even and many, without", counts(10, 1980, 10), strict, "not decided (could be -0.5 to +0.5)"},
	} {
		if got := contrast(t, c.pairs, c.design); got.Verdict != c.want {
			t.Errorf("%s: verdict %q, want %q (%+v)", c.name, got.Verdict, c.want, got)
		}
	}
}

// Where the p-value forbids what the interval leaves, the verdict says so.
func TestVerdictNamesThePValue(t *testing.T) {
	alone := contrast(t, counts(5, 18, 0), strict)
	family := []contrasts.Result{alone, alone}
	contrasts.AdjustFamily(family)
	if got := family[0].Verdict; !strings.HasPrefix(got, "not decided (could be +") || !strings.HasSuffix(got, ", Holm p 0.062)") {
		t.Errorf("in a family: %q, alone %q", got, alone.Verdict)
	}
}

func TestBounds(t *testing.T) {
	pairs := append(counts(3, 4, 1),
		contrasts.Pair{Task: "a-missing", B: 1, HasB: true},
		contrasts.Pair{Task: "b-missing", A: 1, HasA: true, B: math.NaN()},
		contrasts.Pair{Task: "both-missing"})
	r := contrast(t, pairs, strict)
	// Complete: +2. Against A: -1 (a=0, b=1), 0 (a=1, b=1), -1. Against B: 0, +1, +1.
	if r.N != 8 || r.Planned != 11 || r.MissingA != 2 || r.MissingB != 2 {
		t.Errorf("n %d of %d, missing %d and %d", r.N, r.Planned, r.MissingA, r.MissingB)
	}
	if r.Diff != 25 || math.Abs(r.BoundLo-0) > 1e-12 || math.Abs(r.BoundHi-400.0/11) > 1e-12 {
		t.Errorf("diff %v, bounds %v to %v; want 25, 0 to 36.36", r.Diff, r.BoundLo, r.BoundHi)
	}
}

func TestJSONNames(t *testing.T) {
	data, err := json.Marshal(contrast(t, counts(5, 10, 2), strict))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields("metric a b n planned clusters diff lo hi win tie loss p p_exact method draws seed edge " +
		"missing_a missing_b bound_lo bound_hi verdict") {
		if !strings.Contains(string(data), `"`+key+`":`) {
			t.Errorf("no %q in %s", key, data)
		}
	}
	if strings.Contains(string(data), "p_holm") {
		t.Errorf("p_holm without a family in %s", data)
	}
}
