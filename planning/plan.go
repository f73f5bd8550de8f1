package planning

import (
	"errors"
	"fmt"

	"evlab/artifacts"
	"evlab/experiments"
)

// Make says of every cell of the contract what will be done with it, and why.
func Make(folder *artifacts.Folder, run *artifacts.Run, c *experiments.Contract) (*experiments.Plan, error) {
	plan := &experiments.Plan{Schema: experiments.PlanSchema, RunID: c.RunID}
	earlier, err := recentRuns(folder, c.RunID)
	if err != nil {
		return nil, err
	}
	for i := range c.Tasks {
		for _, cell := range c.Cells(c.Tasks[i].ID) {
			p, err := planCell(folder, run, earlier, c, &c.Tasks[i], cell)
			if err != nil {
				return nil, err
			}
			plan.Cells = append(plan.Cells, p)
		}
	}
	return plan, nil
}

func planCell(folder *artifacts.Folder, run *artifacts.Run, earlier []*artifacts.Run, c *experiments.Contract, task *experiments.FrozenTask, cell experiments.Cell) (experiments.PlannedCell, error) {
	inputs, err := c.Inputs(cell)
	if err != nil {
		return experiments.PlannedCell{}, err
	}
	p := experiments.PlannedCell{Cell: cell, Key: experiments.KeyOf(inputs), Inputs: inputs, State: experiments.ToRun}
	if run != nil {
		rec, err := run.RecordOf(c, cell)
		switch {
		case errors.Is(err, artifacts.ErrDamaged):
			p.Reason = "its record is damaged"
			return p, nil
		case err != nil:
			return p, err
		case rec != nil && rec.Verdict.Decided():
			p.State, p.Reason = experiments.Done, string(rec.Verdict)
			return p, nil
		case rec != nil && rec.Verdict == experiments.Excluded:
			p.State, p.Reason = experiments.Barred, rec.Reason
			return p, nil
		case rec != nil:
			p.Reason = fmt.Sprintf("no verdict yet: %s (%s)", rec.Verdict, rec.Class)
			return p, nil
		}
	}
	if task.Excluded != "" {
		p.State, p.Reason = experiments.Barred, task.Excluded
		return p, nil
	}
	if e, ok := c.Executor(cell.Executor); ok && e.Kind == experiments.Replay && task.Executors[cell.Executor] == "" {
		p.State, p.Reason = experiments.Barred, "no prediction"
		return p, nil
	}
	if c.Fresh {
		p.Reason = "asked for anew"
		return p, nil
	}
	rec, err := folder.Records.Find(p.Key)
	if err != nil {
		return p, err
	}
	if rec != nil {
		p.State, p.Reason = experiments.TakeOver, "the same inputs in run "+rec.RunID
		return p, nil
	}
	p.Reason = difference(earlier, cell, inputs)
	return p, nil
}

// difference names the first input in which the cell differs from its latest finished namesake.
func difference(earlier []*artifacts.Run, cell experiments.Cell, inputs []experiments.Input) string {
	for _, run := range earlier {
		rec, err := run.Record(cell)
		if err != nil || rec == nil || !rec.Verdict.Decided() {
			continue
		}
		if name, was, is, ok := experiments.FirstDifference(rec.Inputs, inputs); ok {
			return fmt.Sprintf("%s changed since run %s: %s -> %s", name, run.ID, orNone(was), orNone(is))
		}
	}
	return "no record"
}

func orNone(d experiments.Digest) string {
	if d == "" {
		return "none"
	}
	return d.Short()
}

// recentRuns is how many earlier runs are looked through for a namesake, newest first.
const manyRuns = 20

func recentRuns(folder *artifacts.Folder, but string) ([]*artifacts.Run, error) {
	runs, err := Runs(folder)
	if err != nil {
		return nil, err
	}
	var recent []*artifacts.Run
	for _, r := range runs {
		if r.Run.ID != but && len(recent) < manyRuns {
			recent = append(recent, r.Run)
		}
	}
	return recent, nil
}
