package statefile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"evlab/scores"
	"evlab/scores/statefile"
	"evlab/tabular"
)

// FuzzCohort: whatever states and certificates hold, reading ends, and what is read without a fault can be scored.
func FuzzCohort(f *testing.F) {
	f.Add([]byte(stateA), []byte(certA))
	f.Add([]byte(stateB), []byte(certB))
	f.Add([]byte(`{"state_id":"a","candidates":[["u"],{"id":null},"",{}],"certificate":{}}`), []byte(`{}`))
	f.Add([]byte(`[{"state_id":"a"},`), []byte("\x1f\x8b"))
	f.Add([]byte("state_id,candidates\na,\"[\"\"u\"\"]\"\n"), []byte("a,b\n"))
	f.Fuzz(func(t *testing.T, states, certificates []byte) {
		dir := t.TempDir()
		files := statefile.Files{States: filepath.Join(dir, "s.jsonl"), Certificates: filepath.Join(dir, "c.jsonl")}
		for file, data := range map[string][]byte{files.States: states, files.Certificates: certificates} {
			if err := os.WriteFile(file, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var faults tabular.Faults
		if _, err := statefile.Check(t.Context(), files, &faults); err != nil {
			return
		}
		faults = tabular.Faults{}
		c, err := statefile.Read(t.Context(), files, &faults)
		if err != nil || faults.Len() > 0 {
			return
		}
		if _, err := scores.Score(c.Cohort, nil, scores.Options{}, [2]string{}); err != nil {
			t.Fatalf("read without a fault, and not scored: %v", err)
		}
	})
}

// FuzzPredictions: a ranking that is read without a fault is units of the pool, none twice, in the order of the file.
func FuzzPredictions(f *testing.F) {
	dir := f.TempDir()
	files := statefile.Files{States: filepath.Join(dir, "s.jsonl"), Certificates: filepath.Join(dir, "c.jsonl")}
	for file, text := range map[string]string{files.States: lines(stateA, stateB), files.Certificates: lines(certA, certB)} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	var faults tabular.Faults
	c, err := statefile.Read(f.Context(), files, &faults)
	if err != nil || faults.Len() > 0 {
		f.Fatal(err, faults.All())
	}
	f.Add([]byte(`{"state_id":"a","method_id":"m","evidence_ids":["u","v"]}`))
	f.Add([]byte(`{"state_id":"a","method_id":"m","evidence_ids":[ "\u0075" , "x"]}`))
	f.Add([]byte(`{"state_id":"b","method":"m","ranked_evidence_ids":[[1],{"a":["b"]},true,"w"]}`))
	f.Add([]byte("state_id,method_id,evidence_ids\na,m,\"[\"\"u\"\"]\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "p.jsonl")
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		var faults tabular.Faults
		p, err := statefile.ReadPredictions([]string{file}, c, &faults)
		if err != nil || faults.Len() > 0 {
			return
		}
		r, err := scores.Score(c.Cohort, p.Methods, scores.Options{}, [2]string{})
		if err != nil {
			t.Fatal(err)
		}
		for m := range r.Methods {
			for i := range r.States {
				n := r.Ranking(m, i).Len()
				if n > len(c.State(i).Pool) {
					t.Fatalf("%d units of a pool of %d", n, len(c.State(i).Pool))
				}
			}
			for _, at := range r.Methods[m].At {
				if !slices.Contains([]float64{0, 0.5, 1}, at.Complete) || at.GroupRecall < 0 || at.GroupRecall > 1 || *at.NDCG < 0 || *at.NDCG > 1 {
					t.Fatalf("%+v", at)
				}
			}
		}
	})
}
