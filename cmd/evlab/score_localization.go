package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"evlab/agreement"
	"evlab/experiments"
	"evlab/localization"
	"evlab/localization/targetfile"
	"evlab/tabular"
	"evlab/terminal"
)

// localizationFlags are those of evlab score --localization.
type localizationFlags struct {
	on           bool
	adjudication []string
	labels       string
	where        targetfile.Where
	perTask      string
}

// labelSources are the values of --labels.
var labelSources = []string{string(localization.Adjudicated), string(localization.FromHunks), "none"}

func (l *localizationFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&l.on, "localization", false, "score repair targets against the references' files and patches (docs/localization.md)")
	flags.StringSliceVar(&l.adjudication, "adjudication", nil, "localization: files of labels by people")
	flags.StringVar(&l.labels, "labels", "", "localization: where labels come from: "+strings.Join(labelSources, ", ")+" (default adjudication when there are files of it, else reference-hunks when there are patches)")
	flags.StringVar(&l.where.Repos, "repos", "", "localization: folder of git repositories that hold the base commits")
	flags.StringVar(&l.where.Folder, "sources", "", "localization: folder with FOLDER/TASK/PATH, when there is no repository")
	flags.StringVar(&l.perTask, "per-task", "", "localization: write the scores of each task to a .jsonl, .csv or .parquet file")
}

// scoreLocalization is evlab score --localization.
func (a *app) scoreLocalization(ctx context.Context, f scoreFlags, l localizationFlags) (err error) {
	switch {
	case f.cohort == "":
		return usage("--cohort names an evlab cohort folder, or a file of rows {task, repo, base_commit, patch}", "score --localization needs a cohort")
	case len(f.predictions) == 0:
		return usage("--predictions names a file of rows {task, condition, executor, targets}", "score --localization needs predictions")
	case l.where.Repos != "" && l.where.Folder != "":
		return usage("", "--repos and --sources both say where sources are; give one")
	case l.labels != "" && !slices.Contains(labelSources, l.labels):
		return usage("", "--labels: %.60q is not one of %s%s", l.labels, strings.Join(labelSources, ", "), experiments.Suggest(l.labels, labelSources))
	}
	if err := notOver("per-task", l.perTask, slices.Concat([]string{f.cohort}, f.predictions, l.adjudication)...); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "evlab-references-")
	if err != nil {
		return precondition("", "making a folder for the cohort's repositories: %v", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	var faults tabular.Faults
	tasks, err := targetfile.ReadReferences(ctx, f.cohort, scratch, &faults)
	if err != nil {
		return usage("evlab score --help shows the forms", "%v", err)
	}
	sourced, err := targetfile.AddSources(ctx, tasks, l.where, &faults)
	if err != nil {
		return err
	}
	selections, err := targetfile.ReadSelections(f.predictions, tasks, &faults)
	if err != nil {
		return usage("", "%v", err)
	}
	var adjudication *localization.Adjudication
	if len(l.adjudication) > 0 {
		if adjudication, err = targetfile.ReadAdjudication(l.adjudication, tasks, &faults); err != nil {
			return usage("", "%v", err)
		}
	}
	if err := fileFaults("these files can't be scored", &faults); err != nil {
		return err
	}
	references := make([]*localization.Reference, len(tasks))
	for i, t := range tasks {
		references[i] = t.Reference
	}
	labeller, err := l.labeller(references, adjudication)
	if err != nil {
		return err
	}
	result, err := localization.Score(references, selections, labeller)
	if err != nil {
		return usage("", "%v", err)
	}
	if l.perTask != "" {
		if err := targetfile.WritePerTask(l.perTask, result); err != nil {
			return usage("", "%v", err)
		}
	}
	o := localizationObject{Type: "localization", Cohort: f.cohort, References: len(references), Sourced: sourced, Result: result}
	if adjudication != nil {
		o.Adjudicators = adjudicators(adjudication)
	}
	if a.json {
		return a.printJSON(o)
	}
	return a.printLocalization(o)
}

// labeller is the one source of labels of this call; nil for none.
func (l localizationFlags) labeller(references []*localization.Reference, adjudication *localization.Adjudication) (localization.Labeller, error) {
	patches := slices.ContainsFunc(references, func(r *localization.Reference) bool { return r.Edits != nil })
	source := l.labels
	if source == "" {
		source = "none"
		if adjudication != nil {
			source = string(localization.Adjudicated)
		} else if patches {
			source = string(localization.FromHunks)
		}
	}
	switch localization.Source(source) {
	case localization.Adjudicated:
		if adjudication == nil {
			return nil, usage("", "--labels adjudication needs --adjudication FILE")
		}
		return adjudication, nil
	case localization.FromHunks:
		if !patches {
			return nil, usage("", "--labels reference-hunks needs references with a patch; no row has one")
		}
		return localization.NewHunkLabeller(references), nil
	}
	return nil, nil
}

// localizationObject is the JSON form. Shares are from 0 to 1.
type localizationObject struct {
	Type         string            `json:"type"` // localization
	Cohort       string            `json:"cohort"`
	References   int               `json:"references"`
	Sourced      bool              `json:"sourced"` // paths were held against the repository, and symbols against its source
	Adjudicators *adjudicatorsView `json:"adjudicators,omitempty"`
	*localization.Result
}

// adjudicatorsView is the agreement of two adjudicators before arbitration.
type adjudicatorsView struct {
	Names []string `json:"names"`
	N     int      `json:"n"` // targets that both labelled
	agreement.Coefficients
}

func adjudicators(a *localization.Adjudication) *adjudicatorsView {
	first, second := a.Pairs()
	v := &adjudicatorsView{Names: a.Adjudicators(), N: len(first)}
	var categories []string
	for _, l := range localization.AllLabels {
		categories = append(categories, string(l))
	}
	table := agreement.NewTable(categories)
	for i := range first {
		if err := table.Add(string(first[i]), string(second[i]), 1); err != nil {
			return v // no label is outside the categories
		}
	}
	v.Coefficients = table.Coefficients()
	return v
}

func (a *app) printLocalization(o localizationObject) error {
	source := string(o.Source)
	if source == "" {
		source = "none"
	}
	a.prose("%s: %s; labels: %s\n\n", terminal.Safe(o.Cohort), plural(o.References, "task"), source)
	titles := []string{"~condition", "~executor", ">recall %", ">success", ">cap-eligible", ">targets", ">slots"}
	labelled := o.Source != ""
	if labelled {
		titles = append(titles, ">precise", ">coarse", ">wrong", ">other", ">unlabelled", ">raw %", ">fixed-budget %")
	}
	table := terminal.NewTable(titles...)
	for _, s := range o.Summaries {
		row := []string{terminal.Safe(s.Condition), terminal.Safe(s.Executor), percent(s.Recall), fmt.Sprintf("%d/%d", s.Successes, s.Tasks),
			fmt.Sprintf("%d/%d", s.EligibleSuccess, s.Eligible), fmt.Sprint(s.Emitted), fmt.Sprint(s.Slots)}
		if labelled {
			l := s.Labels
			row = append(row, fmt.Sprint(l.Precise), fmt.Sprint(l.Coarse), fmt.Sprint(l.Wrong), fmt.Sprint(l.Other), fmt.Sprint(l.Unlabelled),
				precisionCell(*s.Raw), precisionCell(*s.FixedBudget))
		}
		table.Row(row...)
	}
	if err := table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
		return err
	}
	if v := o.Adjudicators; v != nil && len(v.Names) == 2 {
		fmt.Fprintln(a.stdout)
		a.prose("%s and %s on %s: raw %s, kappa %s, 2p-1 %s, AC1 %s\n", terminal.Safe(v.Names[0]), terminal.Safe(v.Names[1]), plural(v.N, "target"),
			orDash(v.Raw, percent), orDash(v.Kappa, coefficient), orDash(v.TwoPMinus1, coefficient), orDash(v.AC1, coefficient))
	}
	a.localizationNotes(o)
	return nil
}

