package evaluation

import (
	"context"
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

// graded is what has the tasks: a cohort folder, as far as its list of tasks is read.
func graded(t *testing.T, tasks ...string) experiments.Testing {
	t.Helper()
	list, err := json.Marshal(map[string]any{"schema": "evlab-cohort-v2", "tasks": tasks})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cohort.json"), list, 0o644); err != nil {
		t.Fatal(err)
	}
	return experiments.Testing{Name: "e", Cohort: experiments.CohortSource{Path: dir}}
}

func TestSpecHasAnExecutorForEachModelOfEachFile(t *testing.T) {
	a := predictionsFile(t, "a.jsonl", [2]string{"t2", "org/model"}, [2]string{"t1", "org model"}, [2]string{"t1", "ORG-model"})
	b := predictionsFile(t, "b.jsonl", [2]string{"t3", "org/model"})
	spec, err := Spec(context.Background(), Request{Testing: graded(t, "t1", "t2", "t3"), Predictions: []string{a, b}, PassToPass: experiments.PassToPassAlways})
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
	_, err := Spec(context.Background(), Request{Testing: graded(t, "t1", "t2"), Predictions: []string{a, b, empty, "/nowhere.jsonl"}})
	for _, want := range []string{"b.jsonl:1: task \"t2\" of model \"m\" is given at " + a + ":2 already", "empty.jsonl: it has no rows", "/nowhere.jsonl"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want it to say %q", err, want)
		}
	}
}

// TestSpecNamesTasksThatThereAreNot: beside the other faults, in the file's order, with the nearest that there is; and as one
// fault where the whole file is of other tasks.
func TestSpecNamesTasksThatThereAreNot(t *testing.T) {
	a := predictionsFile(t, "a.jsonl", [2]string{"o__n-1", "m"}, [2]string{"o__n-3", "m"}, [2]string{"o__n-1", "m"})
	data, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a, append(data, "{\"instance_id\":\"o__n-2\"}\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	others := predictionsFile(t, "others.jsonl", [2]string{"x", "m"}, [2]string{"y", "m"}, [2]string{"z", "m"})
	_, err = Spec(context.Background(), Request{Testing: graded(t, "o__n-1", "o__n-2"), Predictions: []string{a, others}})
	if err == nil {
		t.Fatal("no error")
	}
	at := -1
	for _, want := range []string{
		a + ":2: the tasks have no \"o__n-3\" (did you mean \"o__n-1\"?)\n", a + ":3: task \"o__n-1\" of model \"m\" is given at " + a + ":1 already\n",
		a + ":4: field model_patch is missing", others + ":1: the tasks have no \"x\"; nor have they that of any other of the 3 rows: they are such as \"o__n-1\"",
	} {
		next := strings.Index(err.Error(), want)
		if next <= at {
			t.Errorf("%v\nwant it to say %q, after what comes before it", err, want)
		}
		at = next
	}
	if strings.Contains(err.Error(), "others.jsonl:2") {
		t.Errorf("each row of a file of other tasks is told: %v", err)
	}
}

// TestSpecTakesOneModelOfAFile: the one there is, or the one that is named, also twice of one file.
func TestSpecTakesOneModelOfAFile(t *testing.T) {
	one, another := predictionsFile(t, "one.jsonl", [2]string{"t1", "m"}), predictionsFile(t, "another.jsonl", [2]string{"t1", "m"})
	two := predictionsFile(t, "two.jsonl", [2]string{"t1", "m"}, [2]string{"t1", "n"}, [2]string{"t2", "n"})
	for name, c := range map[string]struct {
		files, models []string
		executors     []string
		says          string
	}{
		"the only ones":      {files: []string{one, another}, models: []string{"", ""}, executors: []string{"m", "m"}},
		"one and the same":   {files: []string{one, one}, models: []string{"", "m"}, says: `both sides are model "m" of `},
		"a named one":        {files: []string{one, two}, models: []string{"", "n"}, executors: []string{"m", "n"}},
		"two of one file":    {files: []string{two, two}, models: []string{"m", "n"}, executors: []string{"m", "n"}},
		"none is named":      {files: []string{one, two}, models: []string{"m", ""}, says: "two.jsonl has predictions of 2 models (m, n), and one is compared"},
		"there is no such":   {files: []string{one, two}, models: []string{"mm", "n"}, says: "one.jsonl has no predictions of model \"mm\""},
		"all, without names": {files: []string{two}, executors: []string{"m", "n"}},
	} {
		spec, err := Spec(context.Background(), Request{Testing: graded(t, "t1", "t2"), Predictions: c.files, Apart: true, Models: c.models})
		if (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		var models []string
		for _, e := range spec.Executors {
			models = append(models, e.Model)
		}
		if err == nil && !slices.Equal(models, c.executors) {
			t.Errorf("%s: models %q, want %q", name, models, c.executors)
		}
	}
}
