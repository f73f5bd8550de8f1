package testlog

import (
	"fmt"
	"slices"
	"strings"
)

// Bounds on what one report may take of memory.
const (
	maxLine    = 1 << 20  // bytes; the go command cuts output into events far shorter
	maxName    = 16 << 10 // bytes of a package and test name together
	maxBuild   = 16 << 10 // bytes kept of Report.Build
	maxProblem = 3 << 10  // bytes of Report.Problem
)

// These are variables for tests, which would have to fill them.
var (
	maxTests = 500_000
	maxNames = 128 << 20 // bytes of all names together
)

// tooLong stands for a name that nobody puts together, because it would be longer than maxName.
var tooLong = strings.Repeat(" ", maxName+1)

// builder makes a report while a stream is read: a few words for each test, nothing of its output.
type builder struct {
	report   *Report
	last     bool // the last outcome of a name wins, as datasets read logs; else the worst
	yields   bool // a pass takes no other outcome's place, whenever it comes
	names    int
	problems []string
	lost     bool // part of the stream is missing
	seen     bool // something of the grammar was there
	ended    bool // the runner came to its end
}

func newBuilder(grammar string, mode Mode) *builder {
	return &builder{last: mode == Compat, report: &Report{
		Grammar: grammar, Tests: map[string]Outcome{}, Packages: map[string]Outcome{}, doubtful: map[string]string{},
	}}
}

// test notes what became of a test.
func (b *builder) test(name string, o Outcome) {
	b.seen = true
	if name == "" {
		return
	}
	if len(name) > maxName {
		b.problem("a test has a name longer than %d bytes", maxName)
		return
	}
	was, known := b.report.Tests[name]
	if known && b.yields && o == Passed {
		return
	}
	if !known {
		if !b.room(name) {
			return
		}
		name = strings.Clone(name) // it may be part of a line with a long message, which would be kept with it
	}
	if !known || b.last || rank(o) > rank(was) || was == Unfinished && o != Unfinished {
		b.report.Tests[name] = o
	}
}

// scope notes what became of a package, file or binary; the worst counts.
func (b *builder) scope(name string, o Outcome) {
	b.seen = true
	if name == "" || len(name) > maxName {
		return
	}
	was, known := b.report.Packages[name]
	if known && rank(o) <= rank(was) && was != Unfinished || !known && !b.room(name) {
		return
	}
	b.report.Packages[strings.Clone(name)] = o
}

// room says whether one more name fits into the report.
func (b *builder) room(name string) bool {
	return b.keeps(len(b.report.Tests)+len(b.report.Packages), len(name))
}

// keeps says whether size more bytes of names fit into memory, beside so many names that are kept already. All that a grammar
// holds on to until a stream ends is asked for here: a report may be of any length.
func (b *builder) keeps(kept, size int) bool {
	b.names += size
	if kept < maxTests && b.names <= maxNames {
		return true
	}
	b.problem("the report has more tests than can be kept")
	b.lost = true
	return false
}

// said keeps the beginning of what a compiler or loader said.
func (b *builder) said(text string) {
	if room := maxBuild - len(b.report.Build); room > 0 {
		b.report.Build += strings.ToValidUTF8(text[:min(room, len(text))], "\uFFFD")
	}
}

func (b *builder) doubt(key, why string) {
	if b.report.doubtful[key] == "" && len(b.report.doubtful) < maxTests/10 {
		b.report.doubtful[key] = why
		b.problem("%s %s", key, why)
	}
}

// problem notes a reason not to trust the report; the first few are enough.
func (b *builder) problem(format string, args ...any) {
	if len(b.problems) < 5 {
		text := fmt.Sprintf(format, args...)
		text = strings.ToValidUTF8(text[:min(len(text), 500)], "\uFFFD")
		if !slices.Contains(b.problems, text) {
			b.problems = append(b.problems, text)
		}
	}
}

// wants compares a total that the runner states with what the report names.
func (b *builder) wants(what string, stated, named int) {
	if stated != named {
		b.problem("the runner counts %d %s and the report names %d", stated, what, named)
	}
}

// finish turns what was gathered into the report.
func (b *builder) finish() *Report {
	r := b.report
	r.absent = !b.seen
	switch {
	case b.lost:
		b.problem("part of the report was left out")
	case !b.seen:
		b.problem("there is nothing of %s in the report", r.Grammar)
	case !b.ended: // Assess says so, unless a second report has the end
	case len(r.Tests) == 0:
		b.problem("no test ran")
	}
	r.truncated = b.lost
	r.Complete = b.seen && b.ended && !b.lost
	r.Problem = strings.Join(b.problems, "; ")
	return r
}
