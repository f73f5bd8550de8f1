package testlog

import (
	"regexp"
	"slices"
	"strings"
)

// Parsers that SWE-bench has for the suite of one JavaScript project each. Names are made of the titles above a test.

// highlight is parse_log_highlightjs, for mocha up to its totals: the last title before a test goes before its name.
type highlight struct {
	*builder
	title string
	over  bool
}

var (
	highlightTotals = regexp.MustCompile(`^[ \t]*\d+ passing`)
	highlightTime   = regexp.MustCompile(`\(\d+ms\)`)
	numbered        = regexp.MustCompile(`^\d+\)`)
)

func newHighlight(b *builder) lineReader { return &highlight{builder: b} }

func (h *highlight) line(text string) {
	if highlightTotals.MatchString(text) {
		h.over, h.seen, h.ended = true, true, true
	}
	if h.over || text == "" {
		return
	}
	plain := strings.TrimSpace(text)
	for _, mark := range []string{"✓", "✔"} {
		if title, ok := strings.CutPrefix(plain, mark); ok {
			h.is(title, Passed)
			return
		}
	}
	switch {
	case numbered.MatchString(plain):
		_, title, _ := strings.Cut(plain, ")")
		h.is(title, Failed)
	case strings.HasPrefix(text, "  "):
		h.title = strings.Clone(plain[:min(len(plain), maxName+1)]) + "."
	}
}

func (h *highlight) is(title string, o Outcome) {
	h.test(h.title+strings.TrimSpace(highlightTime.ReplaceAllString(title, "")), o)
}

func (h *highlight) end() {}

// titled is for runners whose tests are known by all titles above them, in a part of the log that a line opens and another closes. A
// blank line is a title, too.
type titled struct {
	*builder
	tree
	opens, shuts *regexp.Regexp
	anew         bool // titles begin anew in each part, whose first line has no indent
	within       bool
	first        bool // the part has no line yet
	parse        func(text, plain string) (title string, o Outcome)
}

var (
	calypsoOpen = regexp.MustCompile(` \./node_modules/\.bin/jest `)
	calypsoShut = regexp.MustCompile(`^(?:Test Suites|  ● )`)
	calypsoTest = regexp.MustCompile(`^\s+([✓✕])\s(.*)$`)
	calypsoTime = regexp.MustCompile(`\(\d+ms\)$`)

	lighthouseOpen  = regexp.MustCompile(`running\s\d+\stest\sfiles`)
	lighthouseShut  = regexp.MustCompile(`\d+\spassing`)
	lighthouseTests = shapes(Passed, `^✔\s(.*)\s\(\d+m+s\)`, Passed, `^✔\s(.*)`, Failed, `^\d+\)\s(.*)\s\(\d+m+s\)`, Failed, `^\d+\)\s(.*)`)
)

// newCalypso is parse_log_calypso, for jest.
func newCalypso(b *builder) lineReader {
	return &titled{builder: b, opens: calypsoOpen, shuts: calypsoShut, parse: func(text, _ string) (string, Outcome) {
		m := calypsoTest.FindStringSubmatch(text)
		if m == nil {
			return "", ""
		}
		return strings.TrimSpace(calypsoTime.ReplaceAllString(m[2], "")), map[string]Outcome{"✓": Passed, "✕": Failed}[m[1]]
	}}
}

// newLighthouse is parse_log_lighthouse for the versions whose tests mocha ran.
func newLighthouse(b *builder) lineReader {
	return &titled{builder: b, opens: lighthouseOpen, shuts: lighthouseShut, anew: true, parse: func(_, plain string) (string, Outcome) {
		return lighthouseTests.parse(plain)
	}}
}

func (t *titled) line(text string) {
	switch {
	case t.opens.MatchString(text):
		t.within, t.seen = true, true
		if t.anew {
			t.tree = tree{}
			t.first = strings.TrimSpace(text[t.opens.FindStringIndex(text)[1]:]) == ""
		}
		return
	case t.shuts.MatchString(text):
		t.ended = t.ended || t.within
		t.within = false
	}
	plain := strings.TrimSpace(text)
	if t.first {
		t.first = plain == ""
		text = plain
	}
	if !t.within {
		return
	}
	if title, o := t.parse(text, plain); o != "" {
		name := joined(append(t.titles[:len(t.titles):len(t.titles)], title), " - ")
		if len(t.titles) == 0 && !t.anew {
			name = "- " + title
		}
		t.test(strings.TrimSpace(name), o)
	} else if indent := len(text) - len(strings.TrimLeft(text, " \t")); indent > 0 {
		t.group(indent, plain)
	}
}

