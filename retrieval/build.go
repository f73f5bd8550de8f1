package retrieval

import (
	"cmp"
	"math"
	"slices"

	"evlab/evidence"
)

// build makes the index in passes over the units' terms: the first numbers the terms and collects, unit by unit, which
// occur how often; the others deal these out into one posting list per term.
func build(units []evidence.Unit, k1, b float64) *BM25 {
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(units[x].ID, units[y].ID) })

	x := &BM25{
		k1:    k1,
		ids:   make([]string, len(units)),
		norms: make([]float64, len(units)),
		ends:  make([]int, len(units)),
		terms: make(map[string]uint32, len(stopWords)+4*len(units)),
	}
	for i, w := range stopWords {
		x.terms[w] = uint32(i)
	}
	c := collector{index: x, df: make([]int, len(stopWords)), slots: make([]slot, len(stopWords))}
	total := 0.0
	for doc, i := range order {
		x.ids[doc] = units[i].ID
		length := c.add(doc, units[i])
		x.norms[doc] = float64(length)
		total += float64(length)
		x.ends[doc] = len(c.terms)
	}
	average := total / float64(max(1, len(units)))
	if average == 0 {
		average = 1 // no unit has a term, so no norm is ever used
	}
	for doc, length := range x.norms {
		x.norms[doc] = k1 * ((1 - b) + float64(b*length)/average)
	}
	x.entries, x.freqs = c.terms, c.freqs
	x.deal(c.df)
	return x
}

// slot says where the current unit's entry for a term is.
type slot struct {
	doc uint32 // number of the unit, plus one
	at  uint32 // relative to the unit's first entry
}

// collector gathers (term, frequency) entries unit by unit.
type collector struct {
	index    *BM25
	splitter splitter
	terms    []uint32
	freqs    []uint16
	df       []int  // by term
	slots    []slot // by term
}

// add collects the terms of one unit and returns their number, stop words excluded.
func (c *collector) add(doc int, u evidence.Unit) int {
	length, first := 0, len(c.terms)
	emit := func(term []byte) {
		t, known := c.index.terms[string(term)]
		if !known {
			t = uint32(len(c.df))
			c.index.terms[string(term)] = t
			c.df = append(c.df, 0)
			c.slots = append(c.slots, slot{})
		}
		if int(t) < len(stopWords) {
			return
		}
		length++
		s := &c.slots[t]
		if s.doc != uint32(doc)+1 {
			*s = slot{doc: uint32(doc) + 1, at: uint32(len(c.terms) - first)}
			c.df[t]++
			c.terms = append(c.terms, t)
			c.freqs = append(c.freqs, 1)
		} else if f := &c.freqs[first+int(s.at)]; *f < math.MaxUint16 {
			*f++
		}
	}
	c.splitter.split(u.Path, emit)
	c.splitter.split(u.Symbol, emit)
	c.splitter.split(u.Text, emit)
	return length
}

// deal fills the posting lists. Units come in ascending order, so each list does too.
func (x *BM25) deal(df []int) {
	x.starts = make([]int, len(df)+1)
	for t, n := range df {
		x.starts[t+1] = x.starts[t] + n
	}
	x.best = make([]float64, len(df))
	x.each(func(doc int, t uint32, share float64) { x.best[t] = max(x.best[t], share) })

	next := slices.Clone(x.starts)
	x.docs = make([]uint32, len(x.entries))
	x.ceilings = make([]uint8, len(x.entries))
	x.each(func(doc int, t uint32, share float64) {
		at := next[t]
		next[t]++
		x.docs[at], x.ceilings[at] = uint32(doc), uint8(math.Ceil(255*(share/x.best[t])))
	})
}

// each calls do for every entry, with its f/(f+norm).
func (x *BM25) each(do func(doc int, t uint32, share float64)) {
	i := 0
	for doc, end := range x.ends {
		for norm := x.norms[doc]; i < end; i++ {
			f := float64(x.freqs[i])
			do(doc, x.entries[i], f/(f+norm))
		}
	}
}
