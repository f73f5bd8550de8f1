package testlog

import (
	"regexp"
	"strconv"
	"strings"
)

// ctest reads ctest's text.
type ctest struct {
	*builder
	bad int
}

var (
	ctestLine   = regexp.MustCompile(`^\s*\d+/\d+ Test +#\d+: (.+?) \.+\s*(?:\w+ aborted)?(Passed|\*\*\*.*?)\s+[\d.]+ sec`)
	ctestTotals = regexp.MustCompile(`^\d+% tests passed, (\d+) tests? failed out of \d+$`)
)

func (c *ctest) line(text string) {
	if m := ctestTotals.FindStringSubmatch(text); m != nil {
		c.seen, c.ended = true, true
		if n, err := strconv.Atoi(m[1]); err == nil {
			c.wants("failed tests", n, c.bad)
		}
		return
	}
	if text == "No tests were found!!!" {
		c.seen, c.ended = true, true
		return
	}
	name, o := ctestResult(text)
	if o.Bad() {
		c.bad++
	}
	if o != "" {
		c.test(name, o)
	}
}

// ctestResult is the test of a line, if it is of one.
func ctestResult(text string) (string, Outcome) {
	m := ctestLine.FindStringSubmatch(text)
	switch {
	case m == nil:
		return "", ""
	case m[2] == "Passed":
		return m[1], Passed
	case strings.HasPrefix(m[2], "***Failed"):
		return m[1], Failed
	case strings.HasPrefix(m[2], "***Skipped"), strings.HasPrefix(m[2], "***Not Run (Disabled)"):
		return m[1], Skipped
	}
	return m[1], Errored // an exception, a time-out, a program that was not built
}

func (c *ctest) end() {}

// googletest reads googletest's text: one or several programs.
type googletest struct {
	*builder
	open   string // a test without an end
	began  int
	passed int
}

var (
	gtestRun    = regexp.MustCompile(`^\[ RUN      \] (.+)$`)
	gtestResult = regexp.MustCompile(`\[ +(OK|FAILED|SKIPPED) +\] (.+) \(\d+ ms\)$`)
	gtestOff    = regexp.MustCompile(`^\[ DISABLED \] (.+)$`)
	gtestPassed = regexp.MustCompile(`^\[  PASSED  \] (\d+) tests?\.$`)
	gtestWords  = map[string]Outcome{"OK": Passed, "FAILED": Failed, "SKIPPED": Skipped}
)

func (g *googletest) line(text string) {
	if m := gtestRun.FindStringSubmatch(text); m != nil {
		g.crashed()
		g.open, g.seen = m[1], true
		return
	}
	if m := gtestOff.FindStringSubmatch(text); m != nil {
		g.test(m[1], Skipped)
		return
	}
	if m := gtestResult.FindStringSubmatch(text); m != nil {
		name, _, _ := strings.Cut(m[2], ", where ")
		if g.open != "" && g.open != name {
			g.crashed()
		}
		g.open = ""
		o := gtestWords[m[1]]
		if o == Passed {
			g.passed++
		}
		g.test(name, o)
		return
	}
	switch {
	case strings.HasPrefix(text, "[==========] Running "):
		g.crashed()
		g.seen, g.passed = true, 0
		g.began++
	case strings.HasPrefix(text, "[==========] ") && strings.Contains(text, " ran."):
		g.began--
		g.ended = true
	default:
		if m := gtestPassed.FindStringSubmatch(text); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				g.wants("passed tests", n, g.passed)
			}
		}
	}
}

// crashed notes that the open test took its program down.
func (g *googletest) crashed() {
	if g.open != "" {
		g.test(g.open, Errored)
		g.problem("test %.120s has no end", g.open)
		g.open = ""
	}
}

func (g *googletest) end() {
	g.crashed()
	g.ended = g.ended && g.began <= 0
}

// compatGoogletest is parse_log_googletest: what stands before the time is the name; skipped tests are dropped.
func compatGoogletest(text string) (string, Outcome) {
	m := gtestCompat.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return m[2], gtestWords[m[1]]
}

var gtestCompat = regexp.MustCompile(`\[\s*(OK|FAILED)\s*\]\s(.*)\s\(.*\)$`)

