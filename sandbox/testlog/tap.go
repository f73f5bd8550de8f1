package testlog

import (
	"regexp"
	"strconv"
	"strings"
)

// tap reads the Test Anything Protocol, with subtests as node:test and TAP 14 write them: indented by four, before the
// test that they belong to.
type tap struct {
	*builder
	pending []tapTest // results whose names may still get a parent's before them
	planned int       // of the top level, -1 without a plan
	top     int       // results of the top level
}

type tapTest struct {
	indent  int
	name    string
	outcome Outcome
}

func newTAP(b *builder) lineReader { return &tap{builder: b, planned: -1} }

var (
	tapResult    = regexp.MustCompile(`^( *)(not )?ok\b ?(\d+)?(?: -)? ?(.*)$`)
	tapPlan      = regexp.MustCompile(`^1\.\.(\d+)(?: *#.*)?$`)
	tapDirective = regexp.MustCompile(`(?i)^(.*?) *# *(SKIP|TODO)\b.*$`)
	tapCompat    = regexp.MustCompile(`^\s*(not )?ok (\d+) (.+)$`)
)

func (t *tap) line(text string) {
	if strings.HasPrefix(text, "Bail out!") {
		t.seen = true
		t.problem("the suite bailed out: %s", text)
		t.planned = -1
		return
	}
	if m := tapPlan.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil || t.planned >= 0 {
			t.problem("there is a second plan, or one that is no number: %.60s", text)
			return
		}
		t.seen, t.planned = true, n
		return
	}
	m := tapResult.FindStringSubmatch(text)
	if m == nil {
		return
	}
	t.seen = true
	name, o := m[4], Passed
	if m[2] != "" {
		o = Failed
	}
	if d := tapDirective.FindStringSubmatch(name); d != nil {
		name = d[1]
		switch {
		case strings.EqualFold(d[2], "SKIP"):
			o = Skipped
		case o == Failed:
			o = ExpectedFailure
		default:
			o = UnexpectedPass
		}
	}
	if name = strings.TrimSpace(name); name == "" {
		name = m[3]
	}
	t.result(tapTest{len(m[1]), name, o})
}

func (t *tap) result(r tapTest) {
	for i := len(t.pending) - 1; i >= 0 && t.pending[i].indent > r.indent; i-- {
		child := &t.pending[i]
		child.indent = r.indent
		if len(child.name) > maxName || !t.keeps(0, len(r.name)) { // a long parent's name comes before that of every child
			continue
		}
		if child.name = r.name + " > " + child.name; len(child.name) > maxName {
			child.name = tooLong
		}
	}
	if !t.keeps(len(t.pending), len(r.name)) {
		return
	}
	r.name = strings.Clone(r.name)
	t.pending = append(t.pending, r)
	if r.indent == 0 {
		t.top++
		t.flush()
	}
}

func (t *tap) flush() {
	for _, r := range t.pending {
		t.test(r.name, r.outcome)
	}
	t.pending = t.pending[:0]
}

func (t *tap) end() {
	t.flush()
	switch {
	case t.planned < 0:
	case t.top < t.planned:
		t.problem("the plan has %d tests, and %d were reported", t.planned, t.top)
	default:
		t.ended = true
		t.wants("planned tests", t.planned, t.top)
	}
}

// compatTAP is parse_log_tap: the rest of the line is the name.
func compatTAP(text string) (string, Outcome) {
	m := tapCompat.FindStringSubmatch(text)
	switch {
	case m == nil:
		return "", ""
	case m[1] != "":
		return m[3], Failed
	}
	return m[3], Passed
}
