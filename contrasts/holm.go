package contrasts

import (
	"math"
	"slices"
)

// Holm adjusts p-values for their number (step-down, 1979): the result keeps the order of p, is at least p, at most 1,
// and never ranks two p-values the other way round. A NaN is no evidence and counts as 1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	value := make([]float64, len(p))
	for i, v := range p {
		order[i] = i
		if value[i] = 1; !math.IsNaN(v) {
			value[i] = min(1, max(0, v))
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case value[i] < value[j]:
			return -1
		case value[i] > value[j]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, float64(len(p)-rank)*value[i]))
		out[i] = highest
	}
	return out
}

// AdjustFamily sets PHolm of every result, which together are one declared family, and takes back "better" where the
// adjusted p-value is above 0.05.
func AdjustFamily(family []Result) {
	p := make([]float64, len(family))
	for i, r := range family {
		p[i] = r.P
	}
	for i, adjusted := range Holm(p) {
		family[i].PHolm = &adjusted
		family[i].Verdict = family[i].verdict()
	}
}
