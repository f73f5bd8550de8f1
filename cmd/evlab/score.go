package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"evlab/datasets"
	"evlab/evidence"
	"evlab/experiments"
	"evlab/planning"
	"evlab/repos"
	"evlab/scores"
	"evlab/scores/statefile"
	"evlab/tabular"
)

// scoreFlags are what evlab score is asked for.
type scoreFlags struct {
	cohort, certificates string
	predictions          []string
	items, tokens        []int
	overflow, gain       string
	a, b                 string
	strata               []string
	chosen               bool // strata were asked for, and JSON has those alone
	perState             string
}

func newScore(a *app) *cobra.Command {
	var f scoreFlags
	var local localizationFlags
	cmd := &cobra.Command{
		Use:   "score --cohort DIR|FILE --predictions FILE [FILE ...]",
		Short: "Score rankings against certificates: Complete-MSS, recall, nDCG, budgets",
		Long: "Score reads states with their pools, certificates, and rows {state_id, method_id, evidence_ids}, and reports what each method\n" +
			"recovers at every cutoff by items and by tokens, what the pools allow (a uniform draw, the oracle), and the strata.\n" +
			"A state that a method has no row for, and a row that returns nothing, count zero; every other fault of a file is\n" +
			"reported with its file, row and reason, all at once, and nothing is scored. docs/scores.md has the forms and formulas.",
		Example: "  evlab score --cohort docs/examples/score --predictions docs/examples/score/predictions.jsonl\n" +
			"  evlab score --cohort states.jsonl --certificates labels.jsonl --predictions ours.jsonl theirs.jsonl --a ours --b theirs\n" +
			"  evlab score --cohort cal500 --predictions all.jsonl --per-state scores.csv --json\n" +
			"  evlab score --localization --cohort docs/examples/localization/references.jsonl --predictions docs/examples/localization/selections.jsonl",
		Args:        cobra.ArbitraryArgs, // further files of predictions, as a shell's *.jsonl gives them
		Annotations: map[string]string{readsNote: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.predictions = append(f.predictions, args...)
			if local.on {
				if err := onlyFlags(cmd, "with --localization", "localization", "cohort", "predictions", "adjudication", "labels", "repos", "sources", "per-task"); err != nil {
					return err
				}
				return a.scoreLocalization(cmd.Context(), f, local)
			}
			if err := withoutFlags(cmd, "without --localization", "adjudication", "labels", "repos", "sources", "per-task"); err != nil {
				return err
			}
			f.chosen = cmd.Flags().Changed("strata")
			return a.score(cmd.Context(), f)
		},
	}
	local.bind(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.cohort, "cohort", "", "folder with states.jsonl and certificates.jsonl, the file of states, or an evlab cohort folder")
	flags.StringVar(&f.certificates, "certificates", "", "file of certificates, when it is not in the folder")
	flags.StringSliceVar(&f.predictions, "predictions", nil, "files of predictions; more may follow as arguments")
	flags.IntSliceVar(&f.items, "items", scores.DefaultItems, "cutoffs by items")
	flags.IntSliceVar(&f.tokens, "tokens", scores.DefaultTokens, "cutoffs by source tokens")
	flags.StringVar(&f.overflow, "overflow", evidence.OverflowSkip, "what a unit that does not fit a token cutoff does: skip or stop")
	flags.StringVar(&f.gain, "ndcg-gain", string(scores.GainGroup), "what a newly covered group adds to nDCG: group (1) or necessity (its weight)")
	flags.StringVar(&f.a, "a", "", "compare this method ...")
	flags.StringVar(&f.b, "b", "", "... with this one, also under budgets matched per state")
	flags.StringSliceVar(&f.strata, "strata", []string{"groups", "boundary", "overlap"}, "partitions to show: "+strings.Join(scores.PartitionNames, ", ")+", all or none (JSON: all, unless some are asked for)")
	flags.StringVar(&f.perState, "per-state", "", "write the scores of each state to a .jsonl, .csv or .parquet file")
	return cmd
}

