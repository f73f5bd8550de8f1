package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"evlab/contrasts"
	"evlab/datasets"
	"evlab/experiments"
	"evlab/outcomes"
	"evlab/tabular"
)

// contrastFlags are what evlab contrast is asked for.
type contrastFlags struct {
	source  outcomeSource
	metrics []string
	a, b    []string
	family  string
	exact   bool
	span    string
	require string
	random  bool // draws or a seed were asked for
	outcomes.Question
}

func newContrast(a *app) *cobra.Command {
	var f contrastFlags
	cmd := &cobra.Command{
		Use:   "contrast --outcomes FILE | --run RUN --metric M --a A --b B",
		Short: "Contrast two conditions over the same tasks: difference, interval, test, verdict",
		Long: "Contrast reads outcomes by task and condition, averages replicates within a task, and reports A minus B in percentage points\n" +
			"with a 95% interval, wins, ties and losses, a test, and a verdict. A missing outcome is never a failure: the main line is over\n" +
			"complete pairs, and bounds stand beside it. Where the interval shown is known to be too short, the one to report is named.\n" +
			"docs/statistics.md says which interval to report, and why.\n\n" +
			"Several --metric, and several --a (with one --b, or one --b each), make a family: p-values are adjusted for their number.",
		Example: "  evlab contrast --outcomes docs/examples/contrast/outcomes.csv --metric strict --a mss-complement --b bm25\n" +
			"  evlab contrast --run RUN --metric strict --a oracle-mss --b bm25 --unit repository --json\n" +
			"  evlab contrast --outcomes o.parquet --metric tokens --a new --b old --ratio\n" +
			"  evlab contrast --outcomes o.jsonl --family family.yaml\n" +
			"  evlab contrast --outcomes o.csv --metric strict --a new --b old --executor pro --against flash",
		Args:        exactArgs(),
		Annotations: map[string]string{exitNote: "4,5,8", readsNote: "yes"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.family != "" {
				if err := onlyFlags(cmd, "with --family, whose file says it for each contrast", "family", "outcomes", "run", "require"); err != nil {
					return err
				}
			}
			if f.exact && cmd.Flags().Changed("interval") && f.Interval != contrasts.MethodExact {
				return usage("", "--exact and --interval %s ask for two different intervals; give one, and the other with --also", f.Interval)
			}
			if f.Draws == 0 { // to the contrasts a zero is a default that nobody chose
				return usage("leave it out for 20000", "--draws 0 is outside 100 to 10000000")
			}
			for flag, methods := range map[string][]string{"--interval": {f.Interval}, "--also": f.Also} {
				for _, m := range methods {
					if !slices.Contains(contrasts.IntervalMethods, m) {
						return usage("", "%s: %.60q is not one of %s%s", flag, m, strings.Join(contrasts.IntervalMethods, ", "), experiments.Suggest(m, contrasts.IntervalMethods))
					}
				}
			}
			f.random = cmd.Flags().Changed("draws") || cmd.Flags().Changed("seed")
			return a.contrast(f)
		},
	}
	flags := cmd.Flags()
	f.source.bind(cmd)
	flags.StringSliceVar(&f.metrics, "metric", nil, "metric to contrast; may be repeated")
	flags.StringArrayVar(&f.a, "a", nil, "condition A; may be repeated")
	flags.StringArrayVar(&f.b, "b", nil, "condition B, which is taken away; once, or once for each --a")
	flags.StringVar(&f.family, "family", "", "YAML file that declares the contrasts instead")
	flags.StringVar(&f.Unit, "unit", contrasts.UnitTask, "what is resampled: task, repository, episode, or a column of clusters")
	flags.StringVar(&f.Interval, "interval", contrasts.Percentile, "interval that decides: "+strings.Join(contrasts.IntervalMethods, ", "))
	flags.StringSliceVar(&f.Also, "also", nil, "further intervals to show")
	flags.BoolVar(&f.exact, "exact", false, "the exact bootstrap distribution or none: never drawn (--interval exact)")
	flags.IntVar(&f.Draws, "draws", 20_000, "draws of what is drawn")
	flags.Uint64Var(&f.Seed, "seed", 0, "seed of what is drawn")
	flags.Float64Var(&f.Margin, "margin", 0, "points within which a difference counts as none; 0 never claims equivalence")
	flags.StringVar(&f.span, "range", "", "least and greatest value of the metric, such as 0,100; points are hundredths of it (default 0,1)")
	flags.BoolVar(&f.Ratio, "ratio", false, "contrast as a ratio on the log scale: cost, tokens, time")
	flags.StringVar(&f.Executor, "executor", "", "executor, when there are several")
	flags.StringVar(&f.Against, "against", "", "a second executor: is the gain under --executor larger than under this one?")
	flags.StringVar(&f.Strata, "strata", "", "column that parts the tasks; each part is contrasted too")
	flags.StringVar(&f.Subset, "subset", "", "column that is true for some tasks; these are contrasted too, beside all")
	flags.StringVar(&f.require, "require", "", "end with code 8 unless every contrast is: better (A is), not-worse (by --margin), equivalent (by --margin)")
	return cmd
}

// outcomeSource is where outcomes come from: a file or a run.
type outcomeSource struct{ file, run string }

func (s *outcomeSource) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.file, "outcomes", "", "CSV, JSONL or Parquet file: task, condition, metrics, and executor, replicate, clusters, strata if there are")
	cmd.Flags().StringVar(&s.run, "run", "", "a run of the data folder, by id or unique prefix")
}

