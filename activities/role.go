package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/workflows"
)

// Site is what every role of this process shares: the data folder, this process's name, and when it has to stop.
type Site struct {
	Folder *artifacts.Folder
	Boot   string          // names this process in the ledger
	Stop   <-chan struct{} // closed when the process stops cleanly: steps under way are given up and retried later
	Log    *slog.Logger

	contracts sync.Map // run id -> *experiments.Contract, frozen and therefore never stale
	mirrors   mirrors
}

// run opens a run and its contract.
func (s *Site) run(id string) (*artifacts.Run, *experiments.Contract, error) {
	run, err := s.Folder.OpenRun(id)
	if err != nil {
		return nil, nil, err
	}
	if c, ok := s.contracts.Load(id); ok {
		return run, c.(*experiments.Contract), nil
	}
	c, err := run.Contract()
	if err != nil {
		return nil, nil, err
	}
	s.contracts.Store(id, c)
	return run, c, nil
}

// errStopping is the cause of a step's cancellation when the process stops cleanly.
var errStopping = errors.New("evlab is stopping; the step will be tried again by a resume")

// step runs f as a step of a task or cell: it heartbeats from a ticker with the activity's own context, ends f when
// the process stops, and writes the ledger's lines around it.
func (s *Site) step(ctx context.Context, run *artifacts.Run, task, cell, name string, f func(ctx context.Context) error) error {
	attempt := 1
	if activity.IsActivity(ctx) {
		attempt = int(activity.GetInfo(ctx).Attempt)
	}
	log := func(what, detail string) {
		e := artifacts.Event{Boot: s.Boot, Task: task, Cell: cell, Step: name, Attempt: attempt, What: what, Detail: detail}
		if err := run.Log(e); err != nil {
			s.Log.Warn("writing the ledger", "run", run.ID, "error", err)
		}
	}
	log("started", "")
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	var beating sync.WaitGroup
	beating.Add(1)
	go func() {
		defer beating.Done()
		tick := time.NewTicker(5 * time.Second)
		defer tick.Stop()
		for stop := s.Stop; ; {
			select {
			case <-done:
				return
			case <-stop:
				cancel(errStopping)
				stop = nil
			case <-tick.C:
				if activity.IsActivity(ctx) {
					activity.RecordHeartbeat(ctx)
				}
			}
		}
	}()
	err := f(inner)
	close(done)
	beating.Wait()
	switch {
	case err == nil:
		log("finished", "")
	case errors.Is(context.Cause(inner), errStopping):
		log("stopped", "evlab stopped cleanly")
		// The next attempt comes with the next process, and at once.
		return temporal.NewApplicationErrorWithOptions(errStopping.Error(), "Stopping",
			temporal.ApplicationErrorOptions{NextRetryDelay: 10 * time.Millisecond})
	default:
		log("failed", err.Error())
	}
	return err
}

// taskFault says that a task can't be used: it is not tried again, and its cells are excluded with this reason.
func taskFault(format string, args ...any) error {
	return temporal.NewNonRetryableApplicationError(fmt.Sprintf(format, args...), workflows.TaskFaultType, nil)
}

// infra is a fault of infrastructure of a class. final ends the retries.
func infra(class string, final bool, err error) error {
	return temporal.NewApplicationErrorWithOptions(err.Error(), workflows.FaultType,
		temporal.ApplicationErrorOptions{NonRetryable: final, Cause: err, Details: []any{class}})
}
