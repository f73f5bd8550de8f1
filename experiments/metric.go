package experiments

// Metric is a figure of the record by the name that contrasts know it by: one of Metrics, or the costs tokens, calls and
// wall_s (seconds from the cell's start to its end, of a cell that this run did itself). ok is false when there is no such
// figure, when it was not measured, and for a record without a verdict.
func (r *Record) Metric(name string) (v float64, ok bool) {
	if r == nil || !r.Verdict.Decided() {
		return 0, false
	}
	flag := func(b bool) (float64, bool) {
		if b {
			return 1, true
		}
		return 0, true
	}
	switch s := r.Scores; name {
	case "strict":
		return flag(s.Strict)
	case "fail_to_pass":
		return flag(s.FailToPass)
	case "pass_to_pass":
		return flag(s.PassToPass)
	case "target_file_hit":
		return flag(s.TargetFileHit)
	case "complete_mss":
		if s.CompleteMSS != nil {
			return *s.CompleteMSS, true
		}
	case "group_recall":
		if s.GroupRecall != nil {
			return *s.GroupRecall, true
		}
	case "tokens":
		return float64(s.Tokens), true
	case "calls":
		return float64(s.Calls), true
	case "wall_s":
		if r.Cached == "" && r.Finished.After(r.Started) {
			return r.Finished.Sub(r.Started).Seconds(), true
		}
	}
	return 0, false
}

// CostMetrics are the metrics of Record.Metric that have no upper end: they are contrasted as ratios.
var CostMetrics = []string{"tokens", "calls", "wall_s"}
