package runs

import (
	"errors"
	"slices"
	"time"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/report"
)

// State is a run as its folder shows it. Done counts cells with a verdict, Cached those of them that were taken over;
// Infra and Excluded count cells that ended without one.
type State struct {
	Planned, Done, Cached, Infra, Excluded int
	Preparing                              []string // tasks whose image is made, or whose tests are proved, before their cells
	Running                                []string // ids of cells that have begun and not ended, at most a page of them
	Durations                              map[string][]time.Duration
	Left                                   map[string]int // condition to its unfinished cells
	Latest                                 string         // what ended last
	Stuck                                  []string
}

// Ended is the number of cells that nothing more will be done for.
func (s State) Ended() int { return s.Done + s.Infra + s.Excluded }

// Watcher looks at a run's folder again and again without reading what it has read.
type Watcher struct {
	run      *artifacts.Run
	contract *experiments.Contract
	open     []experiments.Cell
	state    State
}

// NewWatcher watches a run.
func NewWatcher(run *artifacts.Run, contract *experiments.Contract) *Watcher {
	w := &Watcher{run: run, contract: contract, state: State{Durations: map[string][]time.Duration{}, Left: map[string]int{}}}
	for _, t := range contract.Tasks {
		for _, c := range contract.Cells(t.ID) {
			w.open = append(w.open, c)
			w.state.Left[c.Condition]++
		}
	}
	w.state.Planned = len(w.open)
	return w
}

// attention is how many open cells one look goes through: cells end roughly in order, so those that end are near the
// front of the list, and a look at a very large run stays short.
const attention = 1000

// Look reads what is new.
func (w *Watcher) Look() (State, error) {
	var open []experiments.Cell
	w.state.Running, w.state.Preparing, w.state.Latest = nil, nil, ""
	ledgers := map[string][]artifacts.Event{}
	for i, c := range w.open {
		if i >= attention {
			open = append(open, w.open[i:]...)
			break
		}
		rec, err := w.run.Record(c)
		if err != nil && !errors.Is(err, artifacts.ErrDamaged) {
			return w.state, err
		}
		if rec == nil || rec.Verdict == experiments.Infra {
			open = append(open, c)
			if _, looked := ledgers[c.Task]; !looked {
				ledgers[c.Task], _, _ = w.run.Events(c.Task)
				if step := preparing(ledgers[c.Task]); step != "" {
					w.state.Preparing = append(w.state.Preparing, c.Task+": "+step)
				}
			}
			if began(ledgers[c.Task], c) {
				w.state.Running = append(w.state.Running, c.ID())
			}
			continue
		}
		w.state.Left[c.Condition]--
		w.state.Latest = c.ID() + " " + string(rec.Verdict)
		if rec.Verdict == experiments.Excluded {
			w.state.Excluded++
			continue
		}
		w.state.Done++
		if rec.Cached != "" {
			w.state.Cached++
		} else {
			w.state.Durations[c.Condition] = append(w.state.Durations[c.Condition], rec.Finished.Sub(rec.Started))
		}
	}
	w.open = open
	s := w.state
	for _, c := range open[:min(len(open), attention)] {
		if rec, _ := w.run.Record(c); rec != nil && rec.Verdict == experiments.Infra && !slices.Contains(s.Running, c.ID()) {
			s.Infra++
		}
	}
	return s, nil
}

// preparing is what a task is being made ready by: its last ledger line about no cell, when that began something.
func preparing(events []artifacts.Event) string {
	for _, e := range slices.Backward(events) {
		if e.Cell != "" {
			continue
		}
		switch {
		case e.What != "started":
			return ""
		case e.Step == "prepare":
			return "image"
		case e.Step == "preflight":
			return "tests before and after the repair"
		}
		return ""
	}
	return ""
}

// began reports whether a cell's last ledger line is about something that has not ended.
func began(events []artifacts.Event, c experiments.Cell) bool {
	for _, e := range slices.Backward(events) {
		if e.Cell == c.ID() {
			return e.What == "started" || e.What == "finished" && e.Step != "score" && e.Step != "set aside"
		}
	}
	return false
}

// Count counts a run's cells as its records show them now.
func Count(run *artifacts.Run, contract *experiments.Contract) (report.Cells, error) {
	records, err := report.Records(run, contract)
	if err != nil {
		return report.Cells{}, err
	}
	return report.Count(contract, records)
}
