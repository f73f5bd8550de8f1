package scores

import (
	"cmp"
	"math/bits"
	"slices"
)

// uniformLimit bounds the residual problems of one layer, as latticeLimit does.
const uniformLimit = 1 << 14

// uniformCells bounds problems times alternatives, as latticeCells does.
const uniformCells = 1 << 18

// block is units that are alike to a uniform draw: the same groups accept them and the same alternatives hold them.
type block struct {
	groups   uint64
	branches []int32
	size     int
}

// residual is what is still missing after some blocks were drawn from.
type residual struct {
	need  []int32 // per group, 0 when it is covered
	alive []bool  // per alternative: nothing of it was left out so far
	done  bool    // complete, whatever else is drawn
}

func (r residual) key() string {
	if r.done {
		return "done"
	}
	key := make([]byte, 0, 2*len(r.need)+len(r.alive))
	for _, n := range r.need {
		key = append(key, byte(n), byte(n>>8))
	}
	for _, a := range r.alive {
		if a {
			key = append(key, 1)
		} else {
			key = append(key, 0)
		}
	}
	return string(key)
}

// uniform is the expected Complete-MSS of k distinct units drawn uniformly from the pool, for each k of ks. The sum is
// exact: pool units are sorted into blocks, and the number of complete subsets with r useful units is counted block by
// block, where ways that leave the same need are counted together. With minimum_required 1 and no alternatives that is
// the inclusion-exclusion sum over groups, without its cancellation: every term here is positive. ok is false when there
// were more residual problems than uniformLimit. A k beyond the pool draws all of it.
func (c *compiled) uniform(ks []int) (expected []float64, ok bool) {
	n := len(c.Pool)
	most := 0
	for _, k := range ks {
		most = max(most, min(k, n))
	}
	blocks, useful := c.blocks()
	ways, ok := c.completions(blocks, min(most, useful))
	if !ok {
		return nil, false
	}
	for _, k := range ks {
		k = min(k, n)
		sum := 0.0
		for r := 0; r < len(ways) && r <= k; r++ {
			if ways[r] > 0 {
				sum += ways[r] * onlyThese(n, useful, k, r)
			}
		}
		expected = append(expected, min(1, sum))
	}
	return expected, true
}

// onlyThese is C(n-useful, k-r) / C(n, k): the probability that r given units are exactly the useful ones among k.
func onlyThese(n, useful, k, r int) float64 {
	p := 1.0
	for i := range r {
		p *= float64(k-i) / float64(n-i)
	}
	for j := range k - r {
		p *= float64(max(0, n-useful-j)) / float64(n-r-j)
	}
	return p
}

// blocks sorts the useful units of the pool.
func (c *compiled) blocks() (blocks []block, useful int) {
	type alike struct {
		groups   uint64
		branches string
	}
	at := map[alike]int{}
	for i, groups := range c.accepts {
		var branches []int32
		if c.of != nil {
			branches = c.of[i]
		}
		if groups == 0 && len(branches) == 0 {
			continue
		}
		useful++
		key := make([]byte, 0, 2*len(branches))
		for _, b := range branches {
			key = append(key, byte(b), byte(b>>8))
		}
		k := alike{groups, string(key)}
		j, there := at[k]
		if !there {
			j = len(blocks)
			at[k] = j
			blocks = append(blocks, block{groups: groups, branches: branches})
		}
		blocks[j].size++
	}
	// Blocks of one group side by side: its need is settled before the next one's begins, which keeps residuals few.
	slices.SortStableFunc(blocks, func(a, b block) int {
		return cmp.Or(cmp.Compare(bits.TrailingZeros64(a.groups), bits.TrailingZeros64(b.groups)), cmp.Compare(a.groups, b.groups))
	})
	return blocks, useful
}

// completions counts the complete sets of useful units by their size, up to most: ways[r].
func (c *compiled) completions(blocks []block, most int) (ways []float64, ok bool) {
	type layer struct {
		problems []residual
		counts   [][]float64 // per problem, by the number of units drawn
		at       map[string]int
	}
	add := func(l *layer, r residual, by float64, from []float64, drawn int) {
		key := r.key()
		i, there := l.at[key]
		if !there {
			i = len(l.problems)
			l.at[key] = i
			l.problems = append(l.problems, r)
			l.counts = append(l.counts, make([]float64, most+1))
		}
		for n, count := range from {
			if count > 0 && n+drawn <= most {
				l.counts[i][n+drawn] += count * by
			}
		}
	}
	start := residual{need: slices.Clone(c.need), alive: make([]bool, len(c.branches))}
	for i := range start.alive {
		start.alive[i] = true
	}
	now := layer{at: map[string]int{}}
	add(&now, start, 1, []float64{1}, 0)
	limit := min(uniformLimit, uniformCells/max(1, len(c.branches)))
	last := make([]int, len(c.branches)) // per alternative: its last block
	for i, b := range blocks {
		for _, a := range b.branches {
			last[a] = i
		}
	}
	for i, b := range blocks {
		next := layer{at: map[string]int{}}
		ahead := reach(blocks[i+1:], len(c.need))
		for p, r := range now.problems {
			chosen := 1.0
			for drawn := 0; drawn <= min(b.size, most); drawn++ {
				if drawn > 0 {
					chosen *= float64(b.size-drawn+1) / float64(drawn)
				}
				if after, live := r.draw(b, drawn, i, last, ahead); live {
					add(&next, after, chosen, now.counts[p], drawn)
				}
			}
			if len(next.problems) > limit {
				return nil, false
			}
		}
		now = next
	}
	ways = make([]float64, most+1)
	for p, r := range now.problems {
		if r.done {
			for n, count := range now.counts[p] {
				ways[n] += count
			}
		}
	}
	return ways, true
}

// reach is how many units each group can still get from blocks.
func reach(blocks []block, groups int) []int32 {
	ahead := make([]int32, groups)
	for _, b := range blocks {
		for mask := b.groups; mask != 0; mask &= mask - 1 {
			ahead[bits.TrailingZeros64(mask)] += int32(b.size)
		}
	}
	return ahead
}

// draw is the residual problem after drawing so many units of block at. live is false when it can't be completed.
func (r residual) draw(b block, drawn, at int, last []int, ahead []int32) (after residual, live bool) {
	if r.done {
		return r, true
	}
	after = residual{need: slices.Clone(r.need), alive: slices.Clone(r.alive)}
	for mask := b.groups; mask != 0; mask &= mask - 1 {
		j := bits.TrailingZeros64(mask)
		after.need[j] = max(0, after.need[j]-int32(drawn))
	}
	open, possible := false, true
	for j, n := range after.need {
		open = open || n > 0
		possible = possible && n <= ahead[j]
	}
	after.done = !open
	for _, a := range b.branches {
		after.alive[a] = after.alive[a] && drawn == b.size
		after.done = after.done || after.alive[a] && last[a] == at
	}
	if after.done {
		return residual{done: true}, true
	}
	return after, possible || slices.Contains(after.alive, true)
}
