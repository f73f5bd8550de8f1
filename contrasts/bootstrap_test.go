package contrasts

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

var clustered = Design{Metric: "strict", A: "a", B: "b", Unit: UnitRepository, Draws: 20_000, Seed: 20260912, Binary: true}

// TestBootstrapEnumerated compares the drawn distribution with all resamples of a few unequal clusters, with an odd and
// an even number of them and with more than the table of pairs holds.
func TestBootstrapEnumerated(t *testing.T) {
	const draws = 400_000
	for _, clusters := range [][]cluster{
		{{3, 4}, {-1, 1}, {0, 2}, {2, 2}, {-2, 5}},
		{{3, 4}, {-1, 1}, {0, 2}, {2, 2}},
		{{1, 1}, {-1, 3}},
	} {
		k, resamples := len(clusters), 1
		for range k {
			resamples *= k
		}
		want := map[string]float64{}
		for code := range resamples {
			var total cluster
			for rest, i := code, 0; i < k; i++ {
				total = total.plus(clusters[rest%k])
				rest /= k
			}
			want[fmt.Sprintf("%.9f", total.sum/total.count)] += 1 / float64(resamples)
		}
		for name, means := range map[string][]float64{
			"pairs":   bootstrap(clusters, draws, stream{1}),
			"singles": singly(clusters, draws, stream{2}),
		} {
			got := map[string]float64{}
			for _, m := range means {
				got[fmt.Sprintf("%.9f", m)] += 1.0 / draws
			}
			for mean := range got {
				if want[mean] == 0 {
					t.Errorf("%d clusters, %s: a mean of %s can't occur", k, name, mean)
				}
			}
			for mean, p := range want {
				if se := math.Sqrt(p * (1 - p) / draws); math.Abs(got[mean]-p) > 5*se {
					t.Errorf("%d clusters, %s: mean %s in %.5f of the draws, want %.5f ± %.5f", k, name, mean, got[mean], p, se)
				}
			}
		}
	}
}

// singly is what bootstrap does above pairedTable.
func singly(clusters []cluster, draws int, s stream) []float64 {
	means := make([]float64, draws)
	resample(means, clusters, len(clusters), nil, s)
	return means
}

// TestBootstrapMeetsNumpy has the interval that bench/contrasts/compare.py prints for the same cohort, to within what
// 20,000 draws leave open.
func TestBootstrapMeetsNumpy(t *testing.T) {
	r, err := Contrast(clusteredCohort(), clustered)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Diff+7.6) > 1e-9 || math.Abs(r.Lo+10.44) > 0.12 || math.Abs(r.Hi+4.92) > 0.12 || r.Clusters != 45 {
		t.Errorf("%.4f [%.4f, %.4f] over %d clusters; numpy has -7.6000 [-10.44, -4.92] over 45", r.Diff, r.Lo, r.Hi, r.Clusters)
	}
}

// TestSeedsKeepTheirMeaning pins one interval: a change here changes every published one.
func TestSeedsKeepTheirMeaning(t *testing.T) {
	r, err := Contrast(clusteredCohort(), clustered)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%.12f %.12f %.12f %s", r.Lo, r.Hi, r.P, r.Test); got != pinned {
		t.Errorf("seed %d gives %s, it used to give %s", clustered.Seed, got, pinned)
	}
}

const pinned = "-10.377440099236 -4.885970084990 0.000599970001 sign-flip-drawn"

func TestCoresDontMatter(t *testing.T) {
	run := func(cores int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		d := clustered
		d.Draws = 10_007 // the last chunk is short
		d.Also = []string{MethodBCa, MethodStudentized}
		r, err := Contrast(clusteredCohort(), d)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	one := run(1)
	for _, cores := range []int{2, 3, 8} {
		if many := run(cores); many != one {
			t.Errorf("%d cores: %s\none: %s", cores, many, one)
		}
	}
}

func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for _, c := range []struct {
		name    string
		design  Design
		purpose string
	}{
		{"plain", Design{Metric: "m", A: "a", B: "b", Seed: 1}, "x"},
		{"seed", Design{Metric: "m", A: "a", B: "b", Seed: 2}, "x"},
		{"metric", Design{Metric: "n", A: "a", B: "b", Seed: 1}, "x"},
		{"condition", Design{Metric: "m", A: "a", B: "c", Seed: 1}, "x"},
		{"moved letter", Design{Metric: "ma", A: "", B: "b", Seed: 1}, "x"},
		{"purpose", Design{Metric: "m", A: "a", B: "b", Seed: 1}, "y"},
	} {
		for chunk := range 2 {
			first := newStream(c.design, c.purpose).chunk(chunk).Uint64()
			if other, ok := seen[first]; ok {
				t.Errorf("%s, chunk %d begins as %s", c.name, chunk, other)
			}
			seen[first] = fmt.Sprintf("%s, chunk %d", c.name, chunk)
		}
	}
	ab := newStream(Design{Metric: "m", A: "a", B: "b"}, "x")
	if ba := newStream(Design{Metric: "m", A: "b", B: "a"}, "x"); ab != ba {
		t.Error("A minus B and B minus A have different streams")
	}
}

