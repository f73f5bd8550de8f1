package contrasts

import (
	"fmt"
	"math"
)

// McNemar tests a 0/1 metric from its discordant pairs: under no difference the wins are a fair coin's. exact is the
// two-sided conditional p (twice the smaller tail, at most 1); midP counts the observed table half (Fagerland,
// Lydersen and Laake, 2013). Both are 1 when no pair is discordant.
func McNemar(win, loss int) (exact, midP float64, err error) {
	if win < 0 || loss < 0 || win > maxPairs || loss > maxPairs {
		return 0, 0, fmt.Errorf("%w: %d wins and %d losses; McNemar's test needs counts of 0 to %d", ErrInput, win, loss, maxPairs)
	}
	exact, midP = mcNemar(win, loss)
	return exact, midP, nil
}

func mcNemar(win, loss int) (exact, midP float64) {
	if win == loss {
		return 1, 1
	}
	coin := binomial{win + loss, 0.5}
	k := min(win, loss)
	tail, here := coin.atMost(k), coin.mass(k)
	// A thousand discordant pairs all one way are below what a float can hold; no p-value is zero all the same.
	floor := math.SmallestNonzeroFloat64
	return max(floor, min(1, 2*tail)), max(floor, min(1, 2*tail-here))
}
