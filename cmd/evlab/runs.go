package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"evlab/artifacts"
	"evlab/planning"
	"evlab/runs"
	"evlab/terminal"
)

func newRuns(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:     "runs",
		Short:   "List and cancel runs",
		Example: "  evlab runs list\n  evlab runs cancel demo-20261201-101500",
	})
	cmd.AddCommand(newRunsList(a), newRunsCancel(a))
	return cmd
}

func newRunsList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:         "list",
		Short:       "List the runs of the data folder, newest first",
		Example:     "  evlab runs list\n  evlab runs list --json",
		Args:        exactArgs(),
		Annotations: map[string]string{readsNote: "yes"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.dataFolder()
			if err != nil {
				return err
			}
			var listed []planning.Listed
			if artifacts.HasRuns(dir) {
				folder, err := a.openFolder()
				if err != nil {
					return err
				}
				defer folder.Close()
				if listed, err = planning.Runs(folder); err != nil {
					return err
				}
			}
			all := []runStatus{}
			for _, l := range listed {
				s, err := statusOf(l.Run, l.Header)
				if err != nil {
					s.Problem = err.Error()
				}
				if l.Err != nil {
					s.Problem = l.Err.Error()
				}
				all = append(all, s)
			}
			if a.json {
				return a.printJSON(map[string]any{"type": "runs", "runs": all})
			}
			titles := []string{"run", "started", "state", ">done", ">infra", ">excluded", ">pending"}
			if slices.ContainsFunc(all, func(s runStatus) bool { return s.Problem != "" }) {
				titles = append(titles, "~problem")
			}
			table := terminal.NewTable(titles...)
			for _, s := range all {
				started := "-"
				if !s.Created.IsZero() {
					started = s.Created.Local().Format(time.DateTime)
				}
				table.Row(s.RunID, started, s.State, fmt.Sprintf("%d/%d", s.Cells.Done, s.Cells.Planned),
					fmt.Sprint(s.Cells.Infra), fmt.Sprint(s.Cells.Excluded), fmt.Sprint(s.Cells.Pending), s.Problem)
			}
			if table.Len() == 0 {
				fmt.Fprintf(a.stderr, "There is no run in %s yet; evlab run configs/demo.yaml starts one.\n", dir)
				return nil
			}
			return table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout))
		},
	}
}

func newRunsCancel(a *app) *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use:   "cancel RUN",
		Short: "Cancel a run: its open cells stay pending",
		Long: "Cancel ends the run's workflow. A run that this machine's evlab is carrying right now is cancelled by interrupting that\n" +
			"evlab (Ctrl-C); cancel is for runs that were left open, and for runs on a server (--engine).",
		Example:           "  evlab runs cancel demo-20261201-101500\n  evlab runs cancel big-run --engine temporal:7233",
		Args:              exactArgs("a run"),
		ValidArgsFunction: a.completeRuns,
		Annotations:       map[string]string{exitNote: "4,5"},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			folder, run, err := a.openNamed(args[0])
			if err != nil {
				return err
			}
			defer folder.Close()
			header, err := headerOf(run)
			if err != nil {
				return err
			}
			status, err := statusOf(run, header)
			if err != nil {
				return err
			}
			if status.State == stateFinished {
				return &failure{Code: exitNothing, Msg: run.ID + " is finished: there is nothing to cancel", Hint: "evlab resume " + run.ID + " prints its summary"}
			}
			if address == "" {
				address = header.Spec.Engine
			}
			session, err := runs.Open(cmd.Context(), runs.Options{Folder: folder, Address: address})
			if err != nil {
				return sessionFailure(folder, err, run.ID)
			}
			defer func() { err = errors.Join(err, session.Close()) }()
			if err := session.Cancel(cmd.Context(), run); err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]string{"type": "cancelled", "run_id": run.ID})
			}
			fmt.Fprintf(a.stdout, "%s: cancelled; evlab resume %s would go on with it\n", run.ID, run.ID)
			return nil
		},
	}
	cmd.Flags().StringVar(&address, "engine", "", "host:port of the Temporal server (default what the run was launched with)")
	return cmd
}
