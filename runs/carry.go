package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"evlab/artifacts"
	"evlab/engine"
	"evlab/experiments"
	"evlab/planning"
	"evlab/report"
	"evlab/workflows"
)

// ErrStopped says that the run was stopped and can be resumed; ErrCancelled that it was cancelled by somebody.
var (
	ErrStopped   = errors.New("stopped")
	ErrCancelled = errors.New("cancelled")
)

// Contract reads the run's contract, or freezes it now when the process that launched the run died before it could.
func Contract(ctx context.Context, folder *artifacts.Folder, run *artifacts.Run, version string, progress func(done, total int)) (*experiments.Contract, error) {
	c, err := run.Contract()
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	h, err := run.Header()
	if err != nil {
		return nil, err
	}
	c, err = planning.Freeze(ctx, folder, planning.Request{
		RunID: run.ID, Created: h.Created, SpecFile: h.SpecFile, Spec: h.Spec, Fresh: h.Fresh, Version: version, Progress: progress,
	})
	if err != nil {
		return nil, err
	}
	if err := run.Freeze(c); err != nil {
		return nil, err
	}
	plan, err := planning.Make(folder, run, c)
	if err != nil {
		return nil, err
	}
	return c, run.WritePlan(plan)
}

// Finished reports whether every cell of the run has a verdict or is excluded. A run without a contract is not.
func Finished(run *artifacts.Run) (bool, error) {
	c, err := run.Contract()
	if err != nil {
		return false, err
	}
	records, err := report.Records(run, c)
	if err != nil {
		return false, err
	}
	for _, r := range records {
		if r == nil || !r.Verdict.Decided() && r.Verdict != experiments.Excluded {
			return false, nil
		}
	}
	return true, nil
}

// Carry carries the run to its end: it starts or joins its workflow, calls watch a few times a second with what is on
// disk, and returns the summary. ErrStopped when ctx ends first.
func (s *Session) Carry(ctx context.Context, run *artifacts.Run, contract *experiments.Contract, watch func(State)) (*report.Summary, error) {
	if s.o.Address == "" {
		if err := s.endOthers(ctx, run.ID); err != nil {
			return nil, err
		}
		if n, err := s.engine.ReapOrphans(ctx, workflowIDs(run.ID, contract)); err != nil {
			s.o.Log.Warn("handing out steps of dead processes", "error", err)
		} else if n > 0 {
			s.o.Log.Info("handed out steps of dead processes again", "steps", n)
		}
	}
	s.o.Phase("opening the sandbox")
	if err := s.serve(ctx, contract); err != nil {
		return nil, err
	}
	if err := run.Log(artifacts.Event{Boot: s.boot, What: "process started", Detail: fmt.Sprintf("pid %d", os.Getpid())}); err != nil {
		return nil, err
	}
	cells, tasks := s.o.Concurrency.Steps, s.o.Concurrency.Tasks
	if cells == 0 {
		cells = max(2, runtime.NumCPU())
	}
	if tasks == 0 {
		tasks = cells + 1 // one more than can run, so that the places stay taken while a task's image is made
	}
	handle, err := s.engine.Client().ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: run.ID, TaskQueue: workflows.OrganizerQueue,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		StaticSummary:            contract.Spec.Name,
		TypedSearchAttributes:    temporal.NewSearchAttributes(temporal.NewSearchAttributeKeyKeyword(engine.AttributeRun).ValueSet(run.ID)),
	}, workflows.ExperimentType, workflows.ExperimentInput{RunID: run.ID, System: system(), Window: tasks, Cells: cells})
	if err != nil {
		return nil, fmt.Errorf("starting the run's workflow: %w", err)
	}
	err = s.follow(ctx, run, contract, handle, watch)
	if ctx.Err() != nil {
		return nil, ErrStopped
	}
	var cancelled *temporal.CanceledError
	if errors.As(err, &cancelled) {
		return nil, ErrCancelled
	}
	if err != nil {
		// Cells that could not even be recorded stay pending; the summary says so and a resume tries them again.
		s.o.Notice("Cells of the run could not be recorded: " + cause(err))
	}
	s.export(ctx, run, contract)
	return Summary(run, contract)
}

