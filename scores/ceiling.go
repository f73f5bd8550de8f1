package scores

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// pareto sorts by cost and keeps what gains more than everything cheaper.
func pareto(all []costed) []costed {
	slices.SortFunc(all, func(a, b costed) int {
		return cmp.Or(cmp.Compare(a.tokens, b.tokens), cmp.Compare(b.dcg, a.dcg))
	})
	kept := all[:0]
	for _, c := range all {
		if len(kept) == 0 || c.dcg > kept[len(kept)-1].dcg {
			kept = append(kept, c)
		}
	}
	return kept
}

// cover finds the least that completes the state out of its pool: its groups by the lattice, or a whole alternative.
// Where the lattice was cut short it falls back to a greedy cover, which is an upper bound and says so.
func (c *compiled) cover(l *lattice) cover {
	best := cover{units: math.MaxInt, tokens: math.MaxInt, searched: len(l.layers) - 1, exact: l.exact}
	note := func(units, tokens int) {
		best.units, best.tokens = min(best.units, units), min(best.tokens, tokens)
	}
	for size, layer := range l.layers {
		for _, n := range layer {
			if n.covered == c.all {
				note(size, n.tokens)
			}
		}
	}
	if !l.exact {
		if units, tokens, ok := c.greedy(); ok {
			note(units, tokens)
		}
	}
	for _, b := range c.branches {
		tokens := 0
		for _, u := range b.units {
			tokens += c.Pool[u].Tokens
		}
		note(len(b.units), tokens)
	}
	return best
}

// greedy takes the unit that serves most open groups, the cheaper of equals, until all are covered.
func (c *compiled) greedy() (units, tokens int, ok bool) {
	need, open := slices.Clone(c.need), c.all
	taken := make([]bool, len(c.Pool))
	for open != 0 {
		best := -1
		for i, groups := range c.accepts {
			if taken[i] || groups&open == 0 {
				continue
			}
			if best < 0 || cmp.Or(cmp.Compare(bits.OnesCount64(groups&open), bits.OnesCount64(c.accepts[best]&open)),
				cmp.Compare(c.Pool[best].Tokens, c.Pool[i].Tokens)) > 0 {
				best = i
			}
		}
		if best < 0 {
			return 0, 0, false
		}
		taken[best] = true
		units++
		tokens += c.Pool[best].Tokens
		for mask := c.accepts[best] & open; mask != 0; mask &= mask - 1 {
			j := bits.TrailingZeros64(mask)
			if need[j]--; need[j] == 0 {
				open &^= 1 << j
			}
		}
	}
	return units, tokens, true
}

// Ceiling is an oracle's Complete-MSS: the share of states that some set of units inside the cutoff completes.
type Ceiling struct {
	Complete float64 `json:"complete"`
	// Exact is false when the search of some state was cut short: Complete is then a lower bound, "at least".
	Exact bool `json:"exact"`
}

// ceiling is the oracle's at one cutoff by items or tokens.
func (s *scorer) ceiling(at Cutoff) Ceiling {
	sum, exact := 0, true
	for _, i := range s.ideals {
		c := i.cover
		switch {
		case at.Items > 0 && c.units <= at.Items, at.Tokens > 0 && c.tokens <= at.Tokens:
			sum++
		case !c.exact && (at.Tokens > 0 || at.Items > c.searched):
			exact = false
		}
	}
	return Ceiling{Complete: float64(sum) / float64(len(s.ideals)), Exact: exact}
}
