package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"evlab/datasets"
	"evlab/experiments"
	"evlab/experiments/specfile"
	"evlab/terminal"
)

func newConfig(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "config",
		Short: "Check and explain an experiment file",
		Example: "  evlab config check demo.yaml            every mistake at once, with its line\n" +
			"  evlab config show demo.yaml --origin    every value and where it comes from",
	})
	cmd.AddCommand(newConfigCheck(a), newConfigShow(a))
	return cmd
}

// machineFlags are the flags that override an experiment file's machine fields.
type machineFlags struct{ sandbox, engine, tasks, steps, cohortPath, cohortTasks, cohortRepos string }

// bind adds the flags to a command that reads an experiment file.
func (m *machineFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&m.sandbox, "sandbox", "", "auto, docker or host (EVLAB_SANDBOX)")
	flags.StringVar(&m.engine, "engine", "", "host:port of a Temporal server (EVLAB_ENGINE; default an engine of its own)")
	flags.StringVar(&m.tasks, "concurrency-tasks", "", "tasks open at once (EVLAB_CONCURRENCY_TASKS)")
	flags.StringVar(&m.steps, "concurrency-steps", "", "sandbox steps at once (EVLAB_CONCURRENCY_STEPS)")
	flags.StringVar(&m.cohortPath, "cohort-path", "", "where the cohort folder is on this machine (EVLAB_COHORT_PATH)")
	flags.StringVar(&m.cohortTasks, "cohort-tasks", "", "where the tasks file is on this machine (EVLAB_COHORT_TASKS)")
	flags.StringVar(&m.cohortRepos, "cohort-repos", "", "where the repositories are, as seen from this machine (EVLAB_COHORT_REPOS)")
}

// given is the flags that were set, by the key that they override. An empty value counts as not set.
func (m *machineFlags) given() map[string]string {
	set := map[string]string{}
	for key, value := range map[string]string{
		"sandbox": m.sandbox, "engine": m.engine, "concurrency.tasks": m.tasks, "concurrency.steps": m.steps,
		"cohort.path": m.cohortPath, "cohort.tasks": m.cohortTasks, "cohort.repos": m.cohortRepos,
	} {
		if value != "" {
			set[key] = value
		}
	}
	return set
}

// readSpec reads an experiment file with the environment and the flags over it; every fault is part of the failure.
func (a *app) readSpec(file string, m *machineFlags) (*specfile.Loaded, error) {
	loaded, err := specfile.Read(file, specfile.Overrides{Env: a.env, Flags: m.given(), Cohorts: bundledCohorts})
	return loaded, specFailure(file, err)
}

func specFailure(file string, err error) error {
	var faults specfile.Faults
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &faults):
		return &failure{Code: exitUsage, Msg: err.Error(), Err: err}
	}
	if other := otherKind([]string{file}, datasets.KindExperiment); other != nil {
		return other
	}
	f := &failure{Code: exitUsage, Msg: fmt.Sprintf("%s can't be used:", file), Err: err}
	for _, fault := range faults {
		f.Faults = append(f.Faults, fault)
	}
	return f
}

// checked is the JSON form of a successful check.
type checked struct {
	Type   string             `json:"type"` // config-check
	File   string             `json:"file"`
	Digest experiments.Digest `json:"spec_digest"`
	Name   string             `json:"name"`
	Counts checkedCounts      `json:"counts"`
}

type checkedCounts struct {
	Conditions int `json:"conditions"`
	Executors  int `json:"executors"`
	Replicates int `json:"replicates"`
	Contrasts  int `json:"contrasts"`
}

func newConfigCheck(a *app) *cobra.Command {
	var flags machineFlags
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Find every mistake in an experiment file",
		Long: "Check reads an experiment file as run would and reports every mistake at once: unknown keys, wrong types,\n" +
			"impossible values and files that are not there. It starts nothing.",
		Example: "  evlab config check demo.yaml\n  evlab config check demo.yaml --json",
		Args:    exactArgs("an experiment file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.readSpec(args[0], &flags)
			if err != nil {
				return err
			}
			s := l.Spec
			n := checkedCounts{len(s.Conditions), len(s.Executors), s.Replicates, len(s.Contrasts)}
			if a.json {
				digest, err := experiments.DigestJSON(s)
				if err != nil {
					return err
				}
				return a.printJSON(checked{"config-check", l.File, digest, s.Name, n})
			}
			fmt.Fprintf(a.stdout, "%s: ok: experiment %s, %s x %s x %s, %s\n", terminal.Safe(args[0]), s.Name,
				plural(n.Conditions, "condition"), plural(n.Executors, "executor"), plural(n.Replicates, "replicate"),
				plural(n.Contrasts, "contrast"))
			return nil
		},
	}
	flags.bind(cmd)
	return cmd
}

// shown is the JSON form of an experiment file as it is meant.
type shown struct {
	Type   string           `json:"type"` // config
	File   string           `json:"file"`
	Spec   experiments.Spec `json:"spec"`
	Values []shownValue     `json:"values"`
}

type shownValue struct {
	specfile.Value
	Origin specfile.Origin `json:"origin"`
}

func newConfigShow(a *app) *cobra.Command {
	var flags machineFlags
	var origin bool
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Print an experiment file with everything it leaves unsaid",
		Long: "Show prints the experiment as run would see it: defaults written out, paths absolute, overrides applied. What it\n" +
			"prints is an experiment file again. With --origin it is a table of every value and where it comes from.\n\n" +
			"Flags outrank EVLAB_ variables, which outrank the file, which outranks the defaults. Only the machine's fields\n" +
			"(sandbox, engine, concurrency, and where the cohort is) can be said outside of the file.",
		Example: "  evlab config show demo.yaml\n  evlab config show demo.yaml --origin",
		Args:    exactArgs("an experiment file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.readSpec(args[0], &flags)
			if err != nil {
				return err
			}
			values := specfile.Values(l.Spec)
			switch {
			case a.json:
				o := shown{Type: "config", File: l.File, Spec: l.Spec}
				for _, v := range values {
					o.Values = append(o.Values, shownValue{v, l.Origins[v.Key]})
				}
				return a.printJSON(o)
			case origin:
				table := terminal.NewTable("KEY", "~VALUE", "ORIGIN")
				for _, v := range values {
					if v.Text == "" {
						v.Text = "-"
					}
					table.Row(v.Key, terminal.Safe(v.Text), l.Origins[v.Key].String())
				}
				return table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout))
			}
			text, err := specfile.Marshal(l.Spec)
			if err != nil {
				return err
			}
			_, err = a.stdout.Write(text)
			return err
		},
	}
	cmd.Flags().BoolVar(&origin, "origin", false, "say where each value comes from")
	flags.bind(cmd)
	return cmd
}

// plural is "1 condition", "3 conditions".
func plural(n int, word string) string { return countOf(n, word, word+"s") }

// countOf is plural for words whose plural has another form.
func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
