package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"evlab/artifacts"
	"evlab/contrasts"
	"evlab/evaluation"
	"evlab/experiments"
	"evlab/outcomes"
	"evlab/tabular"
)

func newCompare(a *app) *cobra.Command {
	var e evaluateFlags
	var unit string
	var margin float64
	var modelA, modelB string
	cmd := &cobra.Command{
		Use:   "compare A.jsonl B.jsonl --tasks FILE",
		Short: "Grade two agents' predictions and contrast them over the same tasks",
		Long: "Compare is evlab evaluate on two predictions files, and evlab contrast on the grades: A minus B in the share of resolved\n" +
			"tasks, with interval, wins, ties and losses. A prediction without a verdict is missing, never a failure.\n\n" +
			"Of each file one model's rows are taken: the only one's, or the one that --a and --b name, which may be two of one file.\n" +
			"The two sides are called by their models, and by their files where the models have one name.",
		Example: "  evlab compare new.jsonl old.jsonl --tasks tasks.jsonl --repos ./repos\n" +
			"  evlab compare new.jsonl old.jsonl --tasks tasks.jsonl --repos ./repos --unit repository --margin 2 --json\n" +
			"  evlab compare all.jsonl all.jsonl --a modelA --b modelB --tasks tasks.jsonl --repos ./repos",
		Args:        exactArgs("predictions A", "predictions B"),
		Annotations: map[string]string{exitNote: "3,4,5"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if e.tasks == "" {
				return usage("usage: "+cmd.UseLine(), "evlab compare needs --tasks")
			}
			switch { // before anything is graded
			case unit != contrasts.UnitTask && unit != contrasts.UnitRepository:
				return usage("", "--unit %q is not one of task, repository%s", unit, experiments.Suggest(unit, []string{contrasts.UnitTask, contrasts.UnitRepository}))
			case slices.Contains(args, evaluation.GoldModel):
				return usage("evlab evaluate --predictions gold grades them; a file of that name is given as ./gold",
					"gold stands for the tasks' own repairs, and compare takes two files of predictions")
			case !(margin >= 0 && margin <= 100):
				return usage("", "--margin %v is outside 0 to 100 points", margin)
			}
			folder, err := a.openFolder()
			if err != nil {
				return err
			}
			defer folder.Close()
			e.Predictions, e.Models = args, []string{modelA, modelB}
			graded := a.evaluate(cmd.Context(), folder, &e)
			if own := (*failure)(nil); graded != nil && !(errors.As(graded, &own) && own.Code == exitUndecided) {
				return graded
			}
			answer, err := a.compared(folder, e.id, e.Request, outcomes.Question{
				Metric: "resolved", Unit: unit, Interval: contrasts.Percentile, Draws: 20_000, Margin: margin,
			})
			if err != nil {
				return errors.Join(err, graded)
			}
			if a.json {
				err = a.printJSON(contrastObject{Type: "contrast", Answer: answer})
			} else {
				fmt.Fprintln(a.stdout)
				err = a.printContrasts([]outcomes.Answer{answer})
			}
			return errors.Join(err, graded)
		},
	}
	e.Apart = true
	e.bind(cmd, "compare")
	cmd.Flags().StringVar(&modelA, "a", "", "model_name_or_path of the rows of the first file, when it has several")
	cmd.Flags().StringVar(&modelB, "b", "", "model_name_or_path of the rows of the second file, when it has several")
	cmd.Flags().StringVar(&unit, "unit", contrasts.UnitTask, "what is resampled: task or repository")
	cmd.Flags().Float64Var(&margin, "margin", 0, "points within which a difference counts as none; 0 never claims equivalence")
	return cmd
}

// compared contrasts the grades of the two files of a request. The conditions are named by model, or by file where the models are one.
func (a *app) compared(folder *artifacts.Folder, id string, r evaluation.Request, q outcomes.Question) (outcomes.Answer, error) {
	run, err := openRun(folder, id)
	if err != nil {
		return outcomes.Answer{}, err
	}
	contract, err := frozenContract(run)
	if err != nil {
		return outcomes.Answer{}, err
	}
	lines, err := evaluation.Lines(run, contract)
	if err != nil {
		return outcomes.Answer{}, err
	}
	files := r.Predictions
	is := func(i int, l evaluation.Line) bool {
		return l.File() == files[i] && (r.Models[i] == "" || r.Models[i] == l.Model)
	}
	models := make([][]string, 2)
	for _, l := range lines {
		for i := range models {
			if is(i, l) && !slices.Contains(models[i], l.Model) {
				models[i] = append(models[i], l.Model)
			}
		}
	}
	for i, m := range models {
		if len(m) != 1 {
			return outcomes.Answer{}, usage("", "%s has grades of %s, expected one", files[i], plural(len(m), "model"))
		}
	}
	q.A, q.B = models[0][0], models[1][0]
	if q.A == q.B {
		q.A, q.B = filepath.Base(files[0]), filepath.Base(files[1])
	}
	if q.A == q.B {
		q.A, q.B = files[0], files[1]
	}
	f, err := os.CreateTemp("", "evlab-grades-*.jsonl")
	if err != nil {
		return outcomes.Answer{}, err
	}
	defer os.Remove(f.Name())
	enc := json.NewEncoder(f)
	for _, l := range lines {
		if is(0, l) {
			l.Model = q.A
		} else {
			l.Model = q.B
		}
		if err := enc.Encode(l); err != nil {
			return outcomes.Answer{}, errors.Join(err, f.Close())
		}
	}
	if err := f.Close(); err != nil {
		return outcomes.Answer{}, err
	}
	var faults tabular.Faults
	table, err := outcomes.Read(f.Name(), outcomes.Wanted{Metrics: []string{q.Metric}, Labels: q.Labels()}, &faults)
	if fault := fileFaults("these grades can't be contrasted", &faults); fault != nil {
		return outcomes.Answer{}, fault
	}
	if err != nil {
		return outcomes.Answer{}, err
	}
	answers, err := table.AskAll([]outcomes.Question{q})
	if err != nil {
		return outcomes.Answer{}, usage("", "%v", err)
	}
	return answers[0], nil
}
