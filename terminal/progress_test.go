package terminal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"evlab/terminal"
)

var update = flag.Bool("update", false, "write what the tests see into testdata")

// fakeClock stands still until it is advanced; what falls due is then called in order, in the caller's goroutine.
type fakeClock struct {
	now    time.Time
	timers []*fakeTimer
}

type fakeTimer struct {
	at time.Time
	f  func()
}

func newClock() *fakeClock { return &fakeClock{now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)} }

func (c *fakeClock) Now() time.Time { return c.now }

func (c *fakeClock) AfterFunc(d time.Duration, f func()) func() {
	t := &fakeTimer{c.now.Add(d), f}
	c.timers = append(c.timers, t)
	return func() { c.timers = slices.DeleteFunc(c.timers, func(u *fakeTimer) bool { return u == t }) }
}

func (c *fakeClock) advance(d time.Duration) {
	end := c.now.Add(d)
	for {
		var next *fakeTimer
		for _, t := range c.timers {
			if !t.at.After(end) && (next == nil || t.at.Before(next.at)) {
				next = t
			}
		}
		if next == nil {
			break
		}
		c.now = next.at
		c.timers = slices.DeleteFunc(c.timers, func(u *fakeTimer) bool { return u == next })
		next.f()
	}
	c.now = end
}

// story is a run of twelve cells, told to a Progress, with a time of quiet in it.
func story(p *terminal.Progress, c *fakeClock, quiet time.Duration) {
	p.Phase("freezing tasks", 0, 3)
	c.advance(time.Second)
	p.Phase("freezing tasks", 2, 3)
	p.Phase("starting the \x1bengine", 0, 0)
	c.advance(time.Second)
	s := terminal.Snapshot{Total: 12, Preparing: []string{"parse-error: image"}}
	p.Update(s)
	c.advance(2 * time.Second)
	p.Phase("too late", 0, 0)
	s.Preparing, s.Running = nil, []string{"parse-error/bm25", "parse-error/none"}
	s.Cached, s.Done = 2, 2
	s.Note = "2 cells taken over"
	p.Update(s)
	p.Update(s) // says nothing new
	c.advance(quiet)
	s.Durations = map[string][]time.Duration{"bm25": {60e9, 70e9, 80e9}, "none": {10e9, 20e9}}
	s.Done, s.Note = 7, ""
	p.Update(s)
	p.Say("the engine\x1b[31m is\x07 back\nafter 3s")
	c.advance(time.Second)
	s.Done, s.Infra, s.Excluded, s.Running = 8, 1, 1, []string{"größe/測試/none"}
	s.Note = "docker: \x1b]0;owned\x07 no space"
	p.Update(s)
	c.advance(20 * time.Millisecond)
	s.Done, s.Running, s.Note = 10, nil, ""
	p.Update(s)
	c.advance(time.Second)
	p.Close()
	p.Close()
	p.Update(terminal.Snapshot{Total: 1}) // after the end: nothing
	c.advance(time.Hour)
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name  string
		mode  terminal.Mode
		tty   bool
		width int
	}{
		{"plain", terminal.Plain, false, 80},
		{"auto-in-a-pipe", terminal.Auto, false, 80},
		{"tty-in-a-pipe", terminal.TTY, false, 80},
		{"auto-80", terminal.Auto, true, 80},
		{"tty-20", terminal.TTY, true, 20},
		{"tty-1", terminal.TTY, true, 1},
		{"tty-300", terminal.TTY, true, 300},
		{"json", terminal.JSON, true, 80},
		{"none", terminal.None, true, 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			clock := newClock()
			p := terminal.New(&out, c.mode, c.tty, clock)
			p.SetWidth(func() int { return c.width })
			quiet := 95 * time.Second
			if c.tty && c.mode != terminal.JSON {
				quiet = 3 * time.Second // it is drawn each second
			}
			story(p, clock, quiet)
			got := readable(out.String())
			file := filepath.Join("testdata", c.name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || got != string(want) {
				t.Errorf("%v; got:\n%swant:\n%s", err, got, want)
			}
			if len(clock.timers) != 0 {
				t.Error("a timer was left running after Close")
			}
			if c.mode == terminal.JSON {
				for line := range strings.Lines(out.String()) {
					if !json.Valid([]byte(line)) {
						t.Errorf("not JSON: %s", line)
					}
				}
			}
			if !c.tty && strings.ContainsAny(out.String(), "\x1b\r\x07") {
				t.Error("a pipe got control characters")
			}
		})
	}
}

// readable shows what a terminal would be told, one drawing per line.
func readable(s string) string {
	return strings.NewReplacer("\r\x1b[2K", "<erase>\n", "\x1b", "<esc>").Replace(s)
}

func TestPipesAndGoldenFilesAgree(t *testing.T) {
	plain, err := os.ReadFile("testdata/plain.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"auto-in-a-pipe", "tty-in-a-pipe"} {
		if got, err := os.ReadFile("testdata/" + name + ".golden"); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s differs from plain: %v", name, err)
		}
	}
}

