package contrasts

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// Trial says what kind of cohort Coverage puts intervals to the test with: n pairs of a 0/1 metric, discordant with a given
// probability, that come from clusters of near-equal size or from none.
type Trial struct {
	N           int
	Discordance float64 // 0..1
	Diff        float64 // true difference for the coverage, -Discordance..Discordance; the size is always at no difference
	Clusters    int     // 0: the tasks are independent
	// Intraclass is the correlation, inside a cluster, of which side a discordant pair falls to: each cluster has its own share
	// of wins, drawn from a beta distribution. Unused without clusters.
	Intraclass float64
	Cohorts    int // simulated cohorts where coverage is not summed exactly, 100 to 1,000,000
	Draws      int // draws within each, 100 to 100,000
	Seed       uint64
}

// Coverage is how one method does in a trial.
type Coverage struct {
	Method string `json:"method"`
	// Holds is how often the interval holds the true difference: 0.95 is what it promises. Zero for a test.
	Holds float64 `json:"holds"`
	// Size is how often the interval leaves out zero, or the test has p <= 0.05, when there is no difference: 0.05 is what it
	// promises.
	Size float64 `json:"size"`
	// Width is the mean width of the interval in percentage points. Zero for a test.
	Width float64 `json:"width"`
	// Summed says that the figures are sums over all tables of counts, without simulation.
	Summed bool `json:"summed"`
}

// The interval methods that are put to the test, in order.
var (
	summedMethods    = []string{MethodExact, MethodBCa, MethodTango, MethodBonettPrice, MethodClusterT}
	clusteredMethods = []string{MethodBootstrap, MethodBCa, MethodStudentized, MethodClusterT, MethodHull}
)

// maxTrial bounds the pairs of a trial: every method does what it promises long before.
const maxTrial = 5000

// ByTask marks, in a trial with clusters, a method that takes no notice of them.
const ByTask = " by task"

func (t Trial) check() error {
	switch {
	case t.N < 2 || t.N > maxTrial:
		return fmt.Errorf("%w: a trial of %d pairs; 2 to %d are expected", ErrInput, t.N, maxTrial)
	case !(t.Discordance > 0 && t.Discordance <= 1) || !(math.Abs(t.Diff) <= t.Discordance):
		return fmt.Errorf("%w: a trial with difference %v at discordance %v; the size of a difference is at most the discordance, 0 to 1", ErrInput, t.Diff, t.Discordance)
	case t.Clusters < 0 || t.Clusters == 1 || t.Clusters > t.N:
		return fmt.Errorf("%w: a trial of %d pairs in %d clusters", ErrInput, t.N, t.Clusters)
	case !(t.Intraclass >= 0 && t.Intraclass < 1):
		return fmt.Errorf("%w: intraclass correlation %v is outside 0 to 1", ErrInput, t.Intraclass)
	case t.Cohorts < 100 || t.Cohorts > 1_000_000 || t.Draws < 100 || t.Draws > 100_000:
		return fmt.Errorf("%w: %d cohorts of %d draws; 100 to 1000000 and 100 to 100000 are expected", ErrInput, t.Cohorts, t.Draws)
	}
	return nil
}

// MeasureCoverage measures coverage and size of every method that fits a trial. Same trial, same figures, on any number of cores. It
// can take minutes, and ends with the context's error when that is done.
func MeasureCoverage(ctx context.Context, t Trial) ([]Coverage, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	var out []Coverage
	if t.Clusters == 0 {
		out = t.sum(ctx)
	}
	out = append(out, t.simulate(ctx)...)
	return out, ctx.Err()
}

// tally adds up what a method did. held counts the trial with its difference, called the one without.
type tally struct{ held, called, width float64 }

func (y *tally) add(weightTrue, weightNull, truth float64, i Interval) {
	const dust = 1e-9 // an end that equals the truth holds it
	if i.Lo <= truth+dust && truth-dust <= i.Hi {
		y.held += weightTrue
	}
	if i.Lo > dust || i.Hi < -dust {
		y.called += weightNull
	}
	y.width += weightTrue * (i.Hi - i.Lo)
}

// join adds one of the tallies of a piece of work; a piece that was not begun has none.
func (y *tally) join(piece []tally, at int) {
	if piece == nil {
		return
	}
	y.held += piece[at].held
	y.called += piece[at].called
	y.width += piece[at].width
}

// sum goes through every table of wins and losses that matters. The tests' sizes come from Power.
func (t Trial) sum(ctx context.Context) []Coverage {
	type table struct{ win, loss int }
	var tables []table
	discordant := binomial{t.N, t.Discordance}
	for m := range t.N + 1 {
		if ctx.Err() != nil {
			return nil
		}
		if discordant.mass(m) < 1e-9 {
			continue
		}
		for win := range m + 1 {
			if t.weight(win, m-win, t.Diff)+t.weight(win, m-win, 0) > 1e-9 {
				tables = append(tables, table{win, m - win})
			}
		}
	}
	chunk := make([][]tally, len(tables))
	parallel(ctx, len(tables), func(i int) {
		chunk[i] = make([]tally, len(summedMethods))
		win, loss := tables[i].win, tables[i].loss
		atTruth, atNull := t.weight(win, loss, t.Diff), t.weight(win, loss, 0)
		s := tableOf(win, loss, t.N)
		units := s.units()
		for k, method := range summedMethods {
			interval, err := s.by(method, units, Design{Unit: UnitTask, Binary: true})
			if err != nil {
				continue // n is small enough for all of these
			}
			chunk[i][k].add(atTruth, atNull, 100*t.Diff, interval)
		}
	})
	out := make([]Coverage, 0, len(summedMethods)+2)
	for k, method := range summedMethods {
		var y tally
		for _, c := range chunk {
			y.join(c, k)
		}
		out = append(out, Coverage{Method: method, Holds: y.held, Size: y.called, Width: y.width, Summed: true})
	}
	for _, test := range []struct {
		name string
		test PairedTest
	}{{ByMidP, MidP}, {BySignFlip, ExactTwoSided}} { // on 0/1 differences the sign-flip test is the exact conditional one
		out = append(out, Coverage{Method: test.name, Size: newPower(test.test, t.N, t.Discordance).at(0), Summed: true})
	}
	return out
}

