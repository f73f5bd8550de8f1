package statefile_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"evlab/scores"
	"evlab/scores/statefile"
	"evlab/tabular"
)

// benchFiles writes 500 states with pools of 384 and 16 methods that rank whole pools, and gives the bytes of the
// predictions.
func benchFiles(b *testing.B) (files statefile.Files, predictions string, size int64) {
	dir := b.TempDir()
	rng := rand.New(rand.NewPCG(20260915, 9))
	write := func(name string, each func(put func(any))) string {
		file := filepath.Join(dir, name)
		f, err := os.Create(file)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		w := bufio.NewWriter(f)
		defer w.Flush()
		e := json.NewEncoder(w)
		each(func(v any) {
			if err := e.Encode(v); err != nil {
				b.Fatal(err)
			}
		})
		return file
	}
	id := func(state, unit int) string { return fmt.Sprintf("evidence-%04d%020d", state, unit) }
	files.States = write("states.jsonl", func(put func(any)) {
		for s := range 500 {
			var pool []map[string]any
			for u := range 384 {
				pool = append(pool, map[string]any{"id": id(s, u), "tokens": 100 + rng.IntN(900)})
			}
			put(map[string]any{"state_id": fmt.Sprint("state-", s), "repository": fmt.Sprint("o/r", s%45), "candidates": pool})
		}
	})
	files.Certificates = write("certificates.jsonl", func(put func(any)) {
		for s := range 500 {
			put(map[string]any{"schema": "serbench-mss-v1", "state_id": fmt.Sprint("state-", s),
				"groups": []any{map[string]any{"id": "g", "acceptable_ids": []string{id(s, 1), id(s, 7)}, "necessity_weight": 1}}})
		}
	})
	predictions = write("predictions.jsonl", func(put func(any)) {
		for m := range 16 {
			for s := range 500 {
				var ranked []string
				for _, u := range rng.Perm(384) {
					ranked = append(ranked, id(s, u))
				}
				put(map[string]any{"state_id": fmt.Sprint("state-", s), "method_id": fmt.Sprint("method-", m), "evidence_ids": ranked})
			}
		}
	})
	info, err := os.Stat(predictions)
	if err != nil {
		b.Fatal(err)
	}
	return files, predictions, info.Size()
}

// BenchmarkScoreFiles500x384x16 reads and scores 500 states, pools of 384 and 16 whole rankings of each: 3 million ids.
func BenchmarkScoreFiles500x384x16(b *testing.B) {
	files, predictions, size := benchFiles(b)
	b.SetBytes(size)
	b.ResetTimer()
	for b.Loop() {
		var faults tabular.Faults
		c, err := statefile.Read(b.Context(), files, &faults)
		if err != nil || faults.Len() > 0 {
			b.Fatal(err, faults.All())
		}
		p, err := statefile.ReadPredictions([]string{predictions}, c, &faults)
		if err != nil || faults.Len() > 0 {
			b.Fatal(err, faults.All())
		}
		if _, err := scores.Score(c.Cohort, p.Methods, scores.Options{}, [2]string{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodePredictions is the floor: the same file through encoding/json alone.
func BenchmarkDecodePredictions(b *testing.B) {
	_, predictions, size := benchFiles(b)
	b.SetBytes(size)
	b.ResetTimer()
	for b.Loop() {
		f, err := os.Open(predictions)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for d := json.NewDecoder(bufio.NewReader(f)); d.More(); n++ {
			var row struct {
				State  string   `json:"state_id"`
				Method string   `json:"method_id"`
				IDs    []string `json:"evidence_ids"`
			}
			if err := d.Decode(&row); err != nil {
				b.Fatal(err)
			}
		}
		f.Close()
		if n != 8000 {
			b.Fatal(n)
		}
	}
}
