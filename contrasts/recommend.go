package contrasts

import (
	"fmt"
	"slices"
)

// Where the percentile interval of the bootstrap is known to be too short (the coverage table of docs/statistics.md).
const (
	fewDiscordant = 20 // below this many discordant pairs of a 0/1 metric
	fewUnits      = 50 // below this many tasks or clusters
)

// MethodHull is the smallest interval that holds both the cluster-t and the Bonett-Price one: with few clusters and few
// discordant pairs each of the two misses what the other takes care of.
const MethodHull = "cluster-t+bonett-price"

// Recommendation is the interval to report instead of the one shown, and why.
type Recommendation struct {
	Interval
	Why string `json:"why"`
}

// recommend is nil where the percentile interval does what it promises, and where the interval shown is the one to report.
//
// The rules: a 0/1 metric by task with few discordant pairs or few tasks, Bonett and Price's interval, which holds what it
// promises in every cell of the table; few clusters, Student's t over them; both, the hull of the two; a graded metric
// of few tasks, Student's t.
func (s *sample) recommend(shown Interval, units []unitSum, d Design) *Recommendation {
	var r Recommendation
	win, loss, n := s.counts01()
	few := d.Binary && (win+loss < fewDiscordant || n < fewUnits)
	why := func(counts, percentiles, others string) string {
		if slices.Contains([]string{MethodExact, MethodBootstrap}, shown.Method) {
			return counts + ": " + percentiles
		}
		return counts + ": " + others
	}
	switch {
	case d.Unit != UnitTask && few:
		r.Interval = s.hull(units)
		r.Why = why(fmt.Sprintf("%d discordant pairs in %d clusters", win+loss, len(units)), "resampled percentiles are too short", "so few need the wider end of both intervals")
	case d.Unit != UnitTask && len(units) < fewUnits:
		r.Interval = s.clusterT(units)
		r.Why = why(fmt.Sprintf("%d clusters", len(units)), fmt.Sprintf("resampled percentiles are too short below %d", fewUnits), fmt.Sprintf("Student's t is the one to report below %d", fewUnits))
	case d.Unit == UnitTask && few:
		r.Interval = s.bonettPrice()
		r.Why = why(fmt.Sprintf("%d discordant pairs of %d", win+loss, n), fmt.Sprintf("the percentile interval is too short below %d discordant pairs or %d tasks", fewDiscordant, fewUnits),
			fmt.Sprintf("the one that was measured to hold what it promises below %d discordant pairs or %d tasks", fewDiscordant, fewUnits))
	case d.Unit == UnitTask && !d.Binary && n < fewUnits:
		r.Interval = s.clusterT(units)
		r.Why = why(fmt.Sprintf("%d tasks", n), fmt.Sprintf("resampled percentiles are too short below %d", fewUnits), fmt.Sprintf("Student's t is the one to report below %d", fewUnits))
	default:
		return nil
	}
	if shown.Method == r.Method {
		return nil
	}
	return &r
}

func (s *sample) hull(units []unitSum) Interval {
	t, b := s.clusterT(units), s.bonettPrice()
	return Interval{Method: MethodHull, Lo: min(t.Lo, b.Lo), Hi: max(t.Hi, b.Hi)}
}
