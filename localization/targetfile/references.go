package targetfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"evlab/datasets"
	"evlab/localization"
	"evlab/tabular"
)

// Fields of references, selections and adjudications.
var (
	taskField      = tabular.Field{"task", "instance_id", "task_id"}
	conditionField = tabular.Field{"condition", "method_id", "model_name_or_path"}
	executorField  = tabular.Field{"executor"}
	repoField      = tabular.Field{"repo", "repository"}
	commitField    = tabular.Field{"base_commit"}
	patchField     = tabular.Field{"reference_patch", "patch"}
	filesField     = tabular.Field{"reference_files"}
	evaluatorField = tabular.Field{"evaluator_files"}
)

// maxTasks bounds the references of one file.
const maxTasks = 100_000

// Task is a reference with where its sources are.
type Task struct {
	*localization.Reference
	Commit string // the base commit; may be empty
	Dir    string // a git directory that has it; may be empty
	place  *tabular.Row
	row    tabular.Row
	file   string
}

// fault notes what is wrong with a task at its place in the file.
func (t *Task) fault(faults *tabular.Faults, column string, err error) {
	if t.place != nil {
		faults.Add(t.row.Fault(column, err))
		return
	}
	faults.Addf(t.file, "task %s: %s: %w", t.Task, column, err)
}

// ReadReferences reads the organizer's side: an evlab cohort folder, or a table with one row for each task: task (or
// instance_id), repo, base_commit, patch (or reference_patch), reference_files (a list; else the files that the patch
// edits), evaluator_files (a list). SWE-bench's rows are such a table. scratch is for the repositories of a folder.
func ReadReferences(ctx context.Context, cohort, scratch string, faults *tabular.Faults) ([]*Task, error) {
	info, err := os.Stat(cohort)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return readFolder(ctx, cohort, scratch, faults)
	}
	t, err := tabular.Open(cohort, faults)
	if err != nil {
		return nil, err
	}
	defer t.Close() // read only: a failing close loses nothing
	var tasks []*Task
	places := map[string]string{}
	for row := range t.RowsWith(taskField) {
		if len(tasks) == maxTasks {
			return nil, fmt.Errorf("%s: more than %d tasks", cohort, maxTasks)
		}
		id, ok := taskField.Text(row, faults)
		if !ok {
			continue
		}
		if first := places[id]; first != "" {
			faults.Add(row.Fault("task", fmt.Errorf("%.120q is given at %s already", id, first)))
			continue
		}
		places[id] = row.Place()
		if task := readReference(cohort, id, row, faults); task != nil {
			tasks = append(tasks, task)
		}
	}
	if err := t.Err(); err != nil {
		return nil, err
	}
	if len(places) == 0 && faults.Len() == 0 {
		faults.Addf(cohort, "it has no tasks")
	}
	return tasks, nil
}

func readReference(file, id string, row *tabular.Row, faults *tabular.Faults) *Task {
	before := faults.Len()
	t := &Task{Reference: &localization.Reference{Task: id}, file: file, row: *row}
	t.place = &t.row
	t.Repository, _ = repoField.OptionalText(row, faults)
	t.Commit, _ = commitField.OptionalText(row, faults)
	patch, _ := patchField.OptionalText(row, faults)
	files := paths(row, filesField, faults)
	t.Evaluator = paths(row, evaluatorField, faults)
	if faults.Len() > before {
		return nil
	}
	t.complete([]byte(patch), files, faults)
	if faults.Len() > before {
		return nil
	}
	return t
}

// complete sets the reference files and edits of a task from its patch.
func (t *Task) complete(patch []byte, files []string, faults *tabular.Faults) {
	if strings.TrimSpace(string(patch)) != "" {
		edits, err := localization.ParsePatch(patch)
		if err != nil {
			t.fault(faults, "patch", err)
			return
		}
		t.Edits = edits
	}
	if files == nil {
		if t.Edits == nil {
			t.fault(faults, "reference_files", errors.New("there are none, and there is no patch to take them from"))
			return
		}
		files = localization.FilesOf(patch, t.Evaluator)
	}
	if len(files) == 0 {
		t.fault(faults, "reference_files", errors.New("the reference edits no file that a target may be: recall over none is no number"))
		return
	}
	t.Files = files
	t.Paths = localization.NewPaths(files, false)
}

// paths reads a list of paths of the repository, nil when there is none.
func paths(row *tabular.Row, field tabular.Field, faults *tabular.Faults) []string {
	v, name, err := field.In(row)
	if err == nil && v.Missing() {
		return nil
	}
	var list []string
	if err == nil {
		list, err = v.Texts()
	}
	if err != nil {
		faults.Add(row.Fault(name, err))
		return nil
	}
	out := make([]string, 0, len(list))
	for _, p := range list {
		clean := strings.TrimSuffix(p, "/")
		if clean == "" || !filepath.IsLocal(clean) || filepath.ToSlash(filepath.Clean(clean)) != clean {
			faults.Add(row.Fault(name, fmt.Errorf("%.120q is no path relative to the repository", p)))
			continue
		}
		out = append(out, strings.Clone(p))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// readFolder reads the references of an evlab cohort folder. Tasks that can't be asked have no reference.
func readFolder(ctx context.Context, dir, scratch string, faults *tabular.Faults) ([]*Task, error) {
	c, err := datasets.ReadFolder(ctx, os.DirFS(dir), dir, scratch, false)
	if err != nil {
		return nil, err
	}
	var tasks []*Task
	for _, known := range c.Tasks {
		if c.Excluded[known.ID] != "" {
			continue
		}
		t := &Task{Reference: &localization.Reference{Task: known.ID, Repository: known.Repo}, Commit: known.BaseCommit, Dir: c.Sources[known.ID], file: dir}
		before := faults.Len()
		if t.complete(c.Private[known.ID].Reference, nil, faults); faults.Len() == before {
			tasks = append(tasks, t)
		}
	}
	return tasks, nil
}
