package outcomes

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evlab/contrasts"
	"evlab/tabular"
)

func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, name, text string, want Wanted) *Table {
	t.Helper()
	table, err := Read(file(t, name, text), want, new(tabular.Faults))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// shape is a sample in one line.
func shape(s *Sample) string {
	out := fmt.Sprintf("binary %t, %g to %g, %d replicates:", s.Binary, s.Low, s.High, s.Replicates)
	for _, p := range s.Pairs {
		value := func(v float64, has bool) string {
			if !has {
				return "-"
			}
			return fmt.Sprintf("%.3g", v)
		}
		out += fmt.Sprintf(" %s/%s %s:%s", p.Task, p.Cluster, value(p.A, p.HasA), value(p.B, p.HasB))
	}
	return out
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             Wanted
		selection        Selection
		shape            string
	}{
		{"csv", "o.csv", "task,condition,strict\nt1,x,1\nt1,y,0\nt2,x,true\nt2,y,False\n", Wanted{Metrics: []string{"strict"}},
			Selection{Metric: "strict", A: "x", B: "y"}, "binary true, 0 to 1, 1 replicates: t1/ 1:0 t2/ 1:0"},
		{"missing in every way", "o.csv", "task,condition,strict\nt1,x,\nt1,y,NA\nt2,x,0\nt3,z,1\n", Wanted{Metrics: []string{"strict"}},
			Selection{Metric: "strict", A: "x", B: "y"}, "binary true, 0 to 0, 1 replicates: t1/ -:- t2/ 0:- t3/ -:-"},
		{"replicates and clusters", "o.jsonl", `{"task":"t1","condition":"x","replicate":1,"score":0.5,"repo":"r"}
{"task":"t1","condition":"x","replicate":2,"score":1,"repo":"r"}
{"task":"t1","condition":"y","replicate":1,"score":0.25}
{"task":"t1","condition":"y","replicate":2,"score":null}
`, Wanted{Metrics: []string{"score"}, Labels: []string{"repository"}}, Selection{Metric: "score", A: "x", B: "y", Cluster: "repository"},
			"binary false, 0.25 to 1, 2 replicates: t1/r 0.75:0.25"},
		{"verdicts", "o.jsonl", `{"instance_id":"t1","model_name_or_path":"m/a","verdict":"resolved"}
{"instance_id":"t1","model_name_or_path":"m/b","verdict":"apply-failed"}
{"instance_id":"t2","model_name_or_path":"m/a","verdict":"infra"}
{"instance_id":"t2","model_name_or_path":"m/b","verdict":"empty","strict":null}
`, Wanted{Metrics: []string{"resolved"}}, Selection{Metric: "resolved", A: "m/a", B: "m/b"}, "binary true, 0 to 1, 1 replicates: t1/ 1:0 t2/ -:0"},
		{"a value without a verdict does not count", "o.jsonl", `{"task":"t1","condition":"x","verdict":"infra","strict":true}
{"task":"t1","condition":"y","verdict":"resolved","strict":true}
`, Wanted{Metrics: []string{"strict"}}, Selection{Metric: "strict", A: "x", B: "y"}, "binary true, 1 to 1, 1 replicates: t1/ -:1"},
		{"executors", "o.csv", "task,condition,executor,s\nt1,x,p,1\nt1,y,p,0\nt1,x,q,0\nt2,x,q,0\n", Wanted{Metrics: []string{"s"}},
			Selection{Metric: "s", A: "x", B: "y", Executor: "q"}, "binary true, 0 to 0, 1 replicates: t1/ 0:- t2/ 0:-"},
		{"stratum", "o.csv", "task,condition,s,lang\nt1,x,1,go\nt1,y,0,go\nt2,x,0,py\n", Wanted{Metrics: []string{"s"}, Labels: []string{"lang"}},
			Selection{Metric: "s", A: "x", B: "y", StratumColumn: "lang", Stratum: "go"}, "binary true, 0 to 1, 1 replicates: t1/ 1:0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := read(t, c.file, c.text, c.want).Select(c.selection)
			if err != nil || shape(s) != c.shape {
				t.Errorf("%s, %v\nwant %s", shape(s), err, c.shape)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	strict := Wanted{Metrics: []string{"strict"}}
	for _, c := range []struct {
		name, file, text string
		want             Wanted
		says             []string
	}{
		{"columns", "o.csv", "tasks,condition,strickt\nt1,x,1\n", strict,
			[]string{`o.csv: there is no column task (or instance_id, task_id, state_id) (did you mean "tasks"?), and none strict (did you mean "strickt"?); there are "tasks", "condition", "strickt"`}},
		{"a metric that no row has", "o.jsonl", `{"task":"t1","condition":"x","strickt":1}` + "\n", strict,
			[]string{`o.jsonl: no row has the metric "strict" (did you mean "strickt"?); beside task and condition they have strickt`}},
		{"all rows at once", "o.csv", "task,condition,strict\n,x,1\nt1,,1\nt2,x,yes\nt3,x,1,1\n", strict,
			[]string{"o.csv:2: task: the field is empty", "o.csv:3: condition: the field is empty", `o.csv:4: strict: expected a number, found "yes"`, "o.csv:5: the row has 4 cells"}},
		{"twice", "o.csv", "task,condition,strict\nt1,x,1\nt1,x,0\n", strict,
			[]string{`o.csv:3: task "t1" under condition "x" is given at line 2 already; repetitions need a column replicate`}},
		{"replicate twice", "o.csv", "task,condition,strict,replicate\nt1,x,1,1\nt1,x,0,1\n", strict, []string{`replicate "1" is given at line 2 already`}},
		{"verdict", "o.jsonl", `{"task":"t1","condition":"x","verdict":"passed"}`, strict, []string{`o.jsonl:1: verdict: "passed" is none of [resolved`}},
		{"two clusters", "o.csv", "task,condition,strict,repo\nt1,x,1,a\nt1,y,1,b\n", Wanted{Metrics: []string{"strict"}, Labels: []string{"repository"}},
			[]string{`o.csv:3: repository: task "t1" has "b" here and "a" in an earlier row`}},
		{"no metric", "o.jsonl", `{"task":"t1","condition":"x","score":1}`, strict, []string{`no row has the metric "strict"`}},
		{"a metric of verdicts, mistyped", "o.jsonl", `{"task":"t1","condition":"x","verdict":"resolved","why":1}`, Wanted{Metrics: []string{"resolvd"}},
			[]string{`no row has the metric "resolvd" (did you mean "resolved"?); beside task and condition they have why, strict, resolved`}},
		{"wrong type", "o.jsonl", `{"task":7,"condition":"x","strict":"1"}`, strict, []string{"o.jsonl:1: task: expected text, found 7"}},
		{"a number as text", "o.jsonl", `{"task":"t","condition":"x","strict":"1"}`, strict, []string{`strict: expected a number, found "1"`}},
		{"no rows", "o.csv", "task,condition,strict\n", strict, []string{"o.csv: it has no rows"}},
		{"infinite", "o.csv", "task,condition,strict\nt1,x,1e999\n", strict, []string{"out of range"}},
	} {
		_, err := Read(file(t, c.file, c.text), c.want, new(tabular.Faults))
		for _, says := range c.says {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %q is not in %v", c.name, says, err)
			}
		}
		if n := strings.Count(fmt.Sprint(err), "\n") + 1; err != nil && n != len(c.says) {
			t.Errorf("%s: %d faults, want %d: %v", c.name, n, len(c.says), err)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	table := read(t, "o.csv", "task,condition,executor,s\nt1,bm25,p,1\nt1,dense,q,0\n", Wanted{Metrics: []string{"s"}})
	for _, c := range []struct {
		selection Selection
		says      string
	}{
		{Selection{Metric: "s", A: "bm26", B: "dense", Executor: "p"}, `no condition "bm26" (did you mean "bm25"?); there are bm25, dense`},
		{Selection{Metric: "t", A: "bm25", B: "dense"}, `no metric "t"`},
		{Selection{Metric: "s", A: "bm25", B: "dense"}, "several executors (p, q); name one"},
		{Selection{Metric: "s", A: "bm25", B: "dense", Executor: "r"}, `no executor "r"`},
		{Selection{Metric: "s", A: "bm25", B: "dense", Executor: "p", Cluster: "repo"}, `no column "repo"`},
	} {
		if _, err := table.Select(c.selection); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.selection, err, c.says)
		}
	}
}

// cohort is a table of n tasks in two strata and two executors; every fifth outcome of y is missing.
func cohort(t testing.TB, n int) *Table {
	var b strings.Builder
	b.WriteString("task,condition,executor,strict,tokens,repo,lang,coverable\n")
	for i := range n {
		for _, e := range []string{"pro", "flash"} {
			x, y := (i*7)%3%2, (i*5)%4%2
			if e == "flash" {
				x = y
			}
			lang := []string{"go", "python", "python"}[i%3]
			fmt.Fprintf(&b, "t%03d,x,%s,%d,%d,r%d,%s,%t\n", i, e, x, 100+i, i%9, lang, i%4 > 0)
			missing := fmt.Sprint(y)
			if i%5 == 4 {
				missing = ""
			}
			fmt.Fprintf(&b, "t%03d,y,%s,%s,%d,r%d,%s,%t\n", i, e, missing, 200+2*i, i%9, lang, i%4 > 0)
		}
	}
	return read(t, "o.csv", b.String(), Wanted{Metrics: []string{"strict", "tokens"}, Labels: []string{"repository", "lang", "coverable"}})
}

// TestParts: strata weighted by their pairs make the whole, a subset stands beside it.
func TestParts(t *testing.T) {
	for _, unit := range []string{"task", "repository"} {
		answers, err := cohort(t, 120).Ask(Question{Metric: "strict", A: "x", B: "y", Executor: "pro", Unit: unit, Strata: "lang", Subset: "coverable", Seed: 1})
		if err != nil || len(answers) != 4 {
			t.Fatalf("%d answers, %v", len(answers), err)
		}
		whole, sum, weight := answers[0], 0.0, 0.0
		for _, part := range answers[1:3] {
			sum += part.Weight * part.Diff
			weight += part.Weight
		}
		if math.Abs(sum-whole.Diff) > 1e-9 || math.Abs(weight-1) > 1e-12 || answers[1].Stratum != "go" || answers[3].Part != PartSubset || answers[3].N >= whole.N {
			t.Errorf("by %s: %+v", unit, answers)
		}
		if whole.N != 96 || whole.Planned != 120 || whole.MissingB != 24 || whole.Metric != "strict" {
			t.Errorf("whole: %+v", whole)
		}
	}
}

func TestInteractionAndRatio(t *testing.T) {
	table := cohort(t, 120)
	answers, err := table.Ask(Question{Metric: "strict", A: "x", B: "y", Executor: "pro", Against: "flash"})
	if err != nil || answers[0].A != "x - y | pro" || answers[0].MeanB != 0 {
		t.Errorf("%+v, %v", answers, err)
	}
	answers, err = table.Ask(Question{Metric: "tokens", A: "x", B: "y", Executor: "pro", Ratio: true, Seed: 3})
	if err != nil || math.Abs(answers[0].Ratio.Estimate-0.5) > 1e-9 || answers[0].Loss != 120 {
		t.Errorf("%+v, %v", answers, err)
	}
	if _, err = table.Ask(Question{Metric: "tokens", A: "x", B: "y", Executor: "pro"}); !errors.Is(err, contrasts.ErrInput) || !strings.Contains(err.Error(), "--ratio") {
		t.Errorf("tokens as a share: %v", err)
	}
	answers, err = table.Ask(Question{Metric: "tokens", A: "x", B: "y", Executor: "pro", Max: 1000})
	if err != nil || answers[0].Binary() {
		t.Errorf("a score of 0 to 1000: %+v, %v", answers, err)
	}
}

// Binary says whether the answer was treated as one of a 0/1 metric.
func (a Answer) Binary() bool { return a.PExact != nil }

// TestEveryFaultOfARow: one reading tells all cells of a row that have to be repaired, and that it was given before.
func TestEveryFaultOfARow(t *testing.T) {
	var faults tabular.Faults
	_, err := Read(file(t, "o.csv", "task,condition,strict,tokens,repository,lang\nt1,x,1,2,r,go\nt1,x,yes,many,q,c\n"),
		Wanted{Metrics: []string{"strict", "tokens"}, Labels: []string{"repository", "lang"}}, &faults)
	if err == nil || faults.Len() != 5 {
		t.Fatalf("%d faults: %v", faults.Len(), err)
	}
	for i, want := range []string{"is given at line 2 already", `strict: expected a number, found "yes"`, `tokens: expected a number, found "many"`,
		`repository: task "t1" has "q" here`, `lang: task "t1" has "c" here`} {
		if got := faults.All()[i].Error(); !strings.Contains(got, want) {
			t.Errorf("fault %d is %q, want %q", i, got, want)
		}
	}
}

// TestFormsAgree: the same rows in CSV, JSONL and Parquet give the same sample.
func TestFormsAgree(t *testing.T) {
	dir := t.TempDir()
	var first string
	for _, ext := range []string{"csv", "jsonl", "parquet", "tsv"} {
		path := filepath.Join(dir, "o."+ext)
		w, err := tabular.Create(path, tabular.Column{Name: "task"}, tabular.Column{Name: "condition"}, tabular.Column{Name: "score", Type: tabular.Numbers},
			tabular.Column{Name: "replicate", Type: tabular.Ints})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			var score any = float64(i%7) / 7
			if i%11 == 3 {
				score = nil
			}
			if err := w.Append(fmt.Sprint("t", i/4), string("xy"[i%2]), score, i%4/2); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		table, err := Read(path, Wanted{Metrics: []string{"score"}}, new(tabular.Faults))
		if err != nil {
			t.Fatal(err)
		}
		s, err := table.Select(Selection{Metric: "score", A: "x", B: "y"})
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = shape(s)
		}
		if got := shape(s); got != first {
			t.Errorf("%s: %s\ncsv: %s", ext, got, first)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("task,condition,strict\nt1,x,1\n"), "o.csv")
	f.Add([]byte(`{"instance_id":"t1","model_name_or_path":"x","verdict":"resolved"}`), "o.jsonl")
	f.Add([]byte("PAR1"), "o.parquet")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		if len(data) > 1<<16 {
			return
		}
		path := filepath.Join(t.TempDir(), "o"+filepath.Ext(filepath.Base(name)))
		if os.WriteFile(path, data, 0o600) != nil {
			return // no such name here
		}
		table, err := Read(path, Wanted{Metrics: []string{"strict"}, Labels: []string{"repository"}}, new(tabular.Faults))
		if err != nil {
			return
		}
		if len(table.Conditions()) < 2 {
			return
		}
		s, err := table.Select(Selection{Metric: "strict", A: table.Conditions()[0], B: table.Conditions()[1], Executor: table.Executors()[0]})
		if err == nil && len(s.Pairs) > len(table.Tasks()) {
			t.Fatalf("%d pairs of %d tasks", len(s.Pairs), len(table.Tasks()))
		}
	})
}

