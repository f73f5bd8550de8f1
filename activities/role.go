package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
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
	tries     faults // of steps that this process began and did not see to an end
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
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", artifacts.ErrLost, err)
	}
	if err != nil {
		return nil, nil, classed(err)
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
	// Tries count from their beginning, so that one that panics has been one.
	id := strings.Join([]string{run.ID, task, cell, name}, "/")
	if s.tries.another(id) > allowedTries {
		return infra("internal", true, fmt.Errorf("the step %s of %s did not come to an end in %d tries", name, cmp.Or(cell, task, run.ID), allowedTries))
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
		s.tries.none(id)
		log("finished", "")
	case errors.Is(context.Cause(inner), errStopping):
		s.tries.none(id)
		log("stopped", "evlab stopped cleanly")
		// The next attempt comes with the next process, and at once.
		return temporal.NewApplicationErrorWithOptions(errStopping.Error(), "Stopping",
			temporal.ApplicationErrorOptions{NextRetryDelay: 10 * time.Millisecond})
	default:
		log("failed", err.Error())
	}
	if err = classed(err); s.tries.of(id) < allowedTries {
		return err
	}
	s.tries.none(id) // a run that is taken up again begins anew
	return final(err)
}

// final is err as one that is not tried again.
func final(err error) error {
	class := "internal"
	var has *temporal.ApplicationError
	if errors.As(err, &has) {
		if has.NonRetryable() {
			return err
		}
		var said string
		if has.Type() == workflows.FaultType && has.Details(&said) == nil && said != "" {
			class = said
		}
		err = errors.New(has.Message())
	}
	return infra(class, true, err)
}

// allowedTries is how often a process tries a step that fails. What other processes tried does not count: one that dies
// over a step has told nothing about it.
const allowedTries = 5

// faults counts, in this process, how often something went wrong.
type faults struct {
	mu    sync.Mutex
	count map[string]int
}

// another counts once more.
func (f *faults) another(of string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count == nil {
		f.count = map[string]int{}
	}
	f.count[of]++
	return f.count[of]
}

func (f *faults) of(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[what]
}

func (f *faults) none(of string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.count, of)
}
