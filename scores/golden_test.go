package scores_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"evlab/organizer"
	"evlab/scores"
)

// The paper's tables through the scorer: cohorts are made that have the printed counts (so many states of a stratum
// complete at a cutoff), scored, and must come out as the figures that are printed.

// made is a cohort under construction: states with so many groups, and per method the position at which each completes.
type made struct {
	states []scores.State
	at     map[string][]int // per method and state; 0 for never
}

const pooled = 24 // units of a pool: groups' own first, then fillers

// add appends a state of g groups that each need a unit of their own.
func (m *made) add(g int, observed bool, coverable bool) int {
	s := scores.State{ID: fmt.Sprint("s", len(m.states)), Pool: pool(pooled), Observed: []string{}, Certificate: &organizer.Certificate{}}
	for j := range g {
		ids := []string{s.Pool[j].ID}
		if !coverable {
			ids = []string{"elsewhere"}
		}
		s.Certificate.Groups = append(s.Certificate.Groups, organizer.Group{ID: fmt.Sprint(j), NecessityWeight: 1, AcceptableIDs: ids})
	}
	if observed {
		s.Observed = []string{s.Pool[pooled-1].ID}
	}
	m.states = append(m.states, s)
	return len(m.states) - 1
}

// complete lets a method complete the first counts[i] of the states at position at[i] at the latest. Counts ascend.
func (m *made) complete(method string, states []int, at []int, counts []int) {
	if m.at == nil {
		m.at = map[string][]int{}
	}
	if m.at[method] == nil {
		m.at[method] = make([]int, 600)
	}
	for i, s := range states {
		for k, n := range counts {
			if i < n {
				m.at[method][s] = at[k]
				break
			}
		}
	}
}

