package contrasts

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// clusteredCohort is the cohort of testdata/bootstrap_numpy.py: 500 differences of -1, 0 and 1 in 45 clusters of
// unequal size.
func clusteredCohort() []Pair {
	pairs := make([]Pair, 500)
	for i := range pairs {
		at := i
		if i >= 45 {
			at = (i*i + 3*i) % 45
		}
		p := Pair{Task: fmt.Sprintf("t%03d", i), Cluster: fmt.Sprintf("c%02d", at), HasA: true, HasB: true}
		switch (i*7919)%13%3 - 1 {
		case 1:
			p.A = 1
		case -1:
			p.B = 1
		}
		pairs[i] = p
	}
	return pairs
}

// BenchmarkClusteredBootstrap is the interval alone: what the numpy script times. best-ms is the fastest round, which a
// busy machine disturbs least; the script prints the same.
func BenchmarkClusteredBootstrap(b *testing.B) {
	d := Design{Metric: "strict", A: "a", B: "b", Unit: UnitRepository, Draws: 20_000, Seed: 20260912, Binary: true}
	s := newSampleForTest(b, clusteredCohort(), d)
	units := s.units()
	r, best := Result{}, time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		r = Result{}
		if err := r.intervals(s, units, d.withDefaults()); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(best.Microseconds())/1000, "best-ms")
	if r.Method != MethodBootstrap || r.Lo >= r.Hi {
		b.Fatalf("got %+v", r)
	}
}

// BenchmarkClusteredContrast is everything that a user waits for: checks, interval, cluster sign-flip test, verdict.
func BenchmarkClusteredContrast(b *testing.B) {
	pairs := clusteredCohort()
	d := Design{Metric: "strict", A: "a", B: "b", Unit: UnitRepository, Draws: 20_000, Seed: 20260912, Binary: true}
	for b.Loop() {
		if _, err := Contrast(pairs, d); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkExact1000 has every pair discordant, the widest distribution that 1000 tasks can have.
func BenchmarkExact1000(b *testing.B) {
	steps := make([]int64, 1000)
	for i := range steps {
		steps[i] = int64(i%2)*2 - 1
	}
	for b.Loop() {
		dist, ok := exactMean(steps, exactWork)
		if !ok {
			b.Fatal("too much work")
		}
		bootstrapDistribution{make([]float64, len(dist.mass)), dist.mass}.interval(lowerEnd, upperEnd)
	}
}

func BenchmarkExactContrast1000(b *testing.B) {
	pairs := make([]Pair, 1000)
	for i := range pairs {
		pairs[i] = Pair{Task: fmt.Sprint(i), A: float64(i % 2), B: float64(i % 3 % 2), HasA: true, HasB: true}
	}
	d := Design{Metric: "strict", A: "a", B: "b", Binary: true}
	for b.Loop() {
		if _, err := Contrast(pairs, d); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSmallestDetectable(b *testing.B) {
	for _, n := range []int{50, 500, 1000, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				SmallestDetectable(n, 0.2, 0.8)
			}
		})
	}
}

func newSampleForTest(t testing.TB, pairs []Pair, d Design) *sample {
	t.Helper()
	pairs, err := checked(pairs, d.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	r := Result{}
	return r.read(pairs, d.withDefaults().Unit)
}
