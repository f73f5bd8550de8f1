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
	"evlab/terminal"
)

// runStatus is a run as its folder shows it.
type runStatus struct {
	Type    string    `json:"type"` // status
	RunID   string    `json:"run_id"`
	Created time.Time `json:"created"`
	State   string    `json:"state"` // new, open or finished
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

func statusOf(run *artifacts.Run, header *artifacts.Header) (runStatus, error) {
	s := runStatus{Type: "status", RunID: run.ID, State: "new"}
	if header != nil {
		s.Created = header.Created
	}
	contract, err := run.Contract()
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		s.Problem = err.Error()
		return s, nil
	}
	sum, err := runs.Count(run, contract)
	if err != nil {
		return s, err
	}
	s.Cells.Planned, s.Cells.Done, s.Cells.Cached = sum.Planned, sum.Done, sum.Cached
	s.Cells.Infra, s.Cells.Excluded, s.Cells.Pending = sum.Infra, sum.Excluded, sum.Pending
	s.State = "open"
	if sum.Infra+sum.Pending == 0 {
		s.State = "finished"
	}
	return s, nil
}

func newStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "status [RUN]",
		Short:             "Say how far a run is (default: the latest)",
		Example:           "  evlab status\n  evlab status demo-20261201-101500 --json",
		Args:              exactArgs("[a run]"),
		ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := a.openFolder()
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
			if a.json {
				return a.printJSON(s)
			}
			fmt.Fprintf(a.stdout, "%s: %s, %d of %d cells done (%d taken over), %d infra, %d excluded, %d pending\n", s.RunID, s.State,
				s.Cells.Done, s.Cells.Planned, s.Cells.Cached, s.Cells.Infra, s.Cells.Excluded, s.Cells.Pending)
			if s.Problem != "" {
				fmt.Fprintf(a.stdout, "problem: %s\n", terminal.Safe(s.Problem))
			}
			if s.State != "finished" {
				fmt.Fprintf(a.stderr, "evlab watch %s follows it while it runs; evlab resume %s goes on with it when it does not\n", s.RunID, s.RunID)
			}
			return nil
		},
	}
}

// latestOr opens the run that was named, or the latest one.
func latestOr(folder *artifacts.Folder, args []string) (*artifacts.Run, *artifacts.Header, error) {
	if len(args) == 1 {
		run, err := openRun(folder, args[0])
		if err != nil {
			return nil, nil, err
		}
		h, err := run.Header()
		return run, h, err
	}
	listed, err := planning.Runs(folder)
	if err != nil {
		return nil, nil, err
	}
	if len(listed) == 0 {
		return nil, nil, &failure{Code: exitNothing, Msg: "there is no run in " + folder.Dir, Hint: "evlab run configs/demo.yaml starts one"}
	}
	return listed[0].Run, listed[0].Header, nil
}

func newWatch(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "watch RUN",
		Short:             "Follow a run that another evlab is carrying",
		Long:              "Watch reads the run's folder and shows its progress until every cell has an end. It carries nothing itself: interrupting it\nchanges nothing.",
		Example:           "  evlab watch demo-20261201-101500\n  evlab watch demo --progress json",
		Args:              exactArgs("a run"),
		ValidArgsFunction: a.completeRuns,
		Annotations:       map[string]string{exitNote: "3"},
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
			for {
				s, err := eyes.Look()
				if err != nil {
					return err
				}
				progress.Update(snapshot(s, s.Latest))
				if s.Done >= s.Planned {
					break
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
			return a.printSummary(summary)
		},
	}
}
