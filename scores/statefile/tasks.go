package statefile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"evlab/datasets"
	"evlab/evidence"
	"evlab/scores"
	"evlab/tabular"
)

// manifest is the file that tells an evlab cohort folder.
const manifest = "cohort.json"

// UnitsOf gives the evidence units of a commit in a git directory.
type UnitsOf func(ctx context.Context, source, commit string) ([]evidence.Unit, error)

// eachTask reads a cohort folder's tasks as states: the pool is every unit of the base tree, without the observed ones
// where the cohort leaves them out. Tasks without a certificate are faults; tasks that can't be asked are, too.
func (r *stateReader) eachTask(ctx context.Context, do func(*Row)) (err error) {
	dir := r.files.Folder
	scratch, err := os.MkdirTemp("", "evlab-cohort-")
	if err != nil {
		return fmt.Errorf("making a folder for the cohort's repositories: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	c, err := datasets.ReadFolder(ctx, os.DirFS(dir), dir, scratch, false)
	if err != nil {
		return err
	}
	for i, t := range c.Tasks {
		at := tabular.Fault{File: filepath.Join(dir, "private", "tasks", t.ID, "certificate.json"), Row: i + 1}
		fault := func(format string, args ...any) {
			f := at
			f.Reason = fmt.Sprintf(format, args...)
			r.faults.Add(&f)
		}
		r.seen[t.ID] = at.File
		certificate := c.Private[t.ID].Certificate
		switch {
		case c.Excluded[t.ID] != "":
			fault("task %s can't be asked: %s", t.ID, c.Excluded[t.ID])
			continue
		case certificate == nil:
			fault("task %s has no certificate", t.ID)
			continue
		}
		units, err := r.files.UnitsOf(ctx, c.Sources[t.ID], t.BaseCommit)
		if err != nil {
			return err
		}
		row := &Row{At: at, State: scores.State{ID: t.ID, Instance: t.ID, Repository: t.Repo, Language: t.Language, Boundary: t.State.Boundary,
			Observed: append([]string{}, t.State.Observed...), Certificate: certificate}}
		observed := map[string]bool{}
		for _, id := range t.State.Observed {
			observed[id] = c.ExcludeObserved
		}
		for _, u := range units {
			if !observed[u.ID] {
				row.Pool = append(row.Pool, scores.Unit{ID: u.ID, Tokens: u.Tokens})
				row.Texts = append(row.Texts, &u.Text)
				row.Flags = append(row.Flags, nil)
				r.counts.counted++
			}
		}
		do(row)
	}
	return nil
}
