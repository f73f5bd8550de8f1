package targetfile_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evlab/localization"
	"evlab/localization/targetfile"
	"evlab/tabular"
)

const patch = `--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n`

// saved writes a file for reading.
func saved(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func tasks(t testing.TB, text string) ([]*targetfile.Task, *tabular.Faults) {
	t.Helper()
	var faults tabular.Faults
	list, err := targetfile.ReadReferences(context.Background(), saved(t, "r.jsonl", text), t.TempDir(), &faults)
	if err != nil {
		t.Fatal(err)
	}
	return list, &faults
}

// wantFaults wants exactly these faults, by a part of each.
func wantFaults(t *testing.T, faults *tabular.Faults, want ...string) {
	t.Helper()
	all := faults.All()
	for i, err := range all {
		if i >= len(want) || !strings.Contains(err.Error(), want[i]) {
			t.Errorf("fault %d is %q", i, err)
		}
	}
	if len(all) != len(want) {
		t.Errorf("%d faults, want %d: %q", len(all), len(want), want)
	}
}

func TestReferences(t *testing.T) {
	list, faults := tasks(t, `{"instance_id":"o__r-1","repo":"o/r","base_commit":"abc","patch":"`+patch+`","problem_statement":"left alone"}
{"task":"two","reference_files":["b.go","a.go","a.go"],"evaluator_files":["judge/"]}
`)
	wantFaults(t, faults)
	if len(list) != 2 || list[0].Files[0] != "src/a.py" || list[0].Edits == nil || list[0].Repository != "o/r" || len(list[1].Files) != 2 || list[1].Edits != nil {
		t.Errorf("read %+v", list)
	}
}

func TestReferenceFaults(t *testing.T) {
	_, faults := tasks(t, strings.Join([]string{
		`{"task":"a","patch":"nonsense"}`,
		`{"task":"b"}`,
		`{"task":"c","reference_files":["../x"]}`,
		`{"task":"d","reference_files":"x"}`,
		`{"task":"e","patch":"--- a/tests/test_a.py\n+++ b/tests/test_a.py\n@@ -1 +1 @@\n-a\n+b\n"}`,
		`{"task":"f","reference_files":["x"]}`,
		`{"task":"f","reference_files":["x"]}`,
		`{"task":"","reference_files":["x"]}`,
		`{"task":"g","instance_id":"g","reference_files":["x"]}`,
		`{"task":"h","reference_files":[]}`,
		`[]`,
	}, "\n"))
	wantFaults(t, faults,
		"r.jsonl:1: patch: reading the patch", "r.jsonl:2: reference_files: there are none", `r.jsonl:3: reference_files: "../x" is no path`,
		"r.jsonl:4: reference_files: expected a list", "r.jsonl:5: reference_files: the reference edits no file", `r.jsonl:7: task: "f" is given at`,
		"r.jsonl:8: task:", "r.jsonl:9: task: instance_id is given too", "r.jsonl:10: reference_files: the reference edits no file", "r.jsonl:11: expected an object")
}

func TestSelections(t *testing.T) {
	list, _ := tasks(t, `{"task":"t","reference_files":["a.py"]}`)
	var faults tabular.Faults
	got, err := targetfile.ReadSelections([]string{saved(t, "s.jsonl", "\ufeff"+`{"task":"t","condition":"c","executor":"x","targets":[{"path":"a.py","symbol":" f ","start_line":3},"b.py"],"intent":"left alone"}`+"\r\n"+
		`{"task_id":"t","method_id":"d","targets":[]}`)}, list, &faults)
	if err != nil {
		t.Fatal(err)
	}
	wantFaults(t, &faults)
	want := localization.Target{Path: "a.py", Symbol: "f", Lines: localization.Span{First: 3, Last: 3}}
	if len(got) != 2 || got[0].Targets[0] != want || got[0].Targets[1].Path != "b.py" || got[1].Condition != "d" || len(got[1].Targets) != 0 {
		t.Errorf("read %+v", got)
	}
}

func TestSelectionFaults(t *testing.T) {
	list, _ := tasks(t, `{"task":"task-1","reference_files":["a.py"]}`)
	var faults tabular.Faults
	if _, err := targetfile.ReadSelections([]string{saved(t, "s.jsonl", strings.Join([]string{
		`{"task":"task-2","condition":"c","targets":[]}`,
		`{"task":"task-1","targets":[]}`,
		`{"task":"task-1","condition":"c"}`,
		`{"task":"task-1","condition":"d","targets":{"path":"x"}}`,
		`{"task":"task-1","condition":"e","targets":[{"symbol":"f"},{"path":1},{"path":"x","start_line":5,"end_line":2},{"path":"x","end_line":2},7]}`,
		`{"task":"task-1","condition":"e","targets":[]}`,
		`{"task":"task-1","condition":"f","targets":null}`,
	}, "\n"))}, list, &faults); err != nil {
		t.Fatal(err)
	}
	wantFaults(t, &faults,
		`s.jsonl:1: task: no reference is of "task-2" (did you mean "task-1"?)`, "s.jsonl:2: condition: there is none", "s.jsonl:3: targets: there is none",
		"s.jsonl:4: targets: expected a list", "s.jsonl:5: targets[0]: there is no path", "s.jsonl:5: targets[1]: expected {path", "s.jsonl:5: targets[2]: lines 5 to 2",
		"s.jsonl:5: targets[3]: there is an end_line", "s.jsonl:5: targets[4]: expected {path", "s.jsonl:6: task: there is a selection", "s.jsonl:7: targets: expected a list")
}

func TestAdjudicationFaults(t *testing.T) {
	list, _ := tasks(t, `{"task":"t","reference_files":["a.py"]}`)
	var faults tabular.Faults
	a, err := targetfile.ReadAdjudication([]string{saved(t, "a.csv", `task,condition,executor,path,symbol,start_line,end_line,adjudicator,role,label
t,c,,./a.py,f,,,ann,,precise
t,c,,a.py,f,,,bob,adjudicator,coarse
t,c,,a.py,f,,,cat,arbiter,wrong
t,c,,a.py,f,,,ann,,precise
t,c,,a.py,f,,,dan,,precise
t,c,,tests/test_a.py,,,,ann,,precise
t,c,,a.py,g,,,ann,judge,precise
t,c,,a.py,g,,,ann,,good
t,,x,a.py,g,,,ann,,wrong
t,c,,a.py,h,9,3,ann,,wrong
t,c,,a.py,h,x,,ann,,wrong
u,c,,a.py,h,,,ann,,wrong
`)}, list, &faults)
	if err != nil {
		t.Fatal(err)
	}
	wantFaults(t, &faults,
		`a.csv:5: adjudicator: "ann" has labelled`, `a.csv:6: adjudicator: "dan" is a third`, `a.csv:7: path: "tests/test_a.py" is no target`,
		`a.csv:8: role: "judge"`, `a.csv:9: label: label "good"`, "a.csv:10: executor: there is an executor and no condition", "a.csv:11: start_line: lines 9 to 3",
		"a.csv:12: start_line: expected a whole number", `a.csv:13: task: no reference is of "u"`)
	k := localization.Key{Task: "t", Condition: "c", Executor: "x"}
	if got := a.Label(k, localization.Target{Path: "a.py", Symbol: "f"}); got.Label != localization.Wrong {
		t.Errorf("the arbiter's word is %v", got)
	}
}

// TestSources: a folder gives paths and sources; a file that is missing, and a patch that is of another state, are faults.
func TestSources(t *testing.T) {
	row := `{"task":"t","repo":"o/r","base_commit":"abc","patch":"` + patch + `"}`
	dir := filepath.Dir(saved(t, "t/src/a.py", "def f():\n    return 1\n"))
	root := filepath.Dir(filepath.Dir(dir))
	list, _ := tasks(t, row)
	var faults tabular.Faults
	sourced, err := targetfile.AddSources(context.Background(), list, targetfile.Where{Folder: root}, &faults)
	wantFaults(t, &faults)
	if err != nil || !sourced || !list[0].Paths.Whole {
		t.Fatalf("sourced %v, %v", sourced, err)
	}
	l := localization.NewHunkLabeller([]*localization.Reference{list[0].Reference})
	if got := l.Label(localization.Key{Task: "t"}, localization.Target{Path: "src/a.py", Symbol: "f"}); got.Label != localization.Precise {
		t.Errorf("f is %v", got)
	}
	for name, c := range map[string]struct{ where, want string }{
		"none":    {t.TempDir(), "there is no folder"},
		"missing": {filepath.Dir(filepath.Dir(saved(t, "t/other.py", ""))), "has no file"},
		"another": {filepath.Dir(filepath.Dir(filepath.Dir(saved(t, "t/src/a.py", "def g():\n    return 3\n")))), "does not apply"},
	} {
		list, _ := tasks(t, row)
		var faults tabular.Faults
		if _, err := targetfile.AddSources(context.Background(), list, targetfile.Where{Folder: c.where}, &faults); err != nil {
			t.Fatal(err)
		}
		if faults.Len() != 1 || !strings.Contains(faults.Err().Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, faults.Err(), c.want)
		}
	}
	// A link out of the folder is not followed, a task's name is no way out.
	outside := saved(t, "secret", "def f():\n    return 1\n")
	linked := t.TempDir()
	if err := os.MkdirAll(filepath.Join(linked, "t", "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(linked, "t", "src", "a.py")); err != nil {
		t.Skip(err)
	}
	list, _ = tasks(t, row)
	faults = tabular.Faults{}
	if _, err := targetfile.AddSources(context.Background(), list, targetfile.Where{Folder: linked}, &faults); err != nil || faults.Len() != 1 {
		t.Errorf("a link: %v, %v", err, faults.Err())
	}
	list, _ = tasks(t, strings.Replace(row, `"task":"t"`, `"task":"../t"`, 1))
	faults = tabular.Faults{}
	if _, err := targetfile.AddSources(context.Background(), list, targetfile.Where{Folder: root}, &faults); err != nil || faults.Len() != 1 {
		t.Errorf("a task named ../t: %v, %v", err, faults.Err())
	}
}

func TestPerTask(t *testing.T) {
	list, _ := tasks(t, `{"task":"t","repo":"o/r","reference_files":["a.py"]}`)
	result, err := localization.Score([]*localization.Reference{list[0].Reference},
		[]localization.Selection{{Key: localization.Key{Task: "t", Condition: "c"}, Targets: []localization.Target{{Path: "a.py"}}}}, localization.NewAdjudication())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "out.jsonl")
	if err := targetfile.WritePerTask(file, result); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// A target that nobody labelled leaves precision empty: it is not zero.
	for _, part := range []string{`"task":"t","condition":"c","executor":null,"repository":"o/r","recall":1,"success":1,`, `"raw_precision":null,"fixed_precision":null,"label_source":"adjudication"`, `"unlabelled":1`} {
		if !strings.Contains(string(got), part) {
			t.Errorf("%s lacks %s", got, part)
		}
	}
}

