package testlog

import (
	"regexp"
	"strconv"
	"strings"
)

// unittest reads the verbose text of Python's unittest and of Django's runner, which writes noise between a test's name
// and its result.
type unittest struct {
	*builder
	open   string          // the test whose result is still to come
	broken map[string]bool // classes whose set-up failed
	ran    int             // of "Ran N tests", -1 before it
	named  int
}

func newUnittest(b *builder) lineReader {
	return &unittest{builder: b, broken: map[string]bool{}, ran: -1}
}

var (
	unittestID     = regexp.MustCompile(`^(\w+ \([\w.<>]+\))(.*)$`)
	unittestResult = regexp.MustCompile(`^(?:.*\.\.\. ?)?(ok|FAIL|ERROR|skipped (?:'.*'|".*")|expected failure|unexpected success)$`)
	unittestSub    = regexp.MustCompile(`^  (\w+ \([\w.]+\))(?: .*)? \.\.\. (FAIL|ERROR)$`)
	unittestRan    = regexp.MustCompile(`^Ran (\d+) tests? in `)
	unittestSetup  = regexp.MustCompile(`^(?:ERROR: )?(?:setUpClass|setUpModule|tearDownClass|tearDownModule) \(([\w.]+)\)(?: \.\.\. ERROR)?$`)
)

func unittestOutcome(word string) Outcome {
	switch {
	case word == "ok":
		return Passed
	case word == "FAIL":
		return Failed
	case word == "ERROR":
		return Errored
	case word == "expected failure":
		return ExpectedFailure
	case word == "unexpected success":
		return UnexpectedPass
	}
	return Skipped
}

func (u *unittest) line(text string) {
	if m := unittestRan.FindStringSubmatch(text); m != nil {
		u.seen, u.open = true, ""
		if n, err := strconv.Atoi(m[1]); err == nil {
			u.ran = n
		}
		return
	}
	if u.ran >= 0 {
		if text == "OK" || strings.HasPrefix(text, "OK (") || text == "FAILED" || strings.HasPrefix(text, "FAILED (") || text == "NO TESTS RAN" {
			u.ended = true
		}
		return
	}
	if m := unittestSetup.FindStringSubmatch(text); m != nil {
		u.seen = true
		if len(m[1]) <= maxName && (u.broken[m[1]] || u.keeps(len(u.broken), len(m[1]))) {
			u.broken[strings.Clone(m[1])] = true
		}
		u.scope(m[1], BuildFailed)
		return
	}
	if m := unittestSub.FindStringSubmatch(text); m != nil {
		u.test(m[1], unittestOutcome(m[2])) // a subtest's failure is its test's
		u.open = ""
		return
	}
	if m := unittestID.FindStringSubmatch(text); m != nil {
		u.open = m[1]
		u.seen = true
		if rest := m[2]; rest == "" || !strings.HasPrefix(rest, " ...") {
			return // the docstring's line follows
		}
		u.named++
		text = m[2]
	} else if u.open != "" && strings.Contains(text, " ... ") {
		u.named++
	}
	if m := unittestResult.FindStringSubmatch(text); m != nil && u.open != "" {
		u.test(u.open, unittestOutcome(m[1]))
		u.open = ""
	}
}

func (u *unittest) end() {
	if u.open != "" {
		u.test(u.open, Unfinished)
	}
	if len(u.broken) == 0 {
		return
	}
	for name := range u.report.Tests { // those of a class whose set-up failed did not run, or ran in vain
		if u.inBroken(name) {
			u.test(name, Errored)
		}
	}
}

// inBroken reports whether "test (module.Class)", or "test (module.Class.test)", is of a class or module that is broken.
func (u *unittest) inBroken(name string) bool {
	_, path, _ := strings.Cut(strings.TrimSuffix(name, ")"), " (")
	for parts := 0; path != "" && parts < maxJSONDepth; parts++ {
		if u.broken[path] {
			return true
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return false
}

// djangoCompat is parse_log_django: what stands before the dots is the name, so that a docstring names its test.
type djangoCompat struct {
	*builder
	previous string
}

var djangoNoise = regexp.MustCompile(`^(.*?)\s\.\.\.(.*)$`)

func (d *djangoCompat) line(text string) {
	text = strings.TrimSpace(text)
	for _, end := range []struct {
		suffix  string
		outcome Outcome
	}{{" ... ok", Passed}, {" ... OK", Passed}, {" ...  OK", Passed}, {" ... FAIL", Failed}, {" ... ERROR", Errored}} {
		if name, ok := strings.CutSuffix(text, end.suffix); ok {
			d.test(strings.TrimSpace(name), end.outcome)
			d.previous = ""
			return
		}
	}
	if name, _, ok := strings.Cut(text, " ... skipped"); ok {
		d.test(strings.TrimSpace(name), Skipped)
		return
	}
	for prefix, o := range map[string]Outcome{"FAIL:": Failed, "ERROR:": Errored} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			if f := strings.Fields(rest); len(f) > 0 {
				d.test(f[0], o)
			}
			return
		}
	}
	if d.previous != "" && (text == "ok" || strings.HasSuffix(text, "ok") && strings.HasPrefix(strings.TrimSuffix(text, "ok"), "--version")) {
		d.test(d.previous, Passed)
	}
	if m := djangoNoise.FindStringSubmatch(text); m != nil {
		d.previous = strings.TrimSpace(m[1])
	}
	if unittestRan.MatchString(text) {
		d.seen, d.ended = true, true
	}
}

func (d *djangoCompat) end() {}

// sympyText reads bin/test --verbose. Names have no file there, so that equal ones in two files are one test.
type sympyText struct {
	*builder
	compat bool
}

var (
	sympyFailure = regexp.MustCompile(`^_+ (\S+\.py:\S+) _+$`)
	sympyTest    = regexp.MustCompile(`^(test_\S+)\s+(ok|F|E|f|X|s|w)\b`)
	sympyTotals  = regexp.MustCompile(`^=+ tests finished: \d+ `)
	sympyWords   = map[string]Outcome{"ok": Passed, "F": Failed, "E": Errored, "f": ExpectedFailure, "X": UnexpectedPass, "s": Skipped, "w": Skipped}
)

func (s *sympyText) line(text string) {
	if sympyTotals.MatchString(text) {
		s.seen, s.ended = true, true
		return
	}
	if m := sympyFailure.FindStringSubmatch(text); m != nil {
		s.test(m[1], Failed)
		return
	}
	if s.compat {
		s.compatTest(strings.Fields(text))
	} else if m := sympyTest.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		s.test(m[1], sympyWords[m[2]])
	}
}

// compatTest reads a line as parse_log_sympy does: its first word is the test, its last one the result.
func (s *sympyText) compatTest(words []string) {
	if len(words) < 2 || !strings.HasPrefix(words[0], "test_") {
		return
	}
	if o := sympyWords[words[len(words)-1]]; o == Passed || o == Failed || o == Errored {
		s.test(words[0], o)
	}
}

func (s *sympyText) end() {
	if s.compat {
		s.ended = s.seen
	}
}
