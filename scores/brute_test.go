package scores_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"evlab/organizer"
	"evlab/scores"
)

// The closed forms and the one-pass curves against the definitions, written down once more as plainly as they read, on
// every subset and every order of small certificates.

func pool(n int) (units []scores.Unit) {
	for i := range n {
		units = append(units, scores.Unit{ID: fmt.Sprintf("u%02d", i), Tokens: 100 + 37*i%251})
	}
	return units
}

// randomState has up to eight units and three groups that may share them; some acceptable ids are in no pool, and some
// alternatives are solutions of their own.
func randomState(rng *rand.Rand, id string) scores.State {
	n := 1 + rng.IntN(8)
	s := scores.State{ID: id, Pool: pool(n), Repository: fmt.Sprintf("r%d", rng.IntN(3)), Certificate: &organizer.Certificate{StateID: id}}
	name := func() string { return fmt.Sprintf("u%02d", rng.IntN(n+rng.IntN(2))) }
	for j := range 1 + rng.IntN(3) {
		g := organizer.Group{ID: fmt.Sprintf("g%d", j), NecessityWeight: float64(1 + rng.IntN(4))}
		for range 1 + rng.IntN(4) {
			if id := name(); !slices.Contains(g.AcceptableIDs, id) {
				g.AcceptableIDs = append(g.AcceptableIDs, id)
			}
		}
		g.MinimumRequired = 1 + rng.IntN(min(3, len(g.AcceptableIDs)))
		s.Certificate.Groups = append(s.Certificate.Groups, g)
	}
	for range rng.IntN(3) {
		var branch []string
		for range 1 + rng.IntN(3) {
			if id := name(); !slices.Contains(branch, id) {
				branch = append(branch, id)
			}
		}
		s.Certificate.AlternativeMinimalSets = append(s.Certificate.AlternativeMinimalSets, branch)
	}
	return s
}

func ids(units []scores.Unit) (list []string) {
	for _, u := range units {
		list = append(list, u.ID)
	}
	return list
}

// subsets calls do with every subset of size k.
func subsets(list []string, k int, do func([]string)) {
	var take func(from int, chosen []string)
	take = func(from int, chosen []string) {
		if len(chosen) == k {
			do(chosen)
			return
		}
		for i := from; i < len(list); i++ {
			take(i+1, append(slices.Clone(chosen), list[i]))
		}
	}
	take(0, nil)
}

// orders calls do with every order of k of the list.
func orders(list []string, k int, do func([]string)) {
	var take func(chosen []string)
	take = func(chosen []string) {
		if len(chosen) == k {
			do(chosen)
			return
		}
		for _, id := range list {
			if !slices.Contains(chosen, id) {
				take(append(slices.Clone(chosen), id))
			}
		}
	}
	take(nil)
}

func covered(g organizer.Group, prefix []string) bool {
	n := 0
	for _, id := range g.AcceptableIDs {
		if slices.Contains(prefix, id) {
			n++
		}
	}
	return n >= g.Required()
}

// dcg is the sum over positions of what they newly cover.
func dcg(c *organizer.Certificate, list []string, gain func(organizer.Group) float64) (sum float64) {
	for i := range list {
		for _, g := range c.Groups {
			if covered(g, list[:i+1]) && !covered(g, list[:i]) {
				sum += gain(g) / math.Log2(float64(i)+2)
			}
		}
	}
	return sum
}

