package organizer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evlab/evidence"
	"evlab/experiments"
)

// OracleMinusGroup builds the bundle that lacks exactly one fact: the group with the greatest necessity weight (ties:
// the first by group id). It excludes, in this order, every acceptable id of that group, every unit of the pool that
// carries the same fact as one of those under another id (evidence.SameFact; compared with the group's own ids only,
// not from copy to copy), and for each alternative branch that is still whole one of its units with that unit's
// copies: the unit that fewest other groups accept, then the worst ranked, then the last by id. The remaining groups
// are covered as in OracleMSS out of what is left, and the vacated slots filled in the same order, to the item
// count of OracleMSS for the same request. When exclusion leaves a remaining group too few units, or the item count or
// ceiling can't hold all of them, the bundle covers what it can, least necessary groups giving way first, and Notes
// says so. Complete-MSS of the result is 0; it is asserted.
func OracleMinusGroup(r BundleRequest) (Bundle, error) {
	p, err := newPool(r)
	if err != nil {
		return Bundle{}, err
	}
	full, err := p.oracleMSS()
	if err != nil {
		return Bundle{}, err
	}
	out := p.exclude(p.mostNecessary())
	var demands []demand
	var notes []string
	for i := range p.Certificate.Groups {
		g := &p.Certificate.Groups[i]
		if g == out.group {
			continue
		}
		d := p.demand(g, out.why)
		if d.need < g.Required() {
			notes = append(notes, fmt.Sprintf("group %s can't be covered any more: %d of its units are left and it needs %d",
				g.ID, d.need, g.Required()))
		}
		demands = append(demands, d)
	}
	found := p.search(demands, len(full.IDs), p.fits)
	for !found.ok {
		i := leastNecessary(demands)
		notes = append(notes, fmt.Sprintf("group %s is left out: the remaining groups need more than %d units or %d tokens",
			demands[i].group.ID, len(full.IDs), p.Ceiling))
		demands = slices.Delete(demands, i, i+1)
		found = p.search(demands, len(full.IDs), p.fits)
	}
	if !found.exact {
		notes = append(notes, "the covering set was chosen greedily: the exact search was cut short at its limit")
	}
	b := p.fill(found.ids, demands, out.why, len(full.IDs))
	b.Notes = append(notes, b.Notes...)
	b.Report.DroppedGroup, b.Report.Excluded = out.group.ID, out.report(p.Certificate)
	for _, id := range b.IDs {
		if _, excluded := out.why[id]; excluded {
			return Bundle{}, p.fault(fmt.Errorf("the excluded unit %s is in the bundle", id))
		}
	}
	if p.Certificate.Complete(b.IDs) {
		return Bundle{}, p.fault(errors.New("the bundle without one group is complete"))
	}
	return b, nil
}

// mostNecessary is the group with the greatest weight, the first by id of equals (section F.4).
func (p *pool) mostNecessary() *Group {
	groups := p.Certificate.Groups
	best := &groups[0]
	for i := range groups {
		g := &groups[i]
		if g.NecessityWeight > best.NecessityWeight || g.NecessityWeight == best.NecessityWeight && g.ID < best.ID {
			best = g
		}
	}
	return best
}

// leastNecessary is the place of the demand that gives way first: least weight, the last by group id of equals.
func leastNecessary(demands []demand) int {
	least := 0
	for i, d := range demands {
		if by := cmp.Compare(d.group.NecessityWeight, demands[least].group.NecessityWeight); by < 0 ||
			by == 0 && d.group.ID > demands[least].group.ID {
			least = i
		}
	}
	return least
}

// exclusion is what a dropped group takes out of the pool.
type exclusion struct {
	group *Group
	ids   []string          // in the order of exclusion
	why   map[string]string // reason per id
}

func (x *exclusion) add(id, reason string) {
	if _, already := x.why[id]; !already {
		x.ids, x.why[id] = append(x.ids, id), reason
	}
}

func (p *pool) exclude(g *Group) *exclusion {
	x := &exclusion{group: g, why: map[string]string{}}
	for _, id := range g.AcceptableIDs {
		x.add(id, "the dropped group "+g.ID+" accepts it")
	}
	p.excludeCopies(x, g.AcceptableIDs)
	for i, branch := range p.Certificate.AlternativeMinimalSets {
		lost := func(id string) bool { _, out := x.why[id]; return out || !p.returnable(id) }
		if len(branch) == 0 || slices.ContainsFunc(branch, lost) {
			continue // it lacks a unit already
		}
		id := p.leastMissed(branch, g)
		x.add(id, fmt.Sprintf("alternative_minimal_sets[%d] would be complete with it", i))
		p.excludeCopies(x, []string{id})
	}
	return x
}

// excludeCopies takes out the units that carry the same fact as one of ids, in the order of the units.
func (p *pool) excludeCopies(x *exclusion, ids []string) {
	var originals []evidence.Unit
	for _, u := range p.Units {
		if slices.Contains(ids, u.ID) {
			originals = append(originals, u)
		}
	}
	for _, u := range p.Units {
		if !p.returnable(u.ID) {
			continue
		}
		for _, original := range originals {
			if reason, same := evidence.SameFact(original, u); same && original.ID != u.ID {
				x.add(u.ID, fmt.Sprintf("it carries the same fact as %s: %s", original.ID, reason))
			}
		}
	}
}

// leastMissed is the unit of a branch whose loss costs the other groups least.
func (p *pool) leastMissed(branch []string, dropped *Group) string {
	served := func(id string) (n int) {
		for i := range p.Certificate.Groups {
			if g := &p.Certificate.Groups[i]; g != dropped && slices.Contains(g.AcceptableIDs, id) {
				n++
			}
		}
		return n
	}
	return slices.MinFunc(branch, func(a, b string) int {
		return cmp.Or(cmp.Compare(served(a), served(b)), p.better(b, a))
	})
}

// report lists the exclusions; a reason also names the other groups that lose the unit.
func (x *exclusion) report(c *Certificate) []experiments.ExcludedUnit {
	list := make([]experiments.ExcludedUnit, 0, len(x.ids))
	for _, id := range x.ids {
		var losers []string
		for i := range c.Groups {
			if g := &c.Groups[i]; g != x.group && slices.Contains(g.AcceptableIDs, id) {
				losers = append(losers, g.ID)
			}
		}
		reason := x.why[id]
		if len(losers) > 0 {
			reason += "; also lost to group " + strings.Join(losers, ", ")
		}
		list = append(list, experiments.ExcludedUnit{ID: id, Reason: reason})
	}
	return list
}
