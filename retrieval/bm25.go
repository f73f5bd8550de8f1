package retrieval

import (
	"math"
	"sync"

	"evlab/evidence"
)

// BM25Version names the scoring function with its terms and its order of summation. It changes whenever some
// ranking would, and is part of what identifies a cell.
const BM25Version = "evlab-bm25-v1"

// BM25 is an index of evidence units under Okapi BM25. It is immutable; Rank may be called concurrently.
//
// The score of unit d for a query is the sum over the query's distinct terms t of
//
//	n(t,q) * idf(t) * (k1+1) * f(t,d) / (f(t,d) + k1*(1 - b + b*|d|/avg|d|))
//	idf(t) = ln(1 + (N - df(t) + 0.5) / (df(t) + 0.5))
//
// (Robertson and Zaragoza 2009, section 3.4, with the idf that can't be negative). f counts t in the unit's path,
// symbol and text together, at most 65535; n(t,q) counts it in the query; |d| is the number of terms in d, avg|d| its
// mean. Terms are those of splitter without stopWords. The sum is taken in float64, beginning with the term whose
// contribution can be greatest over all units (equal ones in byte order of the terms), so a score is the same on
// every machine and whatever was pruned.
type BM25 struct {
	k1    float64
	ids   []string  // by document number; ascending
	norms []float64 // k1*(1 - b + b*|d|/avg|d|), by document number
	terms map[string]uint32

	// By term, its postings: where they start (one more for the end), the greatest f/(f+norm) among them, and for
	// each the document number, ascending, and its f/(f+norm) in 255ths of the greatest, rounded up.
	starts   []int
	best     []float64
	docs     []uint32
	ceilings []uint8

	// By document, its entries: where they end, and for each the term and f.
	ends    []int
	entries []uint32
	freqs   []uint16

	scratch sync.Pool // of *ranking
}

// Hit is one ranked unit.
type Hit struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"` // greater than zero
}

// NewBM25 indexes units. k1 is taken as at least 0 and b as within 0 and 1 (not a number counts as 0); the paper's
// conditions use 1.2 and 0.75. Units are told apart by id; it keeps no reference to their texts.
func NewBM25(units []evidence.Unit, k1, b float64) *BM25 {
	return build(units, atLeastZero(k1), min(atLeastZero(b), 1))
}

func atLeastZero(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, math.MaxFloat32)
}

// idf is the inverse document frequency of a term that df of n documents have, df at least 1.
func idf(n, df int) float64 {
	return ln(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}

// ln is the natural logarithm of a finite x > 0, to about 1e-15 of the result. math.Log would differ in the last bit
// between architectures, and two machines would then disagree about equal scores. The conversions forbid fused
// multiply-add for the same reason.
func ln(x float64) float64 {
	m, e := math.Frexp(x) // x = m * 2^e
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	s := (m - 1) / (m + 1) // ln(m) = 2 artanh(s), |s| < 0.172
	square := float64(s * s)
	sum := 0.0
	for i := 25; i >= 1; i -= 2 {
		sum = float64(sum*square) + 1/float64(i)
	}
	return float64(float64(e)*math.Ln2) + float64(2*s*sum)
}
