package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"evlab/datasets"
	"evlab/scores/statefile"
	"evlab/tabular"
	"evlab/terminal"
)

func newCohort(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:     "cohort",
		Short:   "Look after cohorts",
		Example: "  evlab cohort check docs/examples/score\n  evlab cohort validate tasks.jsonl --repos ./repos",
	})
	cmd.AddCommand(newCohortCheck(a), newCohortValidate(a))
	return cmd
}

func newCohortCheck(a *app) *cobra.Command {
	var certificates string
	var strict bool
	cmd := &cobra.Command{
		Use:   "check DIR|FILE",
		Short: "Lint the certificates of a recovery cohort against its pools",
		Long: "Check reads states and certificates (schema serbench-mss-v1) and reports every breach: fields that are unknown, missing or\n" +
			"impossible, ids that no pool has, quotes that do not occur in their unit, alternatives that are no whole solution,\n" +
			"observed units in a solution, and candidates whose word on having been observed differs from an exact join of ids.\n" +
			"Warnings are departures that change no score; --strict counts them as breaches.",
		Example:     "  evlab cohort check docs/examples/score\n  evlab cohort check states.jsonl --certificates labels.jsonl.gz --json",
		Args:        exactArgs("a cohort's folder or file of states"),
		Annotations: map[string]string{exitNote: "7", readsNote: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.checkCohort(cmd.Context(), args[0], certificates, strict)
		},
	}
	cmd.Flags().StringVar(&certificates, "certificates", "", "file of certificates, when it is not in the folder")
	cmd.Flags().BoolVar(&strict, "strict", false, "warnings count as breaches")
	return cmd
}

// cohortChecked is the JSON form of a check.
type cohortChecked struct {
	Type     string              `json:"type"` // cohort-check
	Cohort   string              `json:"cohort"`
	OK       bool                `json:"ok"`
	States   int                 `json:"states"`
	Groups   int                 `json:"groups"`
	BySize   map[int]int         `json:"states_by_groups"`
	Branched int                 `json:"states_with_alternatives"`
	Several  int                 `json:"states_with_several_alternatives"`
	Branches int                 `json:"alternatives"`
	Overlap  int                 `json:"states_with_overlap"`
	Flagged  int                 `json:"flagged_candidates"`
	Broken   int                 `json:"breaches"`
	Warnings int                 `json:"warnings"`
	Faults   []error             `json:"faults"` // of the files' rows, breaches of the schema among them
	Findings []statefile.Finding `json:"findings"`
}

func (a *app) checkCohort(ctx context.Context, path, certificates string, strict bool) error {
	files, err := recoveryCohort(path, certificates)
	if err != nil {
		return usage("evlab cohort check --help shows the forms", "%v", err)
	}
	if err := otherKind([]string{path}, datasets.KindStates, datasets.KindCohort); err != nil {
		return err
	}
	var faults tabular.Faults
	c, err := statefile.Check(ctx, files, &faults)
	if err != nil {
		return usage("", "%v", err)
	}
	broken, warnings := c.Count()
	o := cohortChecked{
		Type: "cohort-check", Cohort: path, States: c.States, Groups: c.Groups, BySize: c.BySize, Branched: c.Branched, Several: c.Several,
		Branches: c.Branches, Overlap: c.Overlap, Flagged: c.Flagged, Broken: broken + faults.Len(), Warnings: warnings,
		Faults: append([]error{}, faults.All()...), Findings: append([]statefile.Finding{}, c.Findings...),
	}
	o.OK = o.Broken == 0 && (!strict || warnings == 0)
	const few = 3
	if more := len(o.Faults) - few; !a.json && o.States == 0 && more > 0 { // a file of another kind has a fault in every row
		return &failure{
			Code: exitBroken, Msg: fmt.Sprintf("%s: no row of it is a state that can be read:", path), Hint: "evlab cohort check --help shows the forms",
			Faults: append(slices.Clone(o.Faults[:few]), fmt.Errorf("and %d more; --json lists more of them", o.Broken-few)),
		}
	}
	if a.json {
		if err := a.printJSON(o); err != nil {
			return err
		}
	} else if err := a.printCheck(o, strict); err != nil {
		return err
	}
	if !o.OK {
		return &failure{Code: exitBroken, Msg: fmt.Sprintf("%s: %s, %s", path, countOf(o.Broken, "breach", "breaches"), countOf(warnings, "warning", "warnings"))}
	}
	return nil
}

// printCheck lists the breaches, and the warnings by their rule unless they count.
func (a *app) printCheck(o cohortChecked, strict bool) error {
	w := a.stdout
	for _, line := range folded(o.Faults) {
		fmt.Fprintf(w, "%s\n", terminal.Safe(line))
	}
	byRule := map[string][]statefile.Finding{}
	for _, f := range o.Findings {
		if f.Warning && !strict {
			byRule[f.Rule] = append(byRule[f.Rule], f)
			continue
		}
		fmt.Fprintf(w, "%s\n", terminal.Safe(findingLine(f)))
	}
	for _, rule := range slices.Sorted(maps.Keys(byRule)) {
		list := byRule[rule]
		more := ""
		if len(list) > 1 {
			more = fmt.Sprintf(" (and %d more; --strict lists them)", len(list)-1)
		}
		fmt.Fprintf(w, "warning: %s%s\n", terminal.Safe(findingLine(list[0])), more)
	}
	word := "ok"
	if !o.OK {
		word = "not ok"
	}
	fmt.Fprintf(w, "%s: %s: %s, %s; %s with alternatives (%d in all, %s with several); %s with an observed unit in the pool\n", terminal.Safe(o.Cohort), word,
		plural(o.States, "state"), plural(o.Groups, "group"), plural(o.Branched, "state"), o.Branches, plural(o.Several, "state"), plural(o.Overlap, "state"))
	table := terminal.NewTable(">groups", ">states")
	for _, n := range slices.Sorted(maps.Keys(o.BySize)) {
		table.Row(fmt.Sprint(n), fmt.Sprint(o.BySize[n]))
	}
	if table.Len() == 0 {
		return nil
	}
	return table.Write(w, a.width(w), a.style(w))
}

// findingLine is a finding in one line: place, state, rule, reason.
func findingLine(f statefile.Finding) string {
	at := f.File
	switch {
	case f.Line > 0:
		at = fmt.Sprintf("%s:%d", f.File, f.Line)
	case f.Row > 0:
		at = fmt.Sprintf("%s: row %d", f.File, f.Row)
	}
	return fmt.Sprintf("%s: state %s: %s: %s: %s", at, f.State, f.Rule, f.Place, f.Reason)
}
