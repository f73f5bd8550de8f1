package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"evlab/artifacts"
	"evlab/datasets"
	"evlab/evaluation"
	"evlab/experiments"
	"evlab/report"
	"evlab/terminal"
)

// gradeFlags say how grades are shown.
type gradeFlags struct {
	compat string
	report string
}

func (g *gradeFlags) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&g.compat, "compat", "", "name what another harness's rule makes of the same logs: "+strings.Join(evaluation.RuleNames(), ", "))
	cmd.Flags().StringVar(&g.report, "report", "", "write a report in the shape of SWE-bench (schema 2): a file, or a folder for several models")
}

func (g *gradeFlags) check() error {
	if _, ok := evaluation.Rules[g.compat]; g.compat != "" && !ok {
		return usage("", "--compat: %q is not one of %s%s", g.compat, strings.Join(evaluation.RuleNames(), ", "), experiments.Suggest(g.compat, evaluation.RuleNames()))
	}
	return nil
}

// reposHelp is what --repos takes.
const reposHelp = "a folder, a git bundle, a URL (https, ssh, file; {repo} stands for owner/name), or github"

// tasksHelp is what --tasks takes.
const tasksHelp = "tasks in the shape of SWE-bench (JSONL or JSON), or a cohort folder"

// testingFlags are those of the commands whose runs test patches that nobody proposes in them.
type testingFlags struct {
	tasksAre string // what the command calls the tasks: --tasks, or an argument
	session  sessionFlags
	repos    string
	id       string
	fresh    bool
	jobs     int
	flags    *pflag.FlagSet
}

func (f *testingFlags) bind(cmd *cobra.Command, t *experiments.Testing, name string) {
	t.Name = name
	flags := cmd.Flags()
	f.flags, f.tasksAre = flags, "TASKS"
	flags.StringVar(&f.repos, "repos", "", "the tasks' repositories: "+reposHelp)
	flags.DurationVar(&t.Timeout, "timeout", 0, "limit of one test command (default 5m)")
	flags.IntVarP(&f.jobs, "jobs", "j", 0, "test commands at once (default one per processor)")
	flags.StringVar(&t.Sandbox, "sandbox", "auto", "auto, docker or host")
	flags.StringVar(&t.Engine, "engine", "", "host:port of a Temporal server; empty: an embedded one")
	flags.BoolVar(&f.fresh, "fresh", false, "do everything anew, whatever was done before")
	flags.StringVar(&f.id, "run-id", "", "name of the run (default "+name+"-DATE-TIME, with a number where that is taken)")
	f.session.bind(cmd)
}

// setUp fills in what the flags say in their own way.
func (f *testingFlags) setUp(t *experiments.Testing, tasks string) (err error) {
	switch {
	case f.flags.Changed("timeout") && t.Timeout == 0: // which stands for the default where nothing is said
		return usage("", "--timeout: 0s is outside 1s to 24h")
	case f.flags.Changed("jobs") && f.jobs == 0:
		return usage("", "--jobs: 0 is outside 1 to 1000")
	}
	t.Concurrency = experiments.Concurrency{Steps: f.jobs}
	t.Cohort, err = gradedCohort(f.tasksAre, tasks, f.repos)
	return err
}

// start launches the run without asking: it pays nobody.
func (f *testingFlags) start(ctx context.Context, a *app, folder *artifacts.Folder, spec experiments.Spec, end ending) error {
	if err := spec.Check(); err != nil {
		return f.flagsOf(err)
	}
	h := newHeader(f.id, spec, f.fresh)
	var err error
	if h.Ending, err = json.Marshal(end); err != nil {
		return err
	}
	return a.launch(ctx, folder, &h, f.session, unasked)
}

// unasked starts a run that pays nobody.
func unasked(*experiments.Contract, *experiments.Plan) error { return nil }

// evaluateFlags are what the commands that grade predictions have in common.
type evaluateFlags struct {
	evaluation.Request
	testingFlags
	grades gradeFlags
	tasks  string
}

func (e *evaluateFlags) bind(cmd *cobra.Command, name string) {
	e.testingFlags.bind(cmd, &e.Testing, name)
	cmd.Flags().StringVar(&e.tasks, "tasks", "", tasksHelp)
	e.tasksAre = "--tasks"
	cmd.Flags().StringVar(&e.PassToPass, "pass-to-pass", experiments.PassToPassAlways, "always, or after_f2p: only when the fail-to-pass tests held")
	e.grades.bind(cmd)
}

