package retrieval

// scored is a document with its score.
type scored struct {
	score float64
	doc   uint32
}

// after reports whether a ranks after b.
func (a scored) after(b scored) bool {
	return a.score < b.score || a.score == b.score && a.doc > b.doc
}

// worst keeps the k first-ranked documents of those offered, the last-ranked one on top.
type worst struct {
	k    int
	heap []scored
}

func (w *worst) reset(k int) { w.k, w.heap = k, w.heap[:0] }

// least is the score that a document must exceed to enter, if it comes after all that are in: zero until k are.
func (w *worst) least() float64 {
	if len(w.heap) < w.k {
		return 0
	}
	return w.heap[0].score
}

func (w *worst) offer(score float64, doc uint32) {
	s := scored{score, doc}
	switch {
	case len(w.heap) < w.k:
		w.heap = append(w.heap, s)
		for i := len(w.heap) - 1; i > 0; {
			parent := (i - 1) / 2
			if !w.heap[i].after(w.heap[parent]) {
				break
			}
			w.heap[i], w.heap[parent] = w.heap[parent], w.heap[i]
			i = parent
		}
	case w.heap[0].after(s):
		w.heap[0] = s
		w.down()
	}
}

// down restores the order after the top was replaced.
func (w *worst) down() {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(w.heap) {
			return
		}
		if right := child + 1; right < len(w.heap) && w.heap[right].after(w.heap[child]) {
			child = right
		}
		if !w.heap[child].after(w.heap[i]) {
			return
		}
		w.heap[i], w.heap[child] = w.heap[child], w.heap[i]
		i = child
	}
}

// hits empties the heap into a ranking.
func (w *worst) hits(ids []string) []Hit {
	hits := make([]Hit, len(w.heap))
	for i := len(hits) - 1; i >= 0; i-- {
		top := w.heap[0]
		hits[i] = Hit{ID: ids[top.doc], Score: top.score}
		last := len(w.heap) - 1
		w.heap[0] = w.heap[last]
		w.heap = w.heap[:last]
		w.down()
	}
	return hits
}
