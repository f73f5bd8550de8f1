package testlog

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// cargo reads the text of cargo test: for each binary a count, its tests, and a result with counts.
type cargo struct {
	*builder
	open   bool // a binary's tests
	want   int  // "running N tests"
	named  int
	passed int
	failed int
	glued  string // a test whose output stands between its name and its result
}

var (
	cargoTest    = regexp.MustCompile(`^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored(?:, .*)?|bench: .*)$`)
	cargoOpen    = regexp.MustCompile(`^test (.+?)(?: - should panic)? \.\.\. `)
	cargoRunning = regexp.MustCompile(`^running (\d+) tests?$`)
	cargoResult  = regexp.MustCompile(`^test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; (\d+) filtered out`)
	cargoCompat  = regexp.MustCompile(`^test\s+(\S+)\s+\.\.\.\s+(\w+)$`)
)

func (c *cargo) line(text string) {
	if m := cargoRunning.FindStringSubmatch(text); m != nil {
		c.unended()
		c.seen, c.open = true, true
		c.want, _ = strconv.Atoi(m[1])
		c.named, c.passed, c.failed, c.glued = 0, 0, 0, ""
		return
	}
	if m := cargoResult.FindStringSubmatch(text); m != nil {
		c.result(m)
		return
	}
	if strings.HasPrefix(text, "error: could not compile") || strings.HasPrefix(text, "error[E") {
		c.seen = true
		c.said(text + "\n")
		if strings.HasPrefix(text, "error: could not") {
			c.scope(text, BuildFailed)
			c.ended = !c.open
		}
		return
	}
	m := cargoTest.FindStringSubmatch(text)
	switch {
	case m != nil:
		c.glued = ""
		c.is(m[1], m[2])
	case cargoOpen.MatchString(text):
		c.glued = cargoOpen.FindStringSubmatch(text)[1]
	case c.glued != "":
		for _, word := range []string{"ok", "FAILED", "ignored"} {
			if text == word {
				c.is(c.glued, word)
				c.glued = ""
			}
		}
	}
}

// unended notes that the open binary ended without a result, as one does that exits while a test runs: its tests after that
// never ran, and the next binary's result says nothing of them.
func (c *cargo) unended() {
	if c.open {
		c.problem("a binary of %d tests has no result, and the next one begins", c.want)
	}
}

func (c *cargo) is(name, word string) {
	o := Skipped
	switch {
	case word == "ok", strings.HasPrefix(word, "bench: "):
		o = Passed
		c.passed++
	case word == "FAILED":
		o = Failed
		c.failed++
	}
	c.named++
	c.test(name, o)
}

func (c *cargo) result(m []string) {
	if !c.open {
		c.problem("there is a result of tests that were not begun: %.80s", m[0])
		return
	}
	n := make([]int, 7)
	for i := 2; i < 7; i++ {
		n[i], _ = strconv.Atoi(m[i]) // digits; a number too large is a number that nothing equals
	}
	c.wants("passed tests", n[2]+n[5], c.passed)
	c.wants("failed tests", n[3], c.failed)
	c.wants("tests", c.want, c.named)
	if m[1] == "ok" && c.failed > 0 {
		c.problem("the result is ok, and a test failed")
	}
	c.open, c.ended = false, true
}

func (c *cargo) end() {
	if c.glued != "" {
		c.test(c.glued, Unfinished)
	}
	c.ended = c.ended && !c.open
}

// compatCargo is parse_log_cargo: names without blanks only, no ignored ones.
func compatCargo(text string) (string, Outcome) {
	m := cargoCompat.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return m[1], map[string]Outcome{"ok": Passed, "FAILED": Failed}[m[2]]
}

// cargoJSON reads the lines of cargo test -- -Z unstable-options --format json.
type cargoJSON struct {
	*builder
	open int // suites without an end
	want int
	runs map[string]bool
}

func newCargoJSON(b *builder) lineReader { return &cargoJSON{builder: b, runs: map[string]bool{}} }

func (c *cargoJSON) line(text string) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") {
		return
	}
	var e struct {
		Type, Event, Name string
		Count             int `json:"test_count"`
	}
	if json.NewDecoder(bytes.NewReader([]byte(text))).Decode(&e) != nil {
		return
	}
	switch {
	case e.Type == "suite" && e.Event == "started":
		c.seen = true
		c.open++
		c.want += e.Count
	case e.Type == "suite" && (e.Event == "ok" || e.Event == "failed"):
		c.open--
		c.ended = true
	case e.Type == "test":
		c.seen = true
		switch e.Event {
		case "started":
			if len(e.Name) <= maxName && c.keeps(len(c.runs), len(e.Name)) {
				c.runs[e.Name] = true
			}
			return
		case "ok":
			c.test(e.Name, Passed)
		case "failed":
			c.test(e.Name, Failed)
		case "ignored":
			c.test(e.Name, Skipped)
		default:
			return // "timeout" only warns
		}
		c.want--
		delete(c.runs, e.Name)
	}
}

func (c *cargoJSON) end() {
	for name := range c.runs {
		c.test(name, Unfinished)
	}
	switch {
	case c.open < 0:
		c.problem("more suites ended than started")
	case c.ended && c.open == 0 && c.want != 0:
		c.problem("the suites state another number of tests than they name: %d more or less", c.want)
	}
	c.ended = c.ended && c.open == 0
}
