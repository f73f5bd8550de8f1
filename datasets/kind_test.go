package datasets_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evlab/datasets"
)

// TestKindOf: what is told is certain; anything else is unknown, and left to its reader.
func TestKindOf(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		want       datasets.Kind
	}{
		"tasks":                         {"t.jsonl", lines(t, goRow("a", "0123", nil)), datasets.KindTasks},
		"tasks as a list":               {"t.json", "\xef\xbb\xbf [\n" + lines(t, goRow("a", "0123", nil)) + "]", datasets.KindTasks},
		"tasks of Multi-SWE-bench":      {"t.jsonl", `{"org":"o","repo":"r","number":1,"base":{},"fix_patch":"","test_patch":""}`, datasets.KindTasks},
		"predictions":                   {"p.jsonl", `{"instance_id":"a","model_patch":"x"}`, datasets.KindPredictions},
		"predictions with the commit":   {"p.jsonl", `{"instance_id":"a","base_commit":"1","model_patch":"x"}`, datasets.KindPredictions},
		"predictions under other names": {"p.jsonl", `{"instance_id":"a","model_name_or_path":"m","patch":"x"}`, datasets.KindPredictions},
		"grades":                        {"g.jsonl", `{"type":"version","ui":"1.0"}` + "\n" + `{"type":"run","run_id":"r"}` + "\n" + `{"type":"prediction","instance_id":"a","model_name_or_path":"m","verdict":"resolved"}`, datasets.KindGrades},
		"states":                        {"s.jsonl", `{"state_id":"s","candidates":[{"id":"x","text":"{"}]}`, datasets.KindStates},
		"states of tasks":               {"s.jsonl", `{"state_id":"s","instance_id":"a","base_commit":"1","candidates":[]}`, datasets.KindStates},
		"states with pools elsewhere":   {"s.jsonl", `{"state_id":"s","instance_id":"a","base_commit":"1"}`, datasets.KindUnknown},
		"certificates":                  {"c.jsonl", `{"schema":"serbench-mss-v1","state_id":"s","groups":[]}`, datasets.KindCertificates},
		"rankings":                      {"r.jsonl", `{"state_id":"s","method_id":"m","evidence_ids":[]}`, datasets.KindRankings},
		"outcomes":                      {"o.csv", "task,condition,strict\na,b,1\n", datasets.KindOutcomes},
		"a table":                       {"t.csv", "id,repo,base,fix,issue\n", datasets.KindTable},
		"a table in JSON":               {"t.jsonl", `{"repository":"o/r","base_commit":"1","fix_commit":"2"}`, datasets.KindTable},
		"outcomes with their commits":   {"o.csv", "task,condition,strict,repo,base,fix\n", datasets.KindOutcomes},
		"reviews":                       {"r.tsv", "item\treviewer\tverdict\n", datasets.KindReviews},
		"an experiment":                 {"e.yaml", "# mine\nname: x\nconditions:\n  - none\n", datasets.KindExperiment},
		"a family":                      {"f.yaml", "name: x\ncontrasts:\n  - {metric: m}\n", datasets.KindFamily},
		"cut off":                       {"t.jsonl", `{"instance_id":"a","base_commit":"1","patch":"x`, datasets.KindTasks},
		"a map of rows":                 {"p.json", `{"a":{"model_patch":"x"}}`, datasets.KindUnknown},
		"nothing":                       {"x", " \n", datasets.KindUnknown},
		"bytes":                         {"x", "PAR1\x00\xff", datasets.KindUnknown},
	} {
		if got := datasets.KindOf(saved(t, c.file, c.text)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	dir := t.TempDir()
	if got := datasets.KindOf(dir); got != datasets.KindUnknown {
		t.Errorf("an empty folder: %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "cohort.json"), []byte(`{"schema":"evlab-cohort-v2"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := datasets.KindOf(dir); got != datasets.KindImported || !strings.Contains(got.Command("d"), "--tasks d --repos") {
		t.Errorf("an imported cohort: %q, %q", got, got.Command("d"))
	}
	if datasets.KindUnknown.Command("x") != "" {
		t.Error("there is a command for what nobody knows")
	}
}

// TestFilesInEachOthersPlace: one sentence, and not a fault for every row; the patch of a task is no prediction.
func TestFilesInEachOthersPlace(t *testing.T) {
	tasks := saved(t, "tasks.jsonl", lines(t, goRow("a", "0123", nil)))
	predictions := saved(t, "predictions.jsonl", strings.Repeat(`{"instance_id":"a","model_name_or_path":"m","model_patch":"x"}`+"\n", 3))
	_, asTasks := datasets.ReadSWEBench(context.Background(), predictions, in(t.TempDir()), "")
	_, asPredictions := datasets.ReadPredictions(tasks, "tasks")
	for _, err := range []error{asTasks, asPredictions} {
		var wrong *datasets.WrongKindError
		if !errors.As(err, &wrong) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	}
}

// TestRowsThatAreGivenTwice: word for word they are one task, also where fields stand in another order or nobody reads them;
// with other content they are refused with both places.
func TestRowsThatAreGivenTwice(t *testing.T) {
	dir := t.TempDir()
	commit := repository(t, filepath.Join(dir, "owner+name", "repo"))
	same := lines(t, goRow("a", commit, nil), goRow("b", commit, nil), goRow("a", commit, row{"hints_text": "another"}))
	c, err := datasets.ReadSWEBench(context.Background(), saved(t, "t.jsonl", same), in(dir), "")
	if err != nil || len(c.Tasks) != 2 || len(c.Excluded) != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	other := lines(t, goRow("a", commit, nil), goRow("b", commit, nil), goRow("a", commit, row{"problem_statement": "It is h."}))
	_, err = datasets.ReadSWEBench(context.Background(), saved(t, "t.jsonl", other), in(dir), "")
	says(t, "other content", err, `t.jsonl:3: instance_id "a" is given in line 1 already, with other content`)
	m, err := datasets.Import(context.Background(), saved(t, "t.jsonl", same), datasets.ImportOptions{})
	if err != nil || len(m.Tasks) != 2 || m.Repeated != 1 {
		t.Errorf("import: %+v, %v", m, err)
	}
}

// TestTextIsNoRows: a file that has no row at all is told once.
func TestTextIsNoRows(t *testing.T) {
	text := saved(t, "README.md", strings.Repeat("words\n", 500))
	_, asTasks := datasets.ListTasks(context.Background(), text, "")
	_, asPredictions := datasets.ListPredictions(text, nil)
	for _, err := range []error{asTasks, asPredictions} {
		says(t, "text", err, "README.md:1: column 1: reading JSON", "nor is any other of its 500 lines a row: expected JSON lines")
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	}
}
