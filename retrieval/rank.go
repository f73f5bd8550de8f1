package retrieval

import (
	"cmp"
	"math/bits"
	"slices"
)

const (
	// window is the number of documents whose ceilings are summed at a time: they stay in the nearest cache.
	window = 2048

	// sharp says when enough lists are added to look for candidates: when the others could not lift a document by more
	// than this part of what it needs. Before, too many would be kept.
	sharp = 8

	// worth is the number of postings that take as long to add as one document's exact score.
	worth = 256

	// resolution is the sum of all lists' bounds in the integers that ceilings are added in: fine enough that rounding
	// a bound up to it costs nothing, and far from overflowing.
	resolution = 1 << 40
)

// list is the posting list of one query term.
type list struct {
	name     string
	term     uint32
	docs     []uint32
	ceilings []uint8
	factor   float64 // n(t,q) * idf * (k1+1)
	bound    float64 // the greatest contribution to any document, up to rounding
	weight   uint64  // a 255th of bound, rounded up, in the units of ranking.ceiling
	pos      int     // next posting not yet passed
}

// ranking is one query's work space. Between windows ceiling is all zero, between queries asked is.
type ranking struct {
	lists []list
	asked []uint64  // by term, a bit each: is it in lists?
	at    []uint32  // by term that is: its index in lists
	freqs []float64 // by list: f in the document being scored
	seen  []uint64  // the lists that have one, a bit each

	scale   float64        // what a score is multiplied with to compare with ceiling
	rest    []uint64       // by list: the ceilings' greatest sum from it on; one more, zero, for the end
	coming  []int          // by list: the postings per window from it on, on average; one more, zero
	ceiling [window]uint64 // what the score of a document of the window can't exceed, by the lists added so far
	kept    []uint32       // the candidates: places in the window
	leaders worst          // the candidates of the greatest ceilings
	floor   float64        // what is known of the k-th best score while heap is not full
	heap    worst
}

// Rank returns the k units of the greatest scores, greatest first, equal ones by unit id. Units that share no term
// with the query are not ranked, so there may be fewer; a k of zero or less returns none.
//
// It is MaxScore (Turtle and Flood 1995) over windows of documents, with cheap ceilings for sums: a posting holds its
// contribution rounded up to a 255th of its list's greatest, and only documents whose sum of those can still rise
// above the k-th best so far are scored, from their own terms. Lists are taken in order of their bounds. The last of
// them, whose bounds together can lift a document by little, are added only if that is less work than scoring the
// documents that the lists before them left.
func (x *BM25) Rank(query string, k int) []Hit {
	k = min(k, len(x.ids))
	if k <= 0 {
		return nil
	}
	r, _ := x.scratch.Get().(*ranking)
	if r == nil {
		r = &ranking{asked: make([]uint64, len(x.best)/64+1), at: make([]uint32, len(x.best))}
	}
	x.prepare(r, query)
	r.heap.reset(k)
	r.floor = 0
	for base := 0; base < len(x.ids) && len(r.lists) > 0; base += window {
		x.scan(r, uint32(base), uint32(min(base+window, len(x.ids))))
	}
	for i := range r.lists {
		r.asked[r.lists[i].term/64] = 0
	}
	hits := r.heap.hits(x.ids)
	x.scratch.Put(r)
	return hits
}

// prepare finds the query's lists, in the order of summation, and their bounds.
func (x *BM25) prepare(r *ranking, query string) {
	r.lists = r.lists[:0]
	var s splitter
	s.split(query, func(term []byte) {
		t, known := x.terms[string(term)]
		if !known || int(t) < len(stopWords) {
			return
		}
		if r.asked[t/64]>>(t%64)&1 == 0 {
			from, to := x.starts[t], x.starts[t+1]
			r.lists = append(r.lists, list{
				name: string(term), term: t, docs: x.docs[from:to], ceilings: x.ceilings[from:to], bound: x.best[t],
			})
			r.at[t] = uint32(len(r.lists) - 1)
			r.asked[t/64] |= 1 << (t % 64)
		}
		r.lists[r.at[t]].factor++ // n(t,q) for now
	})
	total := 0.0
	for i := range r.lists {
		l := &r.lists[i]
		l.factor *= idf(len(x.ids), len(l.docs)) * (x.k1 + 1)
		l.bound *= l.factor
		total += l.bound
	}
	slices.SortFunc(r.lists, func(a, b list) int {
		return cmp.Or(cmp.Compare(b.bound, a.bound), cmp.Compare(a.name, b.name))
	})

	n := len(r.lists)
	r.freqs = slices.Grow(r.freqs[:0], n)[:n]
	r.seen = slices.Grow(r.seen[:0], n/64+1)[:n/64+1]
	clear(r.seen)
	r.rest = slices.Grow(r.rest[:0], n+1)[:n+1]
	r.coming = slices.Grow(r.coming[:0], n+1)[:n+1]
	r.rest[n], r.coming[n] = 0, 0
	windows := (len(x.ids) + window - 1) / window
	for i, l := range slices.Backward(r.lists) {
		r.at[l.term] = uint32(i)
		r.lists[i].weight = uint64(resolution*(l.bound/total)) + 1
		r.rest[i] = r.rest[i+1] + 255*r.lists[i].weight
		r.coming[i] = r.coming[i+1] + len(l.docs)/windows
	}
	// Scores are sums of rounded numbers, in another order than their ceilings. Each of the n additions and the few
	// operations of a contribution err by at most 2^-53 of the result.
	slack := 1 + float64(2*n+32)*0x1p-52
	r.scale = 255 * resolution / total / slack
}

