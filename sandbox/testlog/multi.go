package testlog

import (
	"regexp"
	"strings"
)

// The parsers of Multi-SWE-bench, which has one for each repository: many are the same, and those go by one name here. They keep
// the tests that passed, failed and were skipped apart and break where one is of two kinds; here it is of the worse one. A failure
// that a log states and they overlook is one here, too: to them the test is missing, which passes neither.

// multi makes a grammar of a parser that goes line by line and takes off the blanks around a line.
func multi(name, doc string, open parsing) Grammar {
	return text(name, Compat, "Multi-SWE-bench: "+doc, func(b *builder) lineReader {
		b.counting(worstCounts)
		parse := open(b)
		return &single{b, func(text string) (string, Outcome) { return parse(strings.TrimSpace(text)) }}
	})
}

var (
	multiGoRules = shapes(Passed, `^--- PASS: (\S+)`, Failed, `^--- FAIL: (\S+)`, Failed, `^FAIL:?\s?(.+?)\s`)
	multiCargo   = shapes(Passed, `^test (\S+) ... ok`, Failed, `^test (\S+) ... FAILED`, Skipped, `^test (\S+) ... ignored`)
)

// multiGoTop is the reading of repositories whose subtests go by the part before their last slash. Skipped tests are nothing to it
// and to multiGoRules, and the lines of failed packages are tests.
func multiGoTop(text string) (string, Outcome) {
	name, o := multiGoRules.parse(text)
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		name = name[:at]
	}
	return name, o
}

var (
	surefireClass = regexp.MustCompile(`Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+), Time elapsed: [\d.,]+ .+? in (.+)`)
	gsonCounts    = regexp.MustCompile(`^Tests run:\s*(\d+),\s*Failures:\s*(\d+),\s*Errors:\s*(\d+),\s*Skipped:\s*(\d+),\s*Time elapsed:\s*[\d.,]+\s*sec`)
	gsonRunning   = regexp.MustCompile(`Running\s+(.*\S)`)

	checkstyleRunning = regexp.MustCompile(`\[INFO\] Running (.+)`)

	multiGradleTasks = shapes(Failed, `^> Task :(\S+) FAILED$`, Skipped, `^> Task :(\S+) (?:SKIPPED|NO-SOURCE)$`, Passed, `^> Task :(\S+)(?: UP-TO-DATE| FROM-CACHE)?$`)
	multiGradleTest  = regexp.MustCompile(`^.+ > .+$`)
)

// classCounts is what becomes of a class by the numbers of its tests.
func classCounts(m []string) Outcome {
	switch n := suiteCounts(m); {
	case n[1]+n[2] > 0:
		return Failed
	case n[0] == 0 || n[3] == n[0]:
		return Skipped
	}
	return Passed
}

// multiMaven takes the classes of surefire for tests.
func multiMaven(text string) (string, Outcome) {
	if !strings.Contains(text, "Time elapsed: ") { // looking for a pattern anywhere in a line is slow
		return "", ""
	}
	if m := surefireClass.FindStringSubmatch(text); m != nil {
		return m[5], classCounts(m)
	}
	return "", ""
}

// multiGson is for surefire whose counts do not name the class: the first that began since the counts before is meant.
func multiGson(*builder) func(string) (string, Outcome) {
	running := ""
	return func(text string) (string, Outcome) {
		if strings.HasPrefix(text, "Tests run:") {
			name := running
			running = ""
			if m := gsonCounts.FindStringSubmatch(text); m != nil {
				return name, classCounts(m)
			}
			return "", ""
		}
		if m := gsonRunning.FindStringSubmatch(text); m != nil && running == "" {
			running = strings.Clone(m[1][:min(len(m[1]), maxName+1)])
		}
		return "", ""
	}
}

// multiCheckstyle is for Maven's console: a class passed if the line after its beginning has no counts with an error.
func multiCheckstyle(*builder) func(string) (string, Outcome) {
	running := ""
	return func(text string) (string, Outcome) {
		if running == "" {
			if m := checkstyleRunning.FindStringSubmatch(text); m != nil {
				running = strings.Clone(m[1][:min(len(m[1]), maxName+1)])
			}
			return "", ""
		}
		name, o := running, Passed
		running = ""
		if strings.Contains(text, "[ERROR] Tests run") {
			o = Failed
		}
		return name, o
	}
}

// multiGradleLine is a line of Gradle's for a task or a test.
func multiGradleLine(text string) (string, Outcome) {
	if strings.HasPrefix(text, "> Task :") {
		if name, o := multiGradleTasks.parse(text); name != "" {
			return name, o
		}
	}
	at := strings.LastIndexByte(text, ' ')
	if at < 0 {
		return "", ""
	}
	if o := gradleWords[text[at+1:]]; o != "" && multiGradleTest.MatchString(text[:at]) {
		return text[:at], o
	}
	return "", ""
}

// multiJib is for Gradle where skipped tests are nothing.
func multiJib(text string) (string, Outcome) {
	if name, o := multiGradleLine(text); o != Skipped {
		return name, o
	}
	return "", ""
}

// multiGradle is for Gradle with its tasks as tests, and with the blanks before a line in the name.
func multiGradle(b *builder) lineReader {
	b.counting(worstCounts)
	return &single{b, multiGradleLine}
}
