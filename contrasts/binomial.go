package contrasts

import "math"

// binomial is the distribution of successes among n trials that each succeed with probability p.
type binomial struct {
	n int
	p float64
}

func (b binomial) mass(k int) float64 {
	switch {
	case k < 0 || k > b.n:
		return 0
	case b.p <= 0:
		return indicator(k == 0)
	case b.p >= 1:
		return indicator(k == b.n)
	}
	all, _ := math.Lgamma(float64(b.n) + 1)
	yes, _ := math.Lgamma(float64(k) + 1)
	no, _ := math.Lgamma(float64(b.n-k) + 1)
	return math.Exp(all - yes - no + float64(k)*math.Log(b.p) + float64(b.n-k)*math.Log1p(-b.p))
}

// atMost is P(X <= k). It sums away from k on the side where the terms shrink.
func (b binomial) atMost(k int) float64 {
	switch {
	case k < 0:
		return 0
	case k >= b.n:
		return 1
	case float64(k) > b.p*float64(b.n):
		return 1 - binomial{b.n, 1 - b.p}.tail(b.n-k-1)
	}
	return b.tail(k)
}

// atLeast is P(X >= k).
func (b binomial) atLeast(k int) float64 { return binomial{b.n, 1 - b.p}.atMost(b.n - k) }

// tail sums the mass from k, at or below the mean, down to 0.
func (b binomial) tail(k int) float64 {
	term := b.mass(k)
	sum := term
	odds := (1 - b.p) / b.p
	for j := k; j > 0 && term > sum*1e-18; j-- {
		term *= float64(j) / float64(b.n-j+1) * odds
		sum += term
	}
	return min(1, sum)
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
