package contrasts

import (
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
)

// enumerated is the largest number of differences whose sign patterns are all gone through.
const enumerated = 20

// signFlip is the two-sided permutation test of paired differences: under no difference each could as well have had the
// other sign. steps are the differences of the units (tasks, or clusters' sums), zeros allowed. The p-value is exact
// when at most twenty of them are not zero, else (1+k)/(1+draws) with k draws at least as far from zero.
func signFlip(steps []int64, draws int, s stream) (p float64, drawn bool) {
	var sizes []int64
	var observed, total int64
	for _, k := range steps {
		observed += k
		if k < 0 {
			k = -k
		}
		if k != 0 {
			sizes = append(sizes, k)
			total += k
		}
	}
	if observed < 0 {
		observed = -observed
	}
	if len(sizes) <= enumerated {
		return enumerateSigns(sizes, total, observed), false
	}
	return drawSigns(sizes, total, observed, draws, s), true
}

// enumerateSigns goes through the patterns in Gray-code order, one sign at a time. The first sign stays: the other
// half of the patterns are these negated.
func enumerateSigns(sizes []int64, total, observed int64) float64 {
	if len(sizes) == 0 {
		return 1
	}
	free := len(sizes) - 1
	negative := make([]bool, len(sizes))
	sum, far := total, 0
	for i := uint(0); ; {
		if sum >= observed || -sum >= observed {
			far++
		}
		if i++; i == 1<<free {
			return float64(far) / float64(uint(1)<<free)
		}
		at := 1 + bits.TrailingZeros(i)
		if negative[at] = !negative[at]; negative[at] {
			sum -= 2 * sizes[at]
		} else {
			sum += 2 * sizes[at]
		}
	}
}

func drawSigns(sizes []int64, total, observed int64, draws int, s stream) float64 {
	var far atomic.Int64
	s.eachChunk(draws, func(rng *rand.ChaCha8, from, to int) {
		count := int64(0)
		for i := from; i < to; i++ {
			positive := int64(0)
			for rest := sizes; len(rest) > 0; rest = rest[min(64, len(rest)):] {
				word := rng.Uint64()
				for _, size := range rest[:min(64, len(rest))] {
					positive += size & -int64(word&1)
					word >>= 1
				}
			}
			if sum := 2*positive - total; sum >= observed || -sum >= observed {
				count++
			}
		}
		far.Add(count)
	})
	return float64(1+far.Load()) / float64(1+draws)
}
