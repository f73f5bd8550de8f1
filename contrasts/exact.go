package contrasts

import "math"

const (
	tailMass   = 1e-20   // mass dropped at each end after a convolution, about 9.3 standard deviations out
	exactWork  = 1 << 26 // multiplications that an exact distribution may cost unasked, about a tenth of a second
	askedWork  = 1 << 32 // ... and when it was asked for, several seconds
	edgeMargin = 1e-12   // cumulative probability below which the place of an interval's end is arithmetic, not data
	lowerEnd   = 0.025
	upperEnd   = 0.975
)

// distribution is a probability mass on the integers first, first+1, ...
type distribution struct {
	first int64
	mass  []float64
}

// exactMean computes the bootstrap distribution of the sum of len(steps) draws with replacement from steps: the
// n-fold convolution of the empirical distribution, by squaring. All terms are positive, so nothing cancels. It
// reports false when the lattice is too fine for that to cost no more than work multiplications.
func exactMean(steps []int64, work float64) (distribution, bool) {
	n := len(steps)
	lo, hi := steps[0], steps[0]
	var sum, squares float64
	for _, k := range steps {
		lo, hi = min(lo, k), max(hi, k)
		sum += float64(k)
		squares += float64(k) * float64(k)
	}
	mean := sum / float64(n)
	width := 1 + min(float64(hi-lo)*float64(n), 19*math.Sqrt(float64(n)*max(0, squares/float64(n)-mean*mean))+float64(hi-lo))
	if width*width > work || hi-lo > maxLattice*2 {
		return distribution{}, false
	}
	base := distribution{first: lo, mass: make([]float64, hi-lo+1)}
	for _, k := range steps {
		base.mass[k-lo]++
	}
	for i := range base.mass {
		base.mass[i] /= float64(n)
	}
	return base.power(n), true
}

// power is the distribution of the sum of n independent draws from d, n >= 1.
func (d distribution) power(n int) distribution {
	bits := 0
	for n>>bits > 1 {
		bits++
	}
	out := d
	for bits--; bits >= 0; bits-- {
		out = out.squared()
		if n>>bits&1 == 1 {
			out = out.plus(d)
		}
	}
	return out
}

func (d distribution) squared() distribution {
	out := distribution{first: 2 * d.first, mass: make([]float64, 2*len(d.mass)-1)}
	for i, p := range d.mass {
		out.mass[2*i] += float64(p * p) // the conversions keep every machine from fusing the two operations
		twice, rest := 2*p, d.mass[i+1:]
		into := out.mass[2*i+1:][:len(rest)]
		for j, q := range rest {
			into[j] += float64(twice * q)
		}
	}
	return out.trimmed()
}

// plus adds one draw from a base that is mostly holes.
func (d distribution) plus(base distribution) distribution {
	out := distribution{first: d.first + base.first, mass: make([]float64, len(d.mass)+len(base.mass)-1)}
	for i, p := range base.mass {
		if p == 0 {
			continue
		}
		into := out.mass[i:][:len(d.mass)]
		for j, q := range d.mass {
			into[j] += float64(p * q)
		}
	}
	return out.trimmed()
}

// trimmed drops the ends that weigh nothing and makes the rest weigh one, which stops rounding from compounding.
func (d distribution) trimmed() distribution {
	from, to := heavy(d.mass)
	kept := d.mass[from:to]
	total := 0.0
	for _, p := range kept {
		total += p
	}
	for i := range kept {
		kept[i] /= total
	}
	return distribution{first: d.first + int64(from), mass: kept}
}
