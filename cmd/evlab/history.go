package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/terminal"
)

// taskHistory is all that a run's folder knows of one task.
type taskHistory struct {
	Type    string                `json:"type"` // history
	RunID   string                `json:"run_id"`
	Task    string                `json:"task"`
	Events  []artifacts.Event     `json:"events"`
	Cut     int                   `json:"cut_lines"` // ledger lines that a dying process cut short
	Records []*experiments.Record `json:"records"`
	Damaged []string              `json:"damaged,omitempty"` // records that are not whole
}

func newHistory(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "history RUN TASK [CONDITION]",
		Short: "Tell what happened to one task, every attempt of it",
		Long: "History reads the run's folder alone, with the engine on or off: which process began and ended which step, what each cell\n" +
			"was shown, what it proposed, which commands were run, and how it was scored.",
		Example:           "  evlab history demo-20261201-101500 ledger-rounding\n  evlab history demo ledger-rounding bm25 --json",
		Args:              cobra.RangeArgs(2, 3),
		ValidArgsFunction: a.completeRuns,
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
			h, err := readHistory(run, contract, args[1:])
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(h)
			}
			a.tell(h)
			return nil
		},
	}
}

func readHistory(run *artifacts.Run, contract *experiments.Contract, args []string) (*taskHistory, error) {
	task := args[0]
	if _, ok := contract.Task(task); !ok {
		var ids []string
		for _, t := range contract.Tasks {
			ids = append(ids, t.ID)
		}
		return nil, usage("", "run %s has no task %q%s", run.ID, task, experiments.Suggest(task, ids))
	}
	condition := ""
	if len(args) == 2 {
		condition = args[1]
		if _, ok := contract.Condition(condition); !ok {
			var names []string
			for _, c := range contract.Spec.Conditions {
				names = append(names, c.Name)
			}
			return nil, usage("", "run %s has no condition %q%s", run.ID, condition, experiments.Suggest(condition, names))
		}
	}
	h := &taskHistory{Type: "history", RunID: run.ID, Task: task, Events: []artifacts.Event{}, Records: []*experiments.Record{}}
	events, cut, err := run.Events(task)
	if err != nil {
		return nil, err
	}
	h.Cut = cut
	for _, e := range events {
		if condition == "" || e.Cell == "" || strings.HasPrefix(e.Cell, task+"/"+condition+"/") {
			h.Events = append(h.Events, e)
		}
	}
	for _, cell := range contract.Cells(task) {
		if condition != "" && cell.Condition != condition {
			continue
		}
		rec, err := run.Record(cell)
		if err != nil {
			h.Damaged = append(h.Damaged, err.Error())
		} else if rec != nil {
			h.Records = append(h.Records, rec)
		}
	}
	return h, nil
}

// tell prints a history for people.
func (a *app) tell(h *taskHistory) {
	w := a.stdout
	fmt.Fprintf(w, "Task %s in run %s\n", h.Task, h.RunID)
	boots := map[string]int{}
	for _, e := range h.Events {
		if boots[e.Boot] == 0 {
			boots[e.Boot] = len(boots) + 1
			fmt.Fprintf(w, "\nProcess %d (%s)\n", boots[e.Boot], terminal.Safe(e.Boot))
		}
		where := e.Cell
		if where == "" {
			where = "task"
		} else {
			where = strings.TrimPrefix(where, h.Task+"/")
		}
		line := fmt.Sprintf("  %s  %-34s %-14s %s", e.At.Local().Format("15:04:05.000"), where, e.Step, e.What)
		if e.Attempt > 1 {
			line += fmt.Sprintf(" (attempt %d)", e.Attempt)
		}
		if e.Detail != "" {
			line += ": " + e.Detail
		}
		fmt.Fprintln(w, terminal.Safe(line))
	}
	if h.Cut > 0 {
		fmt.Fprintf(w, "  (%s of the ledger were cut short by a dying process)\n", plural(h.Cut, "line"))
	}
	for _, r := range h.Records {
		a.tellRecord(r)
	}
	for _, d := range h.Damaged {
		fmt.Fprintf(w, "\nDamaged: %s\n", terminal.Safe(d))
	}
}