// endOthers ends what other runs of the folder left open in the engine, as this process's workers would carry them, too: a
// run that somebody stopped would go on, cost what it costs, and take its images from under this one's steps. Resumed, it
// begins anew in the engine, and goes on by what its folder holds.
func (s *Session) endOthers(ctx context.Context, own string) error {
	ids, err := s.o.Folder.RunIDs()
	if err != nil {
		return err
	}
	n, err := s.engine.EndOthers(ctx, own, ids, "another run is carried: "+own)
	if err != nil {
		return fmt.Errorf("ending what other runs left open: %w", err)
	}
	if n > 0 {
		s.o.Log.Info("ended what other runs left open", "workflows", n)
	}
	return nil
}

// Summary computes the run's summary from its records, with the time at work from its ledgers, and writes the report.
func Summary(run *artifacts.Run, contract *experiments.Contract) (*report.Summary, error) {
	records, err := report.Records(run, contract)
	if err != nil {
		return nil, err
	}
	summary, err := report.Summarize(contract, records)
	if err != nil {
		return nil, err
	}
	active, processes, err := worked(run, contract)
	if err != nil {
		return nil, err
	}
	summary.ActiveS, summary.Processes = active.Round(time.Millisecond).Seconds(), processes
	return summary, report.Write(run, summary)
}

func (s *Session) follow(ctx context.Context, run *artifacts.Run, contract *experiments.Contract, handle client.WorkflowRun, watch func(State)) error {
	done := make(chan error, 1)
	go func() { done <- await(ctx, handle, time.Second) }()
	eyes := NewWatcher(run, contract)
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	lastLook := time.Now()
	for {
		select {
		case err := <-done:
			if state, serr := eyes.Look(); serr == nil {
				watch(state)
			}
			return err
		case <-tick.C:
			state, err := eyes.Look()
			if err != nil {
				s.o.Log.Warn("reading the run's records", "error", err)
				continue
			}
			if time.Since(lastLook) > 10*time.Second {
				lastLook = time.Now()
				state.Stuck = s.stuck(ctx, run.ID, state)
			}
			watch(state)
		}
	}
}

// stuck asks the engine for workflows whose task fails over and over.
func (s *Session) stuck(ctx context.Context, runID string, state State) []string {
	ids := []string{runID}
	for _, cell := range state.Running {
		ids = append(ids, runID+"/"+cell)
	}
	found, err := s.engine.Stuck(ctx, ids)
	if err != nil {
		return nil
	}
	var lines []string
	for _, f := range found {
		lines = append(lines, fmt.Sprintf("STUCK: %s after %d attempts: %s", f.ID, f.Attempt, f.Cause))
	}
	return lines
}

// cause is what is behind an error of the run's workflow, which names every workflow that it went through.
func cause(err error) string {
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return app.Message()
	}
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err.Error()
}

// maxHistories bounds how many histories a run exports: an audit of a cell needs its record first.
const maxHistories = 2000

// export writes the engine's histories into the run's folder, for audit without an engine.
func (s *Session) export(ctx context.Context, run *artifacts.Run, contract *experiments.Contract) {
	for i, id := range workflowIDs(run.ID, contract) {
		if i == maxHistories || ctx.Err() != nil {
			return
		}
		path := run.History(id)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return
		}
		f, err := os.CreateTemp(filepath.Dir(path), ".history-*.tmp")
		if err != nil {
			return
		}
		err = errors.Join(s.engine.ExportHistory(ctx, id, "", f), f.Close())
		if err == nil {
			err = os.Rename(f.Name(), path)
		}
		if err != nil {
			os.Remove(f.Name())
			var absent *serviceerror.NotFound
			if !errors.As(err, &absent) {
				s.o.Log.Warn("exporting a history", "workflow", id, "error", err)
			}
		}
	}
}

// Cancel asks the run's workflow to end: steps under way are cancelled, cells without a record stay pending. In an engine of
// its own nothing is under way that could be asked.
func (s *Session) Cancel(ctx context.Context, run *artifacts.Run) error {
	if s.o.Address == "" {
		_, err := s.engine.End(ctx, []string{run.ID}, "cancelled")
		return err
	}
	err := s.engine.Client().CancelWorkflow(ctx, run.ID, "")
	var absent *serviceerror.NotFound
	if errors.As(err, &absent) {
		return nil // nothing runs
	}
	return err
}

// workflowIDs lists the ids of a run's workflows: the run, its tasks, their cells.
func workflowIDs(runID string, contract *experiments.Contract) []string {
	ids := []string{runID}
	for _, t := range contract.Tasks {
		ids = append(ids, runID+"/"+t.ID)
		for _, c := range contract.Cells(t.ID) {
			ids = append(ids, runID+"/"+c.ID())
		}
	}
	return ids
}
