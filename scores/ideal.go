package scores

import "math"

// ideal is what the certificate's own units reach at best: the denominator of grouped nDCG, and the oracle's covers.
type ideal struct {
	// best[n] is the greatest DCG of at most n of the certificate's units, in the pool or not; the last stands for all
	// larger n. nil when the search was cut short.
	best []float64
	// tokened are the greatest DCG by what it costs, of the pool's units: both ascend. nil when the search was cut short.
	tokened []costed
	cover   cover
}

type costed struct {
	tokens int
	dcg    float64
}

// cover is the least that completes a state.
type cover struct {
	// units is the size of the smallest covering set in the pool and tokens what the cheapest costs; math.MaxInt when
	// there is none. They are upper bounds unless exact.
	units, tokens int
	// searched is the size up to which every set was looked at: no smaller cover than units is that small.
	searched int
	exact    bool
}

func newIdeal(c *compiled, gains []float64) *ideal {
	l := c.lattice(false, gains)
	i := &ideal{cover: c.cover(l)}
	if l.exact {
		i.tokened = frontier(l)
	}
	if len(c.outside) > 0 {
		l = c.lattice(true, gains)
	}
	if l.exact {
		best := 0.0
		for _, layer := range l.layers {
			for _, n := range layer {
				best = max(best, n.dcg)
			}
			i.best = append(i.best, best)
		}
	}
	return i
}

// items is the ideal DCG of n positions, NaN when it is not known.
func (i *ideal) items(n int) float64 {
	if i.best == nil {
		return math.NaN()
	}
	return i.best[min(n, len(i.best)-1)]
}

// tokens is the ideal DCG of units that cost at most a budget together, NaN when it is not known.
func (i *ideal) tokens(budget int) float64 {
	if i.tokened == nil {
		return math.NaN()
	}
	best := 0.0
	for _, c := range i.tokened {
		if c.tokens <= budget {
			best = c.dcg
		}
	}
	return best
}

// frontier keeps the nodes that no cheaper one beats.
func frontier(l *lattice) []costed {
	var all []costed
	for _, layer := range l.layers {
		for _, n := range layer {
			all = append(all, costed{n.tokens, n.dcg})
		}
	}
	return pareto(all)
}
