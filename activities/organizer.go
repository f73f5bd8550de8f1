package activities

import (
	"context"
	"errors"
	"fmt"

	"evlab/artifacts"
	"evlab/evidence"
	"evlab/experiments"
	"evlab/organizer"
	"evlab/report"
	"evlab/repos"
	"evlab/workflows"
)

// Organizer is the role that reads the private side.
type Organizer struct {
	*Site
	rankings rankings
}

// pageSize is how many tasks one page lists: enough that listing costs nothing, few enough that a page stays small.
const pageSize = 200

// ListTasks lists tasks, from the cursor on, that have cells to do.
func (o *Organizer) ListTasks(ctx context.Context, in workflows.ListTasksInput) (page workflows.TaskPage, err error) {
	run, contract, err := o.run(in.RunID)
	if err != nil {
		return page, err
	}
	err = o.step(ctx, run, "", "", "list", func(ctx context.Context) error {
		for i := max(in.Cursor, 0); i < len(contract.Tasks); i++ {
			if len(page.Tasks) == pageSize {
				page.Next = i
				return nil
			}
			todo, err := o.todo(run, contract, contract.Tasks[i].ID)
			if err != nil {
				return err
			}
			if len(todo) > 0 {
				page.Tasks = append(page.Tasks, contract.Tasks[i].ID)
			}
		}
		return nil
	})
	return page, err
}

// todo lists the cells of a task that have no verdict yet, taking over what other runs finished with the same inputs.
// A record that is not whole is no record.
func (o *Organizer) todo(run *artifacts.Run, contract *experiments.Contract, task string) ([]experiments.Cell, error) {
	var todo []experiments.Cell
	for _, cell := range contract.Cells(task) {
		rec, err := run.RecordOf(contract, cell)
		if errors.Is(err, artifacts.ErrDamaged) {
			if err := run.Log(artifacts.Event{Boot: o.Boot, Task: task, Cell: cell.ID(), What: "damaged record", Detail: err.Error()}); err != nil {
				return nil, err
			}
			rec, err = nil, nil
		}
		if err != nil {
			return nil, err
		}
		if rec != nil && (rec.Verdict.Decided() || rec.Verdict == experiments.Excluded) {
			continue
		}
		taken, err := o.takeOver(run, contract, cell)
		if err != nil {
			return nil, err
		}
		if !taken {
			todo = append(todo, cell)
		}
	}
	return todo, nil
}

// takeOver writes the finished record of another run with the same key as this cell's own, saying whose it was.
func (o *Organizer) takeOver(run *artifacts.Run, contract *experiments.Contract, cell experiments.Cell) (bool, error) {
	if contract.Fresh {
		return false, nil
	}
	inputs, err := contract.Inputs(cell)
	if err != nil {
		return false, err
	}
	rec, err := o.Folder.Records.Find(experiments.KeyOf(inputs))
	if err != nil || rec == nil {
		return false, err
	}
	detail := "the run's own record, from the index of finished cells"
	if rec.RunID != run.ID {
		rec.Cached, detail = rec.RunID, "from run "+rec.RunID
	}
	rec.RunID, rec.Cell = run.ID, cell
	if err := run.WriteRecord(rec); err != nil {
		return false, err
	}
	return true, run.Log(artifacts.Event{Boot: o.Boot, Task: cell.Task, Cell: cell.ID(), What: "taken over", Detail: detail})
}

// OpenTask says which cells of a task are to be done and hands its tests out to the sandbox.
func (o *Organizer) OpenTask(ctx context.Context, in workflows.SandboxInput) (out workflows.OpenedTask, err error) {
	run, contract, err := o.run(in.RunID)
	if err != nil {
		return out, err
	}
	err = o.step(ctx, run, in.Task, "", "open", func(ctx context.Context) error {
		task, ok := contract.Task(in.Task)
		if !ok {
			return fmt.Errorf("run %s has no task %q", in.RunID, in.Task)
		}
		cells, err := o.todo(run, contract, in.Task)
		if err != nil {
			return err
		}
		for _, c := range cells {
			cond, _ := contract.Condition(c.Condition)
			plan := workflows.CellPlan{
				Rounds:     contract.Spec.Tracks.Repair.Rounds,
				Diagnostic: cond.Diagnostic(),
				NoEvidence: cond.Kind == experiments.NoEvidence,
				PassToPass: contract.Spec.Tracks.Repair.PassToPass,
				Together:   contract.Spec.Tracks.Repair.PassToPass == experiments.PassToPassAlways,
			}
			switch exec, _ := contract.Executor(c.Executor); exec.Kind {
			case experiments.Base, experiments.Reference:
				plan.Of = exec.Kind
			}
			out.Cells = append(out.Cells, workflows.OpenedCell{Cell: c, Plan: plan})
		}
		out.SkipPreflight = contract.Spec.Preflight == experiments.PreflightNever
		if out.Excluded = task.Excluded; out.Excluded != "" || len(cells) == 0 {
			return nil
		}
		var private organizer.Private
		if err := o.Folder.Private.GetJSON(ctx, task.Private, &private); lost(err) {
			out.Lost = "reading its hidden tests: " + err.Error()
			return nil
		} else if err != nil {
			return err
		}
		h := handOut{Tests: private.Tests, Kept: repos.RunnerPaths(private.Reference), Requires: addedRequirements(private.Reference)}
		if mirror, err := o.mirror(ctx, task); err == nil { // what keeps it from being read, the task's image will say
			if h.Asks, err = ownAsks(ctx, mirror, task.BaseCommit, private.Reference); err != nil {
				return err
			}
		}
		if out.HandOut, err = o.Folder.HandOut.PutJSON(ctx, h); err != nil {
			return err
		}
		h.Reference = private.Reference
		out.Reference, err = o.Folder.HandOut.PutJSON(ctx, h)
		return err
	})
	return out, err
}

