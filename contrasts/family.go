package contrasts

import (
	"cmp"
	"math"
	"slices"
)

// Holm adjusts p-values for their number (step-down, 1979): the result keeps the order of p, is at least p, at most 1,
// and never ranks two p-values the other way round. It bounds the chance of any false call. A NaN is no evidence and counts
// as 1.
func Holm(p []float64) []float64 {
	value, order := ranked(p)
	out := make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, float64(len(p)-rank)*value[i]))
		out[i] = highest
	}
	return out
}

// BenjaminiHochberg adjusts p-values for their number (step-up, 1995): calling those of at most q bounds the expected share
// of false calls among the calls by q, for tests that are independent or positively dependent. It is never above Holm's.
func BenjaminiHochberg(p []float64) []float64 {
	value, order := ranked(p)
	out := make([]float64, len(p))
	lowest := 1.0
	for rank := len(order) - 1; rank >= 0; rank-- {
		i := order[rank]
		lowest = min(lowest, float64(len(p))/float64(rank+1)*value[i])
		out[i] = lowest
	}
	return out
}

// ranked are p-values within 0..1 and their places in ascending order.
func ranked(p []float64) (value []float64, order []int) {
	order, value = make([]int, len(p)), make([]float64, len(p))
	for i, v := range p {
		order[i] = i
		if value[i] = 1; !math.IsNaN(v) {
			value[i] = min(1, max(0, v))
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(value[i], value[j]) })
	return value, order
}

// AdjustFamily sets PHolm and PBH of every result, which together are one declared family, and takes back "better" where the
// Holm's p-value is above 0.05.
func AdjustFamily(family []Result) {
	p := make([]float64, len(family))
	for i, r := range family {
		p[i] = r.P
	}
	rate := BenjaminiHochberg(p)
	for i, adjusted := range Holm(p) {
		family[i].PHolm, family[i].PBH = &adjusted, &rate[i]
		family[i].Verdict = family[i].verdict()
	}
}
