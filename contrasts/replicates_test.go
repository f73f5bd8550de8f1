package contrasts_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"evlab/contrasts"
)

func TestDetectableByReplicates(t *testing.T) {
	c := contrasts.Components{Between: 0.03, Within: 0.25}
	for n, want := range map[int][4]string{150: {"12.1", "9.0", "7.0", "5.7"}, 500: {"6.6", "4.9", "3.8", "3.1"}} {
		for i, r := range []int{1, 2, 4, 8} {
			if got := fmt.Sprintf("%.1f", 100*c.Detectable(n, r, 0.8)); got != want[i] {
				t.Errorf("%d tasks of %d replicates: %s points, want %s", n, r, got, want[i])
			}
		}
	}
}

// TestVarianceComponents finds the variances that a simulated pilot was made with.
func TestVarianceComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	tasks := make([]contrasts.Replicated, 4000)
	for i := range tasks {
		base, gain := rng.NormFloat64(), 0.2+0.3*rng.NormFloat64()
		for range 1 + rng.IntN(4) {
			tasks[i].A = append(tasks[i].A, base+gain+0.4*rng.NormFloat64())
		}
		for range 2 {
			tasks[i].B = append(tasks[i].B, base+0.5*rng.NormFloat64())
		}
	}
	c, err := contrasts.VarianceComponents(tasks)
	if err != nil || !c.Split || math.Abs(c.Between-0.09) > 0.015 || math.Abs(c.Within-0.41) > 0.015 {
		t.Errorf("%+v, %v; want 0.09 between and 0.16+0.25 within", c, err)
	}
	lo, hi, err := contrasts.Spread(tasks[:100], 150, 2, 0.8, 500, 1)
	if at := c.Detectable(150, 2, 0.8); err != nil || !(lo < at && at < hi) {
		t.Errorf("spread %v to %v around %v, %v", lo, hi, at, err)
	}
	for i := range tasks {
		tasks[i].A, tasks[i].B = tasks[i].A[:1], tasks[i].B[:1]
	}
	if c, err := contrasts.VarianceComponents(tasks); err != nil || c.Split || c.Within != 0 || math.Abs(c.Between-0.5) > 0.05 {
		t.Errorf("one replicate: %+v, %v", c, err)
	}
	if _, err := contrasts.VarianceComponents(tasks[:1]); !errors.Is(err, contrasts.ErrTooFew) {
		t.Errorf("one task: %v", err)
	}
	tasks[3].A[0] = math.NaN()
	if _, err := contrasts.VarianceComponents(tasks); !errors.Is(err, contrasts.ErrInput) {
		t.Errorf("not a number: %v", err)
	}
}