// weight is the probability of a table.
func (t Trial) weight(win, loss int, diff float64) float64 {
	return binomial{t.N, t.Discordance}.mass(win+loss) * binomial{win + loss, (t.Discordance + diff) / (2 * t.Discordance)}.mass(win)
}

// tableOf is a sample of so many wins, losses and ties.
func tableOf(win, loss, n int) *sample {
	s := &sample{lattice: lattice{steps: 1, small: true}, diffs: make([]int64, n)}
	for i := range s.diffs {
		switch {
		case i < win:
			s.diffs[i] = 1
		case i < win+loss:
			s.diffs[i] = -1
		}
	}
	return s
}

// simulate draws cohorts: one with the difference and one without, from the same random numbers.
func (t Trial) simulate(ctx context.Context) []Coverage {
	methods, byTask := []string{MethodStudentized}, []string(nil)
	unit := UnitTask
	if t.Clusters > 0 {
		unit, methods, byTask = UnitRepository, clusteredMethods, []string{MethodExact, MethodTango}
	}
	all := len(methods) + len(byTask)
	tests := 0
	if t.Clusters > 0 {
		tests = 2 // the clusters' sign-flip test, and mid-p, which takes no notice of them
	}
	chunk := make([][]tally, t.Cohorts)
	parallel(ctx, t.Cohorts, func(i int) {
		y := make([]tally, all+tests)
		for k, diff := range []float64{t.Diff, 0} {
			d := Design{Metric: fmt.Sprint("trial", i), A: "a", B: "b", Unit: unit, Binary: true, Draws: t.Draws, Seed: t.Seed}
			s := t.cohort(diff, newStream(d, "cohort").chunk(0))
			units := s.units()
			add := func(at int, interval Interval) {
				y[at].add(float64(1-k), float64(k), 100*t.Diff, interval)
			}
			for at, method := range methods {
				if interval, err := s.by(method, units, d); err == nil {
					add(at, interval)
				}
			}
			flat := &sample{lattice: s.lattice, diffs: s.diffs}
			for at, method := range byTask {
				if interval, err := flat.by(method, nil, Design{Unit: UnitTask, Binary: true}); err == nil {
					add(len(methods)+at, interval)
				}
			}
			if tests > 0 && k == 1 {
				var r Result
				r.test(s, units, d)
				win, loss, _ := s.counts01()
				_, midP := mcNemar(win, loss)
				y[all].called += indicator(r.P <= alpha)
				y[all+1].called += indicator(midP <= alpha)
			}
		}
		chunk[i] = y
	})
	names := append([]string{}, methods...)
	for _, method := range byTask {
		names = append(names, method+ByTask)
	}
	if tests > 0 {
		names = append(names, "sign-flip", ByMidP+ByTask)
	}
	out := make([]Coverage, len(names))
	for at, name := range names {
		var y tally
		for _, c := range chunk {
			y.join(c, at)
		}
		n := float64(t.Cohorts)
		out[at] = Coverage{Method: name, Holds: y.held / n, Size: y.called / n, Width: y.width / n}
	}
	return out
}

// cohort draws one cohort.
func (t Trial) cohort(diff float64, source *rand.ChaCha8) *sample {
	rng := rand.New(source)
	s := &sample{lattice: lattice{steps: 1, small: true}, diffs: make([]int64, t.N)}
	if t.Clusters > 0 {
		s.names = make([]string, t.N)
	}
	share := (t.Discordance + diff) / (2 * t.Discordance)
	shares := []float64{share}
	for g := range t.Clusters {
		if g == 0 {
			shares = shares[:0]
		}
		shares = append(shares, betaShare(rng, share, t.Intraclass))
	}
	for i := range s.diffs {
		g := i % len(shares)
		if s.names != nil {
			s.names[i] = fmt.Sprint(g)
		}
		if rng.Float64() < t.Discordance {
			s.diffs[i] = -1
			if rng.Float64() < shares[g] {
				s.diffs[i] = 1
			}
		}
	}
	return s
}

// betaShare draws a share with the given mean; two pairs that have it in common correlate by the intraclass correlation.
func betaShare(rng *rand.Rand, mean, intraclass float64) float64 {
	if intraclass == 0 || mean <= 0 || mean >= 1 {
		return mean
	}
	scale := 1/intraclass - 1
	x, y := gamma(rng, mean*scale), gamma(rng, (1-mean)*scale)
	if x+y == 0 {
		return indicator(rng.Float64() < mean)
	}
	return x / (x + y)
}

// gamma draws from the gamma distribution of the given shape (Marsaglia and Tsang, 2000).
func gamma(rng *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(rng, shape+1) * math.Pow(rng.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if u := rng.Float64(); math.Log(u) < 0.5*x*x+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// parallel calls do for 0..n-1 on as many cores as there are, until the context is done.
func parallel(ctx context.Context, n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
