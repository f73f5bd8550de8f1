package experiments_test

import (
	"encoding/json"
	"testing"
	"time"

	"evlab/experiments"
)

func TestBytes(t *testing.T) {
	for text, want := range map[string]experiments.Bytes{
		"512MiB": 512 << 20, "1GiB": 1 << 30, "64MB": 64e6, "1024": 1024, "1 KiB": 1024, "7B": 7, "0": 0,
	} {
		got, err := experiments.ParseBytes(text)
		if err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
		again, err := experiments.ParseBytes(got.String())
		if err != nil || again != got {
			t.Errorf("%s is written as %s, which is read as %d, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1.5GiB", "1TiB", "9223372036854775807GiB", "1mib", "0x10"} {
		if got, err := experiments.ParseBytes(text); err == nil {
			t.Errorf("%q was read as %d", text, got)
		}
	}
}

func TestFirstDifference(t *testing.T) {
	a := experiments.Input{Name: "task", Digest: "1"}
	b := experiments.Input{Name: "prompt", Digest: "2"}
	changed := experiments.Input{Name: "prompt", Digest: "3"}
	for name, c := range map[string]struct {
		old, now []experiments.Input
		input    string
		was, is  experiments.Digest
		ok       bool
	}{
		"same":       {[]experiments.Input{a, b}, []experiments.Input{a, b}, "", "", "", false},
		"changed":    {[]experiments.Input{a, b}, []experiments.Input{a, changed}, "prompt", "2", "3", true},
		"added":      {[]experiments.Input{a}, []experiments.Input{a, b}, "prompt", "", "2", true},
		"taken away": {[]experiments.Input{a, b}, []experiments.Input{a}, "prompt", "2", "", true},
	} {
		input, was, is, ok := experiments.FirstDifference(c.old, c.now)
		if input != c.input || was != c.was || is != c.is || ok != c.ok {
			t.Errorf("%s: got %s %s %s %v", name, input, was, is, ok)
		}
		if same := experiments.KeyOf(c.old) == experiments.KeyOf(c.now); same == c.ok {
			t.Errorf("%s: the keys are the same: %v", name, same)
		}
	}
}

func TestRecordTellsEdits(t *testing.T) {
	r := experiments.Record{RunID: "r", Verdict: experiments.Resolved, Started: time.Now(), Scores: experiments.Scores{Tokens: 5}}
	if err := r.Seal(); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back experiments.Record
	if err := json.Unmarshal(text, &back); err != nil || !back.Intact() {
		t.Fatalf("read back, it is not intact: %v", err)
	}
	for name, edit := range map[string]func(*experiments.Record){
		"score":   func(r *experiments.Record) { r.Scores.Tokens++ },
		"verdict": func(r *experiments.Record) { r.Verdict = experiments.Unresolved },
		"unknown": func(r *experiments.Record) { r.Verdict = "won" },
		"schema":  func(r *experiments.Record) { r.Schema = "" },
		"sum":     func(r *experiments.Record) { r.Sum = "" },
	} {
		edited := back
		edit(&edited)
		if edited.Intact() {
			t.Errorf("%s was edited and the record says it is intact", name)
		}
	}
}

func TestVerdicts(t *testing.T) {
	decided := 0
	for _, v := range experiments.Verdicts {
		if !v.Valid() {
			t.Errorf("%s is not of its own set", v)
		}
		if v.Decided() {
			decided++
		}
	}
	if decided != 4 || experiments.Infra.Decided() || experiments.Verdict("x").Valid() {
		t.Errorf("%d verdicts count as results, want 4", decided)
	}
}

func TestDigestsAreCheckedBeforeTheyArePaths(t *testing.T) {
	d := experiments.DigestBytes([]byte("x"))
	if !d.Valid() || len(d.Short()) != 12 {
		t.Errorf("%s is not valid", d)
	}
	for _, bad := range []experiments.Digest{"", "../../etc", d[:63], "G" + d[1:], experiments.Digest("A") + d[1:]} {
		if bad.Valid() {
			t.Errorf("%q is valid", bad)
		}
	}
	if _, err := experiments.DigestJSON(func() {}); err == nil {
		t.Error("a function has a digest")
	}
}

func TestPlanCounts(t *testing.T) {
	p := experiments.Plan{Cells: []experiments.PlannedCell{{State: experiments.ToRun}, {State: experiments.Done}, {State: experiments.ToRun}}}
	if p.Count(experiments.ToRun) != 2 || p.Count(experiments.Barred) != 0 {
		t.Error("miscounted")
	}
	if id := (experiments.Cell{Task: "t", Condition: "c", Executor: "e", Replicate: 1}).ID(); id != "t/c/e/1" {
		t.Error(id)
	}
}
