package contrasts

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Units of inference: what the bootstrap resamples and the sign-flip test flips. Any other name is a clustering of the user's
// own, such as a column of a file.
const (
	UnitTask       = "task"
	UnitRepository = "repository"
	UnitEpisode    = "episode"
)

const (
	maxPairs     = 1 << 20 // also keeps integer sums of 2^-40 steps inside an int64
	maxDraws     = 10_000_000
	defaultDraws = 20_000
	maxFaults    = 20 // faults listed in one error
)

// Errors that a caller may tell apart. Both come with text that names the place.
var (
	// ErrTooFew: there is no interval to give because fewer than two pairs, or fewer than two clusters, are complete.
	// The Result beside it is filled in (counts, bounds, verdict), with the whole range of the metric as its interval.
	ErrTooFew = errors.New("too few to contrast")
	// ErrInput: the pairs or the design are not what they have to be. The Result beside it is empty.
	ErrInput = errors.New("contrast input refused")
)

// Pair is one planned task under both conditions.
type Pair struct {
	Task    string  // unique within a contrast
	Cluster string  // the repository or episode; ignored when the unit is the task
	A, B    float64 // the metric, Design.Min to Design.Max; ignored when not present
	HasA    bool    // A was decided: false for infrastructure failures, exclusions and cells not done
	HasB    bool
}

// Design says how a contrast is computed.
type Design struct {
	Metric string // required
	A, B   string // the conditions' names, required, different
	Unit   string // UnitTask, or the name of the clusters: UnitRepository, UnitEpisode or another; empty means UnitTask
	Draws  int    // bootstrap and sign-flip draws, 100 to 10,000,000; 0 means 20,000; unused where a result is exact
	Seed   uint64
	Binary bool // the metric is 0/1: McNemar's test applies

	Min, Max float64 // range of the metric; both zero means 0 to 1. Percentage points are hundredths of this range
	Margin   float64 // points within which a difference counts as none; 0 means that equivalence is never claimed

	Interval string   // one of IntervalMethods; empty means Percentile. It decides the verdict
	Also     []string // further interval methods to show beside it
	Stratum  string   // a label for a contrast within a part of the tasks; it gets random numbers of its own
}

func (d Design) withDefaults() Design {
	if d.Unit == "" {
		d.Unit = UnitTask
	}
	if d.Draws == 0 {
		d.Draws = defaultDraws
	}
	if d.Interval == "" {
		d.Interval = Percentile
	}
	if d.Min == 0 && d.Max == 0 {
		d.Max = 1
	}
	return d
}

// faults collects what is wrong with the input, all at once but never without bound.
type faults struct {
	list []error
	more int
}

func (f *faults) add(format string, args ...any) {
	if len(f.list) == maxFaults {
		f.more++
		return
	}
	f.list = append(f.list, fmt.Errorf("%w: "+format, append([]any{ErrInput}, args...)...))
}

func (f *faults) err() error {
	if f.more > 0 {
		return errors.Join(append(f.list, fmt.Errorf("%w: and %d more", ErrInput, f.more))...)
	}
	return errors.Join(f.list...)
}

func (d Design) check(f *faults) {
	for _, name := range []struct{ key, value string }{{"metric", d.Metric}, {"A", d.A}, {"B", d.B}} {
		if name.value == "" {
			f.add("the design names no %s", name.key)
		}
	}
	if d.A == d.B && d.A != "" {
		f.add("both conditions are %q; a contrast needs two", d.A)
	}
	d.checkIntervals(f)
	if d.Draws < 100 || d.Draws > maxDraws {
		f.add("%d draws are outside 100 to %d", d.Draws, maxDraws)
	}
	if !finite(d.Min) || !finite(d.Max) || d.Min >= d.Max || !finite(d.Max-d.Min) {
		f.add("the metric's range %v to %v is not a finite interval", d.Min, d.Max)
	} else if d.Binary && (d.Min != 0 || d.Max != 1) {
		f.add("a 0/1 metric has the range 0 to 1, not %v to %v", d.Min, d.Max)
	}
	if !(d.Margin >= 0 && d.Margin <= 100) {
		f.add("margin %v is outside 0 to 100 points", d.Margin)
	}
}

// checked returns the pairs sorted by task, their values scaled to 0..1, or every fault found (up to a limit).
func checked(pairs []Pair, d Design) ([]Pair, error) {
	var f faults
	d.check(&f)
	if len(pairs) > maxPairs {
		f.add("%d pairs; at most %d are allowed", len(pairs), maxPairs)
		return nil, f.err()
	}
	out := slices.Clone(pairs)
	slices.SortStableFunc(out, func(x, y Pair) int { return strings.Compare(x.Task, y.Task) })
	for i := range out {
		p := &out[i]
		if p.Task == "" {
			f.add("a pair has no task name")
			continue
		}
		if i > 0 && out[i-1].Task == p.Task {
			f.add("task %q occurs more than once", p.Task)
		}
		if d.Unit != UnitTask && p.Cluster == "" {
			f.add("task %q names no %s, which is the unit of this contrast", p.Task, d.Unit)
		}
		p.A = d.value(&f, p.Task, d.A, p.A, p.HasA)
		p.B = d.value(&f, p.Task, d.B, p.B, p.HasB)
	}
	return out, f.err()
}

// value scales one verdict to 0..1. A missing one is 0, whatever it held.
func (d Design) value(f *faults, task, condition string, v float64, has bool) float64 {
	switch {
	case !has:
		return 0
	case !finite(v):
		f.add("task %q, condition %q: %s is %v, not a finite number", task, condition, d.Metric, v)
	case d.Binary && v != 0 && v != 1:
		f.add("task %q, condition %q: %s is %v; a 0/1 metric is 0 or 1", task, condition, d.Metric, v)
	case v < d.Min || v > d.Max:
		f.add("task %q, condition %q: %s is %v, outside its range %v to %v", task, condition, d.Metric, v, d.Min, d.Max)
	default:
		return (v - d.Min) / (d.Max - d.Min)
	}
	return 0
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
