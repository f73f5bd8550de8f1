package contrasts

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Replicated are the decided replicates of one task under both conditions.
type Replicated struct{ A, B []float64 }

// Components split the variance of paired differences, in squares of the metric's unit.
type Components struct {
	Tasks int `json:"tasks"` // with a replicate on both sides
	// Between is the variance of the tasks' true differences, which no number of replicates takes away.
	Between float64 `json:"between"`
	// Within is the variance of one paired draw inside a task: the sum of both conditions' variances between replicates.
	Within float64 `json:"within"`
	// Split is false when no task has two replicates of a condition: then all variance is in Between, which holds for one replicate only.
	Split bool `json:"split"`
}

// VarianceComponents estimates them by analysis of variance: Within from the pooled variances inside tasks, Between as what is left of the
// variance of the tasks' mean differences, not below zero.
func VarianceComponents(tasks []Replicated) (Components, error) {
	for i, t := range tasks {
		for _, v := range append(append([]float64{}, t.A...), t.B...) {
			if !finite(v) {
				return Components{}, fmt.Errorf("%w: task %d of the pilot has the value %v", ErrInput, i+1, v)
			}
		}
	}
	c := components(tasks)
	if c.Tasks < 2 {
		return c, fmt.Errorf("variance components: %w: %d tasks have both conditions; 2 are needed", ErrTooFew, c.Tasks)
	}
	return c, nil
}

func components(tasks []Replicated) Components {
	var c Components
	var sum, squares, noise float64
	var inside, degrees [2]float64
	for _, t := range tasks {
		if len(t.A) == 0 || len(t.B) == 0 {
			continue
		}
		c.Tasks++
		diff := 0.0
		for side, values := range [2][]float64{t.A, t.B} {
			mean := 0.0
			for _, v := range values {
				mean += v
			}
			mean /= float64(len(values))
			diff = mean - diff // B's turn makes it B minus A, whose variance is the same
			for _, v := range values {
				inside[side] += (v - mean) * (v - mean)
			}
			degrees[side] += float64(len(values) - 1)
		}
		sum += diff
		squares += diff * diff
	}
	if c.Tasks < 2 {
		return c
	}
	n := float64(c.Tasks)
	c.Between = max(0, (squares-sum*sum/n)/(n-1))
	if degrees[0] == 0 || degrees[1] == 0 {
		return c
	}
	c.Split = true
	var one [2]float64
	for side := range one {
		one[side] = inside[side] / degrees[side]
	}
	for _, t := range tasks {
		if len(t.A) > 0 && len(t.B) > 0 {
			noise += one[0]/float64(len(t.A)) + one[1]/float64(len(t.B))
		}
	}
	c.Within = one[0] + one[1]
	c.Between = max(0, c.Between-noise/n)
	return c
}

// Detectable is the smallest true difference, in the metric's unit, that n tasks of r replicates show with the given power by a
// two-sided test at 0.05, in the normal approximation: (z(0.975) + z(power)) sqrt((Between + Within/r)/n).
func (c Components) Detectable(n, replicates int, power float64) float64 {
	return (normal(1-alpha/2) + normal(power)) * math.Sqrt((c.Between+c.Within/float64(replicates))/float64(n))
}

// Spread is how sure a pilot is of a smallest detectable difference: the 5% and 95% quantiles over bootstrap resamples of its tasks.
func Spread(tasks []Replicated, n, replicates int, power float64, draws int, seed uint64) (lo, hi float64, err error) {
	if _, err := VarianceComponents(tasks); err != nil {
		return 0, 0, err
	}
	if draws < 100 || draws > maxDraws || n < 1 || replicates < 1 || !(power > 0 && power < 1) {
		return 0, 0, fmt.Errorf("%w: a spread of %d draws for %d tasks of %d replicates at power %v", ErrInput, draws, n, replicates, power)
	}
	values := make([]float64, draws)
	newStream(Design{Metric: "components", Seed: seed}, "pilot").eachChunk(draws, func(source *rand.ChaCha8, from, to int) {
		rng := rand.New(source)
		resample := make([]Replicated, len(tasks))
		for i := from; i < to; i++ {
			for k := range resample {
				resample[k] = tasks[rng.IntN(len(tasks))]
			}
			values[i] = components(resample).Detectable(n, replicates, power)
		}
	})
	return quantile(values, 0.05), quantile(values, 0.95), nil
}
