package datasets

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"evlab/experiments"
)

// ListTasks lists the ids of the tasks of a file in the form of SWE-bench or of a cohort folder, in order, without looking
// for their repositories: of the language only, where one is given, which a folder has no choice of. The error is what
// ReadSWEBench would say of the file; a folder's files are its readers' matter.
func ListTasks(ctx context.Context, path, language string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading tasks: %w", err)
	case info.IsDir():
		return folderTasks(path)
	}
	r := newRows(path, language)
	if err := r.read(ctx); err != nil {
		return nil, err
	}
	return taskIDs(r.cohort.Tasks), nil
}

func taskIDs(tasks []experiments.Task) []string {
	ids := make([]string, len(tasks))
	for i, t := range tasks {
		ids[i] = t.ID
	}
	return ids
}

// folderTasks are the ids that a cohort folder of either form lists.
func folderTasks(dir string) ([]string, error) {
	if err := expect(dir, KindCohort, KindImported); err != nil {
		return nil, err
	}
	data, err := readFile(dir, "cohort.json")
	if err != nil {
		return nil, fmt.Errorf("%s is no cohort folder: %w", dir, err)
	}
	var m struct {
		Tasks []string `json:"tasks"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: cohort.json: reading JSON: %w", dir, err)
	}
	if len(m.Tasks) == 0 {
		return nil, fmt.Errorf("%s: cohort.json: it lists no tasks", dir)
	}
	return m.Tasks, nil
}
