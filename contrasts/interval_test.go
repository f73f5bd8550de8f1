package contrasts_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"evlab/contrasts"
)

// TestScoreIntervals: Tango's ends by maximising the likelihood under each difference (scipy); Bonett and Price's by their formula. The
// first line is the airway data of Fagerland, Lydersen and Laake (2014), who print (-0.517, -0.026) and (-0.508, -0.013).
func TestScoreIntervals(t *testing.T) {
	for _, c := range []struct {
		win, loss, n int
		tango, price [2]float64
	}{
		{1, 7, 21, [2]float64{-51.7232, -2.6003}, [2]float64{-50.8359, -1.3380}},
		{4, 2, 23, [2]float64{-14.0673, 31.1789}, [2]float64{-13.9516, 29.9516}},
		{5, 0, 23, [2]float64{4.3162, 41.9035}, [2]float64{0.7964, 39.2036}},
		{3, 0, 23, [2]float64{-3.1349, 32.1275}, [2]float64{-4.8876, 28.8876}},
		{40, 25, 300, [2]float64{-0.2735, 10.3656}, [2]float64{-0.3157, 10.2495}},
		{10, 10, 100, [2]float64{-9.2160, 9.2160}, [2]float64{-9.0128, 9.0128}},
	} {
		for name, got := range map[string]struct {
			f    func(int, int, int) (float64, float64)
			want [2]float64
		}{"tango": {contrasts.Tango, c.tango}, "bonett-price": {contrasts.BonettPrice, c.price}} {
			lo, hi := got.f(c.win, c.loss, c.n)
			if math.Abs(lo-got.want[0]) > 1e-4 || math.Abs(hi-got.want[1]) > 1e-4 {
				t.Errorf("%s of %d to %d of %d: [%.4f, %.4f], want %v", name, c.win, c.loss, c.n, lo, hi, got.want)
			}
		}
	}
}

// TestTangoIsTheScoreTest: the ends exist and hold the estimate for every table of a small cohort, and swapping mirrors them.
func TestTangoIsTheScoreTest(t *testing.T) {
	const n = 12
	for win := range n + 1 {
		for loss := range n - win + 1 {
			lo, hi := contrasts.Tango(win, loss, n)
			at := 100 * float64(win-loss) / n
			if !(lo <= at+1e-9 && at-1e-9 <= hi && lo >= -100 && hi <= 100 && hi-lo > 1) {
				t.Errorf("%d to %d of %d: [%v, %v]", win, loss, n, lo, hi)
			}
			if mirrorLo, mirrorHi := contrasts.Tango(loss, win, n); math.Abs(mirrorLo+hi) > 1e-9 || math.Abs(mirrorHi+lo) > 1e-9 {
				t.Errorf("%d to %d of %d: [%v, %v], swapped [%v, %v]", win, loss, n, lo, hi, mirrorLo, mirrorHi)
			}
		}
	}
}

func graded(a, b []float64) []contrasts.Pair {
	pairs := make([]contrasts.Pair, len(a))
	for i := range a {
		pairs[i] = contrasts.Pair{Task: fmt.Sprintf("t%02d", i), A: a[i], B: b[i], HasA: true, HasB: true}
	}
	return pairs
}

// TestGradedIntervals has scipy's figures: ttest_rel, bootstrap(method=percentile and BCa) with 400,000 draws, and a bootstrap-t by
// numpy of as many.
func TestGradedIntervals(t *testing.T) {
	pairs := graded([]float64{1, 0.5, 0, 0.75, 1, 0.25, 0.5, 1, 0, 0.5, 1, 0.75}, []float64{0.5, 0.5, 0.25, 0.25, 0, 0.25, 0.75, 0.5, 0, 0, 0.5, 1})
	design := contrasts.Design{Metric: "group_recall", A: "a", B: "b", Draws: 200_000, Seed: 4}
	for _, c := range []struct {
		method, used string
		lo, hi, off  float64
	}{
		{"percentile", "exact", 2.0833, 45.8333, 1e-4},
		{"exact", "exact", 2.0833, 45.8333, 1e-4},
		{"bootstrap", "bootstrap", 2.0833, 45.8333, 1e-4},
		{"bca", "bca", 2.0833, 45.8333, 1e-4},
		{"cluster-t", "cluster-t", -2.8373, 48.6706, 1e-4},
		{"studentized", "studentized", -2.0833, 50.1547, 0.6},
	} {
		d := design
		d.Interval = c.method
		r := contrast(t, pairs, d)
		if math.Abs(r.Lo-c.lo) > c.off || math.Abs(r.Hi-c.hi) > c.off || r.Method != c.used {
			t.Errorf("%s: [%.4f, %.4f] by %s, want [%v, %v] by %s", c.method, r.Lo, r.Hi, r.Method, c.lo, c.hi, c.used)
		}
	}
}

