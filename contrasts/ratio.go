package contrasts

import (
	"fmt"
	"math"
	"slices"
)

// Ratio is a geometric mean of ratios A/B with its 95% interval.
type Ratio struct {
	Estimate float64 `json:"estimate"`
	Lo       float64 `json:"lo"`
	Hi       float64 `json:"hi"`
}

// Costs, tokens and times are far within these; beyond them, ratios would leave what a float64 holds.
const leastOfRatio, mostOfRatio = 1e-12, 1e15

// ContrastRatio contrasts a positive metric such as cost, tokens or time on the log scale: the estimate is the geometric
// mean over the tasks of A/B, its interval and test those of the mean log ratio (a ratio of one is no difference). In the
// Result, Ratio has the multipliers, and Diff, its interval and bounds are percent of B: 100*(ratio-1), so that -24 means
// that A takes 24% less; MeanA and MeanB are geometric means in the metric's own unit. Wins are tasks in which A is higher.
// The bounds take a missing value to lie within those that were seen. Design.Min, Max, Binary and Margin must be unset.
//
// The verdict is of the closed set with "higher" in place of "better", since which way is better is not the metric's to say.
func ContrastRatio(pairs []Pair, d Design) (Result, error) {
	var f faults
	if d.Min != 0 || d.Max != 0 || d.Binary || d.Margin != 0 {
		f.add("a ratio has no range, no 0/1 metric and no margin in points")
	}
	if len(pairs) > maxPairs {
		f.add("%d pairs; at most %d are allowed", len(pairs), maxPairs)
		return Result{}, f.err()
	}
	logs := slices.Clone(pairs)
	low, high := math.Inf(1), math.Inf(-1)
	for i := range logs {
		p := &logs[i]
		for _, side := range []struct {
			has       bool
			value     *float64
			condition string
		}{{p.HasA, &p.A, d.A}, {p.HasB, &p.B, d.B}} {
			if !side.has {
				continue
			}
			if !finite(*side.value) || *side.value <= 0 {
				f.add("task %q, condition %q: %s is %v; a ratio needs values above zero", p.Task, side.condition, d.Metric, *side.value)
				continue
			}
			if *side.value < leastOfRatio || *side.value > mostOfRatio {
				f.add("task %q, condition %q: %s is %.3g; a ratio takes values from %g to %g", p.Task, side.condition, d.Metric, *side.value, leastOfRatio, mostOfRatio)
				continue
			}
			*side.value = math.Log(*side.value)
			low, high = min(low, *side.value), max(high, *side.value)
		}
	}
	if err := f.err(); err != nil {
		return Result{}, err
	}
	if low >= high { // nothing there, or all the same
		if math.IsInf(low, 0) {
			low = 0
		}
		high = low + 1
	}
	d.Min, d.Max = low, high
	r, err := Contrast(logs, d)
	if r.Metric == "" {
		return r, err
	}
	r.percent(low, high)
	return r, err
}

// percent turns points of a range of logarithms into percent of B.
func (r *Result) percent(low, high float64) {
	times := func(points float64) float64 { return math.Exp(points / 100 * (high - low)) }
	change := func(points float64) float64 { return 100 * math.Expm1(points/100*(high-low)) }
	r.Ratio = &Ratio{Estimate: times(r.Diff), Lo: times(r.Lo), Hi: times(r.Hi)}
	for _, v := range []*float64{&r.Diff, &r.Lo, &r.Hi, &r.BoundLo, &r.BoundHi} {
		*v = change(*v)
	}
	for i := range r.Also {
		r.Also[i].Lo, r.Also[i].Hi = change(r.Also[i].Lo), change(r.Also[i].Hi)
	}
	if r.Recommended != nil {
		r.Recommended.Lo, r.Recommended.Hi = change(r.Recommended.Lo), change(r.Recommended.Hi)
	}
	r.MeanA, r.MeanB = math.Exp(low+r.MeanA/100*(high-low)), math.Exp(low+r.MeanB/100*(high-low))
	r.Verdict = r.verdict()
}

// multiplier writes percent of change as what B is multiplied by.
func multiplier(percent float64) string { return fmt.Sprintf("x%.2f", 1+percent/100) }
