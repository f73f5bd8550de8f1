package runs

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"go.temporal.io/sdk/worker"

	"evlab/activities"
	"evlab/artifacts"
	"evlab/engine"
	"evlab/experiments"
	"evlab/sandbox"
	"evlab/workflows"
)

// Options says how a session is opened.
type Options struct {
	Folder      *artifacts.Folder
	Address     string // of a Temporal server; empty means the embedded one
	UI          bool   // serve Temporal's own web pages
	UIPort      int
	Concurrency experiments.Concurrency
	KeepImages  bool
	Log         *slog.Logger
	Notice      func(string) // one plain sentence for the user
	Phase       func(string) // what is being done before the run's cells begin
}

// Session is this process at work on one run: engine, sandbox and workers.
type Session struct {
	o       Options
	boot    string
	stop    chan struct{}
	engine  *engine.Engine
	box     sandbox.Sandbox
	workers []worker.Worker
}

// system is the system that sandbox steps run on: the engine's containers are Linux, whatever the host.
func system() string { return "linux-" + runtime.GOARCH }

// Open opens the engine. It fails in words when another process holds the data folder, when the engine's file is
// damaged, when nothing answers at the address.
func Open(ctx context.Context, o Options) (*Session, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Phase == nil {
		o.Phase = func(string) {}
	}
	host, err := o.Folder.HostID()
	if err != nil {
		return nil, err
	}
	var b [4]byte
	rand.Read(b[:])
	s := &Session{o: o, boot: time.Now().UTC().Format("20060102T150405.000") + "-" + hex.EncodeToString(b[:]), stop: make(chan struct{})}
	options := engine.Options{
		State: o.Folder.State("engine"), UI: o.UI, UIPort: o.UIPort, Identity: host + "/" + s.boot, Log: o.Log, OnNotice: o.Notice,
	}
	if o.Address != "" {
		// A worker can only do steps of runs that its data folder holds.
		options.Namespace = engine.Namespace + "-" + host
		o.Phase("joining the Temporal server at " + o.Address)
		s.engine, err = engine.Dial(ctx, o.Address, options)
		return s, err
	}
	o.Phase("starting the engine")
	s.engine, err = engine.Start(ctx, options)
	if errors.Is(err, engine.ErrDamaged) {
		// The engine's file holds nothing that the records do not: it is moved aside, and what has no record runs again.
		aside, merr := engine.MoveAside(options.State)
		if merr != nil {
			return nil, errors.Join(err, merr)
		}
		o.Notice(fmt.Sprintf("The engine's file was damaged and is now %s; finished cells are kept, open ones start again.", aside))
		s.engine, err = engine.Start(ctx, options)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Boot names this process in the ledger.
func (s *Session) Boot() string { return s.boot }

// UIURL is the page of a workflow in Temporal's web UI, empty without one.
func (s *Session) UIURL(workflowID string) string { return s.engine.UIURL(workflowID) }

// serve opens the sandbox that the run froze and starts the workers of the three roles.
func (s *Session) serve(ctx context.Context, contract *experiments.Contract) error {
	host, err := s.o.Folder.HostID()
	if err != nil {
		return err
	}
	options := sandbox.Options{
		State: s.o.Folder.State("sandbox"), Host: host, Boot: s.boot, Slots: s.o.Concurrency.Steps,
		Label: map[string]string{"evlab.run": contract.RunID},
	}
	open := sandbox.OpenDocker
	if contract.Sandbox.Kind == "host" {
		open = sandbox.OpenHost
	}
	if s.box, err = open(ctx, options); err != nil {
		return err
	}
	keep, err := s.unfinished()
	if err != nil {
		return err
	}
	if n, err := s.box.Reap(ctx, keep); err != nil {
		s.o.Notice(fmt.Sprintf("Containers left by earlier processes could not all be removed: %v", err))
	} else if n > 0 {
		s.o.Log.Info("removed what earlier processes left", "steps", n)
	}

	// The SDK would read and hash this whole program to name it; the procedure's version says what matters.
	worker.SetBinaryChecksum(experiments.ProcedureVersion)
	site := &activities.Site{Folder: s.o.Folder, Boot: s.boot, Stop: s.stop, Log: s.o.Log}
	organizer := s.worker(workflows.OrganizerQueue, 8)
	workflows.Register(organizer)
	(&activities.Organizer{Site: site}).Register(organizer)
	inference := s.worker(workflows.InferenceQueue, 8)
	(&activities.Inference{Site: site}).Register(inference)
	// A test step waits for a slot of the sandbox inside its activity, so there is room for the short ones beside it.
	box := s.worker(workflows.SandboxQueue(system()), 32)
	(&activities.Sandbox{Site: site, Box: s.box, Release: !s.o.KeepImages}).Register(box)
	for _, w := range []worker.Worker{organizer, inference, box} {
		if err := w.Start(); err != nil {
			return fmt.Errorf("starting a worker: %w", err)
		}
		s.workers = append(s.workers, w)
	}
	return nil
}

func (s *Session) worker(queue string, activities int) worker.Worker {
	return worker.New(s.engine.Client(), queue, worker.Options{
		MaxConcurrentActivityExecutionSize: activities,
		DisableRegistrationAliasing:        true,
		WorkerStopTimeout:                  20 * time.Second,
		DeadlockDetectionTimeout:           5 * time.Second, // a busy machine is no deadlock
		DisableWorkflowWorker:              queue != workflows.OrganizerQueue,
	})
}

// unfinished tells whose steps may still be read: those of runs that have cells without a verdict.
func (s *Session) unfinished() (func(step string) bool, error) {
	ids, err := s.o.Folder.RunIDs()
	if err != nil {
		return nil, err
	}
	open := map[string]bool{}
	for _, id := range ids {
		run, err := s.o.Folder.OpenRun(id)
		if err != nil {
			continue
		}
		done, err := Finished(run)
		open[id] = err != nil || !done
	}
	return func(step string) bool {
		for i := 0; i < len(step); i++ {
			if step[i] == '/' {
				return open[step[:i]]
			}
		}
		return false
	}, nil
}

// Close stops the workers (steps under way end and are tried again by a resume), then sandbox and engine.
func (s *Session) Close() error {
	close(s.stop)
	for _, w := range s.workers {
		w.Stop()
	}
	var errs []error
	if s.box != nil {
		errs = append(errs, s.box.Close())
	}
	if s.engine != nil {
		errs = append(errs, s.engine.Close())
	}
	return errors.Join(errs...)
}