func newEvaluate(a *app) *cobra.Command {
	var e evaluateFlags
	cmd := &cobra.Command{
		Use:   "evaluate --tasks FILE --predictions FILE...",
		Short: "Grade predictions: apply each patch, run the hidden tests, say what held",
		Long: "Evaluate grades other people's predictions by the rules of docs/grading.md: each patch on its task's base commit, the\n" +
			"task's own tests over it, in a sandbox without a network. It is a run like any other: what was graded before with the\n" +
			"same inputs is taken over, and a run that died goes on with evlab resume. One line per prediction, then the totals.",
		Example: "  evlab evaluate --tasks tasks.jsonl --repos ./repos --predictions predictions.jsonl\n" +
			"  evlab evaluate --tasks tasks.jsonl --repos ./repos --predictions a.jsonl --predictions b.jsonl --json > grades.jsonl\n" +
			"  evlab contrast --outcomes grades.jsonl --metric resolved --a modelA --b modelB",
		Args:        exactArgs(),
		Annotations: map[string]string{exitNote: "3,4,5"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if e.tasks == "" || len(e.Predictions) == 0 {
				return usage("usage: "+cmd.UseLine(), "evlab evaluate needs --tasks and --predictions")
			}
			folder, err := a.openFolder()
			if err != nil {
				return err
			}
			defer folder.Close()
			return a.evaluate(cmd.Context(), folder, &e, nil)
		},
	}
	cmd.Flags().StringArrayVar(&e.Predictions, "predictions", nil, "predictions file, or gold for the tasks' own repairs; may be given again")
	e.bind(cmd, "evaluate")
	return cmd
}

// evaluate grades the predictions, prints the grades, and contrasts those of the two sides where that is asked for.
func (a *app) evaluate(ctx context.Context, folder *artifacts.Folder, e *evaluateFlags, contrast *gradeContrast) error {
	if err := e.grades.check(); err != nil {
		return err
	}
	end := ending{Compat: e.grades.compat, Contrast: contrast}
	if e.grades.report != "" {
		var err error
		if end.Report, err = filepath.Abs(e.grades.report); err != nil {
			return usage("", "--report: %v", err)
		}
	}
	if err := e.inPlace(); err != nil {
		return err
	}
	if err := e.setUp(&e.Testing, e.tasks); err != nil {
		return err
	}
	var files []string
	for _, file := range e.Predictions {
		if file == evaluation.GoldModel {
			e.Gold = true
			continue
		}
		abs, err := filepath.Abs(file)
		if err != nil {
			return usage("", "--predictions %s: %v", file, err)
		}
		if contrast == nil && slices.Contains(files, abs) {
			return usage("", "--predictions %s is given twice", file)
		}
		files = append(files, abs)
	}
	e.Predictions = files
	spec, err := evaluation.Spec(ctx, e.Request)
	if err != nil {
		return e.unfit(ctx, err)
	}
	return e.start(ctx, a, folder, spec, end)
}

// gradedCohort is where the tasks come from. are is what the command calls them.
func gradedCohort(are, tasks, repos string) (experiments.CohortSource, error) {
	abs, err := filepath.Abs(tasks)
	if err != nil {
		return experiments.CohortSource{}, usage("", "%s %s: %v", are, tasks, err)
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return experiments.CohortSource{}, usage("", "%s: %v", are, err)
	case info.IsDir() && repos == "" && datasets.IsImported(abs):
		return experiments.CohortSource{}, usage("", "%s %s was made by evlab import, so --repos has to say where its repositories are: %s", are, tasks, reposHelp)
	case info.IsDir() && repos == "":
		return experiments.CohortSource{Path: abs}, nil
	case repos == "":
		return experiments.CohortSource{}, usage("", "%s %s is a file of rows, so --repos has to say where their repositories are: %s", are, tasks, reposHelp)
	}
	if repos != experiments.GitHub && !experiments.IsURL(repos) {
		if repos, err = filepath.Abs(repos); err != nil {
			return experiments.CohortSource{}, usage("", "--repos: %v", err)
		}
		if _, err := os.Stat(repos); err != nil {
			return experiments.CohortSource{}, usage("it takes "+reposHelp, "--repos: %v", err)
		}
	}
	if info.IsDir() {
		return experiments.CohortSource{Path: abs, Repos: repos}, nil
	}
	return experiments.CohortSource{Tasks: abs, Repos: repos}, nil
}

// printGrades prints a line per prediction and the totals; predictions without a verdict are exit code 3.
func (a *app) printGrades(ctx context.Context, e *ended) error {
	lines, err := evaluation.Lines(e.run, e.contract)
	if err != nil {
		return err
	}
	var later error
	if e.ending.Compat != "" {
		if later, err = a.compat(ctx, e, lines); err != nil {
			return err
		}
	}
	totals := evaluation.Count(e.run.ID, lines)
	totals.WallS = e.summary.WallS
	if a.json {
		for _, l := range lines {
			if err := a.printJSON(l); err != nil {
				return err
			}
		}
		if err := a.printJSON(totals); err != nil {
			return err
		}
	} else if err := a.gradesTable(lines, totals, report.Wall(e.summary)); err != nil {
		return err
	}
	if e.ending.Report != "" { // after the grades: a place that can't be written must not keep them from anybody
		if err := a.writeReports(e.ending.Report, e.contract, lines, totals); err != nil {
			return err
		}
	}
	if n := totals.Undecided(); n > 0 {
		lost := lostOf(lines, func(l evaluation.Line) string { return l.Class })
		open := totals.Verdicts[experiments.Infra] + totals.Verdicts[experiments.Pending] - lost
		return undecided(e.run.ID, "evlab evaluate", lost, open, "no verdict for %d of %s", n, plural(totals.Predictions, "prediction"))
	}
	return later
}

