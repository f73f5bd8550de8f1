package scores

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// latticeLimit bounds the nodes of one state's lattice. It is a count and not a time, so that an answer does not depend
// on the machine. Certificates that people write have some dozens.
const latticeLimit = 1 << 14

// latticeCells bounds nodes times kinds, so that a certificate of thousands of kinds ends as soon.
const latticeCells = 1 << 22

// kind is the units that the same groups accept: for coverage one is as good as another, so the cheapest come first.
type kind struct {
	groups uint64
	tokens []int // of the units, ascending
	most   int   // units beyond this many can't help: the greatest need among the groups
}

// node is a way to have taken so many units of each kind, each of them useful when it was taken.
type node struct {
	taken   []byte // per kind
	covered uint64
	tokens  int
	dcg     float64 // the best over the orders in which they can be taken
}

// lattice is every irredundant way to cover groups, layer by layer: layer n holds the ways to have taken n units. A set
// without a superfluous unit can be taken in any order with every unit useful at its turn (each serves a group that
// needs it), and a superfluous unit only delays the others, so both the smallest covers and the best order are inside.
type lattice struct {
	layers [][]node
	exact  bool // every layer is there
}

// newLattice explores the kinds. gains is per group, need is how many units each asks for.
func newLattice(kinds []kind, need []int32, gains []float64) *lattice {
	l := &lattice{layers: [][]node{{{taken: make([]byte, len(kinds))}}}}
	all := ^uint64(0) >> (64 - len(need))
	limit := min(latticeLimit, latticeCells/max(1, len(kinds)))
	for nodes := 1; ; {
		var layer []node
		found := map[string]int{}
		depth := len(l.layers)
		for _, n := range l.layers[depth-1] {
			for i, k := range kinds {
				if k.groups&^n.covered == 0 || int(n.taken[i]) == k.most {
					continue
				}
				next := n.with(i, k, kinds, need, gains, depth)
				if at, there := found[string(next.taken)]; there {
					layer[at].dcg = max(layer[at].dcg, next.dcg)
					continue
				}
				if nodes++; nodes > limit {
					return l
				}
				found[string(next.taken)] = len(layer)
				layer = append(layer, next)
			}
		}
		if len(layer) == 0 {
			break
		}
		l.layers = append(l.layers, layer)
		if !slices.ContainsFunc(layer, func(n node) bool { return n.covered != all }) {
			break
		}
	}
	l.exact = true
	return l
}

// with takes one more unit of kind i at the position.
func (n node) with(i int, k kind, kinds []kind, need []int32, gains []float64, position int) node {
	next := node{taken: slices.Clone(n.taken), covered: n.covered, tokens: n.tokens + k.tokens[n.taken[i]], dcg: n.dcg}
	next.taken[i]++
	for mask := k.groups &^ n.covered; mask != 0; mask &= mask - 1 {
		j := bits.TrailingZeros64(mask)
		have := int32(0)
		for at, other := range kinds {
			if other.groups&(1<<j) != 0 {
				have += int32(next.taken[at])
			}
		}
		if have >= need[j] {
			next.covered |= 1 << j
			next.dcg += gains[j] / discount(position)
		}
	}
	return next
}

// kindsOf sorts the state's useful units into kinds: those of its pool, and on request also the acceptable ones outside,
// whose tokens are not known.
func (c *compiled) kindsOf(outside bool) (kinds []kind, fits bool) {
	byGroups := map[uint64][]int{}
	for i, groups := range c.accepts {
		if groups != 0 {
			byGroups[groups] = append(byGroups[groups], c.Pool[i].Tokens)
		}
	}
	if outside {
		for _, groups := range c.outside {
			byGroups[groups] = append(byGroups[groups], 0)
		}
	}
	for groups, tokens := range byGroups {
		slices.Sort(tokens)
		k := kind{groups: groups, tokens: tokens}
		for mask := groups; mask != 0; mask &= mask - 1 {
			k.most = max(k.most, int(c.need[bits.TrailingZeros64(mask)]))
		}
		k.most = min(k.most, len(tokens))
		if k.most > math.MaxUint8 {
			return nil, false
		}
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b kind) int { return cmp.Compare(a.groups, b.groups) })
	return kinds, true
}

// lattice is the state's over its pool, or over all of its acceptable units.
func (c *compiled) lattice(outside bool, gains []float64) *lattice {
	kinds, fits := c.kindsOf(outside)
	if !fits {
		return &lattice{layers: [][]node{{{}}}}
	}
	return newLattice(kinds, c.need, gains)
}
