package contrasts_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"evlab/contrasts"
)

// random makes a cohort: a 0/1 metric, a graded one on a lattice, or one on none, with about one verdict in eight missing.
func random(rng *rand.Rand, kind string, n int) []contrasts.Pair {
	value := func() float64 {
		switch kind {
		case "graded":
			q := 1 + rng.IntN(4)
			return float64(rng.IntN(q+1)) / float64(q)
		case "fine":
			return rng.Float64()
		}
		return float64(rng.IntN(2))
	}
	pairs := make([]contrasts.Pair, n)
	for i := range pairs {
		pairs[i] = contrasts.Pair{Task: fmt.Sprintf("task-%03d", i), Cluster: fmt.Sprintf("repo-%d", rng.IntN(9)),
			A: value(), B: value(), HasA: i < 4 || rng.IntN(8) > 0, HasB: i < 4 || rng.IntN(8) > 0}
	}
	pairs[0].Cluster, pairs[1].Cluster = "repo-0", "repo-1" // two clusters at least
	return pairs
}

// cohorts runs check on many random cohorts of every kind and unit.
func cohorts(t *testing.T, check func(t *testing.T, rng *rand.Rand, pairs []contrasts.Pair, d contrasts.Design)) {
	for _, kind := range []string{"binary", "graded", "fine"} {
		for _, unit := range []string{contrasts.UnitTask, contrasts.UnitRepository, contrasts.UnitEpisode} {
			t.Run(kind+"/"+unit, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(20260912, 1))
				for range 25 {
					d := contrasts.Design{Metric: "score", A: "left", B: "right", Unit: unit, Draws: 500, Seed: rng.Uint64(), Binary: kind == "binary",
						Also: []string{"bootstrap", "bca", "studentized", "cluster-t"}}
					if d.Binary && unit == contrasts.UnitTask {
						d.Also = append(d.Also, "tango", "bonett-price")
					}
					check(t, rng, random(rng, kind, 4+rng.IntN(60)), d)
				}
			})
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }

func TestSwapMirrors(t *testing.T) {
	cohorts(t, func(t *testing.T, _ *rand.Rand, pairs []contrasts.Pair, d contrasts.Design) {
		r := contrast(t, pairs, d)
		for i, p := range pairs {
			pairs[i].A, pairs[i].B, pairs[i].HasA, pairs[i].HasB = p.B, p.A, p.HasB, p.HasA
		}
		d.A, d.B = d.B, d.A
		s := contrast(t, pairs, d)
		if !near(r.Diff, -s.Diff) || r.Win != s.Loss || r.Loss != s.Win || r.Tie != s.Tie || !near(r.P, s.P) {
			t.Errorf("swapped: %+v\nwas: %+v", s, r)
		}
		if !r.Edge && (!near(r.Lo, -s.Hi) || !near(r.Hi, -s.Lo)) {
			t.Errorf("the interval [%v, %v] became [%v, %v]", r.Lo, r.Hi, s.Lo, s.Hi)
		}
		for i, x := range r.Also {
			if y := s.Also[i]; !x.Edge && !y.Edge && (math.Abs(x.Lo+y.Hi) > 1e-6 || math.Abs(x.Hi+y.Lo) > 1e-6) {
				t.Errorf("%s: the interval [%v, %v] became [%v, %v]", x.Method, x.Lo, x.Hi, y.Lo, y.Hi)
			}
		}
		if !near(r.BoundLo, -s.BoundHi) || !near(r.BoundHi, -s.BoundLo) || r.MissingA != s.MissingB {
			t.Errorf("the bounds [%v, %v] became [%v, %v]", r.BoundLo, r.BoundHi, s.BoundLo, s.BoundHi)
		}
	})
}

func TestOrderDoesntMatter(t *testing.T) {
	cohorts(t, func(t *testing.T, rng *rand.Rand, pairs []contrasts.Pair, d contrasts.Design) {
		before, _ := json.Marshal(contrast(t, pairs, d))
		given := slices.Clone(pairs)
		rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		shuffled := slices.Clone(pairs)
		after, _ := json.Marshal(contrast(t, pairs, d))
		if string(before) != string(after) {
			t.Errorf("shuffled: %s\nwas: %s", after, before)
		}
		if !slices.Equal(pairs, shuffled) || len(given) != len(pairs) {
			t.Error("Contrast changed the pairs it was given")
		}
	})
}

