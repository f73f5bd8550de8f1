package contrasts

import "math/rand/v2"

// Resample draws clusters with replacement, for statistics that are no mean of differences (kappa, say): each is called
// once for every draw with the number of times that every cluster was drawn, which add up to clusters. It is called from
// several goroutines, and times is its own only until it returns; what it writes must belong to its draw. The random
// numbers are those of Generator, named by purpose: the same seed gives the same draws on any number of cores.
func Resample(purpose string, seed uint64, clusters, draws int, each func(draw int, times []int)) {
	if clusters < 1 {
		return
	}
	newStream(Design{Metric: purpose, Seed: seed}, "resample").eachChunk(draws, func(chacha *rand.ChaCha8, from, to int) {
		rng := rand.New(chacha)
		times := make([]int, clusters)
		for draw := from; draw < to; draw++ {
			clear(times)
			for range clusters {
				times[rng.IntN(clusters)]++
			}
			each(draw, times)
		}
	})
}

// Percentile95 is the 95% percentile interval of drawn values, by the rule of Result.Lo and Result.Hi. It reorders values,
// of which there must be one at least.
func Percentile95(values []float64) (lo, hi float64) { return quantiles(values) }
