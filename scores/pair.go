package scores

import (
	"fmt"
	"maps"
	"slices"

	"evlab/experiments"
)

// Matched is the name of the cutoff at which the second method may spend, state by state, the tokens of what the first
// returned (table 12, "per-state matched").
const Matched = "matched"

// Pair compares two methods, the first minus the second, over the same states (table 12).
type Pair struct {
	A    string   `json:"a"`
	B    string   `json:"b"`
	Rows []Paired `json:"cutoffs"`
}

// Paired is the comparison at one cutoff. Differences are shares from 0 to 1, taken before any rounding.
type Paired struct {
	Cutoff    string   `json:"at"`
	A         float64  `json:"complete_a"`
	B         float64  `json:"complete_b"`
	Diff      float64  `json:"complete_diff"`
	Group     float64  `json:"group_recall_diff"`
	Necessity float64  `json:"necessity_recall_diff"`
	Win       int      `json:"win"` // states that A completes and B does not
	Tie       int      `json:"tie"`
	Loss      int      `json:"loss"`
	TokensA   *float64 `json:"mean_tokens_a"`
	TokensB   *float64 `json:"mean_tokens_b"`
}

func (s *scorer) pair(r *Result, names map[string]int, pair [2]string) (*Pair, error) {
	var at [2]int
	for i, name := range pair {
		m, known := names[name]
		if !known {
			all := slices.Sorted(maps.Keys(names))
			return nil, fmt.Errorf("no prediction is of method %.120q%s; there are %.300q", name, experiments.Suggest(name, all), all)
		}
		at[i] = m
	}
	if at[0] == at[1] {
		return nil, fmt.Errorf("method %.120q can't be compared with itself", pair[0])
	}
	p := &Pair{A: pair[0], B: pair[1]}
	for k, cutoff := range s.cutoffs {
		p.Rows = append(p.Rows, s.paired(cutoff.String(), func(state int) (Point, Point) {
			return r.Point(at[0], state, k), r.Point(at[1], state, k)
		}))
	}
	if s.tokens == nil {
		p.Rows = append(p.Rows, s.paired(Matched, func(state int) (Point, Point) {
			whole := r.Point(at[0], state, len(s.cutoffs)-1) // Returned is last
			return whole, s.admit(state, r.Ranking(at[1], state), whole.Tokens)
		}))
	}
	return p, nil
}

func (s *scorer) paired(name string, of func(state int) (a, b Point)) Paired {
	row := Paired{Cutoff: name}
	n := float64(len(s.states))
	var tokensA, tokensB float64
	for i := range s.states {
		a, b := of(i)
		row.A += a.Complete
		row.B += b.Complete
		row.Group += a.GroupRecall - b.GroupRecall
		row.Necessity += a.NecessityRecall - b.NecessityRecall
		tokensA += float64(a.Tokens)
		tokensB += float64(b.Tokens)
		switch {
		case a.Complete > b.Complete:
			row.Win++
		case a.Complete < b.Complete:
			row.Loss++
		default:
			row.Tie++
		}
	}
	row.A, row.B, row.Group, row.Necessity = row.A/n, row.B/n, row.Group/n, row.Necessity/n
	row.Diff = float64(row.Win-row.Loss) / n
	if s.tokens == nil {
		row.TokensA, row.TokensB = new(tokensA/n), new(tokensB/n)
	}
	return row
}
