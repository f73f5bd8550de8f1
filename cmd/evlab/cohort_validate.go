package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"evlab/datasets"
	"evlab/planning"
	"evlab/report"
	"evlab/terminal"
	"evlab/validation"
)

func newCohortValidate(a *app) *cobra.Command {
	var r validation.Request
	var f testingFlags
	var language, output string
	cmd := &cobra.Command{
		Use:   "validate TASKS",
		Short: "Measure a cohort's tests before anybody is graded by them",
		Long: "Validate runs each task's tests in its sandbox at the base commit twice and with the reference repair three times: which\n" +
			"tests fail before and pass after, which pass throughout, which are flaky, and what of that differs from the task's own\n" +
			"lists. A task whose own repair does not resolve it is excluded with the reason. It is a run like any other: kept by\n" +
			"content, and resumed with evlab resume.",
		Example: "  evlab cohort validate tasks.jsonl --repos ./repos\n  evlab cohort validate tasks.jsonl --repos ./repos --task owner__name-1 --json",
		Args:    exactArgs("the tasks: a file in the shape of SWE-bench or a cohort folder"), Annotations: map[string]string{exitNote: "3,4,5"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := otherKind(args, datasets.KindTasks, datasets.KindCohort, datasets.KindImported); err != nil {
				return err
			}
			if err := f.setUp(&r.Testing, args[0]); err != nil {
				return err
			}
			r.Cohort.Language = language
			var end ending
			if output != "" { // before anything is measured
				if err := datasets.Writable(output); err != nil {
					return usage("", "%v", err)
				}
				var err error
				if end.Measured, err = measuredInto(output, args[0], r.Cohort.Repos); err != nil {
					return err
				}
			}
			folder, err := a.openFolder()
			if err != nil {
				return err
			}
			defer folder.Close()
			return f.start(cmd.Context(), a, folder, validation.Spec(r), end)
		},
	}
	f.bind(cmd, &r.Testing, "validate")
	cmd.Flags().StringVar(&language, "language", "", "take only tasks of this language")
	cmd.Flags().StringArrayVar(&r.Tasks, "task", nil, "take only this task; may be given again")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the cohort with the measured lists into this folder")
	return cmd
}

// measuredOut is a cohort that is written with the lists that were measured.
type measuredOut struct {
	Output string `json:"output"` // a folder, absolute
	Source string `json:"source"` // where the tasks are from, absolute
	Repos  string `json:"repos,omitempty"`
}

func measuredInto(output, source, repos string) (*measuredOut, error) {
	m := &measuredOut{Output: output, Source: source, Repos: repos}
	for _, path := range []*string{&m.Output, &m.Source} {
		abs, err := filepath.Abs(*path)
		if err != nil {
			return nil, usage("", "%v", err)
		}
		*path = abs
	}
	return m, nil
}

// measuredAgain is what to do where the cohort could not be written: what was measured is taken over.
const measuredAgain = "evlab cohort validate with these tasks and another folder writes it, and measures nothing anew"

// writeMeasured writes the source's tasks as a cohort with the lists that were measured, unless they are others by now. What
// is there already stays: it may be what the run's first end wrote.
func (a *app) writeMeasured(ctx context.Context, e *ended) error {
	to := e.ending.Measured
	if datasets.Writable(to.Output) != nil && datasets.IsImported(to.Output) {
		fmt.Fprintf(a.stderr, "note: the cohort %s is there already, and is left as it is\n", terminal.Safe(to.Output))
		return nil
	}
	switch err := planning.Unchanged(ctx, e.folder, e.contract); {
	case errors.Is(err, planning.ErrDrift):
		return &failure{Code: exitDrift, Msg: err.Error(), Err: err, Hint: "evlab cohort validate with these tasks measures what is new, in a run of its own"}
	case err != nil:
		return usage(measuredAgain, "%v", err)
	}
	tasks, err := validation.Tasks(e.run, e.contract)
	if err != nil {
		return err
	}
	m, err := datasets.Import(ctx, to.Source, datasets.ImportOptions{Repos: to.Repos, Store: e.folder.Fetched()})
	if err != nil {
		return usage("evlab import SOURCE says what can't be taken of it", "%v", err)
	}
	found := map[string]datasets.Measured{}
	for _, t := range tasks {
		one := datasets.Measured{}
		one.FailToPass, one.PassToPass = t.Lists()
		if t.State == validation.Excluded || t.State == validation.Undecided {
			one.Excluded = t.Reason
		}
		found[t.Task] = one
	}
	m.Measure(found)
	if len(m.Tasks) == 0 {
		return &failure{Code: exitNothing, Msg: "no task is left to write"}
	}
	if _, _, err := m.Write(to.Output); err != nil {
		return usage(measuredAgain, "%v", err)
	}
	fmt.Fprintf(a.stderr, "%s with measured lists in %s\n", plural(len(m.Tasks), "task"), terminal.Safe(to.Output))
	return nil
}

