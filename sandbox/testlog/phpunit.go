package testlog

import (
	"regexp"
	"strconv"
	"strings"
)

// testdox reads phpunit --testdox.
type testdox struct {
	*builder
	compat   bool
	timeless bool // compat: durations are no part of the names
	suite    string
	named    int
}

var (
	testdoxHeader  = regexp.MustCompile(`^(\w.+?)(?: \(([\w\\]+)\))?$`)
	testdoxMark    = regexp.MustCompile(`^ ([✔✘↩∅☢⚠]) (.+?)(?: \[[\d.]+ ms\])?$`)
	testdoxTotals  = regexp.MustCompile(`^(?:OK \((\d+) tests?, |Tests: (\d+), Assertions: )`)
	testdoxOutcome = map[string]Outcome{"✔": Passed, "✘": Failed, "↩": Skipped, "∅": Skipped, "☢": Failed, "⚠": Passed}
)

func newTestdox(b *builder) lineReader { return &testdox{builder: b} }

// newCompatTestdox is parse_log_phpunit: it knows a header by its namespace only, and three of the marks.
func newCompatTestdox(b *builder) lineReader {
	return &testdox{builder: b, compat: true, suite: "None"}
}

func (t *testdox) line(text string) {
	if t.compat {
		t.compatLine(text)
		return
	}
	if m := testdoxTotals.FindStringSubmatch(text); m != nil {
		t.seen, t.ended = true, true
		if n, err := strconv.Atoi(m[1] + m[2]); err == nil {
			t.wants("tests", n, t.named)
		}
		return
	}
	if text == "No tests executed!" {
		t.seen, t.ended = true, true
		return
	}
	if m := testdoxMark.FindStringSubmatch(text); m != nil {
		t.named++
		t.test(t.suite+" > "+m[2], testdoxOutcome[m[1]])
		return
	}
	if m := testdoxHeader.FindStringSubmatch(text); m != nil && len(text) <= maxName {
		t.suite = m[1]
	}
}

// compatLine reads a line as parse_log_phpunit does: whatever ends in brackets is a header, and what follows a mark is a name.
func (t *testdox) compatLine(text string) {
	if m := testdoxSuite.FindStringSubmatch(text); m != nil {
		t.suite = strings.Clone(m[1][:min(len(m[1]), maxName+1)])
	} else if m := testdoxCompat.FindStringSubmatch(text); m != nil {
		title := m[2]
		if t.timeless {
			title = strings.TrimSpace(testdoxTime.ReplaceAllString(title, ""))
		}
		t.test(joined([]string{t.suite, title}, " > "), testdoxOutcome[m[1]])
	}
}

var (
	testdoxSuite  = regexp.MustCompile(`^([\pL\pN_].+) \(.+\)$`)
	testdoxCompat = regexp.MustCompile(`^\s*([✔✘↩])\s*(.*)$`)
)

func (t *testdox) end() {
	if t.compat {
		t.ended = t.seen
	}
}
