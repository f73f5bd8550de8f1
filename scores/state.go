package scores

import (
	"errors"
	"fmt"
	"math/bits"

	"evlab/organizer"
)

// Unit is one candidate of a state's pool.
type Unit struct {
	ID     string
	Tokens int // of its source text; Unknown when nobody said
}

// Unknown stands for a token count that is not known.
const Unknown = -1

// State is one decision: its pool, and what it lacks.
type State struct {
	ID         string
	Instance   string // the issue; may be empty, as may the next three
	Repository string
	Language   string
	Boundary   string // one of evidence.Boundaries
	Pool       []Unit // V_t, ids differ
	// Observed are the ids that the trajectory has read (O_t), in the pool or not; nil when there is no record of them.
	Observed    []string
	Certificate *organizer.Certificate
}

// Cohort is a list of states that were checked and made ready for scoring.
type Cohort struct {
	states []*compiled
	index  map[string]int
	units  map[string]bool // every id of any pool
	tokens error           // why token counts can't be used; nil when they can
}

// ErrCohort marks states that can't be scored.
var ErrCohort = errors.New("no cohort to score")

// NewCohort checks the states: ids differ, pools hold no id twice, and each has a certificate with groups. The error
// joins everything that is wrong, each ErrCohort.
func NewCohort(states []State) (*Cohort, error) {
	c := &Cohort{index: make(map[string]int, len(states)), units: map[string]bool{}}
	var errs []error
	for i, s := range states {
		if _, twice := c.index[s.ID]; twice {
			errs = append(errs, fmt.Errorf("%w: state %.120q is given twice", ErrCohort, s.ID))
			continue
		}
		c.index[s.ID] = i
		compiled, err := compile(s)
		if err != nil {
			errs = append(errs, fmt.Errorf("%w: state %.120q: %w", ErrCohort, s.ID, err))
			continue
		}
		for _, u := range s.Pool {
			c.units[u.ID] = true
			if u.Tokens < 0 && c.tokens == nil {
				c.tokens = fmt.Errorf("unit %.120q of state %.120q has neither a token count nor a text to count", u.ID, s.ID)
			}
		}
		c.states = append(c.states, compiled)
	}
	if len(states) == 0 {
		errs = append(errs, fmt.Errorf("%w: there are no states", ErrCohort))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return c, nil
}

// Len is the number of states.
func (c *Cohort) Len() int { return len(c.states) }

// State is the state at a place, as it was given.
func (c *Cohort) State(i int) State { return c.states[i].State }

// Find is the place of a state by its id.
func (c *Cohort) Find(id string) (int, bool) { i, ok := c.index[id]; return i, ok }

// WithoutTokens replaces the reason why token counts can't be used, for readers that know more about it.
func (c *Cohort) WithoutTokens(reason error) { c.tokens = reason }

// compiled is a state in numbers: units are places in the pool, groups are bits.
type compiled struct {
	State
	place    map[string]int32
	accepts  []uint64 // per unit of the pool: the groups that accept it
	need     []int32  // per group: minimum_required
	weights  []float64
	total    float64   // of the weights
	branches []branch  // alternatives that groups don't imply
	of       [][]int32 // per unit: the branches that it is part of; nil when no branch counts
	outside  []uint64  // groups of each acceptable unit that is not in the pool
	overlap  bool      // an observed unit is in the pool
	all      uint64    // every group
}

// branch is a whole alternative.
type branch struct {
	units  []int32
	inPool bool // it can be returned whole
	length int32
}

func compile(s State) (*compiled, error) {
	if s.Certificate == nil || len(s.Certificate.Groups) == 0 {
		return nil, errors.New("it has no certificate with groups")
	}
	groups := s.Certificate.Groups
	if len(groups) > organizer.MaxGroups {
		return nil, fmt.Errorf("its certificate has %d groups; at most %d are scored", len(groups), organizer.MaxGroups)
	}
	c := &compiled{State: s, place: make(map[string]int32, len(s.Pool)), accepts: make([]uint64, len(s.Pool)), all: ^uint64(0) >> (64 - len(groups))}
	for i, u := range s.Pool {
		if _, twice := c.place[u.ID]; twice {
			return nil, fmt.Errorf("the unit id %.120q is twice in its pool", u.ID)
		}
		c.place[u.ID] = int32(i)
	}
	outside := map[string]uint64{}
	var order []string
	for j := range groups {
		g := &groups[j]
		if !(g.NecessityWeight > 0) {
			return nil, fmt.Errorf("group %.60q has the weight %v; expected a positive one", g.ID, g.NecessityWeight)
		}
		c.need = append(c.need, int32(g.Required()))
		c.weights = append(c.weights, g.NecessityWeight)
		c.total += g.NecessityWeight
		for _, id := range g.AcceptableIDs {
			if at, in := c.place[id]; in {
				c.accepts[at] |= 1 << j
				continue
			}
			if outside[id] == 0 {
				order = append(order, id)
			}
			outside[id] |= 1 << j
		}
	}
	for _, id := range order {
		c.outside = append(c.outside, outside[id])
	}
	for _, id := range s.Observed {
		if _, in := c.place[id]; in {
			c.overlap = true
		}
	}
	c.compileBranches()
	return c, nil
}

// compileBranches keeps the alternatives that can complete the state before its groups do. One that covers every group
// by itself never does (section 3: under the schema the branch term raises nothing), and most are of that kind.
func (c *compiled) compileBranches() {
	groups := &organizer.Certificate{Groups: c.Certificate.Groups}
	for _, ids := range c.Certificate.AlternativeMinimalSets {
		if len(ids) == 0 || groups.Complete(ids) {
			continue
		}
		b := branch{inPool: true}
		seen := map[string]bool{}
		for _, id := range ids {
			at, in := c.place[id]
			b.inPool = b.inPool && in
			if in && !seen[id] {
				b.units = append(b.units, at)
			}
			seen[id] = true
		}
		b.length = int32(len(b.units))
		if !b.inPool {
			continue // it can't be returned whole
		}
		if c.of == nil {
			c.of = make([][]int32, len(c.Pool))
		}
		for _, at := range b.units {
			c.of[at] = append(c.of[at], int32(len(c.branches)))
		}
		c.branches = append(c.branches, b)
	}
}

// coverable reports whether the pool holds a complete certificate (section D.6).
func (c *compiled) coverable() bool {
	if len(c.branches) > 0 {
		return true
	}
	have := make([]int32, len(c.need))
	for _, mask := range c.accepts {
		for ; mask != 0; mask &= mask - 1 {
			have[bits.TrailingZeros64(mask)]++
		}
	}
	for j, need := range c.need {
		if have[j] < need {
			return false
		}
	}
	return true
}
