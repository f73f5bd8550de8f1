package contrasts

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

func repeat(counts map[int64]int) []int64 {
	var steps []int64
	for k, n := range counts {
		for range n {
			steps = append(steps, k)
		}
	}
	return steps
}

// TestExactAgainstIntegers raises the generating polynomial in integers of any size, where nothing is rounded.
func TestExactAgainstIntegers(t *testing.T) {
	for _, counts := range []map[int64]int{
		{-1: 2, 0: 17, 1: 4},
		{-1: 25, 0: 235, 1: 40},
		{-1: 1, 0: 300},
		{-60: 3, -20: 11, 0: 50, 15: 7, 60: 9},
	} {
		steps := repeat(counts)
		n := len(steps)
		got, ok := exactMean(steps, exactWork)
		if !ok {
			t.Fatalf("%v: too much work", counts)
		}
		want := map[int64]*big.Int{0: big.NewInt(1)}
		for range n {
			next := make(map[int64]*big.Int, len(want)*2)
			for s, p := range want {
				for k, c := range counts {
					if next[s+k] == nil {
						next[s+k] = new(big.Int)
					}
					next[s+k].Add(next[s+k], new(big.Int).Mul(p, big.NewInt(int64(c))))
				}
			}
			want = next
		}
		all := new(big.Int).Exp(big.NewInt(int64(n)), big.NewInt(int64(n)), nil)
		total := 0.0
		for i, mass := range got.mass {
			exact := 0.0
			if c := want[got.first+int64(i)]; c != nil {
				exact, _ = new(big.Rat).SetFrac(c, all).Float64()
			}
			if math.Abs(mass-exact) > 1e-14 {
				t.Errorf("%v: P(%d) = %v, want %v", counts, got.first+int64(i), mass, exact)
			}
			total += mass
		}
		if math.Abs(total-1) > 1e-13 {
			t.Errorf("%v: total mass %v", counts, total)
		}
	}
}

// TestExactGraded goes through all 6^6 resamples of six graded differences.
func TestExactGraded(t *testing.T) {
	values := [][2]float64{{1, 1.0 / 3}, {0.5, 0.5}, {0, 0.25}, {2.0 / 3, 0}, {1, 0}, {0.25, 1}}
	pairs := make([]Pair, len(values))
	for i, v := range values {
		pairs[i] = Pair{Task: fmt.Sprint(i), A: v[0], B: v[1], HasA: true, HasB: true}
	}
	s := newSampleForTest(t, pairs, Design{Metric: "group_recall", A: "a", B: "b"})
	if !s.small || s.steps != 12 {
		t.Fatalf("lattice %+v, want twelfths", s.lattice)
	}
	n, resamples := len(values), 1
	for range n {
		resamples *= n
	}
	share := map[int64]float64{}
	for code := range resamples {
		sum := int64(0)
		for rest, i := code, 0; i < n; i++ {
			sum += s.diffs[rest%n]
			rest /= n
		}
		share[sum] += 1 / float64(resamples)
	}
	got, _ := exactMean(s.diffs, exactWork)
	for i, mass := range got.mass {
		if want := share[got.first+int64(i)]; math.Abs(mass-want) > 1e-12 {
			t.Errorf("P(%d/12) = %v, want %v", got.first+int64(i), mass, want)
		}
	}
}

func TestIntervalEdge(t *testing.T) {
	for _, c := range []struct {
		mass []float64
		lo   float64
		hi   float64
		edge bool
	}{
		{[]float64{0.025, 0.95, 0.025}, 0, 1, true},
		{[]float64{0.024, 0.95, 0.026}, 1, 2, false},
		{[]float64{0.025 - 1e-13, 0.9, 0.075 + 1e-13}, 1, 2, true},
		{[]float64{0.1, 0.875 + 1e-13, 0.025 - 1e-13}, 0, 1, true},
		{[]float64{1}, 0, 0, false},
	} {
		lo, hi, edge := bootstrapDistribution{[]float64{0, 1, 2}[:len(c.mass)], c.mass}.interval(lowerEnd, upperEnd)
		if lo != c.lo || hi != c.hi || edge != c.edge {
			t.Errorf("%v: [%v, %v] edge %t, want [%v, %v] edge %t", c.mass, lo, hi, edge, c.lo, c.hi, c.edge)
		}
	}
}

// TestExactRefusesFineLattices: what would take seconds is left to drawing.
func TestExactRefusesFineLattices(t *testing.T) {
	if _, ok := exactMean(repeat(map[int64]int{-5000: 1000, 5000: 1000}), exactWork); ok {
		t.Error("a lattice of 10,000 steps and 2000 tasks was convolved")
	}
	if _, ok := exactMean(repeat(map[int64]int{-fineSteps: 1, fineSteps: 1}), exactWork); ok {
		t.Error("a lattice of 2^41 steps was convolved")
	}
	if _, ok := exactMean(repeat(map[int64]int{-1: 30_000, 0: 50_000, 1: 20_000}), exactWork); !ok {
		t.Error("100,000 tasks of a 0/1 metric were not")
	}
}

func TestLattice(t *testing.T) {
	for _, c := range []struct {
		values []float64
		steps  int64
		small  bool
	}{
		{[]float64{0, 1, 1}, 1, true},
		{[]float64{0.5, 1.0 / 3, 0.1 + 0.2}, 30, true},
		{[]float64{0.01, 0.99}, 100, true},
		{[]float64{1.0 / 97, 1.0 / 89}, fineSteps, false}, // 8633 is too fine
		{[]float64{math.Pi / 4}, fineSteps, false},
		{nil, 1, true},
	} {
		var pairs []Pair
		for _, v := range c.values {
			pairs = append(pairs, Pair{A: v, HasA: true})
		}
		if got := latticeOf(pairs); got.steps != c.steps || got.small != c.small {
			t.Errorf("%v: %+v, want %d steps, small %t", c.values, got, c.steps, c.small)
		}
	}
}
