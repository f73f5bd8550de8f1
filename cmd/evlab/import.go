package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"evlab/artifacts"
	"evlab/datasets"
	"evlab/experiments"
	"evlab/terminal"
)

func newImport(a *app) *cobra.Command {
	var opts datasets.ImportOptions
	var output string
	cmd := &cobra.Command{
		Use:   "import SOURCE [--output DIR]",
		Short: "Make a cohort out of a dataset: SWE-bench and its kin, a table, GitHub",
		Long: "Import reads a dataset (a file or folder of Parquet, JSONL, JSON or CSV rows, or a folder of tasks) and writes a cohort\n" +
			"folder: public and private sides apart, a digest for each. The format is told by the content. Each row that can't be\n" +
			"taken is listed with its reason, and the others go on. Nothing of a dataset is run, and its repositories stay where\n" +
			"they are: say where beside the cohort (cohort: {path: DIR, repos: DIR}, or evaluate --repos).\n\nFormats:\n" + formatList(),
		Example: "  evlab import swe-bench-verified.parquet\n" +
			"  evlab import tasks.csv --repos mirrors --output cohorts/ours\n" +
			"  evlab import multi-swe-bench/ --language go --limit 50\n" +
			"  evlab import github acme/ledger --since 2026-06-01 --output cohorts/fresh",
		Args:        exactArgs("a file or folder"),
		Annotations: map[string]string{exitNote: "5", usageNote: "evlab import SOURCE [flags]"},
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := a.dataFolder()
			if err != nil {
				return err
			}
			opts.Store = artifacts.FetchedIn(data)
			m, err := datasets.Import(cmd.Context(), args[0], opts)
			if err != nil {
				return cmp.Or(otherKind(args, importable...), importFailure(cmd, err))
			}
			if len(m.Tasks) == 0 {
				if err := otherKind(args, importable...); err != nil {
					return err
				}
			}
			return a.finishImport(m, output)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&output, "output", "o", "", "folder to write (default cohorts/NAME); it must not be there, or be empty")
	flags.StringVar(&opts.Name, "name", "", "name of the cohort (default the source's)")
	flags.StringVar(&opts.Format, "format", "", "insist on a format")
	flags.StringVar(&opts.Split, "split", "", "only files (or tasks) of this split")
	flags.StringVar(&opts.Language, "language", "", "only tasks of this language")
	flags.StringSliceVar(&opts.Tasks, "task", nil, "only these tasks")
	flags.IntVar(&opts.Limit, "limit", 0, "at most so many tasks")
	flags.StringVar(&opts.Repos, "repos", "", "where a table's fix is a commit: "+reposHelp)
	flags.StringVar(&opts.Scripts, "scripts", "", "SWE-bench Pro: its folder run_scripts")
	cmd.AddCommand(newImportGitHub(a))
	return cmd
}

func formatList() string {
	var b strings.Builder
	names, docs := datasets.Formats()
	for i, name := range names {
		fmt.Fprintf(&b, "  %-16s %s\n", name, docs[i])
	}
	return strings.TrimRight(b.String(), "\n")
}

// importable is what can be imported.
var importable = []datasets.Kind{
	datasets.KindTasks, datasets.KindTable, datasets.KindStates, datasets.KindCertificates, datasets.KindCohort, datasets.KindImported,
}

// importFailure is an error about a source as a whole.
func importFailure(cmd *cobra.Command, err error) error {
	if cmd.Context().Err() != nil {
		return &failure{Code: exitInterrupted, Msg: "interrupted; no cohort was written", Hint: "the same command begins anew; repositories that it had fetched are kept"}
	}
	if errors.Is(err, fs.ErrPermission) {
		return precondition("", "%v", err)
	}
	return usage(importHint(err, cmd.CommandPath()+" --help lists the formats"), "%v", err)
}

// importHint is what to do about a mistake in what is to be imported: about the cohort's name, or other.
func importHint(err error, other string) string {
	if name := (*datasets.CohortNameError)(nil); errors.As(err, &name) {
		return "--name gives the cohort another name"
	}
	return other
}

// importedObject is the JSON form of an import.
type importedObject struct {
	Type          string                `json:"type"` // import
	Cohort        string                `json:"cohort"`
	Output        string                `json:"output"`
	Format        string                `json:"format"`
	Sources       []datasets.SourceFile `json:"sources"`
	Tasks         int                   `json:"tasks"`
	IDs           []string              `json:"ids"`
	Languages     map[string]int        `json:"languages"`
	Repositories  int                   `json:"repositories"`
	Unmeasured    int                   `json:"unmeasured"`           // tasks whose fail-to-pass tests nobody has run yet
	Unscripted    int                   `json:"unscripted,omitempty"` // tasks of SWE-bench Pro without its scripts
	Refused       []datasets.Refusal    `json:"refused"`
	Repeated      int                   `json:"repeated"`
	LeftOut       int                   `json:"left_out"`
	PublicDigest  experiments.Digest    `json:"public_digest"`
	PrivateDigest experiments.Digest    `json:"private_digest"`
}