func TestTiesChangeNeitherSide(t *testing.T) {
	cohorts(t, func(t *testing.T, _ *rand.Rand, pairs []contrasts.Pair, d contrasts.Design) {
		r := contrast(t, pairs, d)
		const ties = 7
		for i := range ties {
			v := float64(i % 2)
			pairs = append(pairs, contrasts.Pair{Task: fmt.Sprintf("tie-%d", i), Cluster: "repo-0", A: v, B: v, HasA: true, HasB: true})
		}
		s := contrast(t, pairs, d)
		if s.Win != r.Win || s.Loss != r.Loss || s.Tie != r.Tie+ties || !near(s.P, r.P) {
			t.Errorf("with ties: %+v\nwithout: %+v", s, r)
		}
		if !near(s.Diff*float64(s.N), r.Diff*float64(r.N)) {
			t.Errorf("ties moved the sum of differences from %v to %v", r.Diff*float64(r.N), s.Diff*float64(s.N))
		}
	})
}

// TestBoundsBracket: whatever the missing verdicts are, the difference over all planned pairs lies inside the bounds; and
// when it is whole pairs that are missing, so does the one over the complete pairs.
func TestBoundsBracket(t *testing.T) {
	cohorts(t, func(t *testing.T, rng *rand.Rand, pairs []contrasts.Pair, d contrasts.Design) {
		r := contrast(t, pairs, d)
		for range 5 {
			sum := 0.0
			for _, p := range pairs {
				if !p.HasA {
					p.A = float64(rng.IntN(2))
				}
				if !p.HasB {
					p.B = float64(rng.IntN(2))
				}
				sum += p.A - p.B
			}
			if full := 100 * sum / float64(len(pairs)); full < r.BoundLo-1e-9 || full > r.BoundHi+1e-9 {
				t.Errorf("filled in, the difference is %v, outside [%v, %v]", full, r.BoundLo, r.BoundHi)
			}
		}
		for i := range pairs {
			pairs[i].HasB = pairs[i].HasA
		}
		if w := contrast(t, pairs, d); w.Diff < w.BoundLo-1e-9 || w.Diff > w.BoundHi+1e-9 {
			t.Errorf("the difference %v is outside [%v, %v]", w.Diff, w.BoundLo, w.BoundHi)
		}
	})
}

func TestIntervalHoldsTheDifference(t *testing.T) {
	cohorts(t, func(t *testing.T, _ *rand.Rand, pairs []contrasts.Pair, d contrasts.Design) {
		r := contrast(t, pairs, d)
		if r.Lo > r.Diff || r.Hi < r.Diff || r.Lo < -100 || r.Hi > 100 || !(r.P > 0 && r.P <= 1) || r.Win+r.Tie+r.Loss != r.N {
			t.Errorf("%+v", r)
		}
		for _, x := range r.Also {
			if !(x.Lo >= -100-1e-9 && x.Lo <= x.Hi && x.Hi <= 100+1e-9) || x.Method != contrasts.MethodBCa && x.Method != contrasts.MethodBonettPrice &&
				(x.Lo > r.Diff+1e-9 || x.Hi < r.Diff-1e-9) {
				t.Errorf("%+v around %v", x, r.Diff)
			}
		}
		if d.Binary && (d.Unit == contrasts.UnitTask) != (r.Method == contrasts.MethodExact) {
			t.Errorf("a 0/1 metric by %s: method %s", d.Unit, r.Method)
		}
	})
}