// FuzzReaders: whatever the files hold, readers come back with faults or with what can be scored.
func FuzzReaders(f *testing.F) {
	f.Add(`{"task":"t","patch":"`+patch+`"}`, `{"task":"t","condition":"c","targets":[{"path":"a"}]}`, "task,path,label,adjudicator\nt,a,wrong,x\n")
	f.Add(`{"task":"t","reference_files":["a"]}`, `[{"task":"t","condition":"c","targets":["a:3"]}]`, `{"task":"t","path":"a","label":"precise","role":"arbiter"}`)
	f.Fuzz(func(t *testing.T, references, selections, labels string) {
		ctx := context.Background()
		var faults tabular.Faults
		list, err := targetfile.ReadReferences(ctx, saved(t, "r.jsonl", references), "", &faults)
		if err != nil {
			return
		}
		sel, err := targetfile.ReadSelections([]string{saved(t, "s.jsonl", selections)}, list, &faults)
		if err != nil {
			return
		}
		adjudication, err := targetfile.ReadAdjudication([]string{saved(t, "a.csv", labels)}, list, &faults)
		if err != nil || faults.Len() > 0 {
			return
		}
		var refs []*localization.Reference
		for _, task := range list {
			refs = append(refs, task.Reference)
		}
		for _, l := range []localization.Labeller{nil, adjudication, localization.NewHunkLabeller(refs)} {
			r, err := localization.Score(refs, sel, l)
			if err != nil {
				t.Fatalf("files without a fault can't be scored: %v", err)
			}
			if err := targetfile.WritePerTask(filepath.Join(t.TempDir(), "o.csv"), r); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestExamples holds the example files to what docs/localization.md says of them.
func TestExamples(t *testing.T) {
	const dir = "../../docs/examples/localization/"
	ctx := context.Background()
	var faults tabular.Faults
	list, err := targetfile.ReadReferences(ctx, dir+"references.jsonl", "", &faults)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := targetfile.AddSources(ctx, list, targetfile.Where{Folder: dir + "sources"}, &faults); err != nil {
		t.Fatal(err)
	}
	selections, err := targetfile.ReadSelections([]string{dir + "selections.jsonl"}, list, &faults)
	if err != nil {
		t.Fatal(err)
	}
	people, err := targetfile.ReadAdjudication([]string{dir + "adjudication.csv"}, list, &faults)
	if err != nil {
		t.Fatal(err)
	}
	wantFaults(t, &faults)
	var refs []*localization.Reference
	for _, task := range list {
		refs = append(refs, task.Reference)
	}
	for _, c := range []struct {
		labeller localization.Labeller
		want     [2]localization.Labels
	}{
		{localization.NewHunkLabeller(refs), [2]localization.Labels{
			{Source: localization.FromHunks, Precise: 4, Coarse: 1}, {Source: localization.FromHunks, Precise: 1, Coarse: 2, Wrong: 1}}},
		{people, [2]localization.Labels{
			{Source: localization.Adjudicated, Precise: 4, Coarse: 1}, {Source: localization.Adjudicated, Precise: 1, Coarse: 1, Wrong: 1, Other: 1}}},
	} {
		r, err := localization.Score(refs, selections, c.labeller)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range r.Summaries {
			if *s.Labels != c.want[i] || s.Slots != 9 || s.Recall != 1 {
				t.Errorf("%s: %+v, want %+v", s.Condition, *s.Labels, c.want[i])
			}
		}
	}
}