func (a *app) tellRecord(r *experiments.Record) {
	w := a.stdout
	executor := r.Cell.Executor
	if r.Simulated {
		executor += " (simulated)"
	}
	fmt.Fprintf(w, "\n%s / %s / replicate %d: %s\n", r.Cell.Condition, executor, r.Cell.Replicate, r.Verdict)
	if r.Reason != "" {
		fmt.Fprintf(w, "  reason: %s\n", terminal.Safe(r.Reason))
	}
	if r.Cached != "" {
		fmt.Fprintf(w, "  taken over from run %s\n", r.Cached)
	}
	for _, round := range r.Rounds {
		fmt.Fprintf(w, "  round %d: %s, reply %s (prompt %s, reply %s)\n", round.Number, plural(len(round.Evidence), "unit"), round.ReplyKind,
			round.Prompt.Short(), round.Reply.Short())
		for _, id := range round.Evidence {
			fmt.Fprintf(w, "    %s\n", terminal.Safe(id))
		}
		if round.Need != "" {
			fmt.Fprintf(w, "    asks: %s\n", terminal.Safe(round.Need))
		}
	}
	if r.Bundle != nil {
		fmt.Fprintf(w, "  bundle: %s, Complete-MSS %.0f", plural(r.Bundle.Items, "item"), r.Bundle.CompleteMSS)
		if r.Bundle.DroppedGroup != "" {
			fmt.Fprintf(w, ", without group %s", terminal.Safe(r.Bundle.DroppedGroup))
		}
		fmt.Fprintln(w)
		for _, n := range r.Bundle.Notes {
			fmt.Fprintf(w, "    note: %s\n", terminal.Safe(n))
		}
		for _, x := range r.Bundle.Excluded {
			fmt.Fprintf(w, "    left out %s: %s\n", terminal.Safe(x.ID), terminal.Safe(x.Reason))
		}
	}
	if r.Patch != "" {
		fmt.Fprintf(w, "  patch %s, tree %.12s\n", r.Patch.Short(), r.Tree)
	}
	for _, f := range r.Flags {
		fmt.Fprintf(w, "    flag: %s\n", terminal.Safe(f))
	}
	for _, c := range r.Commands {
		joined := ""
		if c.Reattached {
			joined = ", joined after a restart"
		}
		fmt.Fprintf(w, "  %s: %s, exit %d, %s%s, log %s\n    %s\n", c.Phase, c.Outcome, c.Exit,
			c.Ended.Sub(c.Started).Round(10*time.Millisecond), joined, c.Log.Short(), terminal.Safe(strings.Join(c.Args, " ")))
		if c.Problem != "" {
			fmt.Fprintf(w, "    problem: %s\n", terminal.Safe(c.Problem))
		}
	}
	for _, t := range r.Tests {
		fmt.Fprintf(w, "    %s %s\n", terminal.Safe(t.Outcome), terminal.Safe(t.Name))
	}
	s := r.Scores
	fmt.Fprintf(w, "  scores: strict %t, fail-to-pass %t, pass-to-pass %t, target file %t, %d tokens, %s\n", s.Strict, s.FailToPass, s.PassToPass,
		s.TargetFileHit, s.Tokens, plural(s.Calls, "call"))
	for _, step := range slices.Sorted(maps.Keys(r.Attempts)) {
		fmt.Fprintf(w, "  step %s was begun %d times\n", step, r.Attempts[step])
	}
	fmt.Fprintf(w, "  effects: %s, %s\n", plural(r.Effects.ExecutorCalls, "executor call"), plural(r.Effects.ContainerStarts, "container start"))
}