// TestExactMeetsMonteCarlo: clusters of one task each are drawn, and must land within a lattice step or the Monte-Carlo
// error of what is computed exactly.
func TestExactMeetsMonteCarlo(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []string{"binary", "graded"} {
		for _, n := range []int{23, 52, 300} {
			pairs := random(rng, kind, n)
			for i := range pairs {
				pairs[i].Cluster = pairs[i].Task
			}
			d := contrasts.Design{Metric: "score", A: "left", B: "right", Draws: 20_000, Seed: 5, Binary: kind == "binary"}
			if n < 100 {
				d.Draws = 1_000_000
			}
			exact := contrast(t, pairs, d)
			d.Unit = contrasts.UnitRepository
			drawn := contrast(t, pairs, d)
			if exact.Method != contrasts.MethodExact || drawn.Method != contrasts.MethodBootstrap {
				t.Fatalf("methods %s and %s", exact.Method, drawn.Method)
			}
			step := 100 / float64(exact.N)
			if math.Abs(exact.Lo-drawn.Lo) > step || math.Abs(exact.Hi-drawn.Hi) > step || !near(exact.Diff, drawn.Diff) {
				t.Errorf("%s, %d pairs: exact %v [%v, %v], drawn %v [%v, %v]", kind, n, exact.Diff, exact.Lo, exact.Hi, drawn.Diff, drawn.Lo, drawn.Hi)
			}
		}
	}
}

// TestClustersWiden: copies of one task inside a repository add nothing, and a task-level interval doesn't know that.
func TestClustersWiden(t *testing.T) {
	var pairs []contrasts.Pair
	for repo := range 24 {
		for copy := range 5 {
			pairs = append(pairs, contrasts.Pair{Task: fmt.Sprintf("%02d-%d", repo, copy), Cluster: fmt.Sprint(repo), HasA: true, HasB: true,
				A: float64(repo % 3 % 2), B: float64(repo % 5 % 2)})
		}
	}
	d := strict
	byTask := contrast(t, pairs, d)
	d.Unit = contrasts.UnitRepository
	byRepo := contrast(t, pairs, d)
	if ratio := (byRepo.Hi - byRepo.Lo) / (byTask.Hi - byTask.Lo); ratio < 1.8 || ratio > 2.7 { // sqrt(5) = 2.24
		t.Errorf("five copies widen the interval by %.2f, want about 2.24", ratio)
	}
	if byRepo.P <= byTask.P || byRepo.Clusters != 24 {
		t.Errorf("p %v by repository, %v by task; %d clusters", byRepo.P, byTask.P, byRepo.Clusters)
	}
}

func TestHolmIsMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		p := make([]float64, 1+rng.IntN(12))
		for i := range p {
			p[i] = math.Pow(rng.Float64(), 4)
		}
		got := contrasts.Holm(p)
		for i := range p {
			if got[i] < p[i] || got[i] > min(1, p[i]*float64(len(p)))+1e-15 {
				t.Fatalf("p %v became %v in a family of %d", p[i], got[i], len(p))
			}
			for j := range p {
				if p[i] < p[j] && got[i] > got[j] {
					t.Fatalf("%v and %v changed places: %v and %v", p[i], p[j], got[i], got[j])
				}
			}
		}
	}
}

// TestCoverage simulates cohorts of 150 tasks, 20% discordant, true difference 6 points: the interval should hold it in
// about 95% of them and the mid-p test call it as often as Power says.
func TestCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(150, 6))
	const cohorts, n, discordance, diff = 2000, 150, 0.20, 0.06
	held, called := 0, 0
	for range cohorts {
		win, loss := 0, 0
		for range n {
			switch u := rng.Float64(); {
			case u < (discordance+diff)/2:
				win++
			case u < discordance:
				loss++
			}
		}
		r := contrast(t, counts(win, n-win-loss, loss), strict)
		if r.Lo <= 100*diff && 100*diff <= r.Hi {
			held++
		}
		if r.P <= 0.05 {
			called++
		}
	}
	if share := float64(held) / cohorts; share < 0.925 || share > 0.975 {
		t.Errorf("the interval holds the true difference in %.1f%% of cohorts", 100*share)
	}
	power, err := contrasts.Power(contrasts.MidP, n, discordance, diff)
	if share := float64(called) / cohorts; err != nil || math.Abs(share-power) > 0.05 {
		t.Errorf("called in %.3f of cohorts, power %.3f, %v", share, power, err)
	}
}