// TestDigitsAreUniform uses a table that counts which of its entries were taken.
func TestDigitsAreUniform(t *testing.T) {
	for _, base := range []int{1, 2, 3, 45, 64, 2025, 100_003} {
		d := newDigits(base)
		rng := stream{9}.chunk(base)
		table := make([]cluster, base)
		for i := range table {
			table[i] = cluster{float64(i), float64(i) * float64(i)}
		}
		const words = 20_000
		var sum, squares float64
		for range words {
			c := d.word(rng, table, d.perWord)
			sum += c.sum
			squares += c.count
		}
		n, b := float64(words*d.perWord), float64(base)
		mean, variance := (b-1)/2, (b*b-1)/12
		if got := sum / n; math.Abs(got-mean) > 5*math.Sqrt(variance/n) {
			t.Errorf("base %d: mean digit %v, want %v", base, got, mean)
		}
		second := (b - 1) * (2*b - 1) / 6
		if got := squares / n; math.Abs(got-second) > 5*second/math.Sqrt(n) {
			t.Errorf("base %d: mean square %v, want %v", base, got, second)
		}
	}
}

func TestQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for _, n := range []int{1, 2, 3, 40, 41, 100, 599, 601, 5000, 20_000} {
		for _, levels := range []int{1, 3, 1 << 30} {
			values := make([]float64, n)
			for i := range values {
				values[i] = float64(rng.IntN(levels)) / 7
			}
			sorted := slices.Sorted(slices.Values(values))
			at := func(q float64) float64 {
				x := q * float64(n-1)
				i := int(x)
				return sorted[i] + (sorted[min(i+1, n-1)]-sorted[i])*(x-float64(i))
			}
			lo, hi := quantiles(values)
			scale := 1e-12 * (1 + float64(levels))
			if math.Abs(lo-at(lowerEnd)) > scale || math.Abs(hi-at(upperEnd)) > scale {
				t.Errorf("%d values of %d levels: %v, %v; sorting gives %v, %v", n, levels, lo, hi, at(lowerEnd), at(upperEnd))
			}
			slices.Sort(values)
			if !slices.Equal(values, sorted) {
				t.Errorf("%d values of %d levels: selection lost some", n, levels)
			}
		}
	}
}

func TestSignFlipPValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		steps := make([]int64, 1+rng.IntN(11))
		for i := range steps {
			steps[i] = rng.Int64N(7) - 3
		}
		observed, far := int64(0), 0
		for _, k := range steps {
			observed += k
		}
		for code := range 1 << len(steps) {
			sum := int64(0)
			for i, k := range steps {
				if code>>i&1 == 1 {
					k = -k
				}
				sum += k
			}
			if max(sum, -sum) >= max(observed, -observed) {
				far++
			}
		}
		want := float64(far) / float64(int(1)<<len(steps))
		got, drawn := signFlip(steps, 1000, stream{})
		if drawn || math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: p %v (drawn %t), want %v", steps, got, drawn, want)
		}
		var sizes []int64
		var total int64
		for _, k := range steps {
			sizes = append(sizes, max(k, -k))
			total += max(k, -k)
		}
		const draws = 20_000
		allowed := 5*math.Sqrt(want*(1-want)/draws) + 1.0/draws
		if p := drawSigns(sizes, total, max(observed, -observed), draws, stream{3}); math.Abs(p-want) > allowed {
			t.Errorf("%v: drawn p %v, want %v", steps, p, want)
		}
	}
	if p, drawn := signFlip(make([]int64, 50), 1000, stream{}); p != 1 || drawn {
		t.Errorf("fifty ties: p %v, drawn %t", p, drawn)
	}
	if p, drawn := signFlip(slices.Repeat([]int64{1}, 100), 999, stream{}); p != 0.001 || !drawn {
		t.Errorf("a hundred wins: p %v, drawn %t; want the least that 999 draws can say", p, drawn)
	}
}

func TestBinomial(t *testing.T) {
	for _, n := range []int{1, 2, 17, 300} {
		for _, p := range []float64{0, 1e-6, 0.2, 0.5, 0.9, 1} {
			b, sum := binomial{n, p}, 0.0
			for k := -1; k <= n+1; k++ {
				if got, want := b.atLeast(k), 1-sum; math.Abs(got-want) > 1e-12 {
					t.Errorf("n %d, p %v: P(X >= %d) = %v, want %v", n, p, k, got, want)
				}
				sum += b.mass(k)
				if got := b.atMost(k); math.Abs(got-sum) > 1e-12 {
					t.Errorf("n %d, p %v: P(X <= %d) = %v, want %v", n, p, k, got, sum)
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("n %d, p %v: total %v", n, p, sum)
			}
		}
	}
}