func TestDrawingsFitTheirWidth(t *testing.T) {
	for _, width := range []int{-5, 0, 20, 33, 40, 80, 299, 5000} {
		var out bytes.Buffer
		clock := newClock()
		p := terminal.New(&out, terminal.TTY, true, clock)
		p.SetWidth(func() int { return width })
		story(p, clock, 3*time.Second)
		most := min(max(width, terminal.MinWidth), terminal.MaxWidth) - 1
		for _, drawing := range strings.Split(out.String(), "\r\x1b[2K") {
			line, _, _ := strings.Cut(drawing, "\n")
			if strings.HasPrefix(line, "the engine") {
				continue // a line of its own: the terminal wraps it
			}
			if n := terminal.StringWidth(line); n > most {
				t.Errorf("width %d: %d columns in %q", width, n, line)
			}
		}
	}
}

func TestRangeWaitsForFiveCells(t *testing.T) {
	s := terminal.Snapshot{Total: 100, Done: 4, Durations: map[string][]time.Duration{"a": {1e9, 1e9, 1e9, 1e9}}}
	if _, _, ok := s.Range(); ok {
		t.Error("four cells gave a range")
	}
	s.Durations["a"] = append(s.Durations["a"], 1e9)
	if low, high, ok := s.Range(); !ok || low != 96*time.Second || high != low {
		t.Errorf("got %v to %v, %v; want 96 cells of a second", low, high, ok)
	}
	s.Done = 100
	if _, _, ok := s.Range(); ok {
		t.Error("a finished run has time left")
	}
}

func TestRangeIsPerCondition(t *testing.T) {
	s := terminal.Snapshot{
		Total: 30, Done: 10, Running: []string{"x", "y"},
		Durations: map[string][]time.Duration{"fast": {1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9}, "slow": {80e9, 120e9}},
		Left:      map[string]int{"fast": 2, "slow": 18},
	}
	low, high, ok := s.Range()
	// Quartiles of slow are 90 s and 110 s: (2*1 + 18*90)/2 and (2*1 + 18*110)/2.
	if !ok || low != 811*time.Second || high != 991*time.Second {
		t.Errorf("got %v to %v, %v", low, high, ok)
	}
	s.Left = nil // twenty cells, ten of each
	if low, high, _ := s.Range(); low != 455*time.Second || high != 555*time.Second {
		t.Errorf("equal shares: got %v to %v", low, high)
	}
	s.Left = map[string]int{"new": 4} // never seen: the quartiles of all ten, 1 s and 1 s
	if low, high, _ := s.Range(); low != 2*time.Second || high != 2*time.Second {
		t.Errorf("unseen condition: got %v to %v", low, high)
	}
}

type brokenWriter struct{ writes int }

func (b *brokenWriter) Write([]byte) (int, error) { b.writes++; return 0, errors.New("broken pipe") }

func TestABrokenStreamIsGivenUp(t *testing.T) {
	var w brokenWriter
	clock := newClock()
	p := terminal.New(&w, terminal.Plain, false, clock)
	story(p, clock, 3*time.Second)
	if w.writes != 1 {
		t.Errorf("%d writes to a broken stream, want 1", w.writes)
	}
}

func TestManyGoroutines(t *testing.T) {
	var out bytes.Buffer
	p := terminal.New(&out, terminal.TTY, true, nil)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 100 {
				p.Update(terminal.Snapshot{Total: 800, Done: i*100 + j, Running: []string{fmt.Sprint(i)}})
				p.Say("x")
			}
		})
	}
	wg.Wait()
	p.Close()
	if !strings.HasSuffix(out.String(), "\n") || strings.Count(out.String(), "x\n") != 800 {
		t.Error("lines were lost")
	}
}

func TestModes(t *testing.T) {
	for _, m := range terminal.Modes {
		if got, err := terminal.ParseMode(string(m)); err != nil || got != m {
			t.Errorf("%s: %s, %v", m, got, err)
		}
	}
	if got, err := terminal.ParseMode(""); err != nil || got != terminal.Auto {
		t.Errorf("empty: %s, %v", got, err)
	}
	if _, err := terminal.ParseMode("TTY"); err == nil {
		t.Error("TTY is a mode")
	}
}

// TestAPhaseThatIsOverLeavesNothing: a question may follow, and a run that ends in a phase has no last state.
func TestAPhaseThatIsOverLeavesNothing(t *testing.T) {
	var out bytes.Buffer
	clock := newClock()
	p := terminal.New(&out, terminal.TTY, true, clock)
	p.Phase("freezing tasks", 1, 2)
	p.Phase("", 0, 0)
	if !strings.HasSuffix(out.String(), "\r\x1b[2K") || len(clock.timers) != 0 {
		t.Errorf("after the end of a phase: %q, %d timers", out.String(), len(clock.timers))
	}
	p.Phase("starting", 0, 0)
	clock.advance(2 * time.Second)
	p.Close()
	if !strings.HasSuffix(out.String(), "starting ...  2s\r\x1b[2K") {
		t.Errorf("after Close: %q", out.String())
	}
}

// TestWhatHasNoVerdictIsNotDone: cells that failed or were set aside end the run and are told apart in the bar.
func TestWhatHasNoVerdictIsNotDone(t *testing.T) {
	var out bytes.Buffer
	p := terminal.New(&out, terminal.TTY, true, newClock())
	p.SetWidth(func() int { return 60 })
	p.Update(terminal.Snapshot{Total: 11, Done: 7, Infra: 2, Excluded: 2})
	if got := out.String(); !strings.HasSuffix(got, "[#######xxxx] 7/11  2 infra, 2 excluded  0s") {
		t.Errorf("%q", got)
	}
}
