package organizer

import "slices"

// searchLimit bounds the exact search, in sets looked at. Certificates of the size that people write stay far below;
// the limit is a count and not a time, so that the answer does not depend on the machine.
const searchLimit = 1 << 18

// cover is the answer of a search: ids in ranked order. exact is false when the limit cut the search short.
type cover struct {
	ids       []string
	ok, exact bool
}

// search finds the smallest set of at most most units that meets every demand and fits; among sets of one size, the
// first in the order of the ranked candidates. It deepens one unit at a time, so the first set found is the answer.
//
// Two facts prune it. A unit that helps no unmet demand when it is added in ranked order is redundant in its set, so
// no smallest set has one. A set that meets all demands and does not fit has no superset that does.
func (p *pool) search(demands []demand, most int, fits func([]string) bool) cover {
	s := newSearcher(demands, p.better, fits)
	for size := 0; size <= most && !s.spent(); size++ {
		if s.extend(0, size) {
			return cover{ids: s.chosen, ok: true, exact: true}
		}
	}
	if !s.spent() {
		return cover{exact: true}
	}
	ids, ok := s.greedy(most)
	return cover{ids: ids, ok: ok}
}

type searcher struct {
	candidates []string
	serves     [][]int // per candidate: the demands that accept it
	left       [][]int // per place and demand: how many candidates from there on serve it
	unmet      []int   // per demand: units still needed, negative when there are more than enough
	gain       int     // the most demands that one unit serves
	chosen     []string
	fits       func([]string) bool
	looked     int
	demands    []demand // their ids hold no unit twice
}

func newSearcher(demands []demand, better func(a, b string) int, fits func([]string) bool) *searcher {
	s := &searcher{fits: fits, demands: demands, gain: 1}
	accept := map[string][]int{} // per unit: the demands that accept it
	for j, d := range demands {
		s.unmet = append(s.unmet, d.need)
		for _, id := range d.ids {
			if accept[id] == nil {
				s.candidates = append(s.candidates, id)
			}
			accept[id] = append(accept[id], j)
		}
	}
	slices.SortFunc(s.candidates, better)
	s.serves = make([][]int, len(s.candidates))
	s.left = make([][]int, len(s.candidates)+1)
	s.left[len(s.candidates)] = make([]int, len(demands))
	for i, id := range slices.Backward(s.candidates) {
		s.serves[i], s.left[i] = accept[id], slices.Clone(s.left[i+1])
		for _, j := range s.serves[i] {
			s.left[i][j]++
		}
		s.gain = max(s.gain, len(s.serves[i]))
	}
	return s
}

func (s *searcher) spent() bool { return s.looked >= searchLimit }

// extend tries to meet the unmet demands with exactly size more of the candidates from place from on.
func (s *searcher) extend(from, size int) bool {
	s.looked++
	missing, most := 0, 0
	for j, need := range s.unmet {
		if need > s.left[from][j] {
			return false
		}
		missing += max(0, need)
		most = max(most, need)
	}
	if missing == 0 {
		return size == 0 && s.fits(s.chosen)
	}
	if most > size || missing > size*s.gain {
		return false
	}
	for i := from; i < len(s.candidates) && !s.spent(); i++ {
		if !s.helps(i) {
			continue
		}
		s.take(i, 1)
		if s.extend(i+1, size-1) {
			return true
		}
		s.take(i, -1)
	}
	return false
}

func (s *searcher) helps(i int) bool {
	return slices.ContainsFunc(s.serves[i], func(j int) bool { return s.unmet[j] > 0 })
}

// take adds candidate i to the chosen (sign 1) or removes it again (sign -1).
func (s *searcher) take(i, sign int) {
	for _, j := range s.serves[i] {
		s.unmet[j] -= sign
	}
	if sign > 0 {
		s.chosen = append(s.chosen, s.candidates[i])
	} else {
		s.chosen = s.chosen[:len(s.chosen)-1]
	}
}

// greedy takes the unit that helps most unmet demands, the better ranked of equals, until all are met.
func (s *searcher) greedy(most int) ([]string, bool) {
	for i, d := range s.demands {
		s.unmet[i] = d.need
	}
	s.chosen = nil
	for len(s.chosen) <= most {
		best, bestHelp := -1, 0
		for i, id := range s.candidates {
			help := 0
			for _, j := range s.serves[i] {
				if s.unmet[j] > 0 {
					help++
				}
			}
			if help > bestHelp && !slices.Contains(s.chosen, id) {
				best, bestHelp = i, help
			}
		}
		if best < 0 {
			break
		}
		s.take(best, 1)
	}
	met := !slices.ContainsFunc(s.unmet, func(need int) bool { return need > 0 })
	return s.chosen, met && len(s.chosen) <= most && s.fits(s.chosen)
}
