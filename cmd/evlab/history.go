package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"evlab/artifacts"
	"evlab/experiments"
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
