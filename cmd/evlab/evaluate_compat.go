package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"evlab/artifacts"
	"evlab/evaluation"
	"evlab/experiments"
)

// gradeAgain is evaluate on other files, with nothing on stdout.
func (a *app) gradeAgain(ctx context.Context, folder *artifacts.Folder, e evaluateFlags, files []string, id string) ([]evaluation.Line, error) {
	e.Request.Predictions, e.Gold, e.Apart, e.Models, e.id = files, false, true, nil, id
	spec, err := evaluation.Spec(ctx, e.Request)
	if err != nil {
		return nil, err
	}
	quiet := *a
	quiet.stdout, quiet.grades = io.Discard, gradeFlags{}
	err = e.start(ctx, &quiet, folder, spec)
	if own := (*failure)(nil); err != nil && !(errors.As(err, &own) && own.Code == exitUndecided) {
		return nil, err
	}
	run, err := openRun(folder, id)
	if err != nil {
		return nil, err
	}
	contract, err := frozenContract(run)
	if err != nil {
		return nil, err
	}
	return evaluation.Lines(run, contract)
}

// compat fills in what the other harness makes of the lines. What only that one applies is graded in a second run; where
// that run fails, the lines say that they were not tested, and the error is shown after them.
func (a *app) compat(ctx context.Context, folder *artifacts.Folder, run *artifacts.Run, c *experiments.Contract, lines []evaluation.Line) (later, err error) {
	rule := a.grades.compat
	files, err := evaluation.Loosen(ctx, folder, c, lines, rule, filepath.Join(run.Dir, "compat"))
	if err != nil {
		return nil, err
	}
	if len(files) > 0 && a.grades.again != nil {
		id := run.ID + "-" + rule
		fmt.Fprintf(a.stderr, "note: %s applies patches that are refused here: what comes of them is tested as run %s\n", rule, id)
		graded, err := a.grades.again(files, id)
		if later = err; err == nil {
			evaluation.Graded(lines, graded, id)
		}
	}
	return later, evaluation.Reread(ctx, folder.Public, c, lines, rule)
}