// BuildBundle hands out a round's part of a diagnostic condition's bundle. The bundle is built from the certificate
// and the base ranking alone, so every round builds the same one.
func (o *Organizer) BuildBundle(ctx context.Context, in workflows.RoundInput) (out workflows.Evidence, err error) {
	run, contract, err := o.run(in.RunID)
	if err != nil {
		return out, err
	}
	err = o.step(ctx, run, in.Cell.Task, in.Cell.ID(), fmt.Sprintf("bundle-%d", in.Round), func(ctx context.Context) error {
		t, err := o.open(ctx, contract, in.Cell.Task)
		if err != nil {
			return err
		}
		cond, _ := contract.Condition(in.Cell.Condition)
		var private organizer.Private
		if err := o.Folder.Private.GetJSON(ctx, t.frozen.Private, &private); err != nil {
			return err
		}
		if private.Certificate == nil {
			return taskFault("task %s has no certificate, so %s can't be built", in.Cell.Task, cond.Kind)
		}
		track := contract.Spec.Tracks.Repair
		ranking := o.rankings.of(t, cond).Rank(query(t.task.State, nil), len(t.units))
		request := organizer.BundleRequest{
			Certificate: private.Certificate, Units: t.units, MaxItems: cond.MaxItems, Ceiling: track.TokenCeiling,
			Observed: t.unavailable, Reference: cond.Reference,
		}
		for _, h := range ranking {
			request.Base = append(request.Base, h.ID)
		}
		request.Items = referenceItems(t, request.Base, cond, track)
		build := organizer.OracleMSS
		if cond.Kind == experiments.OracleMinusGroup {
			build = organizer.OracleMinusGroup
		}
		bundle, err := build(request)
		if err != nil {
			return taskFault("task %s: building %s: %v", in.Cell.Task, cond.Kind, err)
		}
		bundle.Report.Notes = bundle.Notes
		if out.Report, err = o.Folder.Public.PutJSON(ctx, bundle.Report); err != nil {
			return err
		}
		from := min((in.Round-1)*track.UnitsPerCall, len(bundle.IDs))
		upto := min(from+track.UnitsPerCall, len(bundle.IDs))
		return o.show(ctx, t, bundle.IDs[from:upto], in.Past, track, &out)
	})
	return out, err
}

// referenceItems is the item count of the reference condition for a task: what its static ranking shows within the
// calls and the ceiling allowed, at most the diagnostic's own maximum (section F.5's matched count).
func referenceItems(t *openTask, base []string, cond experiments.ConditionSpec, track experiments.RepairTrack) int {
	n := min(track.Rounds*track.UnitsPerCall, cond.MaxItems)
	var units []evidence.Unit
	for _, id := range base {
		if u, ok := t.byID[id]; ok && !t.barred[id] && len(units) < n {
			units = append(units, u)
		}
	}
	_, shown, _ := evidence.Render(units, track.TokenCeiling, track.Overflow)
	return len(shown)
}

// Score makes the cell's record from what its steps left, and files it.
func (o *Organizer) Score(ctx context.Context, in workflows.ScoreInput) (out workflows.CellResult, err error) {
	run, contract, err := o.run(in.RunID)
	if err != nil {
		return out, err
	}
	err = o.step(ctx, run, in.Cell.Task, in.Cell.ID(), "score", func(ctx context.Context) error {
		rec, err := o.record(ctx, run, contract, in)
		if in.Verdict == "" && lost(err) {
			// Without what it is judged by there is no verdict, and a record says so.
			in.Verdict, in.Class, in.Reason, in.Phases, in.Report = experiments.Infra, experiments.ClassLost, err.Error(), nil, ""
			rec, err = o.record(ctx, run, contract, in)
		}
		if err != nil {
			return err
		}
		out.Verdict = rec.Verdict
		if err := run.WriteRecord(rec); err != nil {
			return err
		}
		return o.Folder.Records.Add(rec)
	})
	return out, err
}

// GiveUp records cells that get no verdict, each with the same reason.
func (o *Organizer) GiveUp(ctx context.Context, in workflows.GiveUpInput) error {
	run, contract, err := o.run(in.RunID)
	if err != nil {
		return err
	}
	for _, cell := range in.Cells {
		score := workflows.ScoreInput{RunID: in.RunID, Cell: cell, Verdict: in.Verdict, Class: in.Class, Reason: in.Reason}
		err := o.step(ctx, run, cell.Task, cell.ID(), "set aside", func(ctx context.Context) error {
			rec, err := o.record(ctx, run, contract, score)
			if err != nil {
				return err
			}
			return run.WriteRecord(rec)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Aggregate writes the run's report from its records.
func (o *Organizer) Aggregate(ctx context.Context, in workflows.AggregateInput) (out workflows.Aggregated, err error) {
	run, contract, err := o.run(in.RunID)
	if err != nil {
		return out, err
	}
	err = o.step(ctx, run, "", "", "aggregate", func(ctx context.Context) error {
		records, err := report.Records(run, contract)
		if err != nil {
			return err
		}
		for _, r := range records {
			// A process that died between a record and its index entry left the entry to us.
			if r != nil && r.Cached == "" {
				if known, err := o.Folder.Records.Find(r.Key); err != nil {
					return err
				} else if known == nil {
					if err := o.Folder.Records.Add(r); err != nil {
						return err
					}
				}
			}
		}
		summary, err := report.Summarize(contract, records)
		if err != nil {
			return err
		}
		if err := report.Write(run, summary); err != nil {
			return err
		}
		out.Summary, err = o.Folder.Public.PutJSON(ctx, summary)
		return err
	})
	return out, err
}
