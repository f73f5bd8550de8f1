package organizer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"evlab/evidence"
	"evlab/experiments"
)

// ErrBundle marks a task whose certificate can't be made into the bundle that was asked for: it is the task's fault
// (or the request's), never the machine's.
var ErrBundle = errors.New("no such evidence bundle can be made")

// BundleRequest is what a diagnostic bundle is made of (sections F.4, F.5 and method section 3).
type BundleRequest struct {
	Certificate *Certificate
	Units       []evidence.Unit // every unit of the base tree
	// Base is the named base ranking, unit ids best first. It fills the slots that coverage leaves. Units that it does
	// not rank tie for the last place and follow by id, so that a short ranking does not change the item count.
	Base     []string
	Items    int // units that the reference condition returned for the task
	MaxItems int // units allowed when coverage needs more than Items; Items above it is cut to it
	Ceiling  int // evidence tokens as rendered, headers included
	// Observed units are not returnable: they fill no slot and cover no group, for a certificate's need is defined
	// over the pool that is left. A cohort that leaves observed evidence in the pool passes nil.
	Observed  []string
	Reference string // name of the reference condition, for the report
}

// Bundle is the evidence of a diagnostic condition in the order in which it is handed out: required groups first.
type Bundle struct {
	IDs    []string
	Report experiments.BundleReport
	// Notes say in plain sentences where the bundle departs from its rule and why: too few units, a group that lost
	// its last unit, a search that was cut short. Empty when nothing does.
	Notes []string
}

// OracleMSS builds the complete bundle: the smallest set of returnable units that covers every group (a unit shared by
// two groups is taken once; alternative branches are not built from), then the base ranking for the remaining slots.
// Among sets of one size it takes the one best placed in the base ranking, compared unit by unit from the best, then
// by id. Fillers that do not fit under the ceiling are skipped. The error is ErrBundle when no such set exists within
// MaxItems and Ceiling.
func OracleMSS(r BundleRequest) (Bundle, error) {
	p, err := newPool(r)
	if err != nil {
		return Bundle{}, err
	}
	return p.oracleMSS()
}

func (p *pool) oracleMSS() (Bundle, error) {
	demands := make([]demand, len(p.Certificate.Groups))
	var short []error
	for i := range p.Certificate.Groups {
		g := &p.Certificate.Groups[i]
		demands[i] = p.demand(g, nil)
		if have := len(demands[i].ids); have < g.Required() {
			short = append(short, fmt.Errorf("group %s needs %d of its %d acceptable units and the pool holds %d%s",
				g.ID, g.Required(), len(g.AcceptableIDs), have, p.absences(g)))
		}
	}
	if len(short) > 0 {
		return Bundle{}, p.fault(errors.Join(short...))
	}
	found := p.search(demands, p.MaxItems, p.fits)
	if !found.ok {
		return Bundle{}, p.fault(p.whyNot(demands, found))
	}
	b := p.fill(found.ids, demands, nil, min(p.MaxItems, max(p.Items, len(found.ids))))
	if !found.exact {
		b.Notes = append(b.Notes, "the covering set was chosen greedily: the exact search was cut short at its limit")
	}
	if !p.Certificate.Complete(b.IDs) {
		return Bundle{}, p.fault(errors.New("the bundle does not cover its own certificate"))
	}
	b.Report.CompleteMSS = 1
	return b, nil
}

// whyNot says what kept a certificate from being covered although every group has enough units.
func (p *pool) whyNot(demands []demand, found cover) error {
	free := p.search(demands, p.MaxItems, func([]string) bool { return true })
	switch {
	case !free.ok && !free.exact:
		return fmt.Errorf("no covering set of at most %d units was found before the search's limit", p.MaxItems)
	case !free.ok:
		return fmt.Errorf("its groups can't be covered by %d units, the most that are allowed", p.MaxItems)
	case !found.exact:
		return fmt.Errorf("no covering set under the ceiling of %d tokens was found before the search's limit", p.Ceiling)
	}
	return fmt.Errorf("no covering set of at most %d units fits under the ceiling of %d tokens: the smallest, %s, needs %d",
		p.MaxItems, p.Ceiling, strings.Join(free.ids, ", "), p.tokens(free.ids))
}

// absences names the acceptable units of a group that can't be returned, and why.
func (p *pool) absences(g *Group) string {
	var absent []string
	for _, id := range g.AcceptableIDs {
		switch {
		case !p.known[id]:
			absent = append(absent, id+" is no unit of the base tree")
		case !p.returnable(id):
			absent = append(absent, id+" is observed already")
		}
	}
	if len(absent) == 0 {
		return ""
	}
	return ": " + strings.Join(absent, ", ")
}

// fill orders the required units and adds fillers, the best ranked first, up to n units.
func (p *pool) fill(required []string, demands []demand, excluded map[string]string, n int) Bundle {
	ids := ordered(required, demands)
	unranked := 0
	for _, id := range p.fillers() {
		if len(ids) >= n {
			break
		}
		if _, out := excluded[id]; out || slices.Contains(ids, id) {
			continue
		}
		if with := append(slices.Clone(ids), id); p.fits(with) {
			ids = with
			if _, ranked := p.rank[id]; !ranked {
				unranked++
			}
		}
	}
	b := Bundle{IDs: ids, Report: experiments.BundleReport{Items: len(ids), Reference: p.Reference, Tokens: p.tokens(ids)}}
	if unranked > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("%d of the units are not in the base ranking, which has no more to fill the slots with", unranked))
	}
	if len(ids) < n {
		b.Notes = append(b.Notes, fmt.Sprintf("%d units instead of %d: the pool holds no more that fit under %d tokens", len(ids), n, p.Ceiling))
	}
	return b
}

// ordered puts the units in the order of the groups that they serve; within a group the better ranked comes first.
func ordered(required []string, demands []demand) []string {
	ids := make([]string, 0, len(required))
	for _, d := range demands {
		for _, id := range d.ids { // ranked
			if slices.Contains(required, id) && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
