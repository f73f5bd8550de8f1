package evaluation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"evlab/artifacts"
	"evlab/datasets"
	"evlab/experiments"
	"evlab/repos"
)

// Loosen finds what the rule's harness would have tested of the patches that do not apply here, notes it in the lines, and
// writes it into dir as predictions that apply. It gives those files: one for each file that the lines are from, as two
// files may answer for one task and model. Grading them and giving the grades to Graded makes the rule's verdict of such a
// patch a measured one.
func Loosen(ctx context.Context, folder *artifacts.Folder, c *experiments.Contract, lines []Line, rule, dir string) (files []string, err error) {
	rows := map[string]*bytes.Buffer{} // by the name of the file that is written
	names := map[string]string{}       // by the lines' files
	for i := range lines {
		l := &lines[i]
		if l.Verdict != experiments.ApplyFailed || l.record == nil || l.record.Patch == "" {
			continue
		}
		l.Compat = &Compat{Rule: rule}
		loose, diff, err := loosen(ctx, folder, c, l, Rules[rule].way)
		if errors.Is(err, repos.ErrNoPatch) {
			l.Compat.Why = fmt.Sprintf("not read: %s may apply it with fuzz, and %v", rule, repos.ErrNoPatch)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("applying the patch of %s as %s does: %w", l.Task, rule, err)
		}
		switch loose.Outcome {
		case repos.OutcomeFailed:
			l.Compat.Why = rule + " refuses it, too: " + loose.How
			continue
		case repos.OutcomeEmpty:
			l.Compat.Applies, l.Compat.Why = loose.How, rule+" tests the base commit"
			continue
		}
		l.Compat.Applies, l.Compat.Why = loose.How, "not tested"
		row, err := datasets.PredictionRow(l.Task, l.Model, diff)
		if err != nil {
			return nil, err
		}
		name, ok := names[l.file]
		if !ok {
			name = fmt.Sprintf("as-%s-applies-%d.jsonl", rule, len(names)+1)
			names[l.file], rows[name] = name, new(bytes.Buffer)
		}
		l.loosely = name
		rows[name].Write(row)
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		file := filepath.Join(dir, name)
		if err := artifacts.WriteFile(file, rows[name].Bytes()); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// loosen gives what comes of a line's patch, as a diff that applies.
func loosen(ctx context.Context, folder *artifacts.Folder, c *experiments.Contract, l *Line, way repos.Way) (loose repos.Loosened, diff []byte, err error) {
	task, ok := c.Task(l.Task)
	if !ok {
		return loose, nil, fmt.Errorf("the contract of %s has no such task", c.RunID)
	}
	mirror, err := repos.Open(ctx, folder.Mirror(task.Mirror))
	if err != nil {
		return loose, nil, err
	}
	patch, err := folder.Public.Get(ctx, l.record.Patch)
	if err != nil {
		return loose, nil, err
	}
	if loose, err = mirror.ApplyLoosely(ctx, task.BaseCommit, patch, way); err != nil || loose.Outcome != repos.OutcomeApplied {
		return loose, nil, err
	}
	diff, err = mirror.Diff(ctx, task.BaseCommit, loose.Tree)
	return loose, diff, err
}

// Graded takes over what a run made of the files that Loosen wrote, before Reread.
func Graded(lines, graded []Line, run string) {
	type place struct{ task, model, file string }
	by := map[place]*Line{}
	for i := range graded {
		by[place{graded[i].Task, graded[i].Model, filepath.Base(graded[i].file)}] = &graded[i]
	}
	for i := range lines {
		l := &lines[i]
		g := by[place{l.Task, l.Model, l.loosely}]
		if l.loosely == "" || g == nil {
			continue
		}
		l.Compat.Run = run
		if l.loosened = g.record; !g.Verdict.Decided() {
			l.loosened, l.Compat.Why = nil, strings.TrimSuffix("not tested: "+g.Reason, ": ")
		}
	}
}
