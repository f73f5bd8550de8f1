package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evlab/artifacts"
	"evlab/evaluation"
	"evlab/experiments"
	"evlab/report"
	"evlab/validation"
)

// ending is what a command does with the results of the run that it makes, beside showing them. It is kept with the run,
// so that a resume ends as the command would have.
type ending struct {
	Compat   string         `json:"compat,omitempty"`   // the rule of another harness
	Report   string         `json:"report,omitempty"`   // file or folder, absolute
	Contrast *gradeContrast `json:"contrast,omitempty"` // of the two sides that are graded
	Measured *measuredOut   `json:"measured,omitempty"` // the cohort with the lists that were measured
}

// endingOf reads what the command that made a run kept with it.
func endingOf(run *artifacts.Run) (ending, *artifacts.Header, error) {
	var e ending
	header, err := headerOf(run)
	if err != nil || len(header.Ending) == 0 {
		return e, header, err
	}
	err = json.Unmarshal(header.Ending, &e)
	if err == nil && e.Compat != "" && !slices.Contains(evaluation.RuleNames(), e.Compat) {
		err = fmt.Errorf("there is no rule %q", e.Compat)
	}
	if err != nil {
		err = fmt.Errorf("reading run %s: run.json does not say what becomes of the results: %w", run.ID, err)
		return e, header, &failure{Code: exitDrift, Msg: err.Error(), Err: err, Hint: "the same command in a new run takes over every finished cell"}
	}
	return e, header, nil
}

// only is the ending of somebody who looks at a run and does none of its work.
func (e ending) only() ending { return ending{Contrast: e.Contrast} }

// ended is a run at its end, and what is done with its results.
type ended struct {
	folder   *artifacts.Folder
	run      *artifacts.Run
	contract *experiments.Contract
	summary  *report.Summary
	ending   ending
	fresh    bool         // do everything anew: of a run that the ending needs
	session  sessionFlags // how such a run is carried
}

// printOutcome prints the end of a run: of one that grades predictions by prediction, of one that validates a cohort by
// task, of others by condition.
func (a *app) printOutcome(ctx context.Context, e *ended) error {
	switch {
	case evaluation.Is(e.contract.Spec):
		err := a.printGrades(ctx, e)
		if e.ending.Contrast != nil && ctx.Err() == nil {
			err = errors.Join(a.printGradeContrast(e), err)
		}
		return err
	case validation.Is(e.contract.Spec):
		if err := a.printValidation(ctx, e); err != nil || e.ending.Measured == nil {
			return err
		}
		return a.writeMeasured(ctx, e)
	}
	return a.printSummary(e.summary)
}

// lostOf counts what needs something that the data folder has no more.
func lostOf[T any](rows []T, class func(T) string) (n int) {
	for _, r := range rows {
		if class(r) == experiments.ClassLost {
			n++
		}
	}
	return n
}

// undecided is the failure of a run of whose cells some have no verdict: lost are those that need what the data folder has
// no more, which the command anew stores again; a resume tries open ones again.
func undecided(run, anew string, lost, open int, format string, args ...any) *failure {
	var hints []string
	if open > 0 {
		hints = append(hints, "evlab resume "+run+" tries those of infra and pending again")
	}
	if lost > 0 {
		hints = append(hints, anew+" with the same files, in a new run, stores what is lost once more and takes over every finished cell")
	}
	if len(hints) == 0 {
		hints = append(hints, "the reasons are above; what is excluded stays so in this run, and a new run looks at it anew")
	}
	return &failure{Code: exitUndecided, Msg: fmt.Sprintf(format, args...), Hint: strings.Join(hints, "; ")}
}
