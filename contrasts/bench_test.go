package contrasts

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// clusteredCohort is the cohort of bench/contrasts/compare.py: 500 differences of -1, 0 and 1 in 45 clusters of
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

// BenchmarkClusteredBootstrap is the interval alone: what bench/contrasts/compare.py times in numpy. best-ms is the fastest round, which a
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

// BenchmarkCurves is what a table of budget curves takes: ten contrasts at seven cutoffs over 500 states in 45 repositories,
// 20,000 clustered draws each, with their tests.
func BenchmarkCurves(b *testing.B) {
	var samples [70][]Pair
	for k := range samples {
		samples[k] = clusteredCohort()
		for i := range samples[k] {
			if (i*31+k*17)%11 == 0 {
				samples[k][i].A, samples[k][i].B = samples[k][i].B, samples[k][i].A
			}
		}
	}
	best := time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		for k, pairs := range samples {
			d := Design{Metric: fmt.Sprintf("complete_mss@%d", k%7), A: "a", B: fmt.Sprint("b", k/7), Unit: UnitRepository, Seed: 20260915, Binary: true}
			if _, err := Contrast(pairs, d); err != nil {
				b.Fatal(err)
			}
		}
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(best.Microseconds())/1000, "best-ms")
}

// BenchmarkExact is the exact interval of a 0/1 metric with a fifth of the pairs discordant.
func BenchmarkExact(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := tableOf(n*12/100, n*8/100, n)
			best := time.Duration(math.MaxInt64)
			for b.Loop() {
				start := time.Now()
				if i, err := s.by(MethodExact, nil, Design{Unit: UnitTask, Binary: true}); err != nil || i.Lo >= i.Hi {
					b.Fatal(i, err)
				}
				best = min(best, time.Since(start))
			}
			b.ReportMetric(float64(best.Microseconds())/1000, "best-ms")
		})
	}
}

// BenchmarkCoverage is one cell of the coverage table: 23 tasks, summed exactly and simulated.
func BenchmarkCoverage(b *testing.B) {
	for b.Loop() {
		if _, err := MeasureCoverage(b.Context(), Trial{N: 23, Discordance: 0.1, Diff: 0.05, Cohorts: 200, Draws: 200, Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
