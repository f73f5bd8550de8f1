package retrieval_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"evlab/retrieval"
)

// BenchmarkRank asks 100,000 units for their leading 20. The comparison with a peer is in bench/bm25.
func BenchmarkRank(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	index := retrieval.NewBM25(corpus(r, 100_000, 60_000), 1.2, 0.75)
	for _, n := range []int{8, 60, 200} {
		queries := make([]string, 64)
		for i := range queries {
			queries[i] = words(r, n, 60_000)
		}
		b.Run(fmt.Sprintf("terms=%d", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				index.Rank(queries[i%len(queries)], 20)
				i++
			}
		})
	}
}
