package contrasts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/montanaflynn/stats"
)

// sample is the complete pairs of a contrast on their lattice.
type sample struct {
	lattice
	a, b  []float64 // 0..1, by task
	diffs []int64   // A minus B in lattice steps, by task
	names []string  // the cluster of each, when the unit is not the task
}

// Contrast computes A minus B. Pairs with a missing verdict are left out of the main line and bounded beside it. The
// order of pairs doesn't matter; no value is rounded. Errors are ErrInput (all faults at once) or ErrTooFew.
//
// The interval is Design.Interval's, by default the 95% percentile interval of the paired bootstrap over the design's unit
// (the paper's): exact for tasks on a small lattice, drawn otherwise. Where that is known to be too short, Recommended holds
// the one to report. The p-value follows the same unit: McNemar's mid-p for a 0/1 metric by task, else a sign-flip test of
// the tasks, or of whole clusters, whose copies of one accident McNemar's test would count as many.
func Contrast(pairs []Pair, d Design) (Result, error) {
	d = d.withDefaults()
	pairs, err := checked(pairs, d)
	if err != nil {
		return Result{}, err
	}
	r := Result{Metric: d.Metric, A: d.A, B: d.B, Unit: d.Unit, Stratum: d.Stratum, Planned: len(pairs), Margin: d.Margin, P: 1,
		Lo: -100, Hi: 100, Method: MethodExact, Test: BySignFlip}
	s := r.read(pairs, d.Unit)
	if r.N > 0 {
		r.describe(s)
	}
	units := s.units()
	r.Clusters = len(units)
	if d.Binary {
		exact, midP := mcNemar(r.Win, r.Loss)
		r.PExact = &exact
		if d.Unit == UnitTask { // else it would be the p-value of a single cluster, too
			r.P, r.Test = midP, ByMidP
		}
	}
	if len(units) < 2 {
		r.Verdict = r.verdict()
		return r, r.tooFew()
	}
	if d.Unit != UnitTask || !d.Binary {
		r.test(s, units, d)
	}
	if err := r.intervals(s, units, d); err != nil {
		return Result{}, err
	}
	if d.Binary && d.Unit == UnitTask {
		if points, ok := SmallestDetectable(r.N, r.Discordance(), 0.8); ok {
			r.MDE = &points
		}
	}
	r.Verdict = r.verdict()
	return r, nil
}

func (r *Result) tooFew() error {
	if r.N < 2 {
		return fmt.Errorf("contrasting %s, %s minus %s: %w: %d complete of %d planned pairs; an interval needs 2",
			r.Metric, r.A, r.B, ErrTooFew, r.N, r.Planned)
	}
	return fmt.Errorf("contrasting %s, %s minus %s: %w: all %d complete pairs are of one %s; an interval needs 2",
		r.Metric, r.A, r.B, ErrTooFew, r.N, r.Unit)
}

// read counts, bounds what is missing, and puts the complete pairs on their lattice.
func (r *Result) read(pairs []Pair, unit string) *sample {
	s := &sample{lattice: latticeOf(pairs)}
	var against, favour int64 // sums of differences with every missing verdict against A, and against B
	for _, p := range pairs {
		a, b := s.of(p.A), s.of(p.B)
		lowA, highA, lowB, highB := a, a, b, b
		if !p.HasA {
			r.MissingA++
			lowA, highA = 0, s.steps
		}
		if !p.HasB {
			r.MissingB++
			lowB, highB = 0, s.steps
		}
		against += lowA - highB
		favour += highA - lowB
		if !p.HasA || !p.HasB {
			continue
		}
		s.a, s.b = append(s.a, p.A), append(s.b, p.B)
		s.diffs = append(s.diffs, a-b)
		if unit != UnitTask {
			s.names = append(s.names, p.Cluster)
		}
		switch {
		case a > b:
			r.Win++
		case a < b:
			r.Loss++
		default:
			r.Tie++
		}
	}
	r.N = len(s.diffs)
	if r.Planned > 0 {
		r.BoundLo, r.BoundHi = s.points(against, r.Planned), s.points(favour, r.Planned)
	}
	return s
}

// sum is that of the differences, in lattice steps.
func (s *sample) sum() (sum int64) {
	for _, k := range s.diffs {
		sum += k
	}
	return sum
}

// points is the mean of n differences that sum to steps, in percentage points.
func (l lattice) points(steps int64, n int) float64 {
	return 100 * float64(steps) / (float64(n) * float64(l.steps))
}

func (r *Result) describe(s *sample) {
	r.Diff = s.points(s.sum(), r.N)
	// The only failures of these three are empty input and, for the correlation, a condition that never varies.
	if mean, err := stats.Mean(s.a); err == nil {
		r.MeanA = 100 * mean
	}
	if mean, err := stats.Mean(s.b); err == nil {
		r.MeanB = 100 * mean
	}
	if slices.Min(s.a) < slices.Max(s.a) && slices.Min(s.b) < slices.Max(s.b) {
		if c, err := stats.Correlation(s.a, s.b); err == nil && finite(c) {
			r.Correlation = &c
		}
	}
}

// units are the sums and counts of the resampling units, in the order of their names.
func (s *sample) units() []unitSum {
	out := make([]unitSum, 0, len(s.diffs))
	if s.names == nil {
		for _, k := range s.diffs {
			out = append(out, unitSum{sum: k, count: 1})
		}
		return out
	}
	at := make(map[string]int)
	for i, k := range s.diffs {
		j, ok := at[s.names[i]]
		if !ok {
			j = len(out)
			at[s.names[i]] = j
			out = append(out, unitSum{name: s.names[i]})
		}
		out[j].sum += k
		out[j].count++
	}
	slices.SortFunc(out, func(x, y unitSum) int { return strings.Compare(x.name, y.name) })
	return out
}

type unitSum struct {
	name       string
	sum, count int64
}

// test is the sign-flip test over the units: tasks of a graded metric, whole clusters of any.
func (r *Result) test(s *sample, units []unitSum, d Design) {
	sums := make([]int64, len(units))
	for i, u := range units {
		sums[i] = u.sum
	}
	var drawn bool
	if r.P, drawn = signFlip(sums, d.Draws, newStream(d, "sign-flip")); drawn {
		r.Test, r.Draws, r.Seed, r.Generator = BySignFlipDrawn, d.Draws, d.Seed, Generator
		return
	}
	r.Test = BySignFlip
}

// intervals are the design's own, which decides, those beside it, and the recommended one.
func (r *Result) intervals(s *sample, units []unitSum, d Design) error {
	main, err := s.by(d.Interval, units, d)
	if err != nil {
		return err
	}
	r.Lo, r.Hi, r.Method, r.Edge = main.Lo, main.Hi, main.Method, main.Edge
	if main.Draws > 0 {
		r.Draws, r.Seed, r.Generator = main.Draws, main.Seed, main.Generator
	}
	for _, method := range d.Also {
		other, err := s.by(method, units, d)
		if err != nil {
			return err
		}
		r.Also = append(r.Also, other)
	}
	r.Recommended = s.recommend(main, units, d)
	return nil
}
