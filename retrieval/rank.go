package retrieval

import (
	"cmp"
	"math/bits"
	"slices"
)

// window is the number of documents whose scores are summed at a time: their partial scores stay in the nearest cache.
const window = 2048

// dropEvery is the number of lists added between two looks for hopeless candidates.
const dropEvery = 4

// list is the posting list of one query term.
type list struct {
	term   string
	docs   []uint32
	freqs  []uint16
	factor float64 // n(t,q) * idf * (k1+1)
	bound  float64 // the greatest contribution to any document, up to rounding
	pos    int     // next posting not yet passed
}

// ranking is one query's work space. Between windows, partial and touched are all zero.
type ranking struct {
	lists      []list
	active     []*list   // those with postings in the window, in the same order
	rest       []float64 // by active list: the sum of bounds from it on; one more, zero, for the end
	slack      float64   // factor that makes up for rounding in bounds
	partial    [window]float64
	touched    [window / 64]uint64
	candidates []uint32 // places in partial
	heap       worst
}

// Rank returns the k units of the greatest scores, greatest first, equal ones by unit id. Units that share no term
// with the query are not ranked, so there may be fewer; a k of zero or less returns none.
//
// It is MaxScore (Turtle and Flood 1995) over windows of documents. In each window the lists are taken in order of
// their bounds. Those at the end whose bounds together can't lift a unit above the k-th best so far only add to
// units that the lists before them brought up, and only to those that can still rise above the k-th.
func (x *BM25) Rank(query string, k int) []Hit {
	k = min(k, len(x.ids))
	if k <= 0 {
		return nil
	}
	r, _ := x.scratch.Get().(*ranking)
	if r == nil {
		r = new(ranking)
	}
	x.prepare(r, query)
	r.heap.reset(k)
	for base := 0; base < len(x.ids); base += window {
		r.scan(uint32(base), x.norms[base:min(base+window, len(x.ids))])
	}
	hits := r.heap.hits(x.ids)
	x.scratch.Put(r)
	return hits
}

// prepare finds the query's lists, in the order of summation, and their bounds.
func (x *BM25) prepare(r *ranking, query string) {
	at := map[uint32]int{} // term -> index into r.lists
	r.lists = r.lists[:0]
	var s splitter
	s.split(query, func(term []byte) {
		t, known := x.terms[string(term)]
		if !known || int(t) < len(stopWords) {
			return
		}
		i, again := at[t]
		if !again {
			i = len(r.lists)
			at[t] = i
			from, to := x.starts[t], x.starts[t+1]
			r.lists = append(r.lists, list{term: string(term), docs: x.docs[from:to], freqs: x.freqs[from:to], bound: x.best[t]})
		}
		r.lists[i].factor++ // n(t,q) for now
	})
	for i := range r.lists {
		l := &r.lists[i]
		l.factor *= idf(len(x.ids), len(l.docs)) * (x.k1 + 1)
		l.bound *= l.factor
	}
	slices.SortFunc(r.lists, func(a, b list) int {
		return cmp.Or(cmp.Compare(b.bound, a.bound), cmp.Compare(a.term, b.term))
	})
	// Bounds are sums of rounded numbers, taken in another order than the scores they bound. Each of the n additions
	// and the few operations of a contribution err by at most 2^-53 of the result.
	r.slack = 1 + float64(2*len(r.lists)+16)*0x1p-52
}

// scan ranks the documents from base on that norms belong to.
func (r *ranking) scan(base uint32, norms []float64) {
	leading := r.enter(base, base+uint32(len(norms)))
	if leading == 0 {
		return
	}
	for _, l := range r.active[:leading] {
		r.sum(l, base, norms)
	}
	r.gather(r.rest[leading])
	for i := leading; i < len(r.active) && len(r.candidates) > 0; i++ {
		r.add(r.active[i], base, norms)
		if (i-leading)%dropEvery == dropEvery-1 {
			r.drop(r.rest[i+1])
		}
	}
	for _, at := range r.candidates {
		r.heap.offer(r.partial[at], base+at)
		r.partial[at] = 0
	}
}

