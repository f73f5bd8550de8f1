package main

import (
	"bufio"
	"bytes"
	"io"
	"os"

	"evlab/sandbox/plan"
)

// maxTail bounds the memory that the end of one stream takes while it waits.
const maxTail = 4 << 20

// stream passes output on until it has cost its share, then holds back all but the end. What passes is bounded, whatever
// the command prints, and both its beginning and its end arrive.
type stream struct {
	to    *bufio.Writer // flushed before take and flush return
	nonce string
	run   int   // bytes since the last newline
	head  int64 // cost that may still pass at once
	ring  []byte
	start int   // of the oldest byte when the ring is full
	held  int64 // bytes that came after the head
}

func newStream(to io.Writer, nonce string, limit int64) *stream {
	tail := min(limit/4, maxTail)
	return &stream{to: bufio.NewWriterSize(to, 64<<10), nonce: nonce, head: limit - tail, ring: make([]byte, 0, tail)}
}

// copy reads until the last writer is gone.
func (s *stream) copy(from *os.File) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		s.take(buf[:n])
		if err != nil {
			return
		}
	}
}

func (s *stream) take(b []byte) {
	if s.head > 0 {
		n := affordable(b, s.head)
		s.head -= int64(n) + plan.LineCost*int64(bytes.Count(b[:n], []byte{'\n'}))
		s.pass(b[:n])
		s.to.Flush()
		if b = b[n:]; len(b) > 0 {
			s.head = 0
		}
	}
	s.held += int64(len(b))
	size := cap(s.ring)
	if len(b) > size {
		b = b[len(b)-size:]
	}
	if room := size - len(s.ring); room > 0 {
		n := min(room, len(b))
		s.ring, b = append(s.ring, b[:n]...), b[n:]
	}
	for len(b) > 0 {
		n := copy(s.ring[s.start:], b)
		s.start, b = (s.start+n)%size, b[n:]
	}
}

// pass writes output on, with no line in it that an engine would cut.
func (s *stream) pass(b []byte) {
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			n = len(b)
		}
		n = min(n, plan.MaxLine-s.run)
		s.to.Write(b[:n])
		s.run += n
		switch {
		case b[n-1] == '\n':
			s.run = 0
		case s.run == plan.MaxLine:
			s.frame(plan.Record{Event: plan.Join})
		}
		b = b[n:]
	}
}

func (s *stream) frame(r plan.Record) {
	s.to.Write(plan.Frame(s.nonce, r))
	s.run = 0
}

// affordable is how many bytes of b cost at most limit.
func affordable(b []byte, limit int64) int {
	if int64(len(b))+plan.LineCost*int64(bytes.Count(b, []byte{'\n'})) <= limit {
		return len(b)
	}
	for i, c := range b {
		limit--
		if c == '\n' {
			limit -= plan.LineCost
		}
		if limit < 0 {
			return i
		}
	}
	return len(b)
}

// flush passes the held end on, with a frame that counts what was left out before it.
func (s *stream) flush() {
	tail := append(bytes.Clone(s.ring[s.start:]), s.ring[:s.start]...)
	cost := int64(0)
	from := len(tail)
	for from > 0 && cost < int64(cap(s.ring)) {
		from--
		cost++
		if tail[from] == '\n' {
			cost += plan.LineCost
		}
	}
	tail = tail[from:]
	if gap := s.held - int64(len(tail)); gap > 0 {
		s.frame(plan.Record{Event: plan.Gap, Bytes: gap})
	}
	s.pass(tail)
	s.to.Flush()
}
