package contrasts

import "math"

// bca is Efron's bias-corrected and accelerated interval (1987): percentiles of the bootstrap distribution at levels moved by the
// share of it below the estimate (half of what is equal counts) and by the skewness of the jackknife over units. The distribution is
// exact for tasks on a lattice, else drawn.
func (s *sample) bca(units []unitSum, d Design) (Interval, error) {
	accelerate := acceleration(units)
	mean, _ := ratioOfSums(units)
	if d.Unit == UnitTask {
		if dist, ok := s.exact(units, d.Draws, false); ok {
			below := dist.below(s.points(s.sum(), len(s.diffs)))
			lo, hi, edge := dist.interval(bcaLevel(lowerEnd, below, accelerate), bcaLevel(upperEnd, below, accelerate))
			return Interval{Method: MethodBCa, Lo: lo, Hi: hi, Edge: edge}, nil
		}
	}
	means := bootstrap(clustersOf(units), d.Draws, newStream(d, "bca"))
	below := 0.0
	for _, m := range means {
		switch {
		case m < mean:
			below++
		case m == mean:
			below += 0.5
		}
	}
	below = min(max(below, 0.5), float64(len(means))-0.5) / float64(len(means))
	lo := quantile(means, bcaLevel(lowerEnd, below, accelerate))
	hi := quantile(means, bcaLevel(upperEnd, below, accelerate))
	return s.drawn(MethodBCa, lo, hi, d), nil
}

// bcaLevel moves a percentile's level.
func bcaLevel(level, below, accelerate float64) float64 {
	bias := normal(below)
	z := bias + normal(level)
	narrow := 1 - accelerate*z
	if narrow <= 0 { // so skewed that the formula has no sense: the end of the distribution
		return math.Copysign(0.5, z) + 0.5
	}
	return normalCDF(bias + z/narrow)
}

// acceleration is a sixth of the skewness of the jackknife estimates, each without one unit.
func acceleration(units []unitSum) float64 {
	var sum, count float64
	for _, u := range units {
		sum += float64(u.sum)
		count += float64(u.count)
	}
	without := make([]float64, 0, len(units))
	mean := 0.0
	for _, u := range units {
		if rest := count - float64(u.count); rest > 0 {
			without = append(without, (sum-float64(u.sum))/rest)
			mean += without[len(without)-1]
		}
	}
	mean /= float64(len(without))
	var squares, cubes float64
	for _, x := range without {
		off := mean - x
		squares += float64(off * off)
		cubes += float64(off * off * off)
	}
	if squares <= 0 {
		return 0
	}
	return cubes / (6 * math.Pow(squares, 1.5))
}

func normalCDF(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }
