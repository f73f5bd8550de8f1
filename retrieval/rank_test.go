package retrieval_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"evlab/evidence"
	"evlab/retrieval"
)

func TestRankOfNothing(t *testing.T) {
	units := []evidence.Unit{{ID: "a", Text: "alpha"}, {ID: "b", Text: "beta"}, {ID: "c"}}
	index := retrieval.NewBM25(units, 1.2, 0.75)
	for _, c := range []struct {
		query string
		k     int
		want  int
	}{
		{"alpha", 5, 1}, {"alpha beta", 5, 2}, {"alpha beta", 1, 1},
		{"alpha", 0, 0}, {"alpha", -1, 0}, {"gamma", 5, 0}, {"", 5, 0}, {"the of", 5, 0},
	} {
		if hits := index.Rank(c.query, c.k); len(hits) != c.want {
			t.Errorf("Rank(%q, %d) is %v, want %d hits", c.query, c.k, hits, c.want)
		}
	}
	for _, none := range [][]evidence.Unit{nil, {{ID: "x"}, {ID: "y", Text: "the"}}} {
		if hits := retrieval.NewBM25(none, 1.2, 0.75).Rank("the x", 3); len(hits) != 0 {
			t.Errorf("units without terms rank as %v", hits)
		}
	}
}

// The worked value: two units of 2 and 4 terms, average 3; "alpha" is in both, twice in the second.
func TestScoreIsOkapi(t *testing.T) {
	index := retrieval.NewBM25([]evidence.Unit{{ID: "a", Text: "alpha beta"}, {ID: "b", Text: "alpha alpha gamma delta"}}, 1.2, 0.75)
	hits := index.Rank("alpha alpha", 2)
	units, holding := 2.0, 2.0
	idf := math.Log(1 + (units-holding+0.5)/(holding+0.5))
	for i, want := range []retrieval.Hit{
		{ID: "b", Score: 2 * idf * 2.2 * 2 / (2 + 1.2*(0.25+0.75*4/3))},
		{ID: "a", Score: 2 * idf * 2.2 * 1 / (1 + 1.2*(0.25+0.75*2/3))},
	} {
		if hits[i].ID != want.ID || math.Abs(hits[i].Score-want.Score) > 1e-15 {
			t.Errorf("hit %d is %v, want %v", i, hits[i], want)
		}
	}
}

func TestPathAndSymbolAreRead(t *testing.T) {
	index := retrieval.NewBM25([]evidence.Unit{
		{ID: "a", Path: "cache/lru.go", Text: "x"}, {ID: "b", Symbol: "Evict", Text: "x"}, {ID: "c", Text: "x"},
	}, 1.2, 0.75)
	for query, want := range map[string]string{"cache/lru.go": "a", "lru": "a", "evict": "b"} {
		if hits := index.Rank(query, 3); len(hits) != 1 || hits[0].ID != want {
			t.Errorf("%q finds %v, want %s", query, hits, want)
		}
	}
}

func TestParametersOutOfRange(t *testing.T) {
	units := corpus(rand.New(rand.NewPCG(3, 4)), 100, 50)
	for _, c := range []struct{ k1, b, asK1, asB float64 }{
		{-1, 0.5, 0, 0.5}, {1, 7, 1, 1}, {1, -7, 1, 0}, {math.NaN(), math.NaN(), 0, 0}, {math.Inf(1), 0.5, math.MaxFloat32, 0.5},
	} {
		got := retrieval.NewBM25(units, c.k1, c.b).Rank("w1 w2 w3", 10)
		sameHits(t, got, retrieval.NewBM25(units, c.asK1, c.asB).Rank("w1 w2 w3", 10), fmt.Sprintf("k1 %v, b %v", c.k1, c.b))
		for _, h := range got {
			if !(h.Score > 0) || math.IsInf(h.Score, 0) {
				t.Errorf("k1 %v, b %v scores %v", c.k1, c.b, h)
			}
		}
	}
}

func TestRankingDoesNotDependOnTheOrderOfUnits(t *testing.T) {
	units := corpus(rand.New(rand.NewPCG(5, 6)), 3000, 100)
	want := retrieval.NewBM25(units, 1.2, 0.75).Rank("w1x w2x w30x", 50)
	slices.Reverse(units)
	sameHits(t, retrieval.NewBM25(units, 1.2, 0.75).Rank("w1x w2x w30x", 50), want, "reversed")
}

func TestRankConcurrently(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	index := retrieval.NewBM25(corpus(r, 4000, 300), 1.2, 0.75)
	queries := make([]string, 20)
	want := make([][]retrieval.Hit, len(queries))
	for i := range queries {
		queries[i] = words(r, 1+i, 300)
		want[i] = index.Rank(queries[i], 10)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range queries {
				at := (i + g*5) % len(queries)
				if got := index.Rank(queries[at], 10); !slices.Equal(got, want[at]) {
					t.Errorf("query %q ranks differently when asked concurrently", queries[at])
				}
			}
		})
	}
	wg.Wait()
}
