package runs

import (
	"slices"
	"time"

	"evlab/artifacts"
	"evlab/experiments"
)

// worked is how long processes were at work on the run, by its ledgers, and how many of them there were: the wall time of
// a run that was stopped and resumed holds the pauses, too. Times when several were at work count once.
func worked(run *artifacts.Run, contract *experiments.Contract) (total time.Duration, processes int, err error) {
	type span struct{ from, to time.Time }
	byBoot := map[string]*span{}
	ledgers := []string{""}
	for _, t := range contract.Tasks {
		ledgers = append(ledgers, t.ID)
	}
	for _, ledger := range ledgers {
		events, _, err := run.Events(ledger)
		if err != nil {
			return 0, 0, err
		}
		for _, e := range events {
			s := byBoot[e.Boot]
			if s == nil {
				s = &span{e.At, e.At}
				byBoot[e.Boot] = s
			}
			if e.At.Before(s.from) {
				s.from = e.At
			}
			if e.At.After(s.to) {
				s.to = e.At
			}
		}
	}
	var spans []*span
	for _, s := range byBoot {
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(a, b *span) int { return a.from.Compare(b.from) })
	var end time.Time
	for _, s := range spans {
		if s.from.Before(end) {
			s.from = end
		}
		if s.to.After(s.from) {
			total += s.to.Sub(s.from)
			end = s.to
		}
	}
	return total, len(spans), nil
}
