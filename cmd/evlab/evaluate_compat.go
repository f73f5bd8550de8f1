package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"evlab/evaluation"
	"evlab/experiments"
)

// gradeAgain grades other files by the rules of a run that is at its end, in a run of their own and with nothing on stdout. A
// run that did so already goes on; where its name is another run's, there is a number behind it.
func (a *app) gradeAgain(ctx context.Context, e *ended, files []string, name string) (lines []evaluation.Line, id string, err error) {
	spec, err := evaluation.Spec(ctx, evaluation.Like(e.contract.Spec, files))
	if err != nil {
		return nil, "", err
	}
	quiet := *a
	quiet.stdout = io.Discard
	id, err = e.again(ctx, &quiet, spec, name)
	if own := (*failure)(nil); err != nil && !(errors.As(err, &own) && own.Code == exitUndecided) {
		return nil, "", err
	}
	run, err := openRun(e.folder, id)
	if err != nil {
		return nil, "", err
	}
	contract, err := frozenContract(run)
	if err != nil {
		return nil, "", err
	}
	lines, err = evaluation.Lines(run, contract)
	return lines, id, err
}

// again carries a run of the spec to its end, and returns its id.
func (e *ended) again(ctx context.Context, a *app, spec experiments.Spec, name string) (string, error) {
	want, err := experiments.DigestJSON(spec)
	if err != nil {
		return "", err
	}
	id := name
	for n := 2; ; n++ {
		ids, err := e.folder.RunIDs()
		if err != nil {
			return "", err
		}
		if !slices.Contains(ids, id) {
			h := newHeader(id, spec, e.fresh)
			return id, a.launch(ctx, e.folder, &h, e.session, unasked)
		}
		run, err := openRun(e.folder, id)
		if err != nil {
			return "", err
		}
		if header, err := run.Header(); err == nil {
			is, err := experiments.DigestJSON(header.Spec)
			if err != nil {
				return "", err
			}
			if is == want {
				return id, a.resume(ctx, e.folder, run, "", e.session)
			}
		}
		id = fmt.Sprintf("%s-%d", name, n)
	}
}

// compat fills in what the other harness makes of the lines. What only that one applies is graded in a second run; where
// that run fails, the lines say that they were not tested, and the error is shown after them.
func (a *app) compat(ctx context.Context, e *ended, lines []evaluation.Line) (later, err error) {
	rule := e.ending.Compat
	files, err := evaluation.Loosen(ctx, e.folder, e.contract, lines, rule, filepath.Join(e.run.Dir, "compat"))
	if err != nil {
		return nil, err
	}
	if len(files) > 0 {
		name := e.run.ID + "-" + rule
		fmt.Fprintf(a.stderr, "note: %s applies patches that are refused here: what comes of them is tested in a run of its own, %s\n", rule, name)
		graded, id, err := a.gradeAgain(ctx, e, files, name)
		if later = err; err == nil {
			evaluation.Graded(lines, graded, id)
		}
	}
	return later, evaluation.Reread(ctx, e.folder.Public, e.contract, lines, rule)
}