// hopeless is the greatest ceiling with which a document can't enter the heap. An equal score is no help, since the
// document comes after all that are in.
func (r *ranking) hopeless() uint64 {
	if least := r.heap.least(); least > 0 {
		return uint64(least * r.scale)
	}
	return max(1, uint64(r.floor*r.scale)) - 1 // documents that score exactly floor are wanted
}

// scan ranks the documents from base to end.
func (x *BM25) scan(r *ranking, base, end uint32) {
	hopeless := r.hopeless()
	next := 0 // the first list that is not added
	for ; next < len(r.lists) && r.rest[next] > hopeless/sharp; next++ {
		r.add(&r.lists[next], base, end)
	}
	r.gather(int(end-base), hopeless-min(hopeless, r.rest[next]))
	if worth*len(r.kept) > r.coming[next] {
		for ; next < len(r.lists); next++ {
			r.add(&r.lists[next], base, end)
		}
		r.kept = slices.DeleteFunc(r.kept, func(at uint32) bool { return r.ceiling[at%window] <= hopeless })
	}
	if r.heap.least() == 0 {
		x.raiseFloor(r, base)
	}
	rest := r.rest[next]
	for _, at := range r.kept {
		if r.ceiling[at]+rest > r.hopeless() {
			r.heap.offer(x.score(r, base+at), base+at)
		}
	}
	clear(r.ceiling[:end-base])
}

// add adds a list's ceilings.
func (r *ranking) add(l *list, base, end uint32) {
	l.seek(base)
	docs, pos, weight := l.docs, l.pos, l.weight
	ceilings := l.ceilings[:len(docs)]
	for pos < len(docs) {
		doc := docs[pos]
		if doc >= end {
			break
		}
		r.ceiling[(doc-base)%window] += uint64(ceilings[pos]) * weight
		pos++
	}
	l.pos = pos
}

// gather makes the first n documents of the window the candidates, but for those with a ceiling of at most least.
func (r *ranking) gather(n int, least uint64) {
	r.kept = r.kept[:0]
	for from := 0; from < n; from += 8 { // ceilings from n on are zero
		if c := (*[8]uint64)(r.ceiling[from:]); max(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]) > least {
			for i, ceiling := range c {
				if ceiling > least {
					r.kept = append(r.kept, uint32(from+i))
				}
			}
		}
	}
}

// raiseFloor scores the candidates of the greatest ceilings, if there are many more than the heap holds, so that most
// of the others need not be.
func (x *BM25) raiseFloor(r *ranking, base uint32) {
	k := r.heap.k
	if len(r.kept) < 4*k {
		return
	}
	r.leaders.reset(k)
	for _, at := range r.kept {
		r.leaders.offer(float64(r.ceiling[at]), at)
	}
	least := x.score(r, base+r.leaders.heap[0].doc)
	for _, leader := range r.leaders.heap[1:] {
		least = min(least, x.score(r, base+leader.doc))
	}
	r.floor = max(r.floor, least)
}

// score is the exact score of a document, in the order of summation.
func (x *BM25) score(r *ranking, doc uint32) float64 {
	from := 0
	if doc > 0 {
		from = x.ends[doc-1]
	}
	entries := x.entries[from:x.ends[doc]]
	freqs := x.freqs[from:x.ends[doc]]
	for i, t := range entries {
		if r.asked[t/64]>>(t%64)&1 != 0 {
			at := r.at[t]
			r.freqs[at] = float64(freqs[i])
			r.seen[at/64] |= 1 << (at % 64)
		}
	}
	score, norm := 0.0, x.norms[doc]
	for w, set := range r.seen {
		for ; set != 0; set &= set - 1 {
			i := w*64 + bits.TrailingZeros64(set)
			f := r.freqs[i]
			score += r.lists[i].factor * f / (f + norm)
		}
		r.seen[w] = 0
	}
	return score
}

// seek advances to the first posting at or after doc.
func (l *list) seek(doc uint32) {
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
}