// BenchmarkMillionRows reads a million rows of CSV, 250,000 tasks under four conditions, and contrasts two of them.
func BenchmarkMillionRows(b *testing.B) {
	path := filepath.Join(b.TempDir(), "o.csv")
	if err := os.WriteFile(path, MillionRows(), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		table, err := Read(path, Wanted{Metrics: []string{"strict", "tokens"}, Labels: []string{"repository"}}, new(tabular.Faults))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := table.Select(Selection{Metric: "strict", A: "bm25", B: "dense"}); err != nil {
			b.Fatal(err)
		}
	}
}

// MillionRows is the file of the benchmark.
func MillionRows() []byte {
	out := []byte("task,condition,repository,strict,tokens\n")
	for i := range 250_000 {
		for k, condition := range []string{"bm25", "dense", "rerank", "mss-complement"} {
			out = fmt.Appendf(out, "owner__repo-%06d,%s,owner/repo-%d,%d,%d\n", i, condition, i%45, (i*(k+3))%7%2, 1000+i*(k+1)%9000)
		}
	}
	return out
}

// TestEvaluationsStream: the JSON lines of evlab evaluate are read as they are, with the lines around the predictions.
func TestEvaluationsStream(t *testing.T) {
	file := filepath.Join(t.TempDir(), "grades.jsonl")
	text := `{"type":"version","ui":"1.0","version":"development"}
{"folder":"d","run_id":"r","type":"run"}
{"type":"prediction","instance_id":"a","model_name_or_path":"x","verdict":"resolved","f2p_passed":1}
{"type":"prediction","instance_id":"a","model_name_or_path":"y","verdict":"unresolved"}
{"type":"prediction","instance_id":"b","model_name_or_path":"x","verdict":"infra"}
{"type":"prediction","instance_id":"b","model_name_or_path":"y","verdict":"empty"}
{"type":"summary","run_id":"r","predictions":4,"verdicts":{"resolved":1}}
`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var faults tabular.Faults
	table, err := Read(file, Wanted{Metrics: []string{"resolved"}}, &faults)
	if err != nil {
		t.Fatal(err)
	}
	answers, err := table.AskAll([]Question{{Metric: "resolved", A: "x", B: "y", Unit: "task", Interval: "percentile", Draws: 100}})
	if err != nil {
		t.Fatal(err)
	}
	if got := answers[0]; got.N != 1 || got.Diff != 100 || got.MissingA != 1 || got.MissingB != 0 {
		t.Errorf("%+v", got)
	}
	if err := os.WriteFile(file, []byte(`{"type":"prediction","verdict":"resolved"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var missing tabular.Faults
	_, err = Read(file, Wanted{Metrics: []string{"resolved"}}, &missing)
	if err == nil || missing.Len() != 2 {
		t.Errorf("a row without task and condition: %d faults, %v", missing.Len(), err)
	}
}
