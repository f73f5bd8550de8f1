package specfile_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"evlab/configs"
	"evlab/experiments"
	"evlab/experiments/specfile"
)

func TestTheDemoIsWhatItSays(t *testing.T) {
	l, err := specfile.Parse("demo.yaml", configs.Demo, specfile.Overrides{Cohorts: []string{"demo"}})
	if err != nil {
		t.Fatal(err)
	}
	s, d := l.Spec, experiments.Defaults()
	if s.Tracks != d.Tracks || s.Limits != d.Limits || s.Replicates != d.Replicates || s.Sandbox != d.Sandbox {
		t.Error("the demo says that it writes the defaults out, and they are others")
	}
	var names []string
	for _, c := range s.Conditions {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "bm25 oracle-mss oracle-minus-group" || len(s.Contrasts) != 9 {
		t.Errorf("conditions %s, %d contrasts", got, len(s.Contrasts))
	}
}

func TestMarshalledSpecsReadBack(t *testing.T) {
	demo, err := specfile.Parse("demo.yaml", configs.Demo, specfile.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	odd := demo.Spec
	odd.Conditions = append([]experiments.ConditionSpec{{Name: "1", Kind: "bm25"}, {Name: "true", Kind: "none"}}, odd.Conditions...)
	odd.Tasks = []string{"2026-01-01", "null", "1e3"}
	odd.Contrasts = nil
	odd.Limits.CPUs = 0.25
	for _, want := range []experiments.Spec{demo.Spec, odd} {
		text, err := specfile.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		l, err := specfile.Parse("f", text, specfile.Overrides{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if len(l.Spec.Contrasts) == 0 {
			l.Spec.Contrasts = nil
		}
		if !reflect.DeepEqual(l.Spec, want) {
			t.Errorf("got  %+v\nwant %+v", l.Spec, want)
		}
	}
}

func TestDraftsPassTheirOwnCheck(t *testing.T) {
	for name, c := range map[string]specfile.Draft{
		"plain": {Name: "x", Tasks: "tasks.jsonl", Repos: "repos", Language: "go", Conditions: []string{"bm25", "none"},
			Predictions: "p.jsonl", Model: "gold"},
		"one condition": {Name: "x", Tasks: "tasks.jsonl", Repos: "repos", Conditions: []string{"none"}, Predictions: "p.jsonl", Model: "gold"},
		"awkward names": {Name: "1", Tasks: "a b/t: #1.jsonl", Repos: "-r", Conditions: []string{"none", "bm25"},
			Predictions: "ü'\"\\.jsonl", Model: "org/Model v1.5 (größer)"},
		"words of YAML": {Name: "null", Tasks: "true", Repos: "1.5", Conditions: []string{"bm25", "none"},
			Predictions: "~", Model: "/"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, c.Tasks), "")
		write(t, filepath.Join(dir, c.Predictions), "")
		write(t, filepath.Join(dir, c.Repos, "keep"), "")
		l, err := specfile.Parse(filepath.Join(dir, "f.yaml"), c.Text(), specfile.Overrides{})
		if err != nil {
			t.Errorf("%s: %v in\n%s", name, err, c.Text())
			continue
		}
		s := l.Spec
		if s.Name != c.Name || s.Executors[0].Model != c.Model || s.Cohort.Tasks != filepath.Join(dir, c.Tasks) {
			t.Errorf("%s: got name %q, model %q, tasks %q", name, s.Name, s.Executors[0].Model, s.Cohort.Tasks)
		}
		if want := len(c.Conditions) / 2; len(s.Contrasts) != want {
			t.Errorf("%s: %d contrasts, want %d", name, len(s.Contrasts), want)
		}
		d := experiments.Defaults()
		if s.Tracks != d.Tracks || s.Limits != d.Limits {
			t.Errorf("%s: what it writes as defaults is not", name)
		}
	}
}
