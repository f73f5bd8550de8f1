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
	var show string
	cmd := &cobra.Command{
		Use:   "history RUN TASK [CELL]",
		Short: "Tell what happened to one task, every attempt; show its patches, prompts, replies, logs",
		Long: "History reads the run's folder alone, with the engine on or off: which process began and ended which step, what each cell\n" +
			"was shown, what it proposed, which commands were run, and how it was scored. Of the tests it names those that did not\n" +
			"pass; --json has all. CELL is a condition, an executor or its model, or CONDITION/EXECUTOR/REPLICATE as a history\n" +
			"prints it. Calls are retrieval calls, each a round of the cell; executor calls are requests to the executor, which cost\n" +
			"money where it is a model; a container start is one command of tests.\n\n" +
			"With --show it writes one artifact instead: patch, prompt, reply, evidence, log or stderr. Where there are several, the\n" +
			"name has the round or the phase (reply-2, log-fail_to_pass), or is the digest that the history prints. To a terminal the\n" +
			"text is escaped; to a file or a pipe the bytes go as they are.",
		Example: "  evlab history demo-20261201-101500 ledger-tax-cent\n  evlab history demo ledger-tax-cent bm25 --json\n" +
			"  evlab history demo ledger-tax-cent bm25 --show patch | git apply --stat\n  evlab history demo ledger-tax-cent bm25 --show reply-1",
		Args:              exactArgs("a run", "a task", "[a cell]"),
		ValidArgsFunction: a.completeHistory,
		Annotations:       map[string]string{exitNote: "5,6", readsNote: "yes"},
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
			switch {
			case cmd.Flags().Changed("show"):
				return a.showArtifact(cmd.Context(), folder.Public, contract, h, show)
			case a.json:
				return a.printJSON(h)
			}
			a.tell(h)
			return nil
		},
	}
	cmd.Flags().StringVar(&show, "show", "", "write one artifact: "+strings.Join(artifactKinds, ", ")+", or a digest of the history")
	cmd.RegisterFlagCompletionFunc("show", cobra.FixedCompletions(artifactKinds, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// completeHistory completes runs, and then the tasks of the run.
func (a *app) completeHistory(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return a.completeRuns(cmd, args, typed)
	}
	folder, run, err := a.openNamed(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer folder.Close()
	contract, err := run.Contract()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return taskIDs(contract), cobra.ShellCompDirectiveNoFileComp
}

func taskIDs(contract *experiments.Contract) []string {
	var ids []string
	for _, t := range contract.Tasks {
		ids = append(ids, t.ID)
	}
	return ids
}

// selectedCells are the cells of a task that a word selects: a condition, an executor, an executor's model, or the
// beginning of CONDITION/EXECUTOR/REPLICATE. The empty word selects all.
func selectedCells(contract *experiments.Contract, task, word string) ([]experiments.Cell, error) {
	all := contract.Cells(task)
	if word == "" {
		return all, nil
	}
	for _, by := range []func(experiments.Cell) bool{
		func(c experiments.Cell) bool { return c.Condition == word },
		func(c experiments.Cell) bool { return c.Executor == word },
		func(c experiments.Cell) bool { e, _ := contract.Executor(c.Executor); return e.Model == word },
		func(c experiments.Cell) bool { // with or without the task in front
			return strings.HasPrefix(c.ID()+"/", word+"/") || strings.HasPrefix(c.ID()+"/", task+"/"+word+"/")
		},
	} {
		if cells := slices.DeleteFunc(slices.Clone(all), func(c experiments.Cell) bool { return !by(c) }); len(cells) > 0 {
			return cells, nil
		}
	}
	var words []string
	for _, c := range contract.Spec.Conditions {
		words = append(words, c.Name)
	}
	for _, e := range contract.Spec.Executors {
		words = append(words, e.Name)
		if e.Model != "" && e.Model != e.Name {
			words = append(words, e.Model)
		}
	}
	return nil, usage("a cell is named by a condition, an executor, a model, or CONDITION/EXECUTOR/REPLICATE; there are "+experiments.List(words, 12),
		"task %s in run %s has no cell %q%s", task, contract.RunID, word, experiments.Suggest(word, words))
}

func readHistory(run *artifacts.Run, contract *experiments.Contract, args []string) (*taskHistory, error) {
	task, word := args[0], ""
	if len(args) == 2 {
		word = args[1]
	}
	if _, ok := contract.Task(task); !ok {
		ids := taskIDs(contract)
		return nil, usage("its tasks are "+experiments.List(ids, 12), "run %s has no task %q%s", run.ID, task, experiments.Suggest(task, ids))
	}
	cells, err := selectedCells(contract, task, word)
	if err != nil {
		return nil, err
	}
	h := &taskHistory{Type: "history", RunID: run.ID, Task: task, Events: []artifacts.Event{}, Records: []*experiments.Record{}}
	events, cut, err := run.Events(task)
	if err != nil {
		return nil, err
	}
	h.Cut = cut
	ids := map[string]bool{"": true} // what is about the task is about each of its cells
	for _, cell := range cells {
		ids[cell.ID()] = true
		rec, err := run.Record(cell)
		if err != nil {
			h.Damaged = append(h.Damaged, err.Error())
		} else if rec != nil {
			h.Records = append(h.Records, rec)
		}
	}
	for _, e := range events {
		if ids[e.Cell] {
			h.Events = append(h.Events, e)
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
	if len(h.Records) > 0 {
		cell := h.Records[0].Cell
		fmt.Fprintf(a.stderr, "evlab history %s %s %s/%s/%d --show patch shows one of these artifacts, or %s, or a digest\n", h.RunID, h.Task, cell.Condition,
			cell.Executor, cell.Replicate, strings.Join(artifactKinds[1:], ", "))
	}
}

// shortened is a command for people: one that names hundreds of tests is cut in its middle.
func shortened(command string) string {
	const most = 400
	runes := []rune(command)
	if len(runes) <= most {
		return command
	}
	return string(runes[:most/2]) + fmt.Sprintf(" ... (%d more characters; --json has them) ... ", len(runes)-most) + string(runes[len(runes)-most/2:])
}

// tellTests counts the tests of each phase and names those that did not pass.
func (a *app) tellTests(tests []experiments.TestResult) {
	type count struct{ passed, all int }
	counts := map[string]*count{}
	var phases []string
	var failed []experiments.TestResult
	for _, t := range tests {
		if counts[t.Phase] == nil {
			counts[t.Phase] = &count{}
			phases = append(phases, t.Phase)
		}
		counts[t.Phase].all++
		if t.Outcome == experiments.PassedTest {
			counts[t.Phase].passed++
		} else {
			failed = append(failed, t)
		}
	}
	for _, phase := range phases {
		fmt.Fprintf(a.stdout, "  %s: %d of %s passed\n", phase, counts[phase].passed, plural(counts[phase].all, "test"))
		n := 0
		for _, t := range failed {
			if t.Phase != phase {
				continue
			}
			if n++; n <= mostTests {
				fmt.Fprintf(a.stdout, "    %s %s\n", terminal.Safe(t.Outcome), terminal.Safe(t.Name))
			}
		}
		if n > mostTests {
			fmt.Fprintf(a.stdout, "    and %d more; --json has every test\n", n-mostTests)
		}
	}
}

// mostTests is how many tests of a phase a history names.
const mostTests = 40

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
	for i, c := range r.Commands {
		joined := ""
		if c.Reattached {
			joined = ", joined after a restart"
		}
		command := shortened(strings.Join(c.Args, " "))
		if i > 0 && slices.Equal(c.Args, r.Commands[i-1].Args) {
			command = "(the same command)"
		}
		fmt.Fprintf(w, "  %s: %s, exit %d, %s%s, log %s\n    %s\n", c.Phase, c.Outcome, c.Exit,
			c.Ended.Sub(c.Started).Round(10*time.Millisecond), joined, c.Log.Short(), terminal.Safe(command))
		if c.Problem != "" {
			fmt.Fprintf(w, "    problem: %s\n", terminal.Safe(c.Problem))
		}
	}
	a.tellTests(r.Tests)
	s := r.Scores
	fmt.Fprintf(w, "  scores: strict %t, fail-to-pass %t, pass-to-pass %t, target file %t, %d tokens, %s\n", s.Strict, s.FailToPass, s.PassToPass,
		s.TargetFileHit, s.Tokens, plural(s.Calls, "retrieval call"))
	for _, step := range slices.Sorted(maps.Keys(r.Attempts)) {
		fmt.Fprintf(w, "  step %s was begun %d times\n", step, r.Attempts[step])
	}
	fmt.Fprintf(w, "  effects: %s, %s\n", plural(r.Effects.ExecutorCalls, "executor call"), plural(r.Effects.ContainerStarts, "container start"))
}
