package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evlab/datasets"
	"evlab/evaluation"
	"evlab/experiments"
)

// inPlace refuses a file of tasks where predictions are expected and the other way round, with the command that was meant.
func (e *evaluateFlags) inPlace() error {
	tasks, files := datasets.KindOf(e.tasks), slices.DeleteFunc(slices.Clone(e.Predictions), func(f string) bool { return f == evaluation.GoldModel })
	at := slices.IndexFunc(files, func(f string) bool { return datasets.KindOf(f) == datasets.KindTasks })
	if tasks == datasets.KindPredictions && at >= 0 {
		meant := "evlab evaluate --tasks %s%s --predictions %s"
		others := append([]string{e.tasks}, slices.Delete(slices.Clone(files), at, at+1)...)
		predictions := strings.Join(others, " --predictions ")
		if e.Models != nil {
			meant, predictions = "evlab compare --tasks %s%s %s", strings.Join(others, " ")
		}
		repos := ""
		if e.repos != "" {
			repos = " --repos " + e.repos
		}
		return usage(fmt.Sprintf(meant, files[at], repos, predictions),
			"tasks and predictions are swapped: %s holds %s, and %s holds %s", e.tasks, tasks, files[at], datasets.KindTasks)
	}
	if !slices.Contains([]datasets.Kind{datasets.KindUnknown, datasets.KindTasks, datasets.KindCohort, datasets.KindImported}, tasks) {
		return wrongKind("--tasks "+e.tasks, e.tasks, tasks, datasets.KindTasks)
	}
	for _, file := range files {
		if is := datasets.KindOf(file); is != datasets.KindUnknown && is != datasets.KindPredictions {
			return wrongKind(file, file, is, datasets.KindPredictions)
		}
	}
	return nil
}

// unfit is the failure of files that can't be graded, with every fault of them.
func (e *evaluateFlags) unfit(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	f := faultsOf("", "these files can't be graded:", err)
	var flags []string
	for _, fault := range experiments.Flatten(err) {
		var models *evaluation.ModelsError
		if errors.As(fault, &models) {
			flags = append(flags, []string{"--a", "--b"}[models.Index]+" MODEL")
		}
	}
	switch len(flags) {
	case 0:
	case 1:
		f.Hint = flags[0] + " says whose rows of the file are meant"
	default:
		f.Hint = strings.Join(flags, " and ") + " say whose rows of the files are meant"
	}
	return f
}

// testingFlag is the flag behind a field of the experiment that a command makes of its flags.
var testingFlag = map[string]string{
	"limits.step_timeout": "--timeout", "concurrency.steps": "--jobs", "sandbox": "--sandbox", "engine": "--engine",
	"tracks.repair.pass_to_pass": "--pass-to-pass", "cohort.repos": "--repos", "cohort.language": "--language",
}

// flagsOf is the failure of an experiment that was made of flags: it names these, and not the fields that nobody wrote.
func (f *testingFlags) flagsOf(err error) error {
	var faults []error
	for _, err := range experiments.Flatten(err) {
		var fault experiments.Fault
		if errors.As(err, &fault) {
			name := testingFlag[fault.Key]
			switch {
			case fault.Key == "cohort":
				name = f.tasksAre
			case strings.HasPrefix(fault.Key, "tasks["):
				name = "--task"
			}
			if name != "" {
				err = errors.New(name + ": " + fault.Msg)
			}
		}
		faults = append(faults, err)
	}
	return faultsOf("", "these flags can't be meant:", errors.Join(faults...))
}
