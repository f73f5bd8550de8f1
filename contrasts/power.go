package contrasts

import (
	"fmt"
	"math"
)

// exactPowerTasks is the largest n whose power is summed exactly; beyond it Connor's formula agrees to a hundredth of a
// point and costs nothing.
const exactPowerTasks = 20_000

// PairedTest is a test of a 0/1 metric at two-sided level 0.05.
type PairedTest int

const (
	MidP          PairedTest = iota // McNemar's mid-p, the one that Contrast reports
	ExactTwoSided                   // McNemar's exact conditional test, which is conservative
)

// p is the two-sided p-value of c successes of a fair coin in m throws, c at least half.
func (t PairedTest) p(c, m int) float64 {
	exact, midP := mcNemar(c, m-c)
	if t == ExactTwoSided {
		return exact
	}
	return midP
}

// Power is the probability that the test calls a difference, over all tables that n pairs can give: the pairs are
// discordant with probability discordance (0..1), and A's rate exceeds B's by diff (-discordance..discordance). With
// diff 0 it is the test's true size. n is 1 to 20,000.
func Power(t PairedTest, n int, discordance, diff float64) (float64, error) {
	switch {
	case n < 1 || n > exactPowerTasks:
		return 0, fmt.Errorf("%w: power of %d pairs; 1 to %d are summed", ErrInput, n, exactPowerTasks)
	case !(discordance > 0 && discordance <= 1):
		return 0, fmt.Errorf("%w: discordance %v is outside 0 to 1", ErrInput, discordance)
	case !(math.Abs(diff) <= discordance):
		return 0, fmt.Errorf("%w: a difference of %v can't come from a discordance of %v", ErrInput, diff, discordance)
	case t != MidP && t != ExactTwoSided:
		return 0, fmt.Errorf("%w: test %d is neither MidP nor ExactTwoSided", ErrInput, t)
	}
	return newPower(t, n, discordance).at(diff), nil
}

// power holds what doesn't depend on the difference: for each number of discordant pairs that can occur, how likely it
// is and how many wins the test calls.
type power struct {
	discordance float64
	from        int       // first number of discordant pairs
	weight      []float64 // its probability
	critical    []int     // least wins that are called; above the number itself when none are
}

func newPower(t PairedTest, n int, discordance float64) power {
	count := binomial{n, discordance}
	mean := float64(n) * discordance
	// Beyond nine standard deviations nothing is left; the constant covers small means, where the tail is Poisson's.
	reach := 9*math.Sqrt(mean*(1-discordance)) + 30
	from, to := max(0, int(mean-reach)), min(n, int(math.Ceil(mean+reach)))
	w := power{discordance: discordance, from: from, weight: make([]float64, 0, to-from+1), critical: make([]int, 0, to-from+1)}
	c := (from + 1) / 2
	for m := from; m <= to; m++ {
		c = max(c, (m+1)/2)
		for c <= m && t.p(c, m) > alpha { // the critical value never falls as m grows
			c++
		}
		w.weight = append(w.weight, count.mass(m))
		w.critical = append(w.critical, c)
	}
	return w
}

func (w power) at(diff float64) float64 {
	share := (w.discordance + diff) / (2 * w.discordance) // of the discordant pairs, those that A wins
	sum := 0.0
	for i, weight := range w.weight {
		m, c := w.from+i, w.critical[i]
		if weight < 1e-18 || c > m {
			continue
		}
		wins := binomial{m, share}
		sum += float64(weight * (wins.atLeast(c) + wins.atMost(m-c)))
	}
	return min(1, sum)
}

// SmallestDetectable is the smallest true difference, in percentage points, that the mid-p test on n pairs of a 0/1
// metric calls with the given power (0..1) when that share of the pairs is discordant (0..1). ok is false when no
// difference that such a discordance allows is called that often, or the arguments are out of range.
func SmallestDetectable(n int, discordance, power float64) (points float64, ok bool) {
	if n < 1 || !(discordance > 0 && discordance <= 1) || !(power > alpha && power < 1) {
		return 0, false
	}
	if n > exactPowerTasks {
		return SmallestByFormula(n, discordance, power)
	}
	w := newPower(MidP, n, discordance)
	return smallest(discordance, func(diff float64) bool { return w.at(diff) >= power })
}

// SmallestByFormula is SmallestDetectable by Connor's normal formula (1987), the cross-check. It means
// little where few discordant pairs are expected.
func SmallestByFormula(n int, discordance, power float64) (points float64, ok bool) {
	if n < 1 || !(discordance > 0 && discordance <= 1) || !(power > alpha && power < 1) {
		return 0, false
	}
	return smallest(discordance, func(diff float64) bool { return connor(discordance, diff, power) <= float64(n) })
}

// smallest bisects for the least difference that is enough, in points.
func smallest(discordance float64, at func(diff float64) bool) (points float64, ok bool) {
	lo, hi := 0.0, discordance
	if !at(hi) {
		return 0, false
	}
	for hi-lo > 1e-6 {
		if mid := (lo + hi) / 2; at(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return 100 * hi, true
}

// TasksNeeded is the number of pairs, unrounded, at which a true difference diff (0..discordance) is called with the
// given power, by Connor's normal formula (1987). It means little where few discordant pairs are expected: cross-check
// with Power.
func TasksNeeded(discordance, diff, power float64) (float64, error) {
	if !(discordance > 0 && discordance <= 1) || !(diff > 0 && diff <= discordance) || !(power > 0 && power < 1) {
		return 0, fmt.Errorf("%w: tasks needed for difference %v at discordance %v and power %v; 0 < difference <= discordance <= 1 "+
			"and 0 < power < 1 are expected", ErrInput, diff, discordance, power)
	}
	return connor(discordance, diff, power), nil
}

func connor(discordance, diff, power float64) float64 {
	root := (normal(1-alpha/2)*math.Sqrt(discordance) + normal(power)*math.Sqrt(max(0, discordance-diff*diff))) / diff
	return root * root
}

// normal is the standard normal quantile.
func normal(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