// precisionCell is a precision, or the bounds that missing labels leave.
func precisionCell(p localization.Precision) string {
	switch {
	case p.Value != nil:
		return percent(*p.Value)
	case p.Lo != nil:
		return percent(*p.Lo) + ".." + percent(*p.Hi)
	}
	return "-"
}

func coefficient(x float64) string { return fmt.Sprintf("%.3f", x) }

// localizationNotes says on stderr what counts against an executor, and what is missing.
func (a *app) localizationNotes(o localizationObject) {
	unlabelled := 0
	for _, s := range o.Summaries {
		name := terminal.Safe(s.Condition)
		if s.Executor != "" {
			name += ", " + terminal.Safe(s.Executor)
		}
		if s.Missing > 0 {
			fmt.Fprintf(a.stderr, "note: %s: %s without a selection; they count zero and stay in\n", name, plural(s.Missing, "task"))
		}
		if len(s.Refused) > 0 {
			var parts []string
			for _, reason := range slices.Sorted(maps.Keys(s.Refused)) {
				parts = append(parts, fmt.Sprintf("%s %d", reason, s.Refused[reason]))
			}
			fmt.Fprintf(a.stderr, "note: %s: targets not scored: %s\n", name, strings.Join(parts, ", "))
		}
		if s.Labels != nil {
			unlabelled += s.Labels.Unlabelled
		}
	}
	switch {
	case unlabelled == 0:
	case o.Source == localization.FromHunks && !o.Sourced:
		fmt.Fprintf(a.stderr, "note: %s without a label, so precision has bounds: a symbol needs the file's source; --repos DIR or --sources DIR gives it\n", plural(unlabelled, "target"))
	default:
		fmt.Fprintf(a.stderr, "note: %s without a label, so precision has bounds; --json says why, target by target\n", plural(unlabelled, "target"))
	}
}
