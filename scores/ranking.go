package scores

import (
	"fmt"
	"iter"
	"slices"
)

// Ranking is what one method returned for one state: places in the state's pool, in order, none twice. Only Cohort.Rank
// makes one, so a ranking is always valid. The zero value stands for a state that the method has no row for.
type Ranking struct {
	units []int32
	given bool
}

// Len is the number of units returned.
func (r Ranking) Len() int { return len(r.units) }

// Given is false for a state that the method has no row for.
func (r Ranking) Given() bool { return r.given }

// Method is one method's rankings, one for each state of the cohort, in its order.
type Method struct {
	Name     string
	Rankings []Ranking
}

// Ranker turns lists of ids into rankings of one cohort. It keeps buffers, and is for one goroutine.
type Ranker struct {
	cohort *Cohort
	seen   []int // per place of the pool: the call that met it
	call   int
}

// NewRanker makes a Ranker for the cohort.
func NewRanker(c *Cohort) *Ranker { return &Ranker{cohort: c} }

// Rank checks the ids that a method returned for the state at a place. All faults are returned: an id that no pool of
// the cohort holds, one that is in another state's pool alone, one that was returned before. There is no ranking then.
func (r *Ranker) Rank(state int, ids iter.Seq[string]) (Ranking, []error) {
	s := r.cohort.states[state]
	if len(r.seen) < len(s.Pool) {
		r.seen = append(r.seen, make([]int, len(s.Pool)-len(r.seen))...)
	}
	r.call++
	var faults []error
	units := make([]int32, 0, 16)
	n := 0
	for id := range ids {
		n++
		at, in := s.place[id]
		switch {
		case !in && r.cohort.units[id]:
			faults = append(faults, fmt.Errorf("item %d: unit %.120q is outside the pool of state %.120q", n, id, s.ID))
		case !in:
			faults = append(faults, fmt.Errorf("item %d: there is no unit %.120q", n, id))
		case r.seen[at] == r.call:
			faults = append(faults, fmt.Errorf("item %d: unit %.120q was returned before", n, id))
		default:
			r.seen[at] = r.call
			units = append(units, at)
		}
	}
	if len(faults) > 0 {
		return Ranking{}, faults
	}
	return Ranking{units: slices.Clip(units), given: true}, nil
}