func (t *titled) end() {}

// next is parse_log_next, for karma: of each run the tests after the last start of a browser count.
type next struct {
	*builder
	tree
	before  tree // the titles when the run began
	within  bool
	over    bool
	failure bool // the text of a failed assertion, up to an empty line
	held    []held
}

var (
	nextFailure = regexp.MustCompile(`AssertionError:\s+#`)
	nextTest    = regexp.MustCompile(`([✗✓])\s*(.*)$`)
)

func newNext(b *builder) lineReader { return &next{builder: b} }

func (n *next) line(text string) {
	switch {
	case strings.Contains(text, " xvfb-run "):
		n.flush()
		n.within, n.over, n.failure, n.seen = true, false, false, true
		n.before = tree{titles: slices.Clone(n.titles), indents: slices.Clone(n.indents)}
		return
	case strings.Contains(text, "Starting browser Chrome"):
		n.over, n.failure, n.held = false, false, n.held[:0]
		n.tree = tree{titles: slices.Clone(n.before.titles), indents: slices.Clone(n.before.indents)}
		return
	case strings.HasPrefix(text, "TOTAL"):
		n.over, n.ended = true, true
	}
	if !n.within || n.over {
		return
	}
	if n.failure {
		n.failure = text != ""
		return
	}
	if nextFailure.MatchString(text) {
		n.failure = true
		return
	}
	plain := strings.TrimSpace(text)
	for _, noise := range []string{"ERROR", "LOG", "WARN", "Check", "in"} {
		if strings.HasPrefix(plain, noise) {
			return
		}
	}
	if m := nextTest.FindStringSubmatch(text); m != nil {
		name := joined(append(n.titles[:len(n.titles):len(n.titles)], m[2]), " - ")
		if len(name) <= maxName && n.keeps(len(n.held), len(name)) {
			n.held = append(n.held, held{name, map[string]Outcome{"✓": Passed, "✗": Failed}[m[1]]})
		}
	} else if indent := len(text) - len(strings.TrimLeft(text, " \t")); indent > 0 {
		n.group(indent, plain)
	}
}

func (n *next) flush() {
	for _, t := range n.held {
		n.test(t.name, t.outcome)
	}
	n.held = n.held[:0]
}

func (n *next) end() { n.flush() }

// nextFiles is parse_log_next for version 1.27: a file's tests come after its line, two empty ones and a title. A test that passed and
// failed in one file passed.
type nextFiles struct {
	*builder
	wait   int // lines to the title, 0 without
	title  string
	passed map[string]bool
}

var (
	nextRunning = regexp.MustCompile(`Running:.*\)$`)
	nextFailed  = regexp.MustCompile(`^\s{4}\d+\)\s(.*)`)
	nextPassed  = regexp.MustCompile(`^\s{4}✓\s(.*)\(`)
	nextTotals  = regexp.MustCompile(`^\s+\d+ passing`)
)

func newNextFiles(b *builder) lineReader { return &nextFiles{builder: b, passed: map[string]bool{}} }

func (n *nextFiles) line(text string) {
	wait := n.wait
	n.wait = 0
	switch {
	case nextRunning.MatchString(text):
		n.wait, n.seen = 3, true
		return
	case wait > 1 && text == "":
		n.wait = wait - 1
		return
	case wait == 1 && strings.HasPrefix(text, "  "):
		title := text[2:]
		n.title = strings.Clone(title[:min(len(title), maxName+1)])
		clear(n.passed)
		return
	case nextTotals.MatchString(text):
		n.ended = true
	}
	if n.title == "" {
		return
	}
	if m := nextPassed.FindStringSubmatch(text); m != nil {
		name := joined([]string{n.title, strings.TrimSpace(m[1])}, ": ")
		n.test(name, Passed)
		if len(name) <= maxName && n.keeps(len(n.passed), len(name)) {
			n.passed[name] = true
		}
	} else if m := nextFailed.FindStringSubmatch(text); m != nil {
		if name := joined([]string{n.title, strings.TrimSpace(m[1])}, ": "); !n.passed[name] {
			n.test(name, Failed)
		}
	}
}

func (n *nextFiles) end() {}