func (a *app) score(ctx context.Context, f scoreFlags) error {
	partitions, err := f.check()
	if err != nil {
		return err
	}
	files, err := recoveryCohort(f.cohort, f.certificates)
	if err != nil {
		return usage("evlab score --help shows the forms", "%v", err)
	}
	if err := notOver("per-state", f.perState, append([]string{files.States, files.Certificates, files.Units}, f.predictions...)...); err != nil {
		return err
	}
	if err := cmp.Or(otherKind([]string{f.cohort}, datasets.KindStates, datasets.KindCohort), otherKind(f.predictions, datasets.KindRankings)); err != nil {
		return err
	}
	var faults tabular.Faults
	cohort, err := statefile.Read(ctx, files, &faults)
	if err != nil {
		return unreadable(err, &faults)
	}
	predictions, err := statefile.ReadPredictions(f.predictions, cohort, &faults)
	if err != nil {
		return unreadable(err, &faults)
	}
	if err := fileFaults("these files can't be scored", &faults); err != nil {
		return err
	}
	result, err := scores.Score(cohort.Cohort, predictions.Methods,
		scores.Options{Items: f.items, Tokens: f.tokens, Overflow: f.overflow, Gain: scores.Gain(f.gain)}, [2]string{f.a, f.b})
	if err != nil {
		return usage("", "%v", err)
	}
	if f.perState != "" {
		if err := statefile.WritePerState(f.perState, result); err != nil {
			return usage("", "%v", err)
		}
	}
	shown := result.Partitions[:0:0]
	for _, p := range result.Partitions {
		if slices.Contains(partitions, p.By) {
			shown = append(shown, p)
		}
	}
	if a.json {
		if f.chosen {
			result.Partitions = shown
		}
		return a.printJSON(newScoreObject(f, cohort, predictions, result))
	}
	a.printNotices(&predictions.Notices)
	return a.printScores(scoreView{f, cohort, result, shown})
}

// notOver refuses to write a result over one of the files that it is made of, whatever the two are called.
func notOver(flag, result string, files ...string) error {
	there, err := os.Stat(result)
	if err != nil {
		return nil // nothing is there yet, or nothing that can be written
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && os.SameFile(there, info) {
			return usage("give the result a name of its own", "--%s %s would take the place of a file that is read", flag, result)
		}
	}
	return nil
}

// recoveryCohort finds the files of a cohort's states. The pools of an evlab cohort folder are made as a run makes them.
func recoveryCohort(path, certificates string) (statefile.Files, error) {
	if datasets.IsImported(path) {
		return statefile.Files{}, fmt.Errorf("%s was made by evlab import: it holds tasks to repair, and no pools of candidates; give the states and certificates that it came from", path)
	}
	files, err := statefile.Find(path, certificates)
	files.UnitsOf = func(ctx context.Context, source, commit string) ([]evidence.Unit, error) {
		mirror, err := repos.Open(ctx, source)
		if err != nil {
			return nil, err
		}
		return planning.Units(ctx, mirror, commit)
	}
	return files, err
}

// check refuses flags that can't be meant, and returns the partitions to show.
func (f *scoreFlags) check() ([]string, error) {
	switch {
	case f.cohort == "":
		return nil, usage("--cohort names a folder with states.jsonl and certificates.jsonl, or the file of states", "score needs a cohort")
	case len(f.predictions) == 0:
		return nil, usage("--predictions names a file of rows {state_id, method_id, evidence_ids}", "score needs predictions")
	case (f.a == "") != (f.b == ""):
		return nil, usage("", "--a and --b go together: two methods are compared")
	}
	if slices.Equal(f.strata, []string{"all"}) {
		return scores.PartitionNames, nil
	}
	if slices.Equal(f.strata, []string{"none"}) {
		return nil, nil
	}
	for _, by := range f.strata {
		if !slices.Contains(scores.PartitionNames, by) {
			return nil, usage("", "--strata: %.60q is not one of %s, all, none%s", by, strings.Join(scores.PartitionNames, ", "),
				experiments.Suggest(by, scores.PartitionNames))
		}
	}
	return f.strata, nil
}

// fileFaults is the failure that lists every fault of a user's files, nil when there are none.
func fileFaults(msg string, faults *tabular.Faults) error {
	if faults.Len() == 0 {
		return nil
	}
	return &failure{Code: exitUsage, Msg: fmt.Sprintf("%s: %s", msg, plural(faults.Len(), "fault")), Faults: faults.All(), Err: faults.Err()}
}

// unreadable is the failure of a file that can't be read to its end. What was found before is told, too.
func unreadable(err error, faults *tabular.Faults) error {
	f := usage("", "%v", err)
	f.Faults = faults.All()
	return f
}