// readOutcomes reads the table that the flags name.
func (a *app) readOutcomes(s outcomeSource, want outcomes.Wanted) (*outcomes.Table, error) {
	switch {
	case s.file != "" && s.run != "":
		return nil, usage("", "outcomes come from --outcomes or from --run, not both")
	case s.file == "" && s.run == "":
		return nil, usage("--outcomes FILE or --run RUN says where they are", "there are no outcomes to read")
	case s.run != "":
		folder, run, err := a.openNamed(s.run)
		if err != nil {
			return nil, err
		}
		defer folder.Close()
		return outcomes.FromRun(run)
	}
	var faults tabular.Faults
	table, err := outcomes.Read(s.file, want, &faults)
	if fault := fileFaults("these outcomes can't be contrasted", &faults); fault != nil {
		return nil, cmp.Or(otherKind([]string{s.file}, datasets.KindOutcomes, datasets.KindGrades), fault)
	}
	if err != nil {
		return nil, usage("docs/statistics.md shows what the file looks like", "%v", err)
	}
	return table, nil
}

func (a *app) contrast(f contrastFlags) error {
	questions, err := f.questions()
	if err != nil {
		return err
	}
	if err := f.requirable(questions); err != nil {
		return err
	}
	var want outcomes.Wanted
	for _, q := range questions {
		want.Metrics = appendNew(want.Metrics, q.Metric)
		want.Labels = appendNew(want.Labels, q.Labels()...)
	}
	table, err := a.readOutcomes(f.source, want)
	if err != nil {
		return err
	}
	answers, err := table.AskAll(questions)
	if err != nil {
		hint := "evlab contrast --help shows the flags"
		if unknown := (*outcomes.UnknownNameError)(nil); errors.As(err, &unknown) {
			hint = "" // it lists what there is
		}
		return usage(hint, "%v", err)
	}
	if a.json {
		for _, answer := range answers {
			if err := a.printJSON(contrastObject{Type: "contrast", Answer: answer}); err != nil {
				return err
			}
		}
	} else {
		if err := a.printContrasts(answers); err != nil {
			return err
		}
		if f.random && !slices.ContainsFunc(answers, func(r outcomes.Answer) bool { return r.Draws > 0 }) {
			fmt.Fprintln(a.stderr, "note: --draws and --seed had nothing to do: everything here is computed exactly")
		}
	}
	return f.gate(answers)
}

// contrastObject is the JSON form of one contrast.
type contrastObject struct {
	Type string `json:"type"` // contrast
	outcomes.Answer
}

func appendNew(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// questions are the contrasts that the flags ask for, or those of the family's file.
func (f *contrastFlags) questions() ([]outcomes.Question, error) {
	if f.exact {
		f.Interval = contrasts.MethodExact
	}
	if !slices.Contains([]string{"", "better", "not-worse", "equivalent"}, f.require) {
		return nil, usage("", "--require %q is none of better, not-worse, equivalent", f.require)
	}
	if f.family != "" {
		family, err := outcomes.ReadFamily(f.family)
		if err != nil {
			return nil, cmp.Or(otherKind([]string{f.family}, datasets.KindFamily), error(faultsOf("docs/statistics.md shows a family's file", f.family+" declares no family that can be used:", err)))
		}
		return family.Contrasts, nil
	}
	if err := f.readSpan(); err != nil {
		return nil, err
	}
	switch {
	case len(f.metrics) == 0 || len(f.a) == 0 || len(f.b) == 0:
		return nil, usage("such as --metric strict --a new --b old", "a contrast needs --metric, --a and --b")
	case len(f.b) != 1 && len(f.b) != len(f.a):
		return nil, usage("give --b once for all, or once for each --a", "there are %d --a and %d --b", len(f.a), len(f.b))
	}
	var out []outcomes.Question
	for _, metric := range f.metrics {
		for i, condition := range f.a {
			q := f.Question
			q.Metric, q.A, q.B = metric, condition, f.b[min(i, len(f.b)-1)]
			out = append(out, q)
		}
	}
	return out, nil
}

func (f *contrastFlags) readSpan() error {
	if f.span == "" {
		return nil
	}
	low, high, found := strings.Cut(f.span, ",")
	least, err1 := strconv.ParseFloat(strings.TrimSpace(low), 64)
	most, err2 := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if err := errors.Join(err1, err2); err != nil || !found || !(least < most) {
		return usage("", "--range %q is not a least and a greatest number such as 0,100", f.span)
	}
	f.Min, f.Max = least, most
	return nil
}

// requirable refuses requirements that no answer could meet, or that an answer would meet for the wrong reason.
func (f *contrastFlags) requirable(questions []outcomes.Question) error {
	for _, q := range questions {
		switch {
		case f.require == "":
		case q.Ratio:
			return usage("leave the ratio out, or --require", "--require %s says nothing of the ratio of %s: which way is better is not the metric's to say", f.require, q.Metric)
		case f.require == "equivalent" && q.Margin == 0:
			return usage("--margin gives the points within which a difference counts as none", "--require equivalent needs a margin, and %s, %s minus %s has none", q.Metric, q.A, q.B)
		}
	}
	return nil
}

// gate compares the answers with what was required.
func (f *contrastFlags) gate(answers []outcomes.Answer) error {
	empty := true
	for _, r := range answers {
		empty = empty && r.N == 0
	}
	if empty {
		return &failure{Code: exitNothing, Msg: "no task has an outcome under both conditions", Hint: "are the tasks named alike under both? An outcome that is missing (an empty cell, infra, excluded) is none"}
	}
	if f.require == "" {
		return nil
	}
	for _, r := range answers {
		if r.Part != "" || r.Meets(f.require) {
			continue
		}
		return &failure{Code: exitGate, Msg: fmt.Sprintf("%s, %s minus %s: %s was required; it is: %s", r.Metric, r.A, r.B, f.require, r.Verdict)}
	}
	return nil
}