// TestBCaMovesPercentiles on skewed differences; exact and drawn agree, with scipy too.
func TestBCaMovesPercentiles(t *testing.T) {
	a := make([]float64, 30)
	b := make([]float64, 30)
	for i, k := range map[int]float64{5: 1, 9: 2, 16: -1, 19: 5, 22: 1, 26: 3} {
		if k > 0 {
			a[i] = k / 6
		} else {
			b[i] = -k / 6
		}
	}
	pairs := graded(a, b)
	for i := range pairs {
		pairs[i].Cluster = pairs[i].Task
	}
	for _, unit := range []string{contrasts.UnitTask, contrasts.UnitRepository} {
		r := contrast(t, pairs, contrasts.Design{Metric: "m", A: "a", B: "b", Unit: unit, Interval: "bca", Also: []string{"percentile"}, Draws: 200_000})
		plain := r.Also[0]
		if math.Abs(r.Lo-bcaLo) > 0.6 || math.Abs(r.Hi-bcaHi) > 0.6 || math.Abs(plain.Lo-plainLo) > 0.6 || math.Abs(plain.Hi-plainHi) > 0.6 {
			t.Errorf("by %s: BCa [%.4f, %.4f] (%d draws), percentile [%.4f, %.4f]", unit, r.Lo, r.Hi, r.Draws, plain.Lo, plain.Hi)
		}
	}
}

// TestClusterT has numpy's figures for seven clusters of 1 to 6 tasks.
func TestClusterT(t *testing.T) {
	var pairs []contrasts.Pair
	for g, c := range []struct{ sum, count int }{{3, 4}, {-1, 1}, {0, 2}, {2, 2}, {-2, 5}, {1, 3}, {4, 6}} {
		for i := range c.count {
			p := contrasts.Pair{Task: fmt.Sprintf("%d-%d", g, i), Cluster: fmt.Sprint(g), HasA: true, HasB: true}
			switch {
			case i < c.sum:
				p.A = 1
			case i < -c.sum:
				p.B = 1
			}
			pairs = append(pairs, p)
		}
	}
	r := contrast(t, pairs, contrasts.Design{Metric: "strict", A: "a", B: "b", Unit: "repository", Binary: true, Interval: "cluster-t"})
	if math.Abs(r.Diff-30.434783) > 1e-6 || math.Abs(r.Lo+26.235819) > 1e-5 || math.Abs(r.Hi-87.105385) > 1e-5 {
		t.Errorf("%.6f [%.6f, %.6f]", r.Diff, r.Lo, r.Hi)
	}
}

// TestExactClusters goes through all resamples of a few unequal clusters, and compares a larger cohort with a million draws.
func TestExactClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 5))
	for range 20 {
		pairs := random(rng, "graded", 14)
		for i := range pairs {
			pairs[i].Cluster = fmt.Sprint(rng.IntN(5))
			pairs[i].HasA, pairs[i].HasB = true, true
		}
		pairs[0].Cluster, pairs[1].Cluster = "0", "1"
		d := contrasts.Design{Metric: "m", A: "a", B: "b", Unit: "repository", Interval: "exact"}
		r := contrast(t, pairs, d)
		lo, hi := enumerateClusters(pairs)
		if r.Method != "exact" || r.Draws != 0 && r.Test != contrasts.BySignFlipDrawn || !r.Edge && (math.Abs(r.Lo-lo) > 1e-9 || math.Abs(r.Hi-hi) > 1e-9) {
			t.Errorf("[%v, %v] by %s, edge %t; enumerated [%v, %v]", r.Lo, r.Hi, r.Method, r.Edge, lo, hi)
		}
	}
	pairs := random(rng, "binary", 120)
	d := contrasts.Design{Metric: "m", A: "a", B: "b", Unit: "repository", Interval: "exact", Also: []string{"bootstrap"}, Binary: true, Draws: 1_000_000}
	r := contrast(t, pairs, d)
	if drawn := r.Also[0]; math.Abs(r.Lo-drawn.Lo) > 0.1 || math.Abs(r.Hi-drawn.Hi) > 0.1 {
		t.Errorf("exact [%v, %v], drawn [%v, %v]", r.Lo, r.Hi, drawn.Lo, drawn.Hi)
	}
}