// decidingLines is how many lines of a log an excluded task is shown with.
const decidingLines = 5

// printValidation prints what was measured of each task.
func (a *app) printValidation(ctx context.Context, e *ended) error {
	tasks, err := validation.Tasks(e.run, e.contract)
	if err != nil {
		return err
	}
	totals := validation.Count(e.run.ID, tasks)
	totals.WallS = e.summary.WallS
	if a.json {
		for _, t := range tasks {
			if err := a.printJSON(t); err != nil {
				return err
			}
		}
		if err := a.printJSON(totals); err != nil {
			return err
		}
	} else if err := a.validationText(ctx, e, tasks, totals); err != nil {
		return err
	}
	if n := totals.States[validation.Undecided]; n > 0 {
		lost := lostOf(tasks, func(t validation.Task) string { return t.Class })
		return undecided(e.run.ID, "evlab cohort validate", lost, n-lost, "not measured whole: %d of %s", n, plural(totals.Tasks, "task"))
	}
	return nil
}

// some prints a task's lines of one kind, so many that the others' are still seen.
func (a *app) some(task, kind string, lines []string) {
	const most = 20
	for i, line := range lines {
		if i == most {
			fmt.Fprintf(a.stdout, "%s: %sand %d more, which the JSON form names\n", terminal.Safe(task), kind, len(lines)-most)
			return
		}
		fmt.Fprintf(a.stdout, "%s: %s%s\n", terminal.Safe(task), kind, terminal.Safe(line))
	}
}

func (a *app) validationText(ctx context.Context, e *ended, tasks []validation.Task, totals validation.Totals) error {
	t := terminal.NewTable("task", "state", ">fail-to-pass", ">pass-to-pass", ">flaky", ">wrong", ">unlisted", "~reason")
	for _, m := range tasks {
		t.Row(terminal.Safe(m.Task), string(m.State), fmt.Sprint(len(m.FailToPass)), fmt.Sprint(len(m.PassToPass)), fmt.Sprint(len(m.Flaky)),
			fmt.Sprint(len(m.Wrong)), fmt.Sprint(m.UnlistedFailToPass+m.UnlistedPassToPass), terminal.Safe(m.Reason))
	}
	if err := t.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
		return err
	}
	for _, m := range tasks {
		a.some(m.Task, "flaky, set aside: ", m.Flaky)
		a.some(m.Task, "", m.Wrong)
		if m.State != validation.Excluded {
			continue
		}
		lines, err := validation.Lines(ctx, e.folder.Public, e.run, e.contract, m.Task, decidingLines)
		if err != nil {
			return err
		}
		for _, line := range lines {
			fmt.Fprintf(a.stdout, "%s: | %s\n", terminal.Safe(m.Task), terminal.Safe(line))
		}
	}
	fmt.Fprintf(a.stdout, "\nRun %s: %s: %d valid, %d differ from their lists, %d excluded, %d undecided. %s\n", totals.RunID,
		plural(totals.Tasks, "task"), totals.States[validation.Valid], totals.States[validation.Differs], totals.States[validation.Excluded],
		totals.States[validation.Undecided], report.Wall(e.summary))
	return nil
}
