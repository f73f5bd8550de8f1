package contrasts

import "math"

// counts01 are wins and losses of a 0/1 metric.
func (s *sample) counts01() (win, loss, n int) {
	for _, k := range s.diffs {
		if k > 0 {
			win++
		} else if k < 0 {
			loss++
		}
	}
	return win, loss, len(s.diffs)
}

// BonettPrice is the 95% interval of the difference of two paired proportions, in percentage points (Bonett and Price, 2012):
// Wald's with one added to each discordant count and two to the pairs.
func BonettPrice(win, loss, n int) (lo, hi float64) {
	total := float64(n + 2)
	p, q := float64(win+1)/total, float64(loss+1)/total
	diff := p - q
	reach := normal(1-alpha/2) * math.Sqrt(max(0, p+q-diff*diff)/total)
	return 100 * max(-1, diff-reach), 100 * min(1, diff+reach)
}

// Tango is the 95% score interval of the difference of two paired proportions, in percentage points (Tango, 1998): the
// differences that the score test does not reject, with the discordant probability estimated under each.
func Tango(win, loss, n int) (lo, hi float64) {
	z := normal(1 - alpha/2)
	at := float64(win-loss) / float64(n)
	// The statistic falls as the difference grows: +z marks the lower end, -z the upper.
	lo = tangoEnd(-1, at, func(d float64) bool { return tangoScore(win, loss, n, d) > z })
	hi = tangoEnd(at, 1, func(d float64) bool { return tangoScore(win, loss, n, d) >= -z })
	return 100 * lo, 100 * hi
}

// tangoEnd bisects for where rejected turns from true to false.
func tangoEnd(from, to float64, before func(float64) bool) float64 {
	if !before(from) {
		return from
	}
	if before(to) {
		return to
	}
	for range 100 {
		mid := (from + to) / 2
		if before(mid) {
			from = mid
		} else {
			to = mid
		}
	}
	return (from + to) / 2
}

// tangoScore is the standardised distance of the observed difference from d: equation 5 of Tango (1998), with the probability of
// a loss that is likeliest under d.
func tangoScore(win, loss, n int, d float64) float64 {
	b, c, total := float64(win), float64(loss), float64(n)
	a := 2 * total
	linear := -b - c + (2*total-b+c)*d
	constant := -c * d * (1 - d)
	q := (math.Sqrt(max(0, linear*linear-4*a*constant)) - linear) / (2 * a)
	variance := total * (2*q + d*(1-d))
	off := b - c - total*d
	if variance <= 0 {
		switch {
		case math.Abs(off) < 1e-12:
			return 0
		default:
			return math.Copysign(math.Inf(1), off)
		}
	}
	return off / math.Sqrt(variance)
}

func (s *sample) tango() Interval {
	lo, hi := Tango(s.counts01())
	return Interval{Method: MethodTango, Lo: lo + 0, Hi: hi + 0}
}

func (s *sample) bonettPrice() Interval {
	lo, hi := BonettPrice(s.counts01())
	return Interval{Method: MethodBonettPrice, Lo: lo + 0, Hi: hi + 0}
}
