package planning

import (
	"slices"
	"time"

	"evlab/artifacts"
	"evlab/experiments"
)

// Estimate is what a plan will cost, with the basis of the guess.
type Estimate struct {
	Cells  int           `json:"cells"`  // to run
	Tasks  int           `json:"tasks"`  // with cells to run: images to make
	Low    time.Duration `json:"low_ns"` // wall time
	High   time.Duration `json:"high_ns"`
	Basis  string        `json:"basis"`
	DiskMB int           `json:"disk_mb"`
	Calls  int           `json:"executor_calls"` // at most
	Paid   bool          `json:"paid"`           // some executor costs money
}

// Costs that nothing measured yet: a first guess, named as such.
const (
	guessLow, guessHigh   = 700 * time.Millisecond, 4 * time.Second // a sandbox step
	imageLow, imageHigh   = time.Second, 10 * time.Second
	imageMB, baseMB       = 40, 450
	stepsPerCell          = 2
	preflightStepsPerTask = 2
)

// Guess estimates a plan from the steps of earlier records of the same tasks, or from stated guesses.
func Guess(folder *artifacts.Folder, c *experiments.Contract, plan *experiments.Plan, slots int) (Estimate, error) {
	e := Estimate{Basis: "a guess: no earlier step of these tasks was measured", DiskMB: baseMB}
	low, high := guessLow, guessHigh
	tasks := map[string]bool{}
	for _, p := range plan.Cells {
		if p.State != experiments.ToRun {
			continue
		}
		e.Cells++
		tasks[p.Task] = true
		if cond, _ := c.Condition(p.Condition); cond.Kind == experiments.NoEvidence {
			e.Calls++
		} else {
			e.Calls += c.Spec.Tracks.Repair.Rounds
		}
	}
	e.Tasks = len(tasks)
	took, err := measured(folder, tasks)
	if err != nil {
		return e, err
	}
	if len(took) >= 5 {
		slices.Sort(took)
		low, high = took[len(took)/4], took[len(took)*9/10]
		e.Basis = "the measured steps of earlier runs of these tasks"
	}
	steps := time.Duration(e.Cells*stepsPerCell + e.Tasks*preflightStepsPerTask)
	images := time.Duration(e.Tasks)
	e.Low = (low*steps + imageLow*images) / time.Duration(max(slots, 1))
	e.High = (high*steps + imageHigh*images) / time.Duration(max(slots, 1))
	e.DiskMB += imageMB * e.Tasks
	if e.Cells == 0 {
		e.Low, e.High, e.DiskMB = 0, 0, 0
	}
	return e, nil
}

func measured(folder *artifacts.Folder, tasks map[string]bool) ([]time.Duration, error) {
	const enough = 500
	runs, err := recentRuns(folder, "")
	if err != nil {
		return nil, err
	}
	var took []time.Duration
	for _, run := range runs {
		c, err := run.Contract()
		if err != nil {
			continue // not frozen, or not readable: it measures nothing
		}
		for _, t := range c.Tasks {
			if !tasks[t.ID] {
				continue
			}
			for _, cell := range c.Cells(t.ID) {
				rec, err := run.Record(cell)
				if err != nil || rec == nil {
					continue
				}
				for _, cmd := range rec.Commands {
					took = append(took, cmd.Ended.Sub(cmd.Started))
				}
				if len(took) >= enough {
					return took, nil
				}
			}
		}
	}
	return took, nil
}
