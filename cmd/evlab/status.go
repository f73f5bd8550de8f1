package main

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"evlab/artifacts"
	"evlab/planning"
	"evlab/runs"
)

// runStatus is a run as its folder shows it.
type runStatus struct {
	Type    string    `json:"type"` // status
	RunID   string    `json:"run_id"`
	Created time.Time `json:"created"`
	State   string    `json:"state"` // one of the states below
	Cells   struct {
		Planned  int `json:"planned"`
		Done     int `json:"done"`
		Cached   int `json:"cached"`
		Infra    int `json:"infra"`
		Excluded int `json:"excluded"`
		Pending  int `json:"pending"`
	} `json:"cells"`
	Problem string `json:"problem,omitempty"`
}

// States of a run. Where this system can't tell whether a process carries a run, it is open.
const (
	stateNew      = "new"      // nothing is frozen: its start died, or is planning
	statePlanning = "planning" // a process is freezing it
	stateRunning  = "running"  // a process carries it
	stateStopped  = "stopped"  // no process carries it, and it has cells without a verdict
	stateOpen     = "open"     // it has cells without a verdict
	stateFinished = "finished"
	stateDamaged  = "damaged" // its contract is not what was frozen: nothing goes on with it
)

// unfinishedState is the state of a run that is not finished. A process on another machine is not seen.
func unfinishedState(run *artifacts.Run, frozen bool) string {
	held, err := runs.Held(run)
	switch {
	case err != nil && frozen:
		return stateOpen
	case held && frozen:
		return stateRunning
	case held:
		return statePlanning
	case frozen:
		return stateStopped
	}
	return stateNew
}

// nextStep is what to do about a run in a state.
func nextStep(s runStatus) string {
	watch, resume := "evlab watch "+s.RunID, "evlab resume "+s.RunID
	switch s.State {
	case statePlanning:
		return "a process is planning it; then " + watch + " follows it"
	case stateRunning:
		return watch + " follows it"
	case stateNew:
		return resume + " plans it and carries it"
	case stateStopped:
		return resume + " goes on with it"
	}
	return watch + " follows it while it runs; " + resume + " goes on with it when it does not"
}

func statusOf(run *artifacts.Run, header *artifacts.Header) (runStatus, error) {
	s := runStatus{Type: "status", RunID: run.ID, State: stateNew}
	if header != nil {
		s.Created = header.Created
	}
	contract, err := run.Contract() // the list shows what is wrong with it; status refuses as resume does
	if errors.Is(err, fs.ErrNotExist) {
		s.State = unfinishedState(run, false)
		return s, nil
	}
	if err != nil {
		s.State, s.Problem = stateDamaged, err.Error()
		return s, nil
	}
	sum, err := runs.Count(run, contract)
	if err != nil {
		return s, err
	}
	s.Cells.Planned, s.Cells.Done, s.Cells.Cached = sum.Planned, sum.Done, sum.Cached
	s.Cells.Infra, s.Cells.Excluded, s.Cells.Pending = sum.Infra, sum.Excluded, sum.Pending
	s.State = stateFinished
	if sum.Infra+sum.Pending > 0 {
		s.State = unfinishedState(run, true)
	}
	return s, nil
}

func newStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status [RUN]",
		Short: "Say how far a run is, and whether it is being carried (default: the latest)",
		Long: "Status counts the cells of a run and says its state: planning and running when a process carries it now, stopped when\n" +
			"none does and cells are left, new when it died before its plan was frozen, finished; open where this system can't tell.\n" +
			"Done cells have a verdict; infra and excluded ones ended without one, and resume tries those of infra again. A cell is\n" +
			"taken over (cached in JSON) when an earlier run had measured the same cell with the same inputs: its verdict is that\n" +
			"one, and nothing was run for it.",
		Example:           "  evlab status\n  evlab status demo-20261201-101500 --json",
		Args:              exactArgs("[a run]"),
		ValidArgsFunction: a.completeRuns,
		Annotations:       map[string]string{exitNote: "5,6", readsNote: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := a.openRuns()
			if err != nil {
				return err
			}
			defer folder.Close()
			run, header, err := latestOr(folder, args)
			if err != nil {
				return err
			}
			s, err := statusOf(run, header)
			if err != nil {
				return err
			}
			if s.State == stateDamaged {
				_, err := frozenContract(run)
				return err
			}
			if a.json {
				return a.printJSON(s)
			}
			a.prose("%s: %s, %d of %d cells done (%d taken over), %d infra, %d excluded, %d pending\n", s.RunID, s.State,
				s.Cells.Done, s.Cells.Planned, s.Cells.Cached, s.Cells.Infra, s.Cells.Excluded, s.Cells.Pending)
			if s.State != stateFinished {
				fmt.Fprintln(a.stderr, nextStep(s))
			}
			return nil
		},
	}
}

// headerOf reads what a run's start wrote.
func headerOf(run *artifacts.Run) (*artifacts.Header, error) {
	h, err := run.Header()
	if err != nil {
		return nil, &failure{
			Code: exitDrift, Msg: err.Error(), Err: err,
			Hint: "evlab history " + run.ID + " TASK shows the cells that it has; evlab run EXPERIMENT starts a new run, which takes over every finished cell",
		}
	}
	return h, nil
}

// latestOr opens the run that was named, or the latest one.
func latestOr(folder *artifacts.Folder, args []string) (*artifacts.Run, *artifacts.Header, error) {
	if len(args) == 1 {
		run, err := openRun(folder, args[0])
		if err != nil {
			return nil, nil, err
		}
		h, err := headerOf(run)
		return run, h, err
	}
	listed, err := planning.Runs(folder)
	if err != nil {
		return nil, nil, err
	}
	if len(listed) == 0 {
		return nil, nil, noRuns(folder.Dir)
	}
	return listed[0].Run, listed[0].Header, nil
}

func newWatch(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "watch RUN",
		Short:             "Follow a run that another evlab is carrying",
		Long:              "Watch reads the run's folder and shows its progress until every cell has an end, or until no process carries the run any\nmore. It carries nothing itself: interrupting it changes nothing.",
		Example:           "  evlab watch demo-20261201-101500\n  evlab watch demo --progress json",
		Args:              exactArgs("a run"),
		ValidArgsFunction: a.completeRuns,
		Annotations:       map[string]string{exitNote: "3", readsNote: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, run, err := a.openNamed(args[0])
			if err != nil {
				return err
			}
			defer folder.Close()
			contract, err := frozenContract(run)
			if err != nil {
				return err
			}
			progress := a.newProgress()
			defer progress.Close()
			eyes := runs.NewWatcher(run, contract)
			tick := time.NewTicker(500 * time.Millisecond)
			defer tick.Stop()
			for alone := 0; ; {
				held, holdErr := runs.Held(run) // before the look: what it wrote at its end is seen
				s, err := eyes.Look()
				if err != nil {
					return err
				}
				progress.Update(snapshot(s, s.Latest))
				if s.Ended() >= s.Planned {
					break
				}
				if held || holdErr != nil {
					alone = 0
				} else if alone++; alone > 1 { // twice: one process may be about to follow another
					return &failure{Code: exitUndecided, Msg: fmt.Sprintf("no process carries run %s: %d of its %d cells have an end", run.ID, s.Ended(), s.Planned), Hint: "evlab resume " + run.ID + " goes on with it"}
				}
				select {
				case <-cmd.Context().Done():
					return cmd.Context().Err()
				case <-tick.C:
				}
			}
			progress.Close()
			summary, err := runs.Summary(run, contract)
			if err != nil {
				return err
			}
			end, header, err := endingOf(run)
			if err != nil {
				return err
			}
			return a.printOutcome(cmd.Context(), &ended{folder: folder, run: run, contract: contract, summary: summary, ending: end.only(), fresh: header.Fresh})
		},
	}
}
