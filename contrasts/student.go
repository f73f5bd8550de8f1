package contrasts

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// clusterT is the interval mean ± t(K-1) * se with the standard error over K units (ratioOfSums); with tasks as units it is the
// paired t interval. The interval is cut to what differences can be.
func (s *sample) clusterT(units []unitSum) Interval {
	mean, se := ratioOfSums(units)
	reach := studentQuantile(1-alpha/2, len(units)-1) * se
	scale := 100 / float64(s.steps)
	return Interval{Method: MethodClusterT, Lo: (mean-reach)*scale + 0, Hi: (mean+reach)*scale + 0}.within(100)
}

// studentQuantile is Student's t quantile with the given degrees of freedom.
func studentQuantile(p float64, degrees int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}.Quantile(p)
}

// moments are what a unit adds to a resample whose standard error is wanted too.
type moments struct{ s, c, ss, sc, cc float64 }

// studentized is the bootstrap-t interval (Efron, 1982; Davison and Hinkley, 1997, section 5.2): the quantiles of
// (mean* - mean)/se*, each resample with its own standard error over units, are turned round the estimate. A resample in
// which no unit differs from another has no standard error: its statistic is infinite unless its mean is the estimate, and an
// end that becomes infinite is cut to what differences can be. With few discordant pairs that is what happens.
func (s *sample) studentized(units []unitSum, d Design) Interval {
	mean, se := ratioOfSums(units)
	table := make([]moments, len(units))
	for i, u := range units {
		x, c := float64(u.sum), float64(u.count)
		table[i] = moments{x, c, x * x, x * c, c * c}
	}
	k := float64(len(units))
	ts := make([]float64, d.Draws)
	newStream(d, "studentized").eachChunk(d.Draws, func(source *rand.ChaCha8, from, to int) {
		rng := rand.New(source)
		for i := from; i < to; i++ {
			var m moments
			for range units {
				u := &table[rng.Uint64N(uint64(len(table)))]
				m.s += u.s
				m.c += u.c
				m.ss += u.ss
				m.sc += u.sc
				m.cc += u.cc
			}
			ts[i] = m.statistic(mean, k)
		}
	})
	low, high := quantiles(ts)
	end := func(t float64) float64 {
		if t == 0 || se == 0 {
			return mean
		}
		return mean - float64(t*se)
	}
	return s.drawn(MethodStudentized, end(high), end(low), d).within(100)
}

// statistic is how many of its own standard errors the resample's mean is above the estimate.
func (m moments) statistic(mean, k float64) float64 {
	at := m.s / m.c
	off := at - mean
	if math.Abs(off) <= 1e-12*max(1, math.Abs(mean)) {
		return 0
	}
	squares := m.ss - float64(2*at*m.sc) + float64(at*at*m.cc)
	if squares <= 1e-9*m.ss { // rounding of a difference of equal numbers
		return math.Copysign(math.Inf(1), off)
	}
	return off / (math.Sqrt(k/(k-1)*squares) / m.c)
}
