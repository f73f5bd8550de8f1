package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"evlab/artifacts"
	"evlab/datasets"
	"evlab/experiments"
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
			if output != "" { // before anything is measured
				if err := datasets.Writable(output); err != nil {
					return usage("", "%v", err)
				}
			}
			folder, err := a.openFolder()
			if err != nil {
				return err
			}
			defer folder.Close()
			err = f.start(cmd.Context(), a, folder, validation.Spec(r))
			if unfinished := (*failure)(nil); output != "" && errors.As(err, &unfinished) && strings.HasPrefix(unfinished.Hint, "evlab resume ") {
				unfinished.Hint += "; then this command again writes " + output + " from what was measured"
			}
			if err != nil || output == "" {
				return err
			}
			return a.writeMeasured(cmd.Context(), folder, f.id, args[0], f.repos, output)
		},
	}
	f.bind(cmd, &r.Testing, "validate")
	cmd.Flags().StringVar(&language, "language", "", "take only tasks of this language")
	cmd.Flags().StringArrayVar(&r.Tasks, "task", nil, "take only this task; may be given again")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the cohort with the measured lists into this folder")
	return cmd
}

// writeMeasured writes the source's tasks as a cohort with the lists that were measured.
func (a *app) writeMeasured(ctx context.Context, folder *artifacts.Folder, id, source, repos, output string) error {
	run, err := openRun(folder, id)
	if err != nil {
		return err
	}
	contract, err := frozenContract(run)
	if err != nil {
		return err
	}
	tasks, err := validation.Tasks(run, contract)
	if err != nil {
		return err
	}
	m, err := datasets.Import(ctx, source, datasets.ImportOptions{Repos: repos, Store: folder.Fetched()})
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
	if _, _, err := m.Write(output); err != nil {
		return usage("", "%v", err)
	}
	fmt.Fprintf(a.stderr, "%s with measured lists in %s\n", plural(len(m.Tasks), "task"), terminal.Safe(output))
	return nil
}

// decidingLines is how many lines of a log an excluded task is shown with.
const decidingLines = 5

// printValidation prints what was measured of each task.
func (a *app) printValidation(ctx context.Context, folder *artifacts.Folder, run *artifacts.Run, c *experiments.Contract, s *report.Summary) error {
	tasks, err := validation.Tasks(run, c)
	if err != nil {
		return err
	}
	totals := validation.Count(run.ID, tasks)
	totals.WallS = s.WallS
	if a.json {
		for _, t := range tasks {
			if err := a.printJSON(t); err != nil {
				return err
			}
		}
		if err := a.printJSON(totals); err != nil {
			return err
		}
	} else if err := a.validationText(ctx, folder, run, c, tasks, totals, report.Wall(s)); err != nil {
		return err
	}
	if n := totals.States[validation.Undecided]; n > 0 {
		lost := 0
		for _, t := range tasks {
			if t.State == validation.Undecided && t.Class == experiments.ClassLost {
				lost++
			}
		}
		return undecided(run.ID, "evlab cohort validate", lost, n-lost, "not measured whole: %d of %s", n, plural(totals.Tasks, "task"))
	}
	return nil
}

func (a *app) validationText(ctx context.Context, folder *artifacts.Folder, run *artifacts.Run, c *experiments.Contract, tasks []validation.Task, totals validation.Totals, wall string) error {
	t := terminal.NewTable("task", "state", ">fail-to-pass", ">pass-to-pass", ">flaky", ">wrong", ">unlisted", "~reason")
	for _, m := range tasks {
		t.Row(terminal.Safe(m.Task), string(m.State), fmt.Sprint(len(m.FailToPass)), fmt.Sprint(len(m.PassToPass)), fmt.Sprint(len(m.Flaky)),
			fmt.Sprint(len(m.Wrong)), fmt.Sprint(m.UnlistedFailToPass+m.UnlistedPassToPass), terminal.Safe(m.Reason))
	}
	if err := t.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
		return err
	}
	for _, m := range tasks {
		for _, name := range m.Flaky {
			fmt.Fprintf(a.stdout, "%s: flaky, set aside: %s\n", terminal.Safe(m.Task), terminal.Safe(name))
		}
		for _, why := range m.Wrong {
			fmt.Fprintf(a.stdout, "%s: %s\n", terminal.Safe(m.Task), terminal.Safe(why))
		}
		if m.State != validation.Excluded {
			continue
		}
		lines, err := validation.Lines(ctx, folder.Public, run, c, m.Task, decidingLines)
		if err != nil {
			return err
		}
		for _, line := range lines {
			fmt.Fprintf(a.stdout, "%s: | %s\n", terminal.Safe(m.Task), terminal.Safe(line))
		}
	}
	fmt.Fprintf(a.stdout, "\nRun %s: %s: %d valid, %d differ from their lists, %d excluded, %d undecided. %s\n", totals.RunID,
		plural(totals.Tasks, "task"), totals.States[validation.Valid], totals.States[validation.Differs], totals.States[validation.Excluded],
		totals.States[validation.Undecided], wall)
	return nil
}