// enumerateClusters is the percentile interval over every resample.
func enumerateClusters(pairs []contrasts.Pair) (lo, hi float64) {
	sums, counts := map[string]float64{}, map[string]float64{}
	var names []string
	for _, p := range pairs {
		if counts[p.Cluster] == 0 {
			names = append(names, p.Cluster)
		}
		sums[p.Cluster] += 12 * (p.A - p.B)
		counts[p.Cluster]++
	}
	k, codes := len(names), 1
	for range k {
		codes *= k
	}
	share := map[float64]float64{}
	for code := range codes {
		sum, count := 0.0, 0.0
		for rest, i := code, 0; i < k; i++ {
			sum += math.Round(sums[names[rest%k]])
			count += counts[names[rest%k]]
			rest /= k
		}
		share[100*sum/(count*12)] += 1 / float64(codes)
	}
	at := func(q float64) float64 {
		best := math.Inf(1)
		for v := range share {
			below := 0.0
			for w, p := range share {
				if w <= v {
					below += p
				}
			}
			if below >= q && v < best {
				best = v
			}
		}
		return best
	}
	return at(0.025), at(0.975)
}

func TestRefusesWhatCantBeWrittenDown(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	pairs := random(rng, "graded", 4000)
	for i := range pairs {
		pairs[i].Cluster = fmt.Sprint(rng.IntN(2000))
	}
	_, err := contrasts.Contrast(pairs, contrasts.Design{Metric: "m", A: "a", B: "b", Unit: "repository", Interval: "exact"})
	if !errors.Is(err, contrasts.ErrInput) {
		t.Errorf("2000 clusters: %v", err)
	}
}

func TestRatio(t *testing.T) {
	pairs := graded([]float64{120, 80, 200, 50, 90, 400}, []float64{100, 100, 180, 100, 90, 500})
	d := contrasts.Design{Metric: "tokens", A: "a", B: "b", Interval: "cluster-t"}
	r, err := contrasts.ContrastRatio(pairs, d)
	if err != nil {
		t.Fatal(err)
	}
	want := contrasts.Ratio{Estimate: ratioAt, Lo: ratioLo, Hi: ratioHi}
	if math.Abs(r.Ratio.Estimate-want.Estimate) > 1e-6 || math.Abs(r.Ratio.Lo-want.Lo) > 1e-6 || math.Abs(r.Ratio.Hi-want.Hi) > 1e-6 {
		t.Errorf("%+v, want %+v", *r.Ratio, want)
	}
	if math.Abs(r.Diff-100*(r.Ratio.Estimate-1)) > 1e-9 || r.Win != 2 || r.Loss != 3 || r.Tie != 1 {
		t.Errorf("%+v", r)
	}
	if r.Verdict != "not decided (could be x0.62 to x1.21)" {
		t.Errorf("verdict %q", r.Verdict)
	}
	// Any other unit of measurement gives the same ratio; the other way round its reciprocal.
	for i := range pairs {
		pairs[i].A, pairs[i].B = 7*pairs[i].B, 7*pairs[i].A
	}
	d.A, d.B = d.B, d.A
	s, err := contrasts.ContrastRatio(pairs, d)
	if err != nil || math.Abs(s.Ratio.Estimate*r.Ratio.Estimate-1) > 1e-9 || math.Abs(s.Ratio.Lo*r.Ratio.Hi-1) > 1e-9 {
		t.Errorf("turned round: %+v, %v", s.Ratio, err)
	}
	pairs[2].A = 0
	if _, err := contrasts.ContrastRatio(pairs, d); !errors.Is(err, contrasts.ErrInput) {
		t.Errorf("a ratio with a zero: %v", err)
	}
	for i := range pairs {
		pairs[i].A, pairs[i].B = 3, 3
	}
	if r, err := contrasts.ContrastRatio(pairs, d); err != nil || r.Ratio.Estimate != 1 || r.Tie != 6 {
		t.Errorf("all the same: %+v, %v", r.Ratio, err)
	}
}

