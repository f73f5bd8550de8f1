package statefile_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evlab/cohorts"
	"evlab/evidence"
	"evlab/repos"
	"evlab/scores"
	"evlab/scores/statefile"
	"evlab/tabular"
)

func unitsOf(ctx context.Context, source, commit string) ([]evidence.Unit, error) {
	m, err := repos.Open(ctx, source)
	if err != nil {
		return nil, err
	}
	files, err := m.Files(ctx, commit, func(path string, _ int64) bool { return !evidence.IsTestPath(path) })
	if err != nil {
		return nil, err
	}
	var list []evidence.File
	for _, f := range files {
		list = append(list, evidence.File{Path: f.Path, Content: f.Content})
	}
	return evidence.Segment(list), nil
}

// TestACohortFolderIsARecoveryCohort: the bundled cohort's tasks are states whose pools are the units of their commits;
// its certificates pass the linter, and one that names no unit does not.
func TestACohortFolderIsARecoveryCohort(t *testing.T) {
	demo, err := fs.Sub(cohorts.Demo, "demo")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.CopyFS(dir, demo); err != nil {
		t.Fatal(err)
	}
	files, err := statefile.Find(dir, "")
	if err != nil || files.Folder != dir {
		t.Fatalf("%+v, %v", files, err)
	}
	files.UnitsOf = unitsOf
	var faults tabular.Faults
	checked, err := statefile.Check(t.Context(), files, &faults)
	if err != nil || faults.Len() > 0 {
		t.Fatal(err, faults.All())
	}
	if broken, _ := checked.Count(); broken != 0 || checked.States == 0 {
		t.Errorf("%d breaches in %d states: %+v", broken, checked.States, checked.Findings)
	}
	c, err := statefile.Read(t.Context(), files, &faults)
	if err != nil || faults.Len() > 0 {
		t.Fatal(err, faults.All())
	}
	first := c.State(0)
	p := filepath.Join(t.TempDir(), "p.jsonl")
	row := `{"state_id":"` + first.ID + `","method_id":"m","evidence_ids":["` + strings.Join(first.Certificate.Groups[0].AcceptableIDs[:1], "") + `"]}`
	if err := os.WriteFile(p, []byte(row), 0o644); err != nil {
		t.Fatal(err)
	}
	predictions, err := statefile.ReadPredictions([]string{p}, c, &faults)
	if err != nil || faults.Len() > 0 {
		t.Fatal(err, faults.All())
	}
	r, err := scores.Score(c.Cohort, predictions.Methods, scores.Options{}, [2]string{})
	if err != nil || c.TokenSource != evidence.TokenizerVersion || r.Methods[0].Missing != checked.States-1 || r.References[0].Uniform == nil {
		t.Errorf("%v, %s, %+v", err, c.TokenSource, r)
	}

	certificate := filepath.Join(dir, "private", "tasks", first.ID, "certificate.json")
	data, err := os.ReadFile(certificate)
	if err != nil {
		t.Fatal(err)
	}
	id := first.Certificate.Groups[0].AcceptableIDs[0]
	if err := os.WriteFile(certificate, []byte(strings.ReplaceAll(string(data), id, "no/such.go#Unit")), 0o644); err != nil {
		t.Fatal(err)
	}
	if checked, err = statefile.Check(t.Context(), files, &faults); err != nil || faults.Len() > 0 {
		t.Fatal(err, faults.All())
	}
	if broken, _ := checked.Count(); broken == 0 || checked.Findings[0].Rule == "" {
		t.Errorf("a certificate of a unit that is not there passes: %+v", checked.Findings)
	}
}
