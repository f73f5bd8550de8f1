package contrasts

// Interaction contrasts two differences over the same tasks: A minus B under one circumstance (such as one executor) minus
// A minus B under another. It answers whether the gain of A over B is larger here than there, by the same resampling as
// Contrast; Wins are tasks in which it is. A task is complete when all four values are there. here and there name the two
// circumstances; Result.A and B are "A - B | here" and "A - B | there". Pairs are matched by task; a task of only one side counts as
// missing on the other.
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
	at := map[string]int{}
	for side, pairs := range [][]Pair{pairsHere, pairsThere} {
		checkedPairs, err := checked(pairs, d)
		if err != nil {
			return Result{}, err
		}
		for _, p := range checkedPairs { // scaled to 0..1
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
	for _, v := range []*float64{&r.Diff, &r.Lo, &r.Hi, &r.BoundLo, &r.BoundHi} {
		*v *= 2
	}
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
