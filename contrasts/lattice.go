package contrasts

import "math"

const (
	maxDenominator = 100     // largest denominator looked for in one value
	maxLattice     = 5040    // largest common denominator: beyond it nothing is gained over drawing
	fineSteps      = 1 << 40 // steps per unit when the values share no small denominator
	onLattice      = 1e-12   // how far a value times the denominator may be from an integer
)

// lattice counts values in steps of 1/steps.
type lattice struct {
	steps int64
	small bool // every value is on it, to within onLattice steps; otherwise values are rounded to 2^-40
}

// latticeOf finds the smallest common denominator of the verdicts that are present, values in 0..1.
func latticeOf(pairs []Pair) lattice {
	common := int64(1)
	for _, p := range pairs {
		for _, v := range [2]float64{p.A, p.B} { // a missing value is 0, which is on every lattice
			if isMultiple(v, common) {
				continue
			}
			q := denominator(v)
			if q == 0 {
				return lattice{steps: fineSteps}
			}
			if common = common / gcd(common, q) * q; common > maxLattice {
				return lattice{steps: fineSteps}
			}
		}
	}
	return lattice{steps: common, small: true}
}

func (l lattice) of(v float64) int64 { return int64(math.Round(v * float64(l.steps))) }

func isMultiple(v float64, q int64) bool {
	x := v * float64(q)
	return math.Abs(x-math.Round(x)) <= onLattice
}

// denominator is the smallest q of 1..maxDenominator with v = integer/q, or 0.
func denominator(v float64) int64 {
	for q := int64(1); q <= maxDenominator; q++ {
		if isMultiple(v, q) {
			return q
		}
	}
	return 0
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
