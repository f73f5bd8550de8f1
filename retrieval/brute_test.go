package retrieval_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"evlab/evidence"
	"evlab/retrieval"
)

// brute is a corpus that is scored unit by unit, by the documented formula and in the documented order of summation.
// It shares with the index only the terms and the logarithm.
type brute struct {
	units []evidence.Unit
	k1    float64
	freqs []map[string]float64
	norms []float64
	df    map[string]int
}

func newBrute(units []evidence.Unit, k1, b float64) *brute {
	x := &brute{units: units, k1: k1, freqs: make([]map[string]float64, len(units)), norms: make([]float64, len(units)), df: map[string]int{}}
	lengths, total := make([]float64, len(units)), 0.0
	for i, u := range units {
		x.freqs[i] = map[string]float64{}
		for _, part := range []string{u.Path, u.Symbol, u.Text} {
			for _, term := range retrieval.Terms(part) {
				x.freqs[i][term]++
				lengths[i]++
			}
		}
		for term := range x.freqs[i] {
			x.df[term]++
		}
		total += lengths[i]
	}
	average := total / float64(len(units))
	for i := range units {
		x.norms[i] = k1 * ((1 - b) + b*lengths[i]/average)
	}
	return x
}

func (x *brute) rank(query string) []retrieval.Hit {
	type weight struct {
		term          string
		factor, bound float64
	}
	counts := map[string]int{}
	for _, term := range retrieval.Terms(query) {
		counts[term]++
	}
	var weights []weight
	for term, n := range counts {
		if x.df[term] == 0 {
			continue
		}
		w := weight{term: term, factor: float64(n) * (retrieval.IDF(len(x.units), x.df[term]) * (x.k1 + 1))}
		best := 0.0
		for i := range x.units {
			if f := x.freqs[i][term]; f > 0 {
				best = max(best, f/(f+x.norms[i]))
			}
		}
		w.bound = best * w.factor
		weights = append(weights, w)
	}
	slices.SortFunc(weights, func(a, b weight) int {
		if a.bound != b.bound {
			if a.bound > b.bound {
				return -1
			}
			return 1
		}
		return strings.Compare(a.term, b.term)
	})

	var hits []retrieval.Hit
	for i, u := range x.units {
		score := 0.0
		for _, w := range weights {
			if f := x.freqs[i][w.term]; f > 0 {
				score += w.factor * f / (f + x.norms[i])
			}
		}
		if score > 0 {
			hits = append(hits, retrieval.Hit{ID: u.ID, Score: score})
		}
	}
	slices.SortStableFunc(hits, func(a, b retrieval.Hit) int {
		if a.Score != b.Score {
			if a.Score > b.Score {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	return hits
}

// first is the first k hits.
func first(hits []retrieval.Hit, k int) []retrieval.Hit { return hits[:min(k, len(hits))] }

// sameHits fails unless the rankings agree in ids and in every bit of every score.
func sameHits(t *testing.T, got, want []retrieval.Hit, about string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got) || i >= len(want):
			t.Fatalf("%s: %d hits, want %d", about, len(got), len(want))
		case got[i].ID != want[i].ID || math.Float64bits(got[i].Score) != math.Float64bits(want[i].Score):
			t.Fatalf("%s: hit %d is %v, want %v", about, i, got[i], want[i])
		}
	}
}

// corpus draws units from a vocabulary with a heavy head, so that some terms are in nearly every unit.
func corpus(r *rand.Rand, n, vocabulary int) []evidence.Unit {
	units := make([]evidence.Unit, n)
	for i := range units {
		units[i] = evidence.Unit{
			ID:   fmt.Sprintf("p%d.go#F%d", r.IntN(1+n/3), i),
			Path: fmt.Sprintf("p%d.go", r.IntN(1+n/3)),
			Text: words(r, 1+r.IntN(40), vocabulary),
		}
	}
	return units
}

func words(r *rand.Rand, n, vocabulary int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "w%dx ", int(float64(vocabulary)*math.Pow(r.Float64(), 3)))
	}
	return b.String()
}

func TestRankEqualsBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 35 {
		n := []int{1, 2, 50, 700, 2048, 2049, 5000}[round%7]
		units := corpus(r, n, 1+r.IntN(400))
		k1, b := []float64{0, 0.5, 1.2, 3}[r.IntN(4)], []float64{0, 0.75, 1}[r.IntN(3)]
		index, reference := retrieval.NewBM25(units, k1, b), newBrute(units, k1, b)
		for range 4 {
			query := words(r, 1+r.IntN(60), 400)
			want := reference.rank(query)
			for _, k := range []int{1, 5, 20, n, n + 7} {
				sameHits(t, index.Rank(query, k), first(want, k),
					fmt.Sprintf("round %d, %d units, k1 %v, b %v, k %d, query %q", round, n, k1, b, k, query))
			}
		}
	}
}

// Units that score alike in crowds: the k-th place is decided by id alone, across windows.
func TestRankOrdersTiesByID(t *testing.T) {
	var units []evidence.Unit
	for i := range 6000 {
		units = append(units, evidence.Unit{ID: fmt.Sprintf("u%05d", (i*4999)%6000), Text: []string{"alpha beta", "alpha gamma"}[i%2]})
	}
	index, reference := retrieval.NewBM25(units, 1.2, 0.75), newBrute(units, 1.2, 0.75)
	for _, query := range []string{"alpha", "alpha beta", "alpha beta gamma", "gamma gamma alpha"} {
		want := reference.rank(query)
		for _, k := range []int{1, 20, 3001} {
			sameHits(t, index.Rank(query, k), first(want, k), fmt.Sprintf("query %q, k %d", query, k))
		}
	}
	if hits := index.Rank("alpha beta gamma", 2); hits[0].Score != hits[1].Score || hits[0].ID >= hits[1].ID {
		t.Errorf("hits %v aren't a tie in order of id", hits)
	}
}

func FuzzRankEqualsBruteForce(f *testing.F) {
	f.Add("func a() {}\x00type B struct\x00a a a b", "a B struct", uint8(2), uint8(12), uint8(75))
	f.Add("x\x00x\x00x y", "x y", uint8(1), uint8(0), uint8(0))
	f.Add("CamelCase snake_case a/b.go 1.25\x00\xff\xfe", "camel case b.go 25", uint8(9), uint8(255), uint8(255))
	f.Fuzz(func(t *testing.T, texts, query string, k, k1, b uint8) {
		var units []evidence.Unit
		for i, text := range strings.Split(texts, "\x00") {
			units = append(units, evidence.Unit{ID: fmt.Sprintf("u%d", i%7*100+i), Text: text})
		}
		p1, p2 := float64(k1)/10, min(float64(b)/100, 1)
		sameHits(t, retrieval.NewBM25(units, p1, p2).Rank(query, int(k)), first(newBrute(units, p1, p2).rank(query), int(k)), "fuzzed")
	})
}