// enter finds the lists with postings from base to end and returns how many of them lead: without these no document
// can rise above the k-th.
func (r *ranking) enter(base, end uint32) (leading int) {
	r.active = r.active[:0]
	for i := range r.lists {
		l := &r.lists[i]
		l.seek(base)
		if l.pos < len(l.docs) && l.docs[l.pos] < end {
			r.active = append(r.active, l)
		}
	}
	r.rest = slices.Grow(r.rest[:0], len(r.active)+1)[:len(r.active)+1]
	r.rest[len(r.active)] = 0
	for i, l := range slices.Backward(r.active) {
		r.rest[i] = r.rest[i+1] + l.bound
	}
	leading = len(r.active)
	for leading > 0 && r.hopeless(r.rest[leading-1]) {
		leading--
	}
	return leading
}

// hopeless reports whether a document whose score is at most bound, up to rounding, can't enter the heap. An equal
// score is no help, since the document comes after all that are in.
func (r *ranking) hopeless(bound float64) bool { return bound*r.slack <= r.heap.least() }

// sum adds a leading list's contributions to the partial scores.
func (r *ranking) sum(l *list, base uint32, norms []float64) {
	docs, pos, factor := l.docs, l.pos, l.factor
	freqs := l.freqs[:len(docs)]
	end := base + uint32(len(norms))
	for pos < len(docs) {
		doc := docs[pos]
		if doc >= end {
			break
		}
		at := (doc - base) % window
		f := float64(freqs[pos])
		r.partial[at] += factor * f / (f + norms[at])
		r.touched[at/64] |= 1 << (at % 64)
		pos++
	}
	l.pos = pos
}

// gather makes the touched documents the candidates and clears touched. Documents that are hopeless with rest still
// to come are left out, and their partial scores cleared.
func (r *ranking) gather(rest float64) {
	r.candidates = r.candidates[:0]
	for w := range r.touched {
		for set := r.touched[w]; set != 0; set &= set - 1 {
			r.candidates = append(r.candidates, uint32(w*64+bits.TrailingZeros64(set)))
		}
		r.touched[w] = 0
	}
	r.drop(rest)
}

// drop takes out the candidates that are hopeless with rest still to come.
func (r *ranking) drop(rest float64) {
	kept, slack, least := r.candidates[:0], r.slack, r.heap.least()
	for _, at := range r.candidates {
		if at %= window; (r.partial[at]+rest)*slack <= least { // hopeless
			r.partial[at] = 0
		} else {
			kept = append(kept, at)
		}
	}
	r.candidates = kept
}

// add adds a list's contributions to the candidates' partial scores: posting by posting, or, when candidates are far
// fewer, candidate by candidate. Both make the same additions.
func (r *ranking) add(l *list, base uint32, norms []float64) {
	end := base + uint32(len(norms))
	if l.pos+8*len(r.candidates) < len(l.docs) && l.docs[l.pos+8*len(r.candidates)] < end {
		for _, at := range r.candidates {
			if l.seek(base + at) {
				f := float64(l.freqs[l.pos])
				r.partial[at%window] += l.factor * f / (f + norms[at])
			}
		}
		return
	}
	docs, pos, factor := l.docs, l.pos, l.factor
	freqs := l.freqs[:len(docs)]
	for pos < len(docs) {
		doc := docs[pos]
		if doc >= end {
			break
		}
		if at := (doc - base) % window; r.partial[at] != 0 {
			f := float64(freqs[pos])
			r.partial[at] += factor * f / (f + norms[at])
		}
		pos++
	}
	l.pos = pos
}

// seek advances to the first posting at or after doc and reports whether it is doc's.
func (l *list) seek(doc uint32) bool {
	lo, step := l.pos, 1 // all postings before lo are before doc
	hi := lo
	for hi < len(l.docs) && l.docs[hi] < doc {
		lo = hi + 1
		hi += step
		step *= 2
	}
	hi = min(hi, len(l.docs))
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if l.docs[mid] < doc {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	l.pos = lo
	return lo < len(l.docs) && l.docs[lo] == doc
}
