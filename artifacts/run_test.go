package artifacts_test

import (
	"errors"
	"fmt"
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
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	if rec, err := r.Record(cell); !errors.Is(err, artifacts.ErrDamaged) || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("a folder: got %v, %v", rec, err)
	}
	if err := errors.Join(os.Remove(path), os.Symlink("/dev/zero", path)); err != nil {
		t.Fatal(err)
	}
	if rec, err := r.Record(cell); !errors.Is(err, artifacts.ErrDamaged) || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a device without an end: got %v, %v", rec, err)
	}
	c := &experiments.Contract{Tasks: []experiments.FrozenTask{{ID: "t"}}, Spec: experiments.Spec{
		Conditions: []experiments.ConditionSpec{{Name: "bm25"}}, Executors: []experiments.ExecutorSpec{{Name: "simulated"}}, Replicates: 1,
	}}
	if err := r.CheckPlaces(c); !errors.Is(err, artifacts.ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("a record could not be written, and its place is %v", err)
	}
	if err := errors.Join(os.Remove(path), r.CheckPlaces(c)); err != nil {
		t.Errorf("an empty place: %v", err)
	}
}

// TestSweep: what was never committed goes, and nothing that looks like it but is somebody's.
func TestSweep(t *testing.T) {
	r := run(t, folder(t), "r1")
	if err := r.WriteRecord(&experiments.Record{RunID: "r1", Cell: cell, Verdict: experiments.Resolved}); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(r.Dir, "cells", "t", "bm25")
	w, err := artifacts.Create(filepath.Join(dir, "simulated-1.json")) // as a process leaves it that is killed here
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("{")); err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{"notes.tmp", ".hidden", ".x.tmp"} {
		if err := os.WriteFile(filepath.Join(dir, kept), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := artifacts.Sweep(r.Dir); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != ".hidden .x.tmp notes.tmp simulated-1.json" {
		t.Errorf("left: %s", got)
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
	if _, err := f.OpenRun("demo"); !errors.Is(err, artifacts.ErrManyRuns) || !strings.Contains(err.Error(), "there are 2 that begin with demo: demo-1, demo-2") {
		t.Errorf("an ambiguous prefix gave %v", err)
	}
	for n := range 40 {
		run(t, f, fmt.Sprintf("many-%02d", n))
	}
	if _, err := f.OpenRun("many"); err == nil || !strings.HasSuffix(err.Error(), "many-03, many-04 and 35 more") {
		t.Errorf("a very ambiguous prefix gave %v", err)
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
