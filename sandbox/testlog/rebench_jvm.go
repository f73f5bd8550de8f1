package testlog

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	rebenchGradle = shapes(Passed, `^([^>].+?)\s+PASSED(?:\s+\(\d+(?:\.\d+)?s\))?$`, Failed, `^([^>].+?)\s+FAILED(?:\s+\(\d+(?:\.\d+)?s\))?$`)

	mavenRunning  = regexp.MustCompile(`^(?:\[INFO\]\s+)?Running\s+([A-Za-z0-9_$.]+)$`)
	mavenFailed   = regexp.MustCompile(`^\[ERROR\]\s+([A-Za-z0-9_$.]+)\.([A-Za-z0-9_$.]+?)(?::\d+)?\b`)
	mavenCounts   = regexp.MustCompile(`Tests run:\s*(\d+),\s*Failures:\s*(\d+),\s*Errors:\s*(\d+),\s*Skipped:\s*(\d+)`)
	mavenModule   = shapes(Passed, `^\[INFO\]\s+(.+?)\s+\.\.+\s+SUCCESS(?:\s|\[|$)`, Failed, `^\[INFO\]\s+(.+?)\s+\.\.+\s+FAILURE(?:\s|\[|$)`, Skipped, `^\[INFO\]\s+(.+?)\s+\.\.+\s+SKIPPED(?:\s|\[|$)`)
	kotlinRunning = regexp.MustCompile(`^Running\s+(.+)$`)
	kotlinCounts  = regexp.MustCompile(`^Tests run:\s+(\d+),\s+Failures:\s+(\d+),\s+Errors:\s+(\d+),\s+Skipped:\s+(\d+)`)
)

// suiteCounts are the numbers of a suite's line: tests, failures, errors, skipped ones.
func suiteCounts(m []string) (n [4]int) {
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1]) // digits; too many of them are some number above 0
	}
	return n
}

// rebenchMaven is parse_java_mvn: the lines for classes and failed methods; what these do not name, out of JUnit XML in the log; then
// commands of one test each, and if there is nothing of all of them, the classes that began.
type rebenchMaven struct {
	*builder
	running string
	began   []string
	xml     *fragments
	command string
	later   [2][]held // out of XML, and by command
}

// held is a test whose outcome is known and whose turn has not come.
type held struct {
	name    string
	outcome Outcome
}

func newRebenchMaven(b *builder) lineReader {
	r := &rebenchMaven{builder: b, command: mavenNameless}
	r.xml = &fragments{named: func(class, name string) string { return strings.TrimSpace(class + " " + name) }, order: caseEnds}
	return r
}

func (r *rebenchMaven) line(text string) {
	r.xml.line(text, func(name string, o Outcome) { r.hold(0, name, o) })
	text = strings.TrimSpace(text)
	if at := strings.LastIndex(text, "-Dtest="); at >= 0 {
		if f := strings.Fields(text[at+len("-Dtest="):]); len(f) > 0 && len(f[0]) <= maxName {
			r.command = strings.Clone(f[0])
		}
	}
	if strings.HasSuffix(text, "BUILD SUCCESS") || strings.HasSuffix(text, "BUILD FAILURE") {
		r.seen, r.ended = true, true
		r.hold(1, r.command, map[bool]Outcome{true: Passed, false: Failed}[strings.HasSuffix(text, "SUCCESS")])
	}
	if m := mavenRunning.FindStringSubmatch(text); m != nil {
		r.running = strings.Clone(m[1][:min(len(m[1]), maxName+1)])
		if r.keeps(len(r.began), len(r.running)) {
			r.began = append(r.began, r.running)
		}
		return
	}
	if m := mavenFailed.FindStringSubmatch(text); m != nil {
		o := Failed
		if strings.Contains(text, "Exception") && !strings.Contains(text, "AssertionError") {
			o = Errored
		}
		r.test(m[1]+"."+m[2], o)
		r.first(m[1], Failed)
		return
	}
	if m := mavenCounts.FindStringSubmatch(text); m != nil {
		n, class := suiteCounts(m), r.running
		if at := strings.LastIndex(text, " in "); at >= 0 {
			class = strings.TrimRight(strings.TrimSpace(text[at+len(" in "):]), ".:;")
		}
		o := Passed
		switch {
		case n[1]+n[2] > 0:
			o = Failed
		case n[3] > 0:
			o = Skipped
		}
		r.first(class, o)
		r.running = ""
	}
}

// first notes an outcome of a test that has none.
func (b *builder) first(name string, o Outcome) {
	if name = withoutTiming(name); !b.has(name) {
		b.test(name, o)
	}
}

func (r *rebenchMaven) hold(after int, name string, o Outcome) {
	if name != "" && len(name) <= maxName && r.keeps(len(r.later[0])+len(r.later[1]), len(name)) {
		r.later[after] = append(r.later[after], held{name, o})
	}
}

func (r *rebenchMaven) end() {
	for _, of := range r.later {
		last := map[string]Outcome{}
		for _, t := range of {
			last[t.name] = t.outcome
		}
		for _, t := range of {
			r.first(t.name, last[t.name])
		}
	}
	if len(r.report.Tests) == 0 {
		for _, class := range r.began {
			r.test(class, Passed)
		}
	}
	r.ended = r.ended || r.seen
}

// rebenchModules is parse_java_mvn_v2, for the table of modules at the end of a build. The first counts are of a test of their own.
func rebenchModules(b *builder) func(string) (string, Outcome) {
	const suite = "__suite__"
	return func(text string) (string, Outcome) {
		text = strings.TrimSpace(text)
		if name, o := mavenModule.parse(text); name != "" {
			return name, o
		}
		m := mavenCounts.FindStringSubmatch(text)
		if m == nil || b.has(suite) {
			return "", ""
		}
		switch n := suiteCounts(m); {
		case n[1] > 0:
			return suite, Failed
		case n[2] > 0:
			return suite, Errored
		case n[3] == n[0]:
			return suite, Skipped
		}
		return suite, Passed
	}
}

// rebenchKotlin is parse_logs_kotlin_junit, for the lines of surefire.
func rebenchKotlin(*builder) func(string) (string, Outcome) {
	running := ""
	return func(text string) (string, Outcome) {
		text = strings.TrimSpace(text)
		if m := kotlinRunning.FindStringSubmatch(text); m != nil {
			running = strings.Clone(m[1][:min(len(m[1]), maxName+1)])
			return "", ""
		}
		m := kotlinCounts.FindStringSubmatch(text)
		if m == nil {
			return "", ""
		}
		name := running
		running = ""
		switch n := suiteCounts(m); {
		case n[1]+n[2] > 0:
			return name, Failed
		case n[3] > 0:
			return name, Skipped
		}
		return name, Passed
	}
}
