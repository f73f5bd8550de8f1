package contrasts

import "slices"

// Interaction contrasts two differences over the same tasks: A minus B under one circumstance (such as one executor) minus
// A minus B under another. It answers whether the gain of A over B is larger here than there, by the same resampling as
// Contrast; Wins are tasks in which it is. A task is complete when all four values are there. here and there name the two
// circumstances; Result.A and B are "A - B | here" and "A - B | there". Pairs are matched by task; a task of only one side counts as
// missing on the other. The bounds make use of what there is: of a task with three of its four values only the fourth is open.
func Interaction(pairsHere, pairsThere []Pair, d Design, here, there string) (Result, error) {
	d = d.withDefaults()
	var f faults
	if here == "" || there == "" || here == there {
		f.add("an interaction is between two circumstances, not %q and %q", here, there)
	}
	width := d.Max - d.Min
	if !finite(d.Min) || !finite(d.Max) || !(width > 0) || !finite(2*width) {
		f.add("the metric's range %v to %v is not a finite interval", d.Min, d.Max)
	}
	if err := f.err(); err != nil {
		return Result{}, err
	}
	var all []Pair
	var sides [2][]Pair
	at := map[string]int{}
	for side, pairs := range [][]Pair{pairsHere, pairsThere} {
		var err error
		if sides[side], err = checked(pairs, d); err != nil {
			return Result{}, err
		}
		for _, p := range sides[side] { // scaled to 0..1
			i, seen := at[p.Task]
			if !seen {
				i = len(all)
				at[p.Task] = i
				all = append(all, Pair{Task: p.Task, Cluster: p.Cluster})
			}
			switch {
			case all[i].Cluster != p.Cluster && d.Unit != UnitTask:
				f.add("task %q is of %s %q under %s and %q under %s", p.Task, d.Unit, all[i].Cluster, here, p.Cluster, there)
			case side == 0:
				all[i].A, all[i].HasA = p.A-p.B, p.HasA && p.HasB
			default:
				all[i].B, all[i].HasB = p.A-p.B, p.HasA && p.HasB
			}
		}
	}
	if err := f.err(); err != nil {
		return Result{}, err
	}
	gain := d.A + " - " + d.B
	d.A, d.B = gain+" | "+here, gain+" | "+there
	d.Binary, d.Min, d.Max = false, -1, 1
	r, err := Contrast(all, d)
	if r.Metric == "" {
		return r, err
	}
	// Points are hundredths of a range, and differences have twice that of their metric.
	for _, v := range []*float64{&r.Diff, &r.Lo, &r.Hi} {
		*v *= 2
	}
	r.BoundLo, r.BoundHi = gainBounds(sides, len(all))
	r.MeanA, r.MeanB = 2*r.MeanA-100, 2*r.MeanB-100
	for i := range r.Also {
		r.Also[i].Lo, r.Also[i].Hi = 2*r.Also[i].Lo, 2*r.Also[i].Hi
	}
	if r.Recommended != nil {
		r.Recommended.Lo, r.Recommended.Hi = 2*r.Recommended.Lo, 2*r.Recommended.Hi
	}
	r.Verdict = r.verdict()
	return r, err
}

// gainBounds are the least and the greatest mean difference of differences over n tasks that the missing values leave open.
func gainBounds(sides [2][]Pair, n int) (lo, hi float64) {
	l := latticeOf(slices.Concat(sides[0], sides[1]))
	var least, most int64
	for side, pairs := range sides {
		var low, high int64 // sums of A minus B
		for _, p := range pairs {
			a, b := [2]int64{0, l.steps}, [2]int64{0, l.steps}
			if p.HasA {
				a[0], a[1] = l.of(p.A), l.of(p.A)
			}
			if p.HasB {
				b[0], b[1] = l.of(p.B), l.of(p.B)
			}
			low, high = low+a[0]-b[1], high+a[1]-b[0]
		}
		absent := int64(n-len(pairs)) * l.steps // tasks of the other side alone
		low, high = low-absent, high+absent
		if side == 1 {
			low, high = -high, -low
		}
		least, most = least+low, most+high
	}
	return l.points(least, n), l.points(most, n)
}