// finishImport writes the cohort and says what is in it.
func (a *app) finishImport(m *datasets.Imported, output string) error {
	if len(m.Tasks) == 0 {
		return noneTaken(m.Refused)
	}
	output = cmp.Or(output, "cohorts/"+m.Name)
	public, private, err := m.Write(output)
	if err != nil {
		return usage("", "%v", err)
	}
	o := importedObject{
		Type: "import", Cohort: m.Name, Output: output, Format: m.Format, Sources: append([]datasets.SourceFile{}, m.Sources...), Tasks: len(m.Tasks), Languages: map[string]int{},
		Refused: append([]datasets.Refusal{}, m.Refused...), Repeated: m.Repeated, LeftOut: m.LeftOut, PublicDigest: public, PrivateDigest: private,
	}
	repositories := map[string]bool{}
	for i := range m.Tasks {
		t := &m.Tasks[i]
		o.IDs = append(o.IDs, t.ID)
		o.Languages[t.Language]++
		repositories[t.Repo] = true
		if len(t.Private.Tests.FailToPass) == 0 && t.Private.Certificate == nil {
			o.Unmeasured++
		}
		if o.Format == "pro" && t.Setting.Script == "" {
			o.Unscripted++
		}
	}
	o.Repositories = len(repositories)
	if a.json {
		return a.printJSON(o)
	}
	return a.printImport(o)
}

// noneTaken is the failure of a source of which nothing can be taken: each reason with the first row that has it.
func noneTaken(refused []datasets.Refusal) error {
	f := &failure{Code: exitNothing, Msg: fmt.Sprintf("none of the %d rows can be taken", len(refused))}
	if len(refused) == 1 {
		f.Msg = "the one row that there is can't be taken"
	}
	groups, more := byReason(refused, 10)
	for _, g := range groups {
		f.Faults = append(f.Faults, g)
	}
	if more > 0 {
		f.Faults = append(f.Faults, fmt.Errorf("and %s", plural(more, "more reason")))
	}
	return f
}

// byReason is the first row of each reason, with how many more rows have it: of the first most reasons. more is how many
// reasons there are beside them.
func byReason(refused []datasets.Refusal, most int) (groups []datasets.Refusal, more int) {
	count := map[string]int{}
	reason := func(r datasets.Refusal) string { return strings.Join(r.Reasons, "; ") }
	for _, r := range refused {
		if count[reason(r)]++; count[reason(r)] == 1 && len(groups) < most {
			groups = append(groups, r)
		}
	}
	more = len(count) - len(groups)
	for i, r := range groups {
		if others := count[reason(r)] - 1; others > 0 {
			groups[i].Reasons = append(slices.Clone(r.Reasons), fmt.Sprintf("and %s for the same reason", plural(others, "more row")))
		}
	}
	return groups, more
}

func (a *app) printImport(o importedObject) error {
	a.prose("Cohort %s: %s of %s in %s (%s)\n", a.style(a.stdout).Strong(terminal.Safe(o.Cohort)), plural(o.Tasks, "task"), repositories(o.Repositories), terminal.Safe(o.Output), o.Format)
	line := func(name, format string, args ...any) { fmt.Fprint(a.stdout, a.entry(name, 13, format, args...)) }
	var languages []string
	for _, l := range slices.Sorted(maps.Keys(o.Languages)) {
		languages = append(languages, fmt.Sprintf("%s %d", terminal.Safe(l), o.Languages[l]))
	}
	line("languages", "%s", strings.Join(languages, ", "))
	line("public", "%s", o.PublicDigest)
	line("private", "%s", o.PrivateDigest)
	if o.Unmeasured > 0 {
		line("unmeasured", "%d: evlab cohort validate runs their tests before and after the repair", o.Unmeasured)
	}
	if o.Unscripted > 0 {
		line("unscripted", "%d: with --scripts, its folder run_scripts, their tests would be run as SWE-bench Pro does", o.Unscripted)
	}
	if o.Repeated > 0 {
		line("repeated", "%s, word for word", plural(o.Repeated, "row"))
	}
	if o.LeftOut > 0 {
		line("left out", "%s by the selection", plural(o.LeftOut, "row"))
	}
	if len(o.Refused) == 0 {
		return nil
	}
	line("refused", "%s, all of them in %s", plural(len(o.Refused), "row"), terminal.Safe(o.Output+"/refused.jsonl"))
	groups, more := byReason(o.Refused, 20)
	for _, r := range groups {
		at := terminal.Safe(r.At)
		if r.ID != "" {
			at += " " + terminal.Safe(r.ID)
		}
		a.prose("    %s: %s\n", at, terminal.Safe(strings.Join(r.Reasons, "; ")))
	}
	if more > 0 {
		a.prose("    and %s\n", plural(more, "more reason"))
	}
	return nil
}
