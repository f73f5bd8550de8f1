package contrasts_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"evlab/contrasts"
)

// TestInteractionBounds fills every missing value in with what is worst and best for the difference of differences.
func TestInteractionBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260912, 5))
	for range 50 {
		const n = 12
		var sides [2][]contrasts.Pair
		low, high := 0.0, 0.0
		for side, sign := range []float64{1, -1} {
			for i := range n {
				if side == 1 && i == n-1 {
					continue // a task of the first side alone: all of its second gain is open
				}
				p := contrasts.Pair{Task: fmt.Sprint(i), A: float64(rng.IntN(4)) / 3, B: float64(rng.IntN(4)) / 3, HasA: rng.IntN(5) > 0, HasB: rng.IntN(5) > 0}
				sides[side] = append(sides[side], p)
				least, most := 0.0, 0.0 // of A minus B
				add := func(v float64, has bool, weight float64) {
					a, b := 0.0, weight
					if has {
						a, b = weight*v, weight*v
					}
					least, most = least+min(a, b), most+max(a, b)
				}
				add(p.A, p.HasA, 1)
				add(p.B, p.HasB, -1)
				low, high = low+min(sign*least, sign*most), high+max(sign*least, sign*most)
			}
		}
		low, high = low-1, high+1
		r, err := contrasts.Interaction(sides[0], sides[1], contrasts.Design{Metric: "score", A: "x", B: "y"}, "pro", "flash")
		if err != nil {
			continue // too few tasks are complete in a cohort like this
		}
		if math.Abs(r.BoundLo-100*low/n) > 1e-9 || math.Abs(r.BoundHi-100*high/n) > 1e-9 {
			t.Errorf("bounds %v to %v, want %v to %v", r.BoundLo, r.BoundHi, 100*low/n, 100*high/n)
		}
	}
	whole := counts(5, 10, 2)
	r, err := contrasts.Interaction(whole, counts(2, 10, 5), strict, "pro", "flash")
	if err != nil || r.BoundLo != r.Diff || r.BoundHi != r.Diff {
		t.Errorf("nothing is missing: %v, bounds %v to %v, %v", r.Diff, r.BoundLo, r.BoundHi, err)
	}
}
