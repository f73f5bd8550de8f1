package scores_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"evlab/organizer"
	"evlab/scores"
)

// benchCohort is of the size that the goal names: 500 states of 45 repositories with pools of 384, certificates with
// the group counts of Test500, and methods that rank the whole pool.
func benchCohort(methods int) (*scores.Cohort, []scores.Method) {
	rng := rand.New(rand.NewPCG(20260915, 8))
	var states []scores.State
	sizes := []struct{ groups, states int }{{1, 216}, {2, 135}, {3, 121}, {4, 22}, {5, 5}, {6, 1}}
	for _, size := range sizes {
		for range size.states {
			s := scores.State{ID: fmt.Sprintf("state-%03d", len(states)), Repository: fmt.Sprintf("o/r%02d", len(states)%45), Observed: []string{"u001"}, Certificate: &organizer.Certificate{}}
			for i := range 384 {
				s.Pool = append(s.Pool, scores.Unit{ID: fmt.Sprintf("u%03d", i), Tokens: 100 + rng.IntN(900)})
			}
			for j := range size.groups {
				g := organizer.Group{ID: fmt.Sprint(j), NecessityWeight: 1}
				for _, at := range rng.Perm(384)[:1+rng.IntN(4)] {
					g.AcceptableIDs = append(g.AcceptableIDs, s.Pool[at].ID)
				}
				s.Certificate.Groups = append(s.Certificate.Groups, g)
			}
			states = append(states, s)
		}
	}
	c, err := scores.NewCohort(states)
	if err != nil {
		panic(err)
	}
	r := scores.NewRanker(c)
	var list []scores.Method
	for m := range methods {
		method := scores.Method{Name: fmt.Sprint("method-", m)}
		for i, s := range states {
			order := ids(s.Pool)
			rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
			ranking, errs := r.Rank(i, slices.Values(order))
			if errs != nil {
				panic(errs)
			}
			method.Rankings = append(method.Rankings, ranking)
		}
		list = append(list, method)
	}
	return c, list
}

// BenchmarkScore500x384x16: 500 states, pools of 384, 16 methods, all cutoffs, references and strata. Goal: 1 s.
func BenchmarkScore500x384x16(b *testing.B) {
	c, methods := benchCohort(16)
	b.ResetTimer()
	for b.Loop() {
		if _, err := scores.Score(c, methods, scores.Options{}, [2]string{"method-0", "method-1"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReferences500x384 is the same without methods: what references and strata cost.
func BenchmarkReferences500x384(b *testing.B) {
	c, _ := benchCohort(0)
	b.ResetTimer()
	for b.Loop() {
		if _, err := scores.Score(c, nil, scores.Options{}, [2]string{}); err != nil {
			b.Fatal(err)
		}
	}
}
