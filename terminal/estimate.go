package terminal

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// enough is how many cells must have finished before a range means anything.
const enough = 5

// Range is the range of the time that remains; ok is false before five cells have finished, and when none remains.
//
// Each condition's unfinished cells are expected to take between the lower and the upper quartile of that condition's
// finished ones: a mean over all would promise the time of the cheap conditions to the dear ones. A condition without a
// finished cell takes the quartiles of all. The sum is shared among as many cells as run now.
func (s Snapshot) Range() (low, high time.Duration, ok bool) {
	remaining := s.Total - s.ended()
	var all []time.Duration
	for _, d := range s.Durations {
		all = append(all, d...)
	}
	if len(all) < enough || remaining <= 0 {
		return 0, 0, false
	}
	slices.Sort(all)
	var lowSum, highSum float64
	add := func(durations []time.Duration, cells float64) {
		if len(durations) == 0 {
			durations = all
		}
		lowSum += cells * quantile(durations, 0.25)
		highSum += cells * quantile(durations, 0.75)
	}
	left := s.Left
	if len(left) == 0 { // conditions are crossed with tasks: each has the same share
		for _, c := range slices.Sorted(maps.Keys(s.Durations)) {
			add(sortedCopy(s.Durations[c]), float64(remaining)/float64(len(s.Durations)))
		}
	} else {
		for _, c := range slices.Sorted(maps.Keys(left)) { // in order: sums of floats depend on it
			add(sortedCopy(s.Durations[c]), float64(max(left[c], 0)))
		}
	}
	parallel := float64(max(len(s.Running), 1))
	return time.Duration(lowSum / parallel), time.Duration(highSum / parallel), true
}

func sortedCopy(d []time.Duration) []time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d
}

// quantile interpolates between the order statistics of sorted, which is not empty (Hyndman and Fan's type 7).
func quantile(sorted []time.Duration, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return float64(sorted[len(sorted)-1])
	}
	return float64(sorted[i]) + (at-float64(i))*float64(sorted[i+1]-sorted[i])
}

// rangeText is "21m00s-34m10s", one figure when both ends look the same, "-" when there is no estimate.
func (s Snapshot) rangeText() string {
	low, high, ok := s.Range()
	if !ok {
		return "-"
	}
	a, b := Duration(low), Duration(high)
	if a == b {
		return a
	}
	return a + "-" + b
}

func itoa(n int) string { return strconv.Itoa(n) }

func two(n int) string { return fmt.Sprintf("%02d", n) }
