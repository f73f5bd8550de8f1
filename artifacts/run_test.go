package artifacts_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evlab/artifacts"
	"evlab/experiments"
)

func folder(t *testing.T) *artifacts.Folder {
	t.Helper()
	f, err := artifacts.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func run(t *testing.T, f *artifacts.Folder, id string) *artifacts.Run {
	t.Helper()
	r, err := f.CreateRun(artifacts.Header{RunID: id, Created: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var cell = experiments.Cell{Task: "t", Condition: "bm25", Executor: "simulated", Replicate: 1}

func TestARecordIsWholeOrDamaged(t *testing.T) {
	r := run(t, folder(t), "r1")
	if rec, err := r.Record(cell); rec != nil || err != nil {
		t.Fatalf("an absent record gave %v, %v", rec, err)
	}
	if err := r.WriteRecord(&experiments.Record{RunID: "r1", Cell: cell, Verdict: experiments.Resolved}); err != nil {
		t.Fatal(err)
	}
	if rec, err := r.Record(cell); err != nil || rec.Verdict != experiments.Resolved {
		t.Fatalf("got %v, %v", rec, err)
	}
	path := filepath.Join(r.Dir, "cells", "t", "bm25", "simulated-1.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(data), `"resolved"`, `"unresolved"`, 1)
	other := strings.Replace(string(data), `"t"`, `"u"`, 1)
	for name, bad := range map[string]string{"empty": "", "half": string(data[:len(data)/2]), "edited": edited, "another cell's": other, "not JSON": "\x00"} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if rec, err := r.Record(cell); !errors.Is(err, artifacts.ErrDamaged) {
			t.Errorf("%s: got %v, %v", name, rec, err)
		}
	}
}

func TestRunNames(t *testing.T) {
	f := folder(t)
	run(t, f, "demo-1")
	run(t, f, "demo-2")
	run(t, f, "other")
	if _, err := f.CreateRun(artifacts.Header{RunID: "other"}); !errors.Is(err, artifacts.ErrRunExists) {
		t.Errorf("a second run of one name gave %v", err)
	}
	for _, bad := range []string{"", "..", "a/b", "-x", strings.Repeat("x", 200)} {
		if _, err := f.CreateRun(artifacts.Header{RunID: bad}); err == nil {
			t.Errorf("%q was taken for a run's name", bad)
		}
		if _, err := f.OpenRun(bad); err == nil {
			t.Errorf("%q was opened", bad)
		}
	}
	if r, err := f.OpenRun("oth"); err != nil || r.ID != "other" {
		t.Errorf("a unique prefix gave %v, %v", r, err)
	}
	if _, err := f.OpenRun("demo"); !errors.Is(err, artifacts.ErrNoRun) || !strings.Contains(err.Error(), "demo-1, demo-2") {
		t.Errorf("an ambiguous prefix gave %v", err)
	}
}

func TestLedgerOutlivesACutLine(t *testing.T) {
	r := run(t, folder(t), "r")
	if err := r.Log(artifacts.Event{Task: "t", What: "started"}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.Dir, "events", "t.jsonl")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"at":"2026-01-01T00:00:00Z","what":"fin`)
	f.Close()
	if err := r.Log(artifacts.Event{Task: "t", What: "started again"}); err != nil {
		t.Fatal(err)
	}
	events, cut, err := r.Events("t")
	if err != nil || cut != 1 || len(events) != 2 || events[1].What != "started again" {
		t.Errorf("got %v, %d cut, %v", events, cut, err)
	}
}

func TestIndexTakesNothingUndecidedOrDamaged(t *testing.T) {
	f := folder(t)
	rec := &experiments.Record{RunID: "r", Cell: cell, Verdict: experiments.Infra, Key: experiments.DigestBytes([]byte("k"))}
	seal := func() {
		if err := rec.Seal(); err != nil {
			t.Fatal(err)
		}
		if err := f.Records.Add(rec); err != nil {
			t.Fatal(err)
		}
	}
	seal()
	if got, err := f.Records.Find(rec.Key); got != nil || err != nil {
		t.Errorf("an infra record is in the index: %v, %v", got, err)
	}
	rec.Verdict = experiments.Unresolved
	seal()
	if got, err := f.Records.Find(rec.Key); got == nil || err != nil {
		t.Errorf("a finished record is not in the index: %v", err)
	}
	path := filepath.Join(f.Dir, "records", string(rec.Key[:2]), string(rec.Key)+".json")
	if err := os.WriteFile(path, []byte(`{"schema":"evlab-record-v1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Records.Find(rec.Key); got != nil || err != nil {
		t.Errorf("a damaged record was taken over: %v, %v", got, err)
	}
}
