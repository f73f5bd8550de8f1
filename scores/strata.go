package scores

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"evlab/evidence"
)

// Partition splits the states into strata that exclude each other and together are all of them.
type Partition struct {
	By     string    `json:"by"` // one of PartitionNames
	Strata []Stratum `json:"strata"`
}

// Stratum is one part.
type Stratum struct {
	Name    string   `json:"name"`
	States  int      `json:"states"`
	Weight  float64  `json:"weight"` // its share of all states
	Methods []Scored `json:"methods"`
}

// PartitionNames are the partitions in the order in which they are reported (sections D.4 to D.6).
var PartitionNames = []string{"groups", "boundary", "overlap", "coverable", "repository", "language"}

// ErrWeights says that strata do not add back to the whole: a fault of this program, never of a file.
var ErrWeights = errors.New("the strata do not add back to the whole")

// NoValue names the stratum of the states that do not say.
const NoValue = "(not given)"

// stratumOf names a state's stratum in each partition.
var stratumOf = map[string]func(*compiled) string{
	"groups": func(s *compiled) string {
		if n := len(s.need); n < 3 {
			return strconv.Itoa(n)
		}
		return ">=3"
	},
	"boundary":   func(s *compiled) string { return cmp.Or(s.Boundary, NoValue) },
	"repository": func(s *compiled) string { return cmp.Or(s.Repository, NoValue) },
	"language":   func(s *compiled) string { return cmp.Or(s.Language, NoValue) },
	"overlap": func(s *compiled) string {
		if s.Observed == nil {
			return NoValue
		}
		return yesNo(s.overlap)
	},
	"coverable": func(s *compiled) string { return yesNo(s.coverable()) },
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// order sorts the strata of a partition: boundaries as they follow each other, the rest by name, what is not given last.
func order(by string) func(a, b string) int {
	return func(a, b string) int {
		if by == "boundary" {
			if c := cmp.Compare(slices.Index(evidence.Boundaries, a), slices.Index(evidence.Boundaries, b)); c != 0 && a != NoValue && b != NoValue {
				return c
			}
		}
		if (a == NoValue) != (b == NoValue) {
			return cmp.Compare(yesNo(a == NoValue), yesNo(b == NoValue))
		}
		if (a == ">=3") != (b == ">=3") { // by its bytes it would come first
			return cmp.Compare(yesNo(a == ">=3"), yesNo(b == ">=3"))
		}
		return cmp.Compare(a, b)
	}
}

// partitions splits the states in every way and asserts of each that it is a partition: every state is in one stratum,
// and the strata's means, weighted by their shares, are the means of the whole.
func (r *Result) partitions() (list []Partition, err error) {
	for _, by := range PartitionNames {
		members := map[string][]int{}
		for i, s := range r.cohort.states {
			name := stratumOf[by](s)
			members[name] = append(members[name], i)
		}
		p := Partition{By: by}
		for _, name := range slices.SortedFunc(maps.Keys(members), order(by)) {
			s := Stratum{Name: name, States: len(members[name]), Weight: float64(len(members[name])) / float64(r.States)}
			for m := range r.methods {
				s.Methods = append(s.Methods, r.scored(m, members[name]))
			}
			p.Strata = append(p.Strata, s)
		}
		if err := p.addsUp(r.States, r.Methods); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// addsUp asserts that the strata are the whole.
func (p Partition) addsUp(states int, whole []Scored) error {
	n := 0
	for _, s := range p.Strata {
		n += s.States
	}
	if n != states {
		return fmt.Errorf("%w: by %s they hold %d of %d states", ErrWeights, p.By, n, states)
	}
	for m, w := range whole {
		for k, at := range w.At {
			for _, score := range []struct {
				name string
				of   func(At) float64
			}{
				{"Complete-MSS", func(at At) float64 { return at.Complete }},
				{"group recall", func(at At) float64 { return at.GroupRecall }},
				{"necessity recall", func(at At) float64 { return at.NecessityRecall }},
			} {
				var parts []Part
				for _, s := range p.Strata {
					parts = append(parts, Part{Weight: float64(s.States), Mean: score.of(s.Methods[m].At[k])})
				}
				if got, want := Recombine(parts), score.of(at); math.Abs(got-want) > 1e-9 {
					return fmt.Errorf("%w: by %s, %s at %s: %s %v instead of %v", ErrWeights, p.By, w.Method, at.Cutoff, score.name, got, want)
				}
			}
		}
	}
	return nil
}

// Part is the mean of one stratum, and how much of the whole it is: any positive weight, such as its number of states.
type Part struct{ Weight, Mean float64 }

// Recombine is the mean of the whole out of its strata's: the sum of weight times mean over the sum of weights.
func Recombine(parts []Part) float64 {
	var sum, weights float64
	for _, p := range parts {
		sum += p.Weight * p.Mean
		weights += p.Weight
	}
	return sum / weights
}

// Stratum names the stratum of a state in a partition, both as they are in Partition.
func (c *Cohort) Stratum(by string, state int) string { return stratumOf[by](c.states[state]) }
