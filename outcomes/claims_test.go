package outcomes

import (
	"math/rand/v2"
	"testing"
)

// TestClaims compares chains and maps with one map.
func TestClaims(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	var c claims
	plain := map[row]int32{}
	for place := range int32(20_000) {
		task := rng.Int32N(40)
		if place%2 == 0 {
			task = 7 // a long one
		}
		at := row{task: task, condition: rng.Int32N(5), executor: rng.Int32N(3), replicate: rng.Int32N(300)}
		first, twice := c.claim(at, place)
		was, seen := plain[at]
		if twice != seen || first != was {
			t.Fatalf("%+v at %d: %d, %t; want %d, %t", at, place, first, twice, was, seen)
		}
		if !seen {
			plain[at] = place
		}
	}
}
