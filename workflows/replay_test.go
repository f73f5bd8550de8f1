package workflows_test

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"evlab/workflows"
)

// TestHistoriesReplay replays histories that earlier programs recorded: a change of what a workflow orders must not
// break runs that are under way. `make fixtures RUN=id` records new ones; old ones stay for as long as runs made with
// them may be resumed.
func TestHistoriesReplay(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "replay", "*.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			plain, err := gzip.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			history, err := client.HistoryFromJSON(plain, client.HistoryJSONOptions{})
			if err != nil {
				t.Fatal(err)
			}
			kind := history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowType().GetName()
			seen[kind]++
			replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{DisableRegistrationAliasing: true})
			if err != nil {
				t.Fatal(err)
			}
			workflows.Register(replayer)
			if err := replayer.ReplayWorkflowHistory(nil, history); err != nil {
				t.Error(err)
			}
		})
	}
	for _, kind := range []string{workflows.ExperimentType, workflows.TaskType, workflows.CellType} {
		if seen[kind] == 0 {
			t.Errorf("no history of %s is kept; there are %s", kind, strings.Join(files, ", "))
		}
	}
}
