package contrasts

import "fmt"

// steady is how many further numbers of tasks must keep the power before TasksNeededExact believes it: power against the
// number of tasks is a saw.
const steady = 8

// TasksNeededExact is the least number of pairs from which on the mid-p test calls a true difference diff (0..discordance) with the
// given power, by summing over all tables, together with the next few numbers (the power of an exact test rises as a saw).
// ok is false when it is more than 20,000.
func TasksNeededExact(discordance, diff, power float64) (n int, ok bool, err error) {
	if _, err := TasksNeeded(discordance, diff, power); err != nil {
		return 0, false, err
	}
	if !(power > alpha) {
		return 0, false, fmt.Errorf("%w: power %v is not above the level of the test", ErrInput, power)
	}
	enough := func(n int) bool { return newPower(MidP, n, discordance).at(diff) >= power }
	const most = exactPowerTasks - steady
	lo, hi := 0, 1
	for !enough(hi) {
		if lo, hi = hi, 2*hi; lo >= most {
			return 0, false, nil
		}
		hi = min(hi, most)
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; enough(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	for k := 1; k <= steady; k++ {
		if !enough(hi + k) {
			if hi, k = hi+k+1, 0; hi > most {
				return 0, false, nil
			}
			for !enough(hi) {
				if hi++; hi > most {
					return 0, false, nil
				}
			}
		}
	}
	return hi, true, nil
}
