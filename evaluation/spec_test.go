package evaluation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evlab/experiments"
)

func predictionsFile(t *testing.T, name string, rows ...[2]string) string {
	t.Helper()
	var text strings.Builder
	for _, r := range rows {
		line, err := json.Marshal(map[string]string{"instance_id": r[0], "model_name_or_path": r[1], "model_patch": "x"})
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSpecHasAnExecutorForEachModelOfEachFile(t *testing.T) {
	a := predictionsFile(t, "a.jsonl", [2]string{"t2", "org/model"}, [2]string{"t1", "org model"}, [2]string{"t1", "ORG-model"})
	b := predictionsFile(t, "b.jsonl", [2]string{"t3", "org/model"})
	spec, err := Spec(Request{Testing: experiments.Testing{Name: "e"}, Predictions: []string{a, b}, PassToPass: experiments.PassToPassAlways})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(spec.Tasks, []string{"t1", "t2", "t3"}) || !Is(spec) {
		t.Errorf("tasks %q, grades predictions: %v", spec.Tasks, Is(spec))
	}
	names := map[string]bool{}
	for _, e := range spec.Executors {
		if err := experiments.CheckName("executor", e.Name); err != nil || names[strings.ToLower(e.Name)] {
			t.Errorf("executor %q: twice or %v", e.Name, err)
		}
		names[strings.ToLower(e.Name)] = true
	}
	if len(names) != 4 {
		t.Errorf("%d executors, want 4", len(names))
	}
}

// TestSpecReportsEveryFault: all files are read, and a task that a model answers twice is named with both places.
func TestSpecReportsEveryFault(t *testing.T) {
	a := predictionsFile(t, "a.jsonl", [2]string{"t1", "m"}, [2]string{"t2", "m"})
	b := predictionsFile(t, "b.jsonl", [2]string{"t2", "m"}, [2]string{"t2", "other"})
	empty := predictionsFile(t, "empty.jsonl")
	_, err := Spec(Request{Testing: experiments.Testing{Name: "e"}, Predictions: []string{a, b, empty, "/nowhere.jsonl"}})
	for _, want := range []string{"b.jsonl:1: task \"t2\" of model \"m\" is given at " + a + ":2 already", "empty.jsonl: it has no rows", "/nowhere.jsonl"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want it to say %q", err, want)
		}
	}
}