func TestTasksNeededExact(t *testing.T) {
	for _, c := range []struct{ discordance, diff float64 }{{0.5, 0.4}, {0.1, 0.05}, {0.2, 0.05}, {0.1, 0.1}} {
		n, ok, err := contrasts.TasksNeededExact(c.discordance, c.diff, 0.8)
		if err != nil || !ok {
			t.Fatalf("%+v: %v, %v", c, ok, err)
		}
		power := func(n int) float64 {
			p, err := contrasts.Power(contrasts.MidP, n, c.discordance, c.diff)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		for k := range 9 {
			if power(n+k) < 0.8 {
				t.Errorf("%+v: %d tasks have power %v", c, n+k, power(n+k))
			}
		}
		formula, _ := contrasts.TasksNeeded(c.discordance, c.diff, 0.8)
		if math.Abs(float64(n)/formula-1) > 0.25 {
			t.Errorf("%+v: %d tasks, by the formula %v", c, n, formula)
		}
	}
	if _, ok, err := contrasts.TasksNeededExact(0.5, 0.001, 0.8); ok || err != nil {
		t.Errorf("a tenth of a point: %v, %v", ok, err)
	}
	if _, _, err := contrasts.TasksNeededExact(0.1, 0.2, 0.8); !errors.Is(err, contrasts.ErrInput) {
		t.Errorf("more than the discordance: %v", err)
	}
}

// TestMeasuredCoverage holds what docs/statistics.md says in words.
func TestMeasuredCoverage(t *testing.T) {
	measure := func(trial contrasts.Trial) map[string]contrasts.Coverage {
		trial.Cohorts, trial.Draws, trial.Seed = 400, 400, 1
		rows, err := contrasts.MeasureCoverage(t.Context(), trial)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]contrasts.Coverage{}
		for _, r := range rows {
			out[r.Method] = r
		}
		return out
	}
	small := measure(contrasts.Trial{N: 23, Discordance: 0.1, Diff: 0.05})
	if c := small["exact"]; c.Holds > 0.85 || !c.Summed {
		t.Errorf("the percentile interval on 23 tasks: %+v", c)
	}
	if c := small["bonett-price"]; c.Holds < 0.95 || c.Size > 0.05 {
		t.Errorf("Bonett and Price's on 23 tasks: %+v", c)
	}
	if c := small[contrasts.ByMidP]; math.Abs(c.Size-0.004) > 0.0005 {
		t.Errorf("mid-p on 23 tasks: %+v", c)
	}
	large := measure(contrasts.Trial{N: 300, Discordance: 0.2, Diff: 0.05})
	for method, c := range large {
		if c.Width > 0 && method != contrasts.MethodStudentized && math.Abs(c.Holds-0.95) > 0.01 {
			t.Errorf("300 tasks: %+v", c)
		}
	}
	few := measure(contrasts.Trial{N: 100, Discordance: 0.2, Diff: 0.1, Clusters: 10, Intraclass: 0.2})
	if c := few["cluster-t"]; math.Abs(c.Holds-0.95) > 0.04 {
		t.Errorf("Student's t over ten clusters: %+v", c)
	}
	if few["bootstrap"].Holds > few["cluster-t"].Holds-0.02 {
		t.Errorf("ten clusters resampled: %+v", few["bootstrap"])
	}
	if few[contrasts.MethodHull].Holds < few["cluster-t"].Holds {
		t.Errorf("the hull of two intervals is shorter than one: %+v", few[contrasts.MethodHull])
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := contrasts.MeasureCoverage(stopped, contrasts.Trial{N: 5000, Discordance: 0.5, Cohorts: 1_000_000, Draws: 100_000}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	for _, bad := range []contrasts.Trial{{N: 1, Discordance: 0.1}, {N: 10}, {N: 10, Discordance: 0.1, Diff: 0.2}, {N: 10, Discordance: 0.1, Clusters: 1},
		{N: 10, Discordance: 0.1, Intraclass: 1}, {N: 10, Discordance: 0.1}} {
		if _, err := contrasts.MeasureCoverage(t.Context(), bad); !errors.Is(err, contrasts.ErrInput) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// TestBonettPriceHolds: the recommended interval holds at least 94% for every discordance and every true difference of small cohorts.
func TestBonettPriceHolds(t *testing.T) {
	for _, n := range []int{10, 23, 52} {
		for _, discordance := range []float64{0.02, 0.05, 0.1, 0.2, 0.4} {
			for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
				held := 0.0
				for m := range n + 1 {
					for win := range m + 1 {
						lo, hi := contrasts.BonettPrice(win, m-win, n)
						if at := 100 * share * discordance; lo <= at && at <= hi {
							held += choose(n, m, discordance) * choose(m, win, (1+share)/2)
						}
					}
				}
				if held < 0.94 {
					t.Errorf("n %d, discordance %v, difference %v: holds %.4f", n, discordance, share*discordance, held)
				}
			}
		}
	}
}

// choose is the binomial probability.
func choose(n, k int, p float64) float64 {
	out := 1.0
	for i := range k {
		out *= float64(n-i) / float64(k-i)
	}
	return out * math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k))
}