func (a *app) gradesTable(lines []evaluation.Line, totals evaluation.Totals, wall string) error {
	t := terminal.NewTable("task", "model", "verdict", ">fail-to-pass", ">pass-to-pass", "~reason")
	count := func(passed, total *int) string {
		if passed == nil || total == nil {
			return "-"
		}
		return fmt.Sprintf("%d/%d", *passed, *total)
	}
	for _, l := range lines {
		reason := l.Reason
		switch {
		case l.Compat == nil:
		case l.Compat.Differs && l.Compat.Resolved:
			reason = "[" + l.Compat.Rule + " differs: resolved] " + l.Compat.Why
		case l.Compat.Differs:
			reason = "[" + l.Compat.Rule + " differs: not resolved] " + l.Compat.Why
		case l.Compat.Applies != "":
			reason = "[" + l.Compat.Rule + " tests it] " + l.Compat.Why
		}
		if l.Compat != nil && l.Compat.Applies != "" {
			reason += " (" + l.Compat.Applies + ")"
		}
		if n := flagged(l); n != "" && l.Verdict != experiments.Resolved {
			reason = strings.TrimPrefix(reason+"; "+n, "; ")
		}
		t.Row(terminal.Safe(l.Task), terminal.Safe(l.Model), string(l.Verdict), count(l.F2PPassed, l.F2PTotal), count(l.P2PPassed, l.P2PTotal), terminal.Safe(reason))
	}
	if err := t.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	if len(totals.Models) > 1 {
		for _, m := range totals.Models {
			a.prose("%s: %s of %s\n", terminal.Safe(m.Model), verdictsOf(m.Verdicts), plural(m.Predictions, "prediction"))
		}
	}
	a.prose("Run %s: %s: %s (%d taken over). %s\n", totals.RunID, plural(totals.Predictions, "prediction"), verdictsOf(totals.Verdicts), totals.Cached, wall)
	if totals.CompatRule != "" {
		fmt.Fprintf(a.stdout, "Rule of %s: it differs for %s; %d are refused here and tested there.\n", totals.CompatRule, plural(totals.Differ, "prediction"), totals.Looser)
	}
	return nil
}

// verdictsOf names those that there are, with their number.
func verdictsOf(counts map[experiments.Verdict]int) string {
	var parts []string
	for _, v := range experiments.Verdicts {
		if n := counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}

// flagged says in short what of a patch the tests ran without; the flags of the JSON form name all of it.
func flagged(l evaluation.Line) string {
	const mark = "undone before the tests: "
	first, more := "", 0
	for _, flag := range l.Flags {
		switch {
		case !strings.HasPrefix(flag, mark):
		case first == "":
			first = flag
		default:
			more++
		}
	}
	if more > 0 {
		first += fmt.Sprintf(" and %d more", more)
	}
	return first
}

// reportAgain is what to do where a report could not be written: what was graded is taken over.
const reportAgain = "the same command with another place writes it, and grades nothing anew"

// writeReports writes a report for each model: into the file, or with several models into a folder of that name. It says
// where they are.
func (a *app) writeReports(target string, c *experiments.Contract, lines []evaluation.Line, totals evaluation.Totals) error {
	var tasks []string
	for _, t := range c.Tasks {
		tasks = append(tasks, t.ID)
	}
	for _, m := range totals.Models {
		file := target
		if len(totals.Models) > 1 {
			if err := os.MkdirAll(target, 0o755); err != nil {
				return usage(reportAgain, "--report: %v", err)
			}
			i := slices.IndexFunc(c.Spec.Executors, func(e experiments.ExecutorSpec) bool { return e.Model == m.Model })
			file = filepath.Join(target, c.Spec.Executors[i].Name+".json")
		}
		data, err := json.MarshalIndent(evaluation.SWEBench(lines, m.Model, tasks), "", "  ")
		if err != nil {
			return err
		}
		if err := artifacts.WriteFile(file, append(data, '\n')); err != nil {
			return usage(reportAgain, "--report: %v", err)
		}
		fmt.Fprintf(a.stderr, "report of %s in %s\n", terminal.Safe(m.Model), terminal.Safe(file))
	}
	return nil
}
