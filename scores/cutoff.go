package scores

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"evlab/evidence"
)

// Cutoff is where a ranking is cut: after Items positions, or by what Tokens hold, or (the zero value) not at all.
type Cutoff struct {
	Items  int
	Tokens int
}

// Returned is the cutoff at the end of what was returned: a method's declared output (table 4).
var Returned = Cutoff{}

// Items is a cutoff after k positions.
func Items(k int) Cutoff { return Cutoff{Items: k} }

// Tokens is a cutoff by source tokens.
func Tokens(n int) Cutoff { return Cutoff{Tokens: n} }

// String is the cutoff's name in columns and tables: 5, 4096tokens, returned.
func (c Cutoff) String() string {
	switch {
	case c.Items > 0:
		return strconv.Itoa(c.Items)
	case c.Tokens > 0:
		return strconv.Itoa(c.Tokens) + "tokens"
	}
	return "returned"
}

// Default cutoffs (section D.3).
var (
	DefaultItems  = []int{1, 3, 5, 8, 10, 12, 16}
	DefaultTokens = []int{4096, 6144}
)

// Gain is what covering a group adds to grouped nDCG.
type Gain string

// Gains.
const (
	GainGroup     Gain = "group"     // 1 for each newly covered group
	GainNecessity Gain = "necessity" // the group's necessity weight, as in the benchmark's released scorer
)

// Options are the choices that the paper leaves open, and the cutoffs. The zero value means the defaults.
type Options struct {
	Items    []int  // cutoffs by items; default DefaultItems
	Tokens   []int  // cutoffs by tokens; default DefaultTokens. They are left out where token counts are not known
	Overflow string // evidence.OverflowSkip (default) or evidence.OverflowStop: what a unit that does not fit does
	Gain     Gain   // default GainGroup
}

// MaxCutoff bounds a cutoff by items; it is above any pool.
const MaxCutoff = 100_000

// check fills in the defaults and reports everything that is wrong.
func (o Options) check() (Options, error) {
	var errs []error
	if o.Items == nil {
		o.Items = DefaultItems
	}
	if o.Tokens == nil {
		o.Tokens = DefaultTokens
	}
	if o.Overflow == "" {
		o.Overflow = evidence.OverflowSkip
	}
	if o.Gain == "" {
		o.Gain = GainGroup
	}
	for _, k := range o.Items {
		if k < 1 || k > MaxCutoff {
			errs = append(errs, fmt.Errorf("cutoff %d: expected from 1 to %d items", k, MaxCutoff))
		}
	}
	for _, n := range o.Tokens {
		if n < 1 {
			errs = append(errs, fmt.Errorf("cutoff %d: expected at least 1 token", n))
		}
	}
	if o.Overflow != evidence.OverflowSkip && o.Overflow != evidence.OverflowStop {
		errs = append(errs, fmt.Errorf("overflow %.40q: expected %s or %s", o.Overflow, evidence.OverflowSkip, evidence.OverflowStop))
	}
	if o.Gain != GainGroup && o.Gain != GainNecessity {
		errs = append(errs, fmt.Errorf("gain %.40q: expected %s or %s", string(o.Gain), GainGroup, GainNecessity))
	}
	o.Items = slices.Compact(slices.Sorted(slices.Values(o.Items)))
	o.Tokens = slices.Compact(slices.Sorted(slices.Values(o.Tokens)))
	return o, errors.Join(errs...)
}
