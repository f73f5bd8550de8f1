package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"evlab/contrasts"
	"evlab/evaluation"
	"evlab/experiments"
	"evlab/outcomes"
	"evlab/tabular"
)

func newCompare(a *app) *cobra.Command {
	var e evaluateFlags
	var contrast gradeContrast
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
			case contrast.Unit != contrasts.UnitTask && contrast.Unit != contrasts.UnitRepository:
				return usage("", "--unit %q is not one of task, repository%s", contrast.Unit, experiments.Suggest(contrast.Unit, []string{contrasts.UnitTask, contrasts.UnitRepository}))
			case slices.Contains(args, evaluation.GoldModel):
				return usage("evlab evaluate --predictions gold grades them; a file of that name is given as ./gold",
					"gold stands for the tasks' own repairs, and compare takes two files of predictions")
			case !(contrast.Margin >= 0 && contrast.Margin <= 100):
				return usage("", "--margin %v is outside 0 to 100 points", contrast.Margin)
			}
			folder, err := a.openFolder()
			if err != nil {
				return err
			}
			defer folder.Close()
			e.Predictions, e.Models = args, []string{modelA, modelB}
			return a.evaluate(cmd.Context(), folder, &e, &contrast)
		},
	}
	e.Apart = true
	e.bind(cmd, "compare")
	cmd.Flags().StringVar(&modelA, "a", "", "model_name_or_path of the rows of the first file, when it has several")
	cmd.Flags().StringVar(&modelB, "b", "", "model_name_or_path of the rows of the second file, when it has several")
	cmd.Flags().StringVar(&contrast.Unit, "unit", contrasts.UnitTask, "what is resampled: task or repository")
	cmd.Flags().Float64Var(&contrast.Margin, "margin", 0, "points within which a difference counts as none; 0 never claims equivalence")
	return cmd
}

// gradeContrast says how the grades of a comparison's two sides are contrasted.
type gradeContrast struct {
	Unit   string  `json:"unit"`   // contrasts.UnitTask or UnitRepository
	Margin float64 `json:"margin"` // points
}

// printGradeContrast contrasts the grades of a comparison's sides, which are its two executors.
func (a *app) printGradeContrast(e *ended) error {
	answer, err := contrastGrades(e, outcomes.Question{
		Metric: "resolved", Unit: e.ending.Contrast.Unit, Interval: contrasts.Percentile, Draws: 20_000, Margin: e.ending.Contrast.Margin,
	})
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(contrastObject{Type: "contrast", Answer: answer})
	}
	fmt.Fprintln(a.stdout)
	return a.printContrasts([]outcomes.Answer{answer})
}

// contrastGrades names the conditions by model, or by file where the models are one.
func contrastGrades(e *ended, q outcomes.Question) (outcomes.Answer, error) {
	sides := e.contract.Spec.Executors
	if len(sides) != 2 {
		return outcomes.Answer{}, usage("", "run %s grades %s, and a contrast takes two", e.run.ID, plural(len(sides), "model"))
	}
	lines, err := evaluation.Lines(e.run, e.contract)
	if err != nil {
		return outcomes.Answer{}, err
	}
	is := func(i int, l evaluation.Line) bool {
		return l.File() == sides[i].Predictions && l.Model == sides[i].Model
	}
	files := []string{sides[0].Predictions, sides[1].Predictions}
	q.A, q.B = sides[0].Model, sides[1].Model
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
