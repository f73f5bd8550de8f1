package agreement

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Class is what a review's changes to one item did (section C.2).
type Class string

// Classes of change, from none to a state that had to go.
const (
	L0 Class = "L0" // no final change
	L1 Class = "L1" // an edit that changes no locked outcome
	L2 Class = "L2" // an edit that changes at least one
	L3 Class = "L3" // the item was replaced: its decision can't be scored independently
)

// Change is what an event of the ledger did to an item.
type Change string

// Changes.
const (
	Unchanged Change = "none"
	Edited    Change = "edit"
	Replaced  Change = "replace"
)

// Event is one governance event. An item may have several.
type Event struct {
	Item   string
	Change Change
	Class  Class // as it was recorded; empty when it was not
}

// Outcome is whether a locked method completes an item at a cutoff, before and after the changes.
type Outcome struct {
	Item   string
	Method string
	Cutoff int
	Before bool
	After  bool
}

// LockedCutoffs are those whose outcomes decide between L1 and L2 (section C.2).
var LockedCutoffs = []int{5, 8, 16}

// Ledger is events and outcomes by item.
type Ledger struct {
	cutoffs []int
	items   map[string]*changed
	methods map[string]bool
}

type changed struct {
	edits, replacements, none int
	recorded                  Class
	outcomes                  map[lockedAt]Outcome
}

type lockedAt struct {
	method string
	cutoff int
}

// NewLedger is an empty ledger with its locked cutoffs.
func NewLedger(cutoffs []int) *Ledger {
	return &Ledger{cutoffs: cutoffs, items: map[string]*changed{}, methods: map[string]bool{}}
}

func (l *Ledger) item(id string) *changed {
	c := l.items[id]
	if c == nil {
		c = &changed{outcomes: map[lockedAt]Outcome{}}
		l.items[id] = c
	}
	return c
}

// AddEvent takes an event.
func (l *Ledger) AddEvent(e Event) error {
	c := l.item(e.Item)
	switch e.Class {
	case "", L0, L1, L2, L3:
	default:
		return fmt.Errorf("class %.20q: expected L0, L1, L2 or L3", e.Class)
	}
	if e.Class != "" && c.recorded != "" && c.recorded != e.Class {
		return fmt.Errorf("item %.60q is recorded as %s and as %s", e.Item, c.recorded, e.Class)
	}
	switch e.Change {
	case Unchanged:
		c.none++
	case Edited:
		c.edits++
	case Replaced:
		c.replacements++
	default:
		return fmt.Errorf("change %.20q: expected none, edit or replace", e.Change)
	}
	if e.Class != "" {
		c.recorded = e.Class
	}
	return nil
}

// AddOutcome takes an outcome. Those at cutoffs that are not locked decide nothing and are an error.
func (l *Ledger) AddOutcome(o Outcome) error {
	if !slices.Contains(l.cutoffs, o.Cutoff) {
		return fmt.Errorf("cutoff %d is not locked; %v are", o.Cutoff, l.cutoffs)
	}
	c := l.item(o.Item)
	at := lockedAt{o.Method, o.Cutoff}
	if _, twice := c.outcomes[at]; twice {
		return fmt.Errorf("the outcome of item %.60q, method %.60q at %d is given twice", o.Item, o.Method, o.Cutoff)
	}
	c.outcomes[at] = o
	l.methods[o.Method] = true
	return nil
}

// Account is what a ledger comes to. Events do not partition items: an item may be edited twice and then replaced.
type Account struct {
	Items        int            `json:"items"`
	Classes      map[Class]int  `json:"classes"`
	Edits        int            `json:"edit_events"`
	Replacements int            `json:"replacement_events"`
	Flips        map[string]int `json:"flips"` // outcomes that changed, by method@cutoff
	ByItem       []ItemClass    `json:"by_item"`
}

// ItemClass is the class of one item.
type ItemClass struct {
	Item  string   `json:"item"`
	Class Class    `json:"class"`
	Flips []string `json:"flips,omitempty"` // method@cutoff
}

// Account derives the class of every item. A class that can't be derived, and one that is recorded otherwise, are errors,
// all of them at once.
func (l *Ledger) Account() (*Account, error) {
	a := &Account{Items: len(l.items), Classes: map[Class]int{L0: 0, L1: 0, L2: 0, L3: 0}, Flips: map[string]int{}, ByItem: []ItemClass{}}
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(l.items)) {
		c := l.items[id]
		a.Edits += c.edits
		a.Replacements += c.replacements
		class, flips, err := l.class(c)
		if err != nil {
			errs = append(errs, fmt.Errorf("item %.60q: %w", id, err))
			continue
		}
		for _, f := range flips {
			a.Flips[f]++
		}
		a.Classes[class]++
		a.ByItem = append(a.ByItem, ItemClass{id, class, flips})
	}
	return a, errors.Join(errs...)
}

func (l *Ledger) class(c *changed) (class Class, flips []string, err error) {
	for at, o := range c.outcomes {
		if o.Before != o.After {
			flips = append(flips, fmt.Sprintf("%s@%d", at.method, at.cutoff))
		}
	}
	slices.Sort(flips)
	switch {
	case c.edits+c.replacements+c.none == 0:
		return "", nil, errors.New("it has outcomes and no event: expected one row with change none, edit or replace")
	case c.replacements > 0:
		class = L3
	case c.edits == 0:
		if class = L0; len(flips) > 0 {
			return "", nil, fmt.Errorf("nothing was changed, and yet %s changed", strings.Join(flips, ", "))
		}
	case len(flips) > 0:
		class = L2
	case len(c.outcomes) == 0 && (c.recorded == L1 || c.recorded == L2):
		return c.recorded, nil, nil // there is nothing to derive it from
	default:
		if missing := l.missing(c); len(missing) > 0 {
			return "", nil, fmt.Errorf("whether it is L1 or L2 can't be told without the outcomes of %s", strings.Join(missing, ", "))
		}
		class = L1
	}
	if c.recorded != "" && c.recorded != class {
		return "", nil, fmt.Errorf("it is recorded as %s, and its events and outcomes make it %s", c.recorded, class)
	}
	return class, flips, nil
}

// missing are the locked outcomes that an item does not have, a few of them.
func (l *Ledger) missing(c *changed) (list []string) {
	const most = 5
	if len(l.methods) == 0 {
		return []string{"any method"}
	}
	for _, m := range slices.Sorted(maps.Keys(l.methods)) {
		for _, k := range l.cutoffs {
			if _, there := c.outcomes[lockedAt{m, k}]; !there && len(list) < most {
				list = append(list, fmt.Sprintf("%s@%d", m, k))
			}
		}
	}
	return list
}
