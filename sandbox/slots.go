package sandbox

import (
	"context"
	"sync"
	"time"
)

// slots admits steps: no more than most at once, and no more than fit into memory together. A step that is alone is
// always admitted. Waiting is in order of arrival, so a large step is not passed by for ever.
type slots struct {
	mu     sync.Mutex
	most   int
	memory int64 // bytes; 0 when not known
	used   int
	taken  int64
	queue  []*waiting
}

type waiting struct {
	memory int64
	ready  chan struct{}
}

// acquire waits for a slot. The release function must be called once.
func (s *slots) acquire(ctx context.Context, memory int64) (release func(), err error) {
	w := &waiting{memory: memory, ready: make(chan struct{})}
	s.mu.Lock()
	s.queue = append(s.queue, w)
	s.admitLocked()
	s.mu.Unlock()
	select {
	case <-w.ready:
	case <-ctx.Done():
		if s.forget(w) {
			return nil, context.Cause(ctx)
		}
	}
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.used--
		s.taken -= memory
		s.admitLocked()
	}), nil
}

// forget takes w out of the queue, unless it was admitted already.
func (s *slots) forget(w *waiting) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.queue {
		if other == w {
			s.queue = append(s.queue[:i], s.queue[i+1:]...)
			s.admitLocked()
			return true
		}
	}
	return false
}

func (s *slots) admitLocked() {
	for len(s.queue) > 0 {
		w := s.queue[0]
		fits := s.memory == 0 || s.taken+w.memory <= s.memory
		if s.used > 0 && (s.used >= s.most || !fits) {
			return
		}
		s.queue = s.queue[1:]
		s.used++
		s.taken += w.memory
		close(w.ready)
	}
}

// heartbeat calls progress every two seconds until stop is called, which waits for the last call to return.
func heartbeat(progress func()) (stop func()) {
	if progress == nil {
		return func() {}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				progress()
			}
		}
	})
	return sync.OnceFunc(func() { close(done); wg.Wait() })
}
