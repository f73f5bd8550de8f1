package scores

import (
	"fmt"
	"math"
	"slices"
)

// At is one cutoff's means over states. Scores are shares from 0 to 1, each the mean of the states' own (macro).
type At struct {
	Cutoff          string   `json:"at"` // 5, 4096tokens, returned
	Complete        float64  `json:"complete"`
	GroupRecall     float64  `json:"group_recall"`
	NecessityRecall float64  `json:"necessity_recall"`
	NDCG            *float64 `json:"ndcg"`        // null where some state's ideal order could not be searched out
	Items           float64  `json:"mean_items"`  // inside the cutoff; by tokens, admitted
	Tokens          *float64 `json:"mean_tokens"` // of those; null where token counts are not known
}

// Scored is one method's means.
type Scored struct {
	Method  string `json:"method"`
	States  int    `json:"states"`
	Missing int    `json:"missing"` // states without a row: they count zero
	Empty   int    `json:"empty"`   // rows that return nothing: they count zero
	At      []At   `json:"cutoffs"`
}

// Reference is what the pools allow at one cutoff.
type Reference struct {
	Cutoff string `json:"at"`
	// Uniform is the expected Complete-MSS of so many units drawn uniformly from each pool; null by tokens, and where the
	// count of some state was cut short.
	Uniform *float64 `json:"uniform"`
	Oracle  Ceiling  `json:"oracle"`
}

// Result is all that is scored of a cohort.
type Result struct {
	States       int
	Repositories int
	Instances    int
	Options      Options
	NoTokens     error // why there are no token figures; nil when there are
	Cutoffs      []Cutoff
	Methods      []Scored
	References   []Reference
	Partitions   []Partition
	Pair         *Pair // when two methods were compared

	cohort  *Cohort
	methods []Method
	points  [][]Point // per method: states x cutoffs
}

// Score scores every method of the cohort at every cutoff, with references and strata. pair names two methods to
// compare under budgets that are matched per state, or is empty.
func Score(c *Cohort, methods []Method, opt Options, pair [2]string) (*Result, error) {
	opt, err := opt.check()
	if err != nil {
		return nil, err
	}
	names := map[string]int{}
	for i, m := range methods {
		if _, twice := names[m.Name]; twice {
			return nil, fmt.Errorf("method %.120q is given twice", m.Name)
		}
		names[m.Name] = i
		if len(m.Rankings) != c.Len() {
			return nil, fmt.Errorf("method %.120q has %d rankings for %d states", m.Name, len(m.Rankings), c.Len())
		}
	}
	s := newScorer(c, opt)
	r := &Result{States: c.Len(), Options: opt, NoTokens: c.tokens, Cutoffs: s.cutoffs, cohort: c, methods: methods}
	r.Repositories = distinct(c, func(s *compiled) string { return s.Repository })
	r.Instances = distinct(c, func(s *compiled) string { return s.Instance })
	for _, m := range methods {
		points := make([]Point, 0, c.Len()*len(s.cutoffs))
		for i, ranking := range m.Rankings {
			points = s.score(i, ranking, points)
		}
		r.points = append(r.points, points)
	}
	everything := make([]int, c.Len())
	for i := range everything {
		everything[i] = i
	}
	for m := range methods {
		r.Methods = append(r.Methods, r.scored(m, everything))
	}
	r.References = s.references()
	if r.Partitions, err = r.partitions(); err != nil {
		return nil, err
	}
	if pair != [2]string{} {
		if r.Pair, err = s.pair(r, names, pair); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Point is a method's score of one state at one cutoff, all by their places in Methods, the cohort and Cutoffs.
func (r *Result) Point(method, state, cutoff int) Point {
	return r.points[method][state*len(r.Cutoffs)+cutoff]
}

// Ranking is what a method returned for a state.
func (r *Result) Ranking(method, state int) Ranking { return r.methods[method].Rankings[state] }

// Cohort is what was scored.
func (r *Result) Cohort() *Cohort { return r.cohort }

// scored is a method's means over some of the states.
func (r *Result) scored(method int, states []int) Scored {
	sc := Scored{Method: r.methods[method].Name, States: len(states)}
	for _, i := range states {
		switch ranking := r.methods[method].Rankings[i]; {
		case !ranking.given:
			sc.Missing++
		case len(ranking.units) == 0:
			sc.Empty++
		}
	}
	n := float64(len(states))
	for k, cutoff := range r.Cutoffs {
		var sum Point
		var tokens, items float64
		for _, i := range states {
			p := r.Point(method, i, k)
			sum.Complete += p.Complete
			sum.GroupRecall += p.GroupRecall
			sum.NecessityRecall += p.NecessityRecall
			sum.NDCG += p.NDCG
			items += float64(p.Items)
			tokens += float64(p.Tokens)
		}
		at := At{Cutoff: cutoff.String(), Complete: sum.Complete / n, GroupRecall: sum.GroupRecall / n, NecessityRecall: sum.NecessityRecall / n, Items: items / n}
		if !math.IsNaN(sum.NDCG) {
			at.NDCG = new(sum.NDCG / n)
		}
		if r.NoTokens == nil {
			at.Tokens = new(tokens / n)
		}
		sc.At = append(sc.At, at)
	}
	return sc
}

// references are the uniform draw and the oracle at every cutoff but the returned one, which no pool has.
func (s *scorer) references() (list []Reference) {
	sums := make([]float64, len(s.opt.Items))
	counted := true
	for _, state := range s.states {
		expected, ok := state.uniform(s.opt.Items)
		counted = counted && ok
		for i, e := range expected {
			sums[i] += e
		}
	}
	for i, at := range s.cutoffs {
		if at == Returned {
			continue
		}
		ref := Reference{Cutoff: at.String(), Oracle: s.ceiling(at)}
		if at.Items > 0 && counted {
			ref.Uniform = new(sums[i] / float64(len(s.states)))
		}
		list = append(list, ref)
	}
	return list
}

func distinct(c *Cohort, of func(*compiled) string) int {
	var values []string
	for _, s := range c.states {
		if v := of(s); v != "" {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return len(slices.Compact(values))
}
