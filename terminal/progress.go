package terminal

import (
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// Mode is how progress is shown.
type Mode string

// The closed set of modes; the strings are the values of --progress and EVLAB_PROGRESS.
const (
	Auto  Mode = "auto"  // TTY on a terminal that can move its cursor, else Plain
	TTY   Mode = "tty"   // one line that is drawn over and over
	Plain Mode = "plain" // a line per change, and one every 30 s without any
	JSON  Mode = "json"  // the same as JSON lines
	None  Mode = "none"
)

// Modes lists the closed set.
var Modes = []Mode{Auto, TTY, Plain, JSON, None}

// ParseMode reads a mode; the empty text is Auto.
func ParseMode(s string) (Mode, error) {
	if s == "" {
		return Auto, nil
	}
	if !slices.Contains(Modes, Mode(s)) {
		return "", fmt.Errorf("%q is not one of auto, tty, plain, json, none", s)
	}
	return Mode(s), nil
}

// Times between lines.
const (
	heartbeat = 30 * time.Second
	frame     = 100 * time.Millisecond
)

// Snapshot is the state of a run. Done counts the cells that have a verdict, Cached those of them that were taken over;
// Infra and Excluded count cells that came to an end without one.
type Snapshot struct {
	Total, Done, Cached, Infra, Excluded int

	Preparing []string                   // what is made ready before cells can begin
	Running   []string                   // names of the items that are under way
	Durations map[string][]time.Duration // condition to the durations of its finished cells (not of cached ones)
	Left      map[string]int             // condition to its unfinished cells; nil when all have the same share
	Note      string                     // what just happened; may be untrusted
}

// ended is the number of cells that nothing more will be done for.
func (s Snapshot) ended() int { return s.Done + s.Infra + s.Excluded }

// Progress shows snapshots on one stream. Its methods may be called from several goroutines. A stream that can't be
// written to is given up silently: progress is never worth a run.
type Progress struct {
	mu      sync.Mutex
	w       io.Writer
	mode    Mode
	clock   Clock
	width   func() int
	start   time.Time
	last    Snapshot
	phase   phase // what happens before the first Update
	any     bool  // there was an Update
	started bool  // something has been shown
	noted   bool  // last's note has been written: a heartbeat is no second event
	lastAt  time.Time
	stop    func() // the timer of the next showing
	drawn   bool   // a status line is on the screen
	headed  bool   // the stream of JSON lines has its first
	closed  bool
	failed  bool
}

// New shows progress on w. isTTY says whether w is a terminal that can move its cursor; without one, TTY is shown as
// Plain. A nil clock is the wall clock.
func New(w io.Writer, mode Mode, isTTY bool, clock Clock) *Progress {
	if clock == nil {
		clock = wallClock{}
	}
	switch {
	case mode == Auto && isTTY:
		mode = TTY
	case mode == Auto, mode == TTY && !isTTY:
		mode = Plain
	}
	p := &Progress{w: w, mode: mode, clock: clock, start: clock.Now(), lastAt: clock.Now(), stop: func() {}}
	p.width = func() int { return Width(w) }
	return p
}

// SetWidth replaces the question how wide w is, which is otherwise put to the terminal at each drawing.
func (p *Progress) SetWidth(width func() int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.width = width
}

// Update shows s, at once in a pipe and within a tenth of a second on a terminal.
func (p *Progress) Update(s Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.mode == None {
		return
	}
	s = s.clone() // the heartbeat reads it later, when the caller may have changed his
	same := p.any && sameToReaders(p.last, s)
	p.last, p.any = s, true
	if same {
		return
	}
	p.noted = false
	if p.mode != TTY {
		p.showLocked()
		return
	}
	if since := p.clock.Now().Sub(p.lastAt); !p.started || since >= frame {
		p.showLocked()
	} else {
		p.scheduleLocked(frame - since)
	}
}

func (s Snapshot) clone() Snapshot {
	s.Preparing, s.Running, s.Left = slices.Clone(s.Preparing), slices.Clone(s.Running), maps.Clone(s.Left)
	durations := make(map[string][]time.Duration, len(s.Durations))
	for condition, d := range s.Durations {
		durations[condition] = slices.Clone(d)
	}
	s.Durations = durations
	return s
}

// sameToReaders leaves the durations out: they change the range, which the heartbeat and the next change show.
func sameToReaders(a, b Snapshot) bool {
	a.Durations, b.Durations, a.Left, b.Left = nil, nil, nil, nil
	for _, list := range []*[]string{&a.Running, &b.Running, &a.Preparing, &b.Preparing} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	return reflect.DeepEqual(a, b)
}

// Say writes a line of its own, above the status line where there is one. In JSON mode it is a JSON line.
func (p *Progress) Say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	switch p.mode {
	case None:
	case JSON:
		p.jsonLocked(message{Type: "message", Time: stamp(p.clock.Now()), Text: text})
	default:
		p.eraseLocked()
		p.writeLocked(SafeLines(text) + "\n")
		if (p.any || p.phase.name != "") && p.mode == TTY {
			p.drawLocked()
		}
	}
}

// Close shows the last state once more on a terminal and ends the line. It may be called more than once.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	p.stop()
	switch {
	case p.mode != TTY:
	case p.any:
		p.drawLocked()
		p.writeLocked("\n")
	default:
		p.eraseLocked() // a phase that is over says nothing any more
	}
}

// showLocked shows the last snapshot and schedules the next heartbeat.
func (p *Progress) showLocked() {
	p.started, p.lastAt = true, p.clock.Now()
	switch p.mode {
	case TTY:
		p.drawLocked()
	case Plain:
		p.writeLocked(p.plainLocked() + "\n")
	case JSON:
		if p.any {
			p.jsonLocked(p.eventLocked())
		} else {
			p.jsonLocked(p.phaseEventLocked())
		}
	}
	p.noted = true
	next := heartbeat
	if p.mode == TTY {
		next = time.Second // the elapsed time moves
	}
	p.scheduleLocked(next)
}

func (p *Progress) scheduleLocked(d time.Duration) {
	p.stop()
	p.stop = p.clock.AfterFunc(d, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.closed && (p.any || p.phase.name != "") {
			p.showLocked()
		}
	})
}

func (p *Progress) writeLocked(s string) {
	if p.failed {
		return
	}
	if _, err := io.WriteString(p.w, s); err != nil {
		p.failed = true
	}
}

func (p *Progress) eraseLocked() {
	if p.drawn {
		p.writeLocked("\r\x1b[2K")
		p.drawn = false
	}
}

// counts lists the figures that are not zero: "8 running, 2 infra, 40 cached".
func (s Snapshot) counts() []string {
	var parts []string
	for _, c := range []struct {
		n    int
		word string
	}{{len(s.Preparing), "preparing"}, {len(s.Running), "running"}, {s.Infra, "infra"}, {s.Cached, "cached"}, {s.Excluded, "excluded"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	return parts
}

// plainLocked is "1m30s 312/900 done, 8 running, 2 infra, left 21m00s-34m10s: note".
func (p *Progress) plainLocked() string {
	if !p.any {
		return Duration(p.clock.Now().Sub(p.start)) + " " + p.phase.String()
	}
	s := p.last
	parts := append([]string{fmt.Sprintf("%d/%d done", s.Done, s.Total)}, s.counts()...)
	if s.ended() < s.Total {
		parts = append(parts, "left "+s.rangeText())
	}
	line := Duration(p.clock.Now().Sub(p.start)) + " " + strings.Join(parts, ", ")
	if s.Note != "" && !p.noted {
		line += ": " + Safe(s.Note)
	}
	return line
}
