package organizer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"evlab/evidence"
)

// pool is a checked request: the units that may be returned, with their place in the base ranking.
type pool struct {
	BundleRequest
	units map[string]evidence.Unit // returnable
	known map[string]bool          // every unit of the base tree
	rank  map[string]int           // place in the base ranking; absent when unranked
	cost  map[string]int           // rendered tokens of one unit, once asked for
}

func newPool(r BundleRequest) (*pool, error) {
	p := &pool{BundleRequest: r, units: map[string]evidence.Unit{}, known: map[string]bool{}, rank: map[string]int{}, cost: map[string]int{}}
	var errs []error
	if r.Certificate == nil || len(r.Certificate.Groups) == 0 {
		errs = append(errs, errors.New("there is no certificate"))
	}
	if r.Items < 0 || r.MaxItems < 1 || r.Ceiling < 1 {
		errs = append(errs, fmt.Errorf("expected items of at least 0, max_items and a ceiling of at least 1, found %d, %d and %d",
			r.Items, r.MaxItems, r.Ceiling))
	}
	observed := setOf(r.Observed)
	for _, u := range r.Units {
		if p.known[u.ID] {
			errs = append(errs, fmt.Errorf("the unit id %.120q is given twice", u.ID))
		}
		p.known[u.ID] = true
		if !observed[u.ID] {
			p.units[u.ID] = u
		}
	}
	for i, id := range r.Base {
		if !p.known[id] {
			errs = append(errs, fmt.Errorf("base ranking, place %d: there is no unit %.120q", i+1, id))
		}
		if _, again := p.rank[id]; !again {
			p.rank[id] = i
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, p.fault(err)
	}
	return p, nil
}

// fillers are the returnable units in the order in which they fill slots.
func (p *pool) fillers() []string { return slices.SortedFunc(maps.Keys(p.units), p.better) }

// fault wraps a reason as ErrBundle, naming the state.
func (p *pool) fault(err error) error {
	state := "the task"
	if p.Certificate != nil && p.Certificate.StateID != "" {
		state = p.Certificate.StateID
	}
	return fmt.Errorf("building the bundle of %s: %w: %w", state, ErrBundle, err)
}

func (p *pool) returnable(id string) bool {
	_, ok := p.units[id]
	return ok
}

// better orders units by their place in the base ranking, unranked ones last, then by id.
func (p *pool) better(a, b string) int {
	place := func(id string) int {
		if at, ok := p.rank[id]; ok {
			return at
		}
		return math.MaxInt
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

// demand is what one group asks of the pool: need of the returnable ids, best first.
type demand struct {
	group *Group
	need  int
	ids   []string
}

// demand reads a group against the pool without the excluded units. It asks for no more units than there are.
func (p *pool) demand(g *Group, excluded map[string]string) demand {
	d := demand{group: g}
	for _, id := range g.AcceptableIDs {
		if _, out := excluded[id]; !out && p.returnable(id) && !slices.Contains(d.ids, id) {
			d.ids = append(d.ids, id)
		}
	}
	slices.SortFunc(d.ids, p.better)
	d.need = min(g.Required(), len(d.ids))
	return d
}

// tokens is what the units take when rendered. Each is framed on its own, so the sum is the whole's.
func (p *pool) tokens(ids []string) int {
	sum := 0
	for _, id := range ids {
		n, known := p.cost[id]
		if !known {
			_, _, n = evidence.Render([]evidence.Unit{p.units[id]}, math.MaxInt, evidence.OverflowSkip)
			p.cost[id] = n
		}
		sum += n
	}
	return sum
}

// fits reports whether all of the units are shown under the ceiling.
func (p *pool) fits(ids []string) bool { return p.tokens(ids) <= p.Ceiling }
