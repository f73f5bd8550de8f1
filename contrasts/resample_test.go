package contrasts

import (
	"runtime"
	"slices"
	"testing"
)

func TestResample(t *testing.T) {
	draw := func(procs int) [][]int {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		out := make([][]int, 5000)
		Resample("kappa", 7, 6, len(out), func(i int, times []int) { out[i] = slices.Clone(times) })
		return out
	}
	one, two := draw(1), draw(4)
	mean := 0.0
	for i := range one {
		if !slices.Equal(one[i], two[i]) {
			t.Fatalf("draw %d is %v on one core and %v on four", i, one[i], two[i])
		}
		sum := 0
		for _, n := range one[i] {
			sum += n
		}
		if sum != 6 {
			t.Fatalf("draw %d has %d clusters of 6", i, sum)
		}
		mean += float64(one[i][0]) / float64(len(one))
	}
	if mean < 0.95 || mean > 1.05 { // three standard errors are 0.04
		t.Errorf("a cluster is drawn %.3f times on average, want 1", mean)
	}
	Resample("kappa", 7, 0, 10, func(int, []int) { t.Error("a draw of no clusters") })
}
