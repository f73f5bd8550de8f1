package scores

import (
	"math"
	"math/bits"

	"evlab/evidence"
)

// Point is one ranking at one cutoff (section D).
type Point struct {
	// Complete is C_t of equation 2, 0 or 1: every group is covered, or some whole alternative is inside.
	Complete float64
	// GroupRecall is the share of the state's groups that are covered; NecessityRecall weighs them by their necessity
	// weights, normalised within the state.
	GroupRecall, NecessityRecall float64
	// NDCG is grouped nDCG: a position gains only by the groups that it newly covers, discounted by log2(1 + position),
	// over the best that the certificate's own units reach. NaN when the best could not be searched out.
	NDCG   float64
	Items  int // positions inside the cutoff; by tokens, units admitted
	Tokens int // of those units; Unknown when token counts are not
}

// walk follows a ranking and knows at each step what is covered.
type walk struct {
	s       *compiled
	gains   []float64
	need    [64]int32
	covered int
	open    uint64
	weight  float64
	dcg     float64
	left    []int32 // per branch: units still missing
	branch  bool    // some branch is whole
	items   int
	tokens  int
}

func (w *walk) start(s *compiled, gains []float64) {
	*w = walk{s: s, gains: gains, open: s.all, left: w.left[:0]}
	copy(w.need[:], s.need)
	for i := range s.branches {
		w.left = append(w.left, s.branches[i].length)
	}
}

// take admits the next unit at the next position.
func (w *walk) take(unit int32) {
	w.items++
	w.tokens += w.s.Pool[unit].Tokens
	gain := 0.0
	for mask := w.s.accepts[unit] & w.open; mask != 0; mask &= mask - 1 {
		j := bits.TrailingZeros64(mask)
		if w.need[j]--; w.need[j] == 0 {
			w.open &^= 1 << j
			w.covered++
			w.weight += w.s.weights[j]
			gain += w.gains[j]
		}
	}
	if gain > 0 {
		w.dcg += gain / discount(w.items)
	}
	if w.s.of != nil {
		for _, b := range w.s.of[unit] {
			if w.left[b]--; w.left[b] == 0 {
				w.branch = true
			}
		}
	}
}

// discount is that of position 1, 2, ...
func discount(position int) float64 { return math.Log2(float64(position) + 1) }

// point reads the scores off where the walk stands. ideal is the best DCG at the cutoff.
func (w *walk) point(ideal float64) Point {
	p := Point{GroupRecall: float64(w.covered) / float64(len(w.s.need)), NecessityRecall: w.weight / w.s.total, Items: w.items, Tokens: w.tokens}
	if w.open == 0 {
		p.NecessityRecall = 1 // the sum of the weights in another order may differ in the last digit
	}
	if w.open == 0 || w.branch {
		p.Complete = 1
	}
	switch {
	case ideal > 0:
		p.NDCG = min(1, w.dcg/ideal)
	case ideal != 0:
		p.NDCG = math.NaN()
	}
	return p
}

// scorer scores rankings of one cohort under one set of options.
type scorer struct {
	*Cohort
	opt     Options
	cutoffs []Cutoff
	gains   [][]float64 // per state and group
	ideals  []*ideal    // per state
	w       walk
}

// newScorer prepares the references of every state. Token cutoffs are left out when token counts are not known.
func newScorer(c *Cohort, opt Options) *scorer {
	s := &scorer{Cohort: c, opt: opt}
	for _, k := range opt.Items {
		s.cutoffs = append(s.cutoffs, Items(k))
	}
	if c.tokens == nil {
		for _, n := range opt.Tokens {
			s.cutoffs = append(s.cutoffs, Tokens(n))
		}
	}
	s.cutoffs = append(s.cutoffs, Returned)
	for _, state := range c.states {
		gains := state.weights
		if opt.Gain == GainGroup {
			gains = make([]float64, len(state.weights))
			for j := range gains {
				gains[j] = 1
			}
		}
		s.gains = append(s.gains, gains)
		s.ideals = append(s.ideals, newIdeal(state, gains))
	}
	return s
}

// score appends the ranking's points at every cutoff to points.
func (s *scorer) score(state int, r Ranking, points []Point) []Point {
	c, ideal := s.states[state], s.ideals[state]
	s.w.start(c, s.gains[state])
	for _, k := range s.opt.Items {
		for s.w.items < min(k, len(r.units)) {
			s.w.take(r.units[s.w.items])
		}
		points = append(points, s.point(ideal.items(k)))
	}
	for s.w.items < len(r.units) {
		s.w.take(r.units[s.w.items])
	}
	returned := s.point(ideal.items(MaxCutoff)) // what was not returned is not forgiven
	if s.tokens == nil {
		for _, budget := range s.opt.Tokens {
			points = append(points, s.admit(state, r, budget))
		}
	}
	return append(points, returned)
}

// admit scores what a budget of tokens holds of a ranking: units are admitted in order, and one that does not fit is
// skipped, or ends it.
func (s *scorer) admit(state int, r Ranking, budget int) Point {
	c := s.states[state]
	s.w.start(c, s.gains[state])
	for _, unit := range r.units {
		if s.w.tokens+c.Pool[unit].Tokens > budget {
			if s.opt.Overflow == evidence.OverflowStop {
				break
			}
			continue
		}
		s.w.take(unit)
	}
	return s.point(s.ideals[state].tokens(budget))
}

func (s *scorer) point(ideal float64) Point {
	p := s.w.point(ideal)
	if s.tokens != nil {
		p.Tokens = Unknown
	}
	return p
}
