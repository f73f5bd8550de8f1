package testlog

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// maven reads Maven's console: one test to a command (-Dtest=Class#method), whose build says what became of it, and the
// lines that surefire writes for classes. Passing methods have no line; the XML reports name them (junit).
type maven struct {
	*builder
	commands []mavenCommand // without a result yet
	results  []string       // compat: without a command yet
	first    bool           // every result is the last command's (version 4 of SWE-bench)
	compat   bool
}

// mavenNameless is the test of a build that no command is known of, to parsers for which every result is the last command's. Lists
// of tests have it.
const mavenNameless = "---NO TEST NAME FOUND YET---"

type mavenCommand struct {
	test string
	none bool // it says that no test ran
}

var (
	mavenClass   = regexp.MustCompile(`Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+), Time elapsed: [\d.,]+ m?s(?:ec)?(?: <<< (?:FAILURE|ERROR)!)? (?:-|--) in (\S+)`)
	mavenMethod  = regexp.MustCompile(`^\[ERROR\] (?:(\w[^\s(]*)\(([\w.$]+)\) +|([\w.$]+)\.(\w[^\s.]*) -- )Time elapsed: .*<<< (FAILURE|ERROR)!`)
	mavenNoTests = regexp.MustCompile(`No tests to run\.|No tests were executed|Tests run: 0, `)
)

func (t *maven) line(text string) {
	// Most lines are none of these, and looking for a pattern anywhere in them is slow.
	if t.compat {
		text = strings.TrimSpace(text)
	}
	if strings.Contains(text, "-Dtest=") {
		t.command(text)
		return
	}
	if strings.HasSuffix(text, "BUILD SUCCESS") || strings.HasSuffix(text, "BUILD FAILURE") {
		t.seen, t.ended = true, true
		t.build(text[len(text)-len("SUCCESS"):])
		return
	}
	if t.compat {
		return
	}
	if len(t.commands) > 0 && mavenNoTests.MatchString(text) {
		t.commands[0].none = true
	}
	if !strings.Contains(text, "Time elapsed: ") {
		return
	}
	if name, o := mavenClassLine(text); name != "" {
		t.test(name, o)
	} else if m := mavenMethod.FindStringSubmatch(text); m != nil {
		o := map[string]Outcome{"FAILURE": Failed, "ERROR": Errored}[m[5]]
		t.test(m[2]+m[3]+"#"+m[1]+m[4], o)
	}
}

// command notes a command that runs a test: the last -Dtest of its line says which.
func (t *maven) command(text string) {
	test := text[strings.LastIndex(text, "-Dtest=")+len("-Dtest="):]
	if end := strings.IndexFunc(test, unicode.IsSpace); end >= 0 {
		test = test[:end]
	}
	if test != "" && len(test) <= maxName && t.keeps(len(t.commands), len(test)) {
		t.commands = append(t.commands, mavenCommand{test: strings.Clone(test)})
	}
}

// build gives a result to the command that it is of.
func (t *maven) build(result string) {
	if len(t.commands) == 0 {
		switch {
		case t.first:
			t.test(mavenNameless, map[string]Outcome{"SUCCESS": Passed, "FAILURE": Failed}[result])
		case t.compat && len(t.results) < maxTests:
			t.results = append(t.results, result) // of a command whose line comes later
		}
		return
	}
	at := 0
	if t.first {
		at = len(t.commands) - 1
	}
	c := t.commands[at]
	switch {
	case result == "FAILURE":
		t.test(c.test, Failed)
	case !c.none:
		t.test(c.test, Passed)
	}
	if !t.first {
		t.commands = t.commands[1:]
	}
}

func (t *maven) end() {
	for _, result := range t.results {
		if len(t.commands) > 0 {
			t.build(result)
		}
	}
	t.ended = t.ended && (t.first || len(t.commands) == 0)
}

// mavenClassLine is surefire's line for a class.
func mavenClassLine(text string) (string, Outcome) {
	m := mavenClass.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	n := [4]int{}
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1])
	}
	switch {
	case n[1]+n[2] > 0:
		return m[5], Failed
	case n[0] > 0 && n[3] == n[0]:
		return m[5], Skipped
	case n[0] == 0:
		return "", ""
	}
	return m[5], Passed
}

// gradle reads the lines of Gradle's test logging, whose result may come after the test's output.
type gradle struct {
	*builder
	compat bool
	open   string
}

var (
	gradleTest   = regexp.MustCompile(`^([^>].*?) > (.+?)(?: (PASSED|FAILED|SKIPPED))?$`)
	gradleWords  = map[string]Outcome{"PASSED": Passed, "FAILED": Failed, "SKIPPED": Skipped}
	gradleCompat = regexp.MustCompile(`^([^>].+)\s+(PASSED|FAILED)$`)
	gradleName   = regexp.MustCompile(`^[^>]\S*\s+>\s+\S+$`)
	gradleEnd    = regexp.MustCompile(`^BUILD (SUCCESSFUL|FAILED) in `)
)

func (g *gradle) line(text string) {
	if gradleEnd.MatchString(text) {
		g.seen, g.ended = true, true
		if !g.compat {
			g.open = ""
			return
		}
	}
	if g.compat {
		g.compatLine(strings.TrimSpace(text))
		return
	}
	if o, ok := gradleWords[text]; ok && g.open != "" {
		g.test(g.open, o)
		g.open = ""
		return
	}
	m := gradleTest.FindStringSubmatch(text)
	switch {
	case m == nil:
	case m[3] == "":
		g.open = m[1] + " > " + m[2]
	default:
		g.test(m[1]+" > "+m[2], gradleWords[m[3]])
		g.open = ""
	}
}

// compatLine reads a line as parse_log_gradle_custom does: whatever ends in a result is a test.
func (g *gradle) compatLine(text string) {
	if m := gradleCompat.FindStringSubmatch(text); m != nil {
		g.test(m[1], gradleWords[m[2]])
		g.open = ""
	} else if gradleName.MatchString(text) {
		g.open = text
	} else if o := gradleWords[text]; g.open != "" && o != "" && o != Skipped {
		g.test(g.open, o)
		g.open = ""
	}
}

func (g *gradle) end() {
	if g.compat {
		g.ended = g.seen
	}
}

var antLine = regexp.MustCompile(`^\s*\[junit\]\s+\[(PASS|FAIL|ERR)\]\s+(.*)$`)

func antTest(text string) (string, Outcome) {
	if m := antLine.FindStringSubmatch(text); m != nil {
		return m[2], map[string]Outcome{"PASS": Passed, "FAIL": Failed, "ERR": Errored}[m[1]]
	}
	return "", ""
}

// compatAnt is parse_log_ant: errors are failures.
func compatAnt(text string) (string, Outcome) {
	name, o := antTest(text)
	if o == Errored {
		o = Failed
	}
	return strings.TrimSpace(name), o
}
