package contrasts

import (
	"cmp"
	"slices"
)

// bootstrapDistribution is the bootstrap distribution of a mean difference, written down: its values in percentage points, in
// order, and their probabilities.
type bootstrapDistribution struct {
	points []float64
	mass   []float64
}

// exact writes the bootstrap distribution of the mean down; false when there is no lattice or it would cost too much. asked
// says that the user wants it and will wait. Unasked it may cost what the draws would, which for very many tasks is far more.
func (s *sample) exact(units []unitSum, draws int, asked bool) (bootstrapDistribution, bool) {
	if !s.small {
		return bootstrapDistribution{}, false
	}
	work := max(exactWork, float64(draws)*float64(len(s.diffs))/4)
	if asked {
		work = askedWork
	}
	if s.names != nil {
		return s.exactClusters(units, work)
	}
	dist, ok := exactMean(s.diffs, work)
	if !ok {
		return bootstrapDistribution{}, false
	}
	out := bootstrapDistribution{points: make([]float64, len(dist.mass)), mass: dist.mass}
	for i := range out.points {
		out.points[i] = s.points(dist.first+int64(i), len(s.diffs)) + 0
	}
	return out, true
}

// at is the smallest value whose cumulative probability reaches q.
func (b bootstrapDistribution) at(q float64) float64 {
	cumulative := 0.0
	for i, p := range b.mass {
		if cumulative += p; cumulative >= q && p > 0 {
			return b.points[i]
		}
	}
	return b.points[len(b.points)-1]
}

// interval is the percentile interval at two levels. edge says that an end would be another value if the cumulative
// probabilities were off by edgeMargin.
func (b bootstrapDistribution) interval(lower, upper float64) (lo, hi float64, edge bool) {
	lo, hi = b.at(lower), b.at(upper)
	edge = b.at(lower-edgeMargin) != b.at(lower+edgeMargin) || b.at(upper-edgeMargin) != b.at(upper+edgeMargin)
	return lo, hi, edge
}

// below is the probability of values below x, half of that of x itself counted in.
func (b bootstrapDistribution) below(x float64) float64 {
	sum := 0.0
	for i, p := range b.mass {
		switch {
		case b.points[i] < x:
			sum += p
		case b.points[i] == x:
			sum += p / 2
		}
	}
	return sum
}

// maxCells bounds the table of sums and counts that exactClusters keeps: 128 MiB, twice.
const maxCells = 1 << 24

// exactClusters writes down the distribution of sum/count over as many draws with replacement as there are clusters: the
// joint distribution of both, one draw after another. With clusters of one size the counts are a single column.
func (s *sample) exactClusters(units []unitSum, work float64) (bootstrapDistribution, bool) {
	type step struct {
		sum, count int
		p          float64
	}
	lowSum, lowCount := units[0].sum, units[0].count
	for _, u := range units {
		lowSum, lowCount = min(lowSum, u.sum), min(lowCount, u.count)
	}
	var base []step
	for _, u := range units {
		at := step{int(u.sum - lowSum), int(u.count - lowCount), 1 / float64(len(units))}
		i := slices.IndexFunc(base, func(b step) bool { return b.sum == at.sum && b.count == at.count })
		if i < 0 {
			base = append(base, at)
		} else {
			base[i].p += at.p
		}
	}
	slices.SortFunc(base, func(a, b step) int { return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(a.sum, b.sum)) })
	wide, tall := 0, 0
	for _, b := range base {
		wide, tall = max(wide, b.sum), max(tall, b.count)
	}
	now := grid{rows: 1, columns: 1, mass: []float64{1}}
	for range units {
		area := float64(now.rows+tall) * float64(now.columns+wide)
		if work -= float64(len(base))*float64(now.rows*now.columns) + area; work < 0 || area > maxCells {
			return bootstrapDistribution{}, false
		}
		next := grid{rows: now.rows + tall, columns: now.columns + wide, sum: now.sum, count: now.count}
		next.mass = make([]float64, next.rows*next.columns)
		for _, b := range base {
			for r := range now.rows {
				from := now.mass[r*now.columns:][:now.columns]
				into := next.mass[(r+b.count)*next.columns+b.sum:][:now.columns]
				for i, q := range from {
					into[i] += float64(b.p * q)
				}
			}
		}
		now = next.trimmed()
	}
	k := int64(len(units))
	type value struct{ points, p float64 }
	var values []value
	for r := range now.rows {
		count := k*lowCount + int64(now.count+r)
		for c, p := range now.mass[r*now.columns:][:now.columns] {
			if p > 0 {
				values = append(values, value{s.points(k*lowSum+int64(now.sum+c), int(count)) + 0, p})
			}
		}
	}
	slices.SortFunc(values, func(a, b value) int { return cmp.Or(cmp.Compare(a.points, b.points), cmp.Compare(a.p, b.p)) })
	var out bootstrapDistribution
	for _, v := range values {
		if n := len(out.points); n > 0 && out.points[n-1] == v.points {
			out.mass[n-1] += v.p
			continue
		}
		out.points, out.mass = append(out.points, v.points), append(out.mass, v.p)
	}
	return out, true
}

// grid is a probability mass on sums (columns) and counts (rows), from sum and count on.
type grid struct {
	rows, columns, sum, count int
	mass                      []float64
}

// trimmed cuts off border rows and columns that together weigh no more than tailMass each.
func (g grid) trimmed() grid {
	rows, columns := make([]float64, g.rows), make([]float64, g.columns)
	for r := range g.rows {
		for c, p := range g.mass[r*g.columns:][:g.columns] {
			rows[r] += p
			columns[c] += p
		}
	}
	fromRow, toRow := heavy(rows)
	fromColumn, toColumn := heavy(columns)
	out := grid{rows: toRow - fromRow, columns: toColumn - fromColumn, sum: g.sum + fromColumn, count: g.count + fromRow}
	out.mass = make([]float64, 0, out.rows*out.columns)
	for r := fromRow; r < toRow; r++ {
		out.mass = append(out.mass, g.mass[r*g.columns+fromColumn:r*g.columns+toColumn]...)
	}
	return out
}

// heavy is the range of a distribution without the tails that weigh tailMass or less.
func heavy(mass []float64) (from, to int) {
	to = len(mass)
	for low := 0.0; from < to-1; from++ {
		if low += mass[from]; low > tailMass {
			break
		}
	}
	for high := 0.0; to > from+1; to-- {
		if high += mass[to-1]; high > tailMass {
			break
		}
	}
	return from, to
}