// score ranks fillers, and the groups' units so that the last of them is at the position.
func (m *made) score(t *testing.T, opt scores.Options, methods ...string) *scores.Result {
	t.Helper()
	c, err := scores.NewCohort(m.states)
	if err != nil {
		t.Fatal(err)
	}
	r := scores.NewRanker(c)
	var list []scores.Method
	for _, name := range methods {
		method := scores.Method{Name: name}
		for i, s := range m.states {
			g, at := len(s.Certificate.Groups), m.at[name][i]
			if at == 0 || at > pooled {
				at, g = pooled-1, g-1 // one unit is left out
			}
			if at < g {
				t.Fatalf("%d groups can't be complete at %d", g, at)
			}
			order := slices.Concat(ids(s.Pool)[len(s.Certificate.Groups):][:at-g], ids(s.Pool)[:g])
			ranking, errs := r.Rank(i, slices.Values(order))
			if errs != nil {
				t.Fatal(errs)
			}
			method.Rankings = append(method.Rankings, ranking)
		}
		list = append(list, method)
	}
	pair := [2]string{}
	if len(methods) == 2 {
		pair = [2]string{methods[1], methods[0]}
	}
	result, err := scores.Score(c, list, opt, pair)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func partition(r *scores.Result, by string) scores.Partition {
	return r.Partitions[slices.IndexFunc(r.Partitions, func(p scores.Partition) bool { return p.By == by })]
}

// TestTable6: the histogram of groups gives the mean, the two coarse strata, and, with a unit of its own for each group,
// the oracle's ceiling at five: one state needs six.
func TestTable6(t *testing.T) {
	p := readPaper(t)
	var m made
	groups, several, three := 0, 0, 0
	for size, n := range p.Table6.ByGroups {
		var g int
		fmt.Sscan(size, &g)
		for range n {
			m.add(g, false, true)
		}
		groups += g * n
		if g > 1 {
			several += n
		}
		if g > 2 {
			three += n
		}
	}
	boundaries := 0
	for _, n := range p.Table6.ByBoundary {
		boundaries += n
	}
	if len(m.states) != 500 || boundaries != 500 || several != p.Table6.SeveralGroups || three != p.Table6.ThreeOrMore {
		t.Errorf("%d states by groups, %d by boundary, %d with several groups, %d with three or more", len(m.states), boundaries, several, three)
	}
	if mean := float64(groups) / 500; math.Abs(mean-p.Table6.MeanGroups) > 0.0005 {
		t.Errorf("mean %v groups, the paper prints %v", mean, p.Table6.MeanGroups)
	}
	r := m.score(t, scores.Options{})
	for _, ref := range r.References {
		if ref.Cutoff == "5" && (!ref.Oracle.Exact || math.Abs(100*ref.Oracle.Complete-p.Table6.Oracle) > half) {
			t.Errorf("oracle at 5: %+v, the paper prints %v", ref.Oracle, p.Table6.Oracle)
		}
	}
	printed(t, "units in all pools, by their mean", p.Text.PoolMean*500, math.Round(p.Text.PoolMean*500))
}

// TestTable11 makes the five curves out of their counts; the same curves have table 1's and table 4's entries.
func TestTable11(t *testing.T) {
	p := readPaper(t)
	var m made
	var all []int
	for range 500 {
		all = append(all, m.add(1, false, true))
	}
	var names []string
	for name, curve := range p.Table11.Rows {
		var counts []int
		for i, percent := range curve {
			counts = append(counts, countOf(t, name, percent, 500))
			if i > 0 && counts[i] < counts[i-1] {
				t.Errorf("%s falls at k = %d", name, p.Table11.K[i])
			}
		}
		m.complete(name, all, p.Table11.K, counts)
		names = append(names, name)
	}
	r := m.score(t, scores.Options{}, names...)
	for _, method := range r.Methods {
		for i, want := range p.Table11.Rows[method.Method] {
			printed(t, fmt.Sprintf("%s at %s", method.Method, method.At[i].Cutoff), 100*method.At[i].Complete, want)
		}
	}
	for name, row := range map[string]string{"qwen3-rerank": "Qwen3-Embed + Reranker-8B", "mss-complement": "MSS-Complement"} {
		if curve, t1 := p.Table11.Rows[name], p.Table1.Rows[row]; curve[2] != t1[0] || curve[3] != t1[1] {
			t.Errorf("%s: tables 1 and 11 differ", name)
		}
	}
}

// TestTable14GivesTable1: twelve methods in two strata by overlap; each stratum and the whole come out as printed.
func TestTable14GivesTable1(t *testing.T) {
	p := readPaper(t)
	for name, whole := range p.Table1.Rows {
		no, yes := p.Table14.No.Rows[name], p.Table14.Yes.Rows[name]
		if len(no) != 5 || len(yes) != 5 {
			t.Fatalf("table 14 has no %s", name)
		}
		var m made
		var strata [2][]int
		for i, n := range []int{p.Table14.No.States, p.Table14.Yes.States} {
			for range n {
				strata[i] = append(strata[i], m.add(1, i == 1, true))
			}
		}
		for i, row := range [][]float64{no, yes} {
			n := len(strata[i])
			m.complete(name, strata[i], []int{5, 8}, []int{countOf(t, name, row[0], n), countOf(t, name, row[1], n)})
		}
		r := m.score(t, scores.Options{Items: []int{5, 8}}, name)
		for i, s := range partition(r, "overlap").Strata {
			row := [][]float64{no, yes}[i]
			printed(t, name+" at 5, overlap "+s.Name, 100*s.Methods[0].At[0].Complete, row[0])
			printed(t, name+" at 8, overlap "+s.Name, 100*s.Methods[0].At[1].Complete, row[1])
		}
		printed(t, name+" at 5", 100*r.Methods[0].At[0].Complete, whole[0])
		printed(t, name+" at 8", 100*r.Methods[0].At[1].Complete, whole[1])
		for i, column := range []string{"group recall at 5", "group recall at 8", "necessity recall at 5"} {
			got := scores.Recombine([]scores.Part{{Weight: 314, Mean: no[2+i]}, {Weight: 186, Mean: yes[2+i]}})
			if math.Abs(got-whole[2+i]) > 2*half { // both strata are rounded, and so is the whole
				t.Errorf("%s, %s: the strata give %.4f, table 1 prints %.2f", name, column, got, whole[2+i])
			}
		}
	}
}

// TestTable15: the differences within the strata are those of table 14's counts.
func TestTable15(t *testing.T) {
	p := readPaper(t)
	for i, s := range []stratum14{p.Table14.No, p.Table14.Yes} {
		for k := range 2 {
			ours := countOf(t, "ours", s.Rows["MSS-Complement"][k], s.States)
			theirs := countOf(t, "theirs", s.Rows["Qwen3-Embed + Reranker-8B"][k], s.States)
			want := [][]float64{p.Table15.No, p.Table15.Yes}[i][k]
			printed(t, fmt.Sprintf("stratum %d, column %d", i, k), 100*float64(ours-theirs)/float64(s.States), want)
		}
	}
}

// TestTable16: strata by required groups, their differences, their sum, and the 284 states with several groups.
func TestTable16(t *testing.T) {
	p := readPaper(t)
	const qwen, mss = "qwen3-rerank", "mss-complement"
	var m made
	several := map[int]int{}
	for i, s := range p.Table16.Strata {
		var states []int
		for range s.States {
			states = append(states, m.add(i+1, false, true))
		}
		for j, name := range []string{qwen, mss} {
			counts := []int{countOf(t, name, s.At5[j], s.States), countOf(t, name, s.At8[j], s.States)}
			m.complete(name, states, []int{5, 8}, counts)
			if i > 0 {
				sign := 2*j - 1
				several[5] += sign * counts[0]
				several[8] += sign * counts[1]
			}
		}
	}
	r := m.score(t, scores.Options{Items: []int{5, 8}}, qwen, mss)
	for i, s := range partition(r, "groups").Strata {
		want := p.Table16.Strata[i]
		if s.Name != want.Groups || s.States != want.States {
			t.Fatalf("stratum %s of %d states, the paper has %s of %d", s.Name, s.States, want.Groups, want.States)
		}
		for k, row := range [][]float64{want.At5, want.At8} {
			a, b := s.Methods[0].At[k].Complete, s.Methods[1].At[k].Complete
			printed(t, s.Name+" groups, Qwen", 100*a, row[0])
			printed(t, s.Name+" groups, MSS", 100*b, row[1])
			printed(t, s.Name+" groups, difference", 100*(b-a), row[2])
		}
	}
	for k, row := range [][]float64{p.Table16.All.At5, p.Table16.All.At8} {
		pair := r.Pair.Rows[k]
		printed(t, "all, MSS", 100*pair.A, row[1])
		printed(t, "all, Qwen", 100*pair.B, row[0])
		printed(t, "all, difference", 100*pair.Diff, row[2])
	}
	printed(t, "several groups at 5", 100*float64(several[5])/float64(p.Table16.Several.States), p.Table16.Several.At5)
	printed(t, "several groups at 8", 100*float64(several[8])/float64(p.Table16.Several.States), p.Table16.Several.At8)
}

// TestTable17: the states that are not coverable complete nothing, so the coverable subset's counts are the whole's.
func TestTable17(t *testing.T) {
	p := readPaper(t)
	const qwen, mss = "qwen3-rerank", "mss-complement"
	var m made
	var coverable []int
	for i := range p.Table17.All {
		at := m.add(1, false, i < p.Table17.Coverable)
		if i < p.Table17.Coverable {
			coverable = append(coverable, at)
		}
	}
	for _, name := range []string{qwen, mss} {
		row := p.Table17.Rows[name].Complete
		m.complete(name, coverable, []int{5, 8}, []int{countOf(t, name, row[0], 500), countOf(t, name, row[1], 500)})
	}
	r := m.score(t, scores.Options{Items: []int{5, 8}}, qwen, mss)
	yes := partition(r, "coverable").Strata[1]
	if yes.Name != "yes" || yes.States != p.Table17.Coverable {
		t.Fatalf("%d states are coverable: %s", yes.States, yes.Name)
	}
	printed(t, "coverable", 100*yes.Weight, p.Table17.CoverablePercent)
	for j, name := range []string{qwen, mss} {
		row := p.Table17.Rows[name]
		for k := range 2 {
			printed(t, name+", all", 100*r.Methods[j].At[k].Complete, row.Complete[k])
			printed(t, name+", coverable", 100*yes.Methods[j].At[k].Complete, row.CoverableComplete[k])
			// The rest of the group recall is what states that can't be completed still cover: no more than all of them.
			rest := (row.Group[k]*500 - row.CoverableGroup[k]*333) / 167
			if rest < 0 || rest > 100 || row.Group[k] < row.Complete[k] {
				t.Errorf("%s: states that are not coverable would have group recall %.2f", name, rest)
			}
		}
	}
	printed(t, "difference, all", 100*r.Pair.Rows[0].Diff, p.Table17.DiffAll)
	printed(t, "difference, coverable", 100*(yes.Methods[1].At[0].Complete-yes.Methods[0].At[0].Complete), p.Table17.DiffCoverable)
}