// walkGoogletest reads --gtest_output=json.
func walkGoogletest(b *builder, j *jsonScanner) {
	tests, named := -1, 0
	j.object(func(key string) {
		switch key {
		case "tests":
			tests = j.count()
		case "testsuites":
			b.seen = true
			j.list(func() {
				suite := ""
				j.object(func(key string) {
					switch key {
					case "name":
						suite = j.text()
					case "testsuite":
						j.list(func() {
							name, class, o := "", suite, Passed
							failed := false
							j.object(func(key string) {
								switch key {
								case "name":
									name = j.text()
								case "classname":
									class = j.text()
								case "status":
									if s := j.text(); s != "RUN" {
										o = Skipped
									}
								case "result":
									if s := j.text(); s != "COMPLETED" {
										o = Skipped
									}
								case "failures":
									failed = !j.empty()
								default:
									j.skip()
								}
							})
							if failed {
								o = Failed
							}
							named++
							b.test(class+"."+name, o)
						})
					default:
						j.skip()
					}
				})
			})
		default:
			j.skip()
		}
	})
	if j.err == nil && tests > named {
		b.problem("the runner counts %d tests and the report names %d", tests, named)
	}
}

var (
	automakeLine   = regexp.MustCompile(`^(PASS|FAIL|XFAIL|XPASS|SKIP|ERROR): (.+)$`)
	automakeTotals = regexp.MustCompile(`^# (TOTAL|PASS|FAIL|ERROR): +(\d+)$`)
	compatJQLine   = regexp.MustCompile(`^\s*(PASS|FAIL):\s(.+)$`)
	redisLine      = regexp.MustCompile(`^\[(ok|err|skip|ignore)\]:\s(.+?)(?:\s\(\d+\s*m?s\))?$`)
	redisFile      = regexp.MustCompile(`\s+in tests/\S+$`)
	microLine      = regexp.MustCompile(`^(pass|FAIL|skip)\s+(.+)$`)
)

// automake reads the test harness of Automake.
type automake struct {
	*builder
	counts map[string]int
}

func newAutomake(b *builder) lineReader { return &automake{b, map[string]int{}} }

func (a *automake) line(text string) {
	if m := automakeTotals.FindStringSubmatch(text); m != nil {
		a.seen, a.ended = true, true
		if n, err := strconv.Atoi(m[2]); err == nil && m[1] != "TOTAL" {
			a.wants(m[1]+" lines", n, a.counts[m[1]])
		}
		return
	}
	if m := automakeLine.FindStringSubmatch(text); m != nil {
		a.counts[m[1]]++
		a.test(m[2], map[string]Outcome{
			"PASS": Passed, "FAIL": Failed, "XFAIL": ExpectedFailure, "XPASS": UnexpectedPass, "SKIP": Skipped, "ERROR": Errored,
		}[m[1]])
	}
}

func (a *automake) end() {}

// compatJQ is parse_log_jq.
func compatJQ(text string) (string, Outcome) {
	if m := compatJQLine.FindStringSubmatch(text); m != nil {
		return m[2], map[string]Outcome{"PASS": Passed, "FAIL": Failed}[m[1]]
	}
	return "", ""
}

// redis reads the test suite of redis and valkey.
func redis(text string) (string, Outcome) {
	m := redisLine.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	switch m[1] {
	case "ok":
		return m[2], Passed
	case "err":
		return redisFile.ReplaceAllString(m[2], ""), Failed
	}
	return m[2], Skipped
}

// compatRedis is parse_log_redis: whatever a failed test is said to be in is none of its name.
func compatRedis(text string) (string, Outcome) {
	name, o := redis(text)
	if o == Failed {
		name = redisPlace.ReplaceAllString(redisLine.FindStringSubmatch(text)[2], "")
	}
	return name, o
}

var redisPlace = regexp.MustCompile(`\s+in\s+\S+$`)

// micropython reads run-tests.py of MicroPython.
func micropython(text string) (string, Outcome) {
	if m := microLine.FindStringSubmatch(text); m != nil {
		return m[2], map[string]Outcome{"pass": Passed, "FAIL": Failed, "skip": Skipped}[m[1]]
	}
	return "", ""
}