func certificateUnits(c *organizer.Certificate) (all []string) {
	for _, g := range c.Groups {
		for _, id := range g.AcceptableIDs {
			if !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
	}
	return all
}

func score(t testing.TB, states []scores.State, lists [][]string, opt scores.Options) *scores.Result {
	t.Helper()
	c, err := scores.NewCohort(states)
	if err != nil {
		t.Fatal(err)
	}
	r := scores.NewRanker(c)
	m := scores.Method{Name: "m"}
	for i, list := range lists {
		ranking, errs := r.Rank(i, slices.Values(list))
		if errs != nil {
			t.Fatal(errs)
		}
		m.Rankings = append(m.Rankings, ranking)
	}
	result, err := scores.Score(c, []scores.Method{m}, opt, [2]string{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

func TestReferencesAgreeWithEverySubset(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260915, 2))
	for n := range 500 {
		s := randomState(rng, "s")
		ks := []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
		result := score(t, []scores.State{s}, [][]string{nil}, scores.Options{Items: ks, Tokens: []int{150, 300, 600}})
		for i, k := range ks {
			complete, all := 0, 0
			subsets(ids(s.Pool), min(k, len(s.Pool)), func(set []string) {
				all++
				if s.Certificate.Complete(set) {
					complete++
				}
			})
			want, _ := new(big.Rat).SetFrac64(int64(complete), int64(all)).Float64()
			ref := result.References[i]
			if ref.Uniform == nil || !near(*ref.Uniform, want) {
				t.Fatalf("case %d, k %d: uniform %v, want %v\n%+v", n, k, ref.Uniform, want, s.Certificate)
			}
			ceiling := 0.0
			for size := 0; size <= min(k, len(s.Pool)); size++ {
				subsets(ids(s.Pool), size, func(set []string) {
					if s.Certificate.Complete(set) {
						ceiling = 1
					}
				})
			}
			if ref.Oracle != (scores.Ceiling{Complete: ceiling, Exact: true}) {
				t.Fatalf("case %d, k %d: ceiling %+v, want %v\n%+v", n, k, ref.Oracle, ceiling, s.Certificate)
			}
		}
		cost := map[string]int{}
		for _, u := range s.Pool {
			cost[u.ID] = u.Tokens
		}
		for i, budget := range []int{150, 300, 600} {
			ceiling := 0.0
			for size := range len(s.Pool) + 1 {
				subsets(ids(s.Pool), size, func(set []string) {
					sum := 0
					for _, id := range set {
						sum += cost[id]
					}
					if sum <= budget && s.Certificate.Complete(set) {
						ceiling = 1
					}
				})
			}
			if got := result.References[len(ks)+i].Oracle; got != (scores.Ceiling{Complete: ceiling, Exact: true}) {
				t.Fatalf("case %d, %d tokens: ceiling %+v, want %v\n%+v", n, budget, got, ceiling, s)
			}
		}
	}
}

// TestUniformIsInclusionExclusion: where every group asks for one unit, the count is the alternating sum over groups.
func TestUniformIsInclusionExclusion(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260915, 3))
	for range 200 {
		n := 20 + rng.IntN(364)
		s := scores.State{ID: "s", Pool: pool(n), Certificate: &organizer.Certificate{}}
		m := 1 + rng.IntN(6)
		sets := make([]map[int]bool, m)
		for j := range m {
			g := organizer.Group{ID: fmt.Sprint(j), NecessityWeight: 1}
			sets[j] = map[int]bool{}
			for range 1 + rng.IntN(6) {
				if at := rng.IntN(20); !sets[j][at] {
					sets[j][at] = true
					g.AcceptableIDs = append(g.AcceptableIDs, s.Pool[at].ID)
				}
			}
			s.Certificate.Groups = append(s.Certificate.Groups, g)
		}
		result := score(t, []scores.State{s}, [][]string{nil}, scores.Options{})
		for i, k := range scores.DefaultItems {
			sum := new(big.Int)
			for mask := range 1 << m {
				union, sign := map[int]bool{}, int64(1)
				for j := range m {
					if mask>>j&1 == 1 {
						sign = -sign
						for at := range sets[j] {
							union[at] = true
						}
					}
				}
				sum.Add(sum, new(big.Int).Mul(big.NewInt(sign), new(big.Int).Binomial(int64(n-len(union)), int64(k))))
			}
			want, _ := new(big.Rat).SetFrac(sum, new(big.Int).Binomial(int64(n), int64(k))).Float64()
			if got := *result.References[i].Uniform; math.Abs(got-want) > 1e-12*max(1e-3, want) {
				t.Fatalf("n %d, k %d, %d groups: %v, want %v", n, k, m, got, want)
			}
		}
	}
}

func TestCurvesAgreeWithTheDefinitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260915, 4))
	items, budgets := []int{1, 2, 3, 5, 8}, []int{120, 350, 700}
	for n := range 500 {
		s := randomState(rng, "s")
		list := ids(s.Pool)
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		list = list[:rng.IntN(len(list)+1)]
		opt := scores.Options{Items: items, Tokens: budgets, Overflow: []string{"skip", "stop"}[rng.IntN(2)], Gain: []scores.Gain{scores.GainGroup, scores.GainNecessity}[rng.IntN(2)]}
		result := score(t, []scores.State{s}, [][]string{list}, opt)
		cost := map[string]int{}
		for _, u := range s.Pool {
			cost[u.ID] = u.Tokens
		}
		gain := func(g organizer.Group) float64 {
			if opt.Gain == scores.GainNecessity {
				return g.NecessityWeight
			}
			return 1
		}
		useful := certificateUnits(s.Certificate)
		for at, cutoff := range result.Cutoffs {
			var inside []string
			tokens := 0
			best := 0.0
			switch {
			case cutoff.Items > 0:
				inside = list[:min(cutoff.Items, len(list))]
				orders(useful, min(cutoff.Items, len(useful), 4), func(o []string) { best = max(best, dcg(s.Certificate, o, gain)) })
			case cutoff.Tokens > 0:
				for _, id := range list {
					if tokens+cost[id] <= cutoff.Tokens {
						inside, tokens = append(inside, id), tokens+cost[id]
					} else if opt.Overflow == "stop" {
						break
					}
				}
				for k := range min(len(useful), 4) + 1 {
					orders(useful, k, func(o []string) {
						sum := 0
						for _, id := range o {
							if cost[id] == 0 {
								return // it is in no pool
							}
							sum += cost[id]
						}
						if sum <= cutoff.Tokens {
							best = max(best, dcg(s.Certificate, o, gain))
						}
					})
				}
			default:
				inside = list
			}
			p := result.Point(0, 0, at)
			recall, weight, total := 0.0, 0.0, 0.0
			for _, g := range s.Certificate.Groups {
				total += g.NecessityWeight
				if covered(g, inside) {
					recall, weight = recall+1/float64(len(s.Certificate.Groups)), weight+g.NecessityWeight
				}
			}
			complete := 0.0
			if s.Certificate.Complete(inside) {
				complete = 1
			}
			if p.Complete != complete || !near(p.GroupRecall, recall) || !near(p.NecessityRecall, weight/total) || p.Items != len(inside) {
				t.Fatalf("case %d at %s: %+v, want complete %v, recall %v, necessity %v, %d items", n, cutoff, p, complete, recall, weight/total, len(inside))
			}
			if len(useful) > 4 && (cutoff.Items > 4 || cutoff.Tokens > 0) || cutoff == scores.Returned {
				continue // too many orders to look at
			}
			want := 0.0
			if best > 0 {
				want = dcg(s.Certificate, inside, gain) / best
			}
			if !near(p.NDCG, want) {
				t.Fatalf("case %d at %s: nDCG %v, want %v\n%v of %+v", n, cutoff, p.NDCG, want, list, s.Certificate)
			}
		}
	}
}

// TestTheOrganizersSearchAgrees: the smallest cover is the one that the oracle's bundle is built on.
func TestTheOrganizersSearchAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260915, 5))
	for range 300 {
		s := randomState(rng, "s")
		s.Certificate.AlternativeMinimalSets = nil
		ks := []int{1, 2, 3, 4, 5, 6, 7, 8}
		result := score(t, []scores.State{s}, [][]string{nil}, scores.Options{Items: ks})
		size := 0
		for _, ref := range result.References[:len(ks)] {
			if ref.Oracle.Complete == 0 {
				size++
			}
		}
		b, err := organizer.OracleMSS(bundleRequest(s))
		if (err == nil) != (size < len(ks)) {
			t.Fatalf("the ceiling says %d, the bundle %v", size+1, err)
		}
		if err == nil && len(b.IDs) != size+1 {
			t.Fatalf("smallest cover %d, the oracle's bundle %v", size+1, b.IDs)
		}
	}
}
