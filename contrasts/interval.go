package contrasts

import (
	"fmt"
	"math"
	"slices"
)

// Methods of 95% intervals. Percentile is what the paper uses and the default; it is answered by MethodExact or
// MethodBootstrap, whichever computed it.
const (
	Percentile = "percentile" // of the bootstrap over units: exact where the distribution can be written down, else drawn

	MethodExact       = "exact"        // the percentile interval of the bootstrap distribution itself, by convolution
	MethodBootstrap   = "bootstrap"    // the percentile interval of a drawn bootstrap
	MethodBCa         = "bca"          // bias-corrected and accelerated percentiles
	MethodStudentized = "studentized"  // bootstrap-t
	MethodTango       = "tango"        // score interval; 0/1 metrics by task
	MethodBonettPrice = "bonett-price" // adjusted Wald interval; 0/1 metrics by task
	MethodClusterT    = "cluster-t"    // Student's t over units
)

// IntervalMethods are the methods that Design.Interval and Design.Also take.
var IntervalMethods = []string{Percentile, MethodExact, MethodBootstrap, MethodBCa, MethodStudentized, MethodTango, MethodBonettPrice, MethodClusterT}

// Interval is one 95% interval, in percentage points (log points for a ratio's logarithm).
type Interval struct {
	Method string  `json:"method"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	// Edge says that an end of an exact distribution's interval would be another value if cumulative probabilities were off by
	// 1e-12: a tie at the percentile, which small cohorts do have.
	Edge      bool   `json:"edge,omitempty"`
	Draws     int    `json:"draws,omitempty"` // 0 when nothing was drawn
	Seed      uint64 `json:"seed,omitempty"`
	Generator string `json:"generator,omitempty"`
}

// checkIntervals refuses methods that there are not, or that don't fit the design.
func (d Design) checkIntervals(f *faults) {
	for _, method := range append([]string{d.Interval}, d.Also...) {
		switch {
		case !slices.Contains(IntervalMethods, method):
			f.add("interval method %q is none of %v", method, IntervalMethods)
		case (method == MethodTango || method == MethodBonettPrice) && (!d.Binary || d.Unit != UnitTask):
			f.add("the %s interval is for 0/1 metrics with one replicate, by task; this contrast is by %s%s", method, d.Unit,
				map[bool]string{true: "", false: " of a graded metric"}[d.Binary])
		}
	}
}

// by computes the interval of one method.
func (s *sample) by(method string, units []unitSum, d Design) (Interval, error) {
	switch method {
	case MethodTango:
		return s.tango(), nil
	case MethodBonettPrice:
		return s.bonettPrice(), nil
	case MethodClusterT:
		return s.clusterT(units), nil
	case MethodHull:
		return s.hull(units), nil
	case MethodStudentized:
		return s.studentized(units, d), nil
	case MethodBootstrap:
		means := bootstrap(clustersOf(units), d.Draws, newStream(d, "bootstrap"))
		lo, hi := quantiles(means)
		return s.drawn(MethodBootstrap, lo, hi, d), nil
	case MethodBCa:
		return s.bca(units, d)
	}
	// Clusters are drawn, as in the paper, unless the exact distribution was asked for: it can take seconds.
	if d.Unit != UnitTask && method == Percentile {
		return s.by(MethodBootstrap, units, d)
	}
	dist, ok := s.exact(units, d.Draws, method == MethodExact)
	switch {
	case ok:
		lo, hi, edge := dist.interval(lowerEnd, upperEnd)
		return Interval{Method: MethodExact, Lo: lo, Hi: hi, Edge: edge}, nil
	case method == Percentile:
		return s.by(MethodBootstrap, units, d)
	case !s.small:
		return Interval{}, fmt.Errorf("%w: an exact interval of %s needs values with a common denominator of at most %d; these have none", ErrInput, d.Metric, maxLattice)
	}
	return Interval{}, fmt.Errorf("%w: the exact distribution of %d units is too large to be written down; leave exactness out to have it drawn", ErrInput, len(units))
}

// drawn is an interval from draws; the ends are mean differences in lattice steps.
func (s *sample) drawn(method string, lo, hi float64, d Design) Interval {
	scale := 100 / float64(s.steps)
	return Interval{Method: method, Lo: lo*scale + 0, Hi: hi*scale + 0, Draws: d.Draws, Seed: d.Seed, Generator: Generator}
}

// within keeps an interval inside what differences can be.
func (i Interval) within(most float64) Interval {
	i.Lo, i.Hi = max(-most, min(most, i.Lo)), max(-most, min(most, i.Hi))
	return i
}

func clustersOf(units []unitSum) []cluster {
	out := make([]cluster, len(units))
	for i, u := range units {
		out[i] = cluster{float64(u.sum), float64(u.count)}
	}
	return out
}

// ratioOfSums is the estimate and its linearised standard error over units, in lattice steps: the mean difference is the ratio
// of sums to counts, and its variance K/(K-1) times the sum of (sum - mean*count)^2 over the squared number of tasks (the
// cluster-robust sandwich with the usual small-sample factor; Liang and Zeger, 1986; for evaluations: Miller, 2024).
func ratioOfSums(units []unitSum) (mean, se float64) {
	var sum, count float64
	for _, u := range units {
		sum += float64(u.sum)
		count += float64(u.count)
	}
	mean = sum / count
	squares := 0.0
	for _, u := range units {
		e := float64(u.sum) - float64(mean*float64(u.count))
		squares += float64(e * e)
	}
	k := float64(len(units))
	return mean, math.Sqrt(k/(k-1)*squares) / count
}
