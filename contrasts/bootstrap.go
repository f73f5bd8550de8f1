package contrasts

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// cluster is what a resampling unit contributes: the sum of its differences, in lattice steps, and how many they are.
type cluster struct{ sum, count float64 }

// pairedTable is the largest number of clusters for which two of them are drawn at once from a table of all pairs
// (64 KiB at most: it has to stay in a core's nearest cache).
const pairedTable = 64

// bootstrap returns the means of draws resamples of the clusters with replacement: in each, the sum of the differences
// over the multiplicities divided by the sum of the counts, so that states weigh the same. The same multiplicities
// serve both conditions because a difference is resampled as one.
func bootstrap(clusters []cluster, draws int, s stream) []float64 {
	means := make([]float64, draws)
	if len(clusters) <= pairedTable {
		pairs := make([]cluster, 0, len(clusters)*len(clusters))
		for _, x := range clusters {
			for _, y := range clusters {
				pairs = append(pairs, cluster{x.sum + y.sum, x.count + y.count})
			}
		}
		resample(means, pairs, len(clusters)/2, clusters[:len(clusters)*(len(clusters)%2)], s)
	} else {
		resample(means, clusters, len(clusters), nil, s)
	}
	return means
}

// resample fills means: each is of picks entries of table and, when single is not empty, of one entry of that.
func resample(means []float64, table []cluster, picks int, single []cluster, s stream) {
	many, one := newDigits(len(table)), newDigits(max(1, len(single)))
	s.eachChunk(len(means), func(rng *rand.ChaCha8, from, to int) {
		for i := from; i < to; i++ {
			total := cluster{}
			rest := picks
			for ; rest > 0; rest -= many.perWord {
				total = total.plus(many.word(rng, table, min(rest, many.perWord)))
			}
			if len(single) > 0 {
				total = total.plus(one.word(rng, single, 1))
			}
			means[i] = total.sum / total.count
		}
	})
}

func (c cluster) plus(x cluster) cluster { return cluster{c.sum + x.sum, c.count + x.count} }

// digits cuts 64-bit words into uniform integers below base, several to a word, without bias: the batched form of
// Lemire's multiply-and-reject (Brackett-Rozinsky and Lemire, 2024).
type digits struct {
	base    uint64
	perWord int
	refuse  uint64 // 2^64 mod base^perWord: words that would favour the first digits; once in 64 at the very most
}

func newDigits(base int) digits {
	d := digits{base: uint64(base), perWord: 1}
	product := d.base
	for d.perWord < 16 && product <= (1<<58)/d.base {
		product *= d.base
		d.perWord++
	}
	d.refuse = -product % product
	return d
}

// word adds up the entries of table, which has base of them, at the first n digits of one random word.
func (d *digits) word(rng *rand.ChaCha8, table []cluster, n int) cluster {
	for {
		x := rng.Uint64()
		var out cluster
		for range n {
			var at uint64
			at, x = bits.Mul64(x, d.base)
			c := &table[at]
			out.sum += c.sum
			out.count += c.count
		}
		for range d.perWord - n { // whether the word is refused shows after its last digit
			x *= d.base
		}
		if x >= d.refuse {
			return out
		}
	}
}

// quantiles returns the lower and upper percentile of values by linear interpolation between order statistics
// ((n-1)q, the usual default), which mirrors when the values are negated. It reorders values.
func quantiles(values []float64) (lo, hi float64) {
	return quantile(values, lowerEnd), quantile(values, upperEnd)
}

func quantile(values []float64, q float64) float64 {
	at := q * float64(len(values)-1)
	k := int(math.Floor(at))
	part := at - float64(k)
	selectKth(values, 0, len(values)-1, k)
	below := values[k]
	if part == 0 || math.IsInf(below, 0) { // a studentised mean may be infinite
		return below
	}
	above := math.Inf(1)
	for _, v := range values[k+1:] {
		above = min(above, v)
	}
	return float64(below*(1-part)) + float64(above*part)
}

// selectKth reorders values[lo..hi] so that what precedes k is at most values[k] and what follows at least: selection
// with a pivot taken from a small window around k that is selected first (Floyd and Rivest, 1975).
func selectKth(values []float64, lo, hi, k int) {
	for lo < hi {
		if size := float64(hi - lo + 1); size > 600 {
			at, z := float64(k-lo+1), math.Log(size)
			window := 0.5 * math.Exp(2*z/3)
			spread := math.Copysign(0.5*math.Sqrt(z*window*(size-window)/size), at-size/2)
			from := max(lo, int(float64(k)-at*window/size+spread))
			to := min(hi, int(float64(k)+(size-at)*window/size+spread))
			selectKth(values, min(from, k), max(to, k), k)
		}
		pivot, i, j := values[k], lo, hi
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		if j < k {
			lo = i
		}
		if k < i {
			hi = j
		}
	}
}