// TestInteraction: the gain is 30 points under one executor and 10 under the other.
func TestInteraction(t *testing.T) {
	here, there := counts(35, 60, 5), counts(15, 80, 5)
	r, err := contrasts.Interaction(here, there, strict, "pro", "flash")
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Diff-20) > 1e-9 || math.Abs(r.MeanA-30) > 1e-9 || math.Abs(r.MeanB-10) > 1e-9 || r.N != 100 ||
		r.A != "oracle-mss - bm25 | pro" || r.Method != contrasts.MethodExact {
		t.Errorf("%+v", r)
	}
	// By hand: the differences of differences as a metric of their own.
	byHand := make([]contrasts.Pair, len(here))
	for i := range here {
		byHand[i] = contrasts.Pair{Task: here[i].Task, HasA: true, HasB: true, A: here[i].A - here[i].B, B: there[i].A - there[i].B}
	}
	s := contrast(t, byHand, contrasts.Design{Metric: "strict", A: r.A, B: r.B, Min: -1, Max: 1})
	if math.Abs(r.Lo-2*s.Lo) > 1e-9 || math.Abs(r.Hi-2*s.Hi) > 1e-9 || r.P != s.P {
		t.Errorf("[%v, %v] p %v, by hand [%v, %v] p %v", r.Lo, r.Hi, r.P, 2*s.Lo, 2*s.Hi, s.P)
	}
	back, err := contrasts.Interaction(there, here, strict, "flash", "pro")
	if err != nil || math.Abs(back.Diff+r.Diff) > 1e-9 || math.Abs(back.Lo+r.Hi) > 1e-9 {
		t.Errorf("turned round: %v [%v, %v], %v", back.Diff, back.Lo, back.Hi, err)
	}
	there[3].HasB = false
	r, err = contrasts.Interaction(here, there[:90], strict, "pro", "flash")
	if err != nil || r.N != 89 || r.Planned != 100 || r.MissingB != 11 || r.BoundLo > r.Diff || r.BoundHi < r.Diff {
		t.Errorf("with gaps: %+v, %v", r, err)
	}
	if _, err := contrasts.Interaction(here, there, strict, "pro", "pro"); !errors.Is(err, contrasts.ErrInput) {
		t.Errorf("with itself: %v", err)
	}
}

func TestBenjaminiHochberg(t *testing.T) {
	got := contrasts.BenjaminiHochberg([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.02, 0.04, 0.04, 0.02} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("adjusted p %d is %v, want %v", i, got[i], want)
		}
	}
	rng := rand.New(rand.NewPCG(3, 9))
	for range 200 {
		p := make([]float64, 1+rng.IntN(12))
		for i := range p {
			p[i] = math.Pow(rng.Float64(), 4)
		}
		holm := contrasts.Holm(p)
		for i, q := range contrasts.BenjaminiHochberg(p) {
			if q < p[i] || q > holm[i]+1e-15 {
				t.Fatalf("p %v became %v, Holm's %v", p[i], q, holm[i])
			}
		}
	}
}

func TestRecommendation(t *testing.T) {
	clusters := func(pairs []contrasts.Pair, n int) []contrasts.Pair {
		for i := range pairs {
			pairs[i].Cluster = fmt.Sprint(i * 7 % n)
		}
		return pairs
	}
	byRepo := strict
	byRepo.Unit = contrasts.UnitRepository
	for _, c := range []struct {
		name   string
		pairs  []contrasts.Pair
		design contrasts.Design
		method string
	}{
		{"23 tasks", counts(4, 17, 2), strict, "bonett-price"},
		{"few discordant pairs", counts(9, 480, 5), strict, "bonett-price"},
		{"enough", counts(30, 450, 20), strict, ""},
		{"few clusters", clusters(counts(30, 450, 20), 10), byRepo, "cluster-t"},
		{"few clusters, few discordant pairs", clusters(counts(9, 480, 5), 10), byRepo, "cluster-t+bonett-price"},
		{"enough clusters", clusters(counts(30, 450, 20), 60), byRepo, ""},
		{"few graded tasks", graded([]float64{1, 0.5, 0.2, 0.1, 0.9}, []float64{0.5, 0.5, 0.1, 0, 1}), contrasts.Design{Metric: "m", A: "a", B: "b"}, "cluster-t"},
		{"shown already", counts(4, 17, 2), contrasts.Design{Metric: "strict", A: "a", B: "b", Binary: true, Interval: "bonett-price"}, ""},
	} {
		got := ""
		if r := contrast(t, c.pairs, c.design); r.Recommended != nil {
			got = r.Recommended.Method
		}
		if got != c.method {
			t.Errorf("%s: recommended %q, want %q", c.name, got, c.method)
		}
	}
	// Three wins and no loss: the percentile interval ends at zero, the one to report has it inside.
	r := contrast(t, counts(3, 20, 0), strict)
	if r.Lo != 0 || r.Recommended.Lo > -4 {
		t.Errorf("[%v, ...], recommended [%v, ...]", r.Lo, r.Recommended.Lo)
	}
}

// Reference figures: scipy 1.10 on the same numbers.
const (
	bcaLo, bcaHi     = 1.1111, 16.1111
	plainLo, plainHi = 0.5556, 13.3333

	ratioAt, ratioLo, ratioHi = 0.8676570884, 0.6219048867, 1.2105208355
)
