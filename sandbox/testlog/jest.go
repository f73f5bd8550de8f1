package testlog

import (
	"regexp"
	"strings"
)

// walkJest reads the JSON of jest and of vitest, which took its shape over. A file that could not be loaded has no test
// in it and a status of its own.
func walkJest(b *builder, j *jsonScanner) {
	passed, failed := -1, -1
	namedPassed, namedFailed := 0, 0
	j.object(func(key string) {
		switch key {
		case "numPassedTests":
			passed = j.count()
		case "numFailedTests":
			failed = j.count()
		case "testResults":
			b.seen = true
			j.list(func() {
				file, status := "", ""
				var tests []jestTest
				j.object(func(key string) {
					switch key {
					case "name", "testFilePath":
						file = j.text()
					case "status":
						status = j.text()
					case "assertionResults", "testResults":
						j.list(func() {
							if t := walkJestTest(j); b.keeps(len(tests), len(t.name)) {
								tests = append(tests, t)
							}
						})
					default:
						j.skip()
					}
				})
				for _, t := range tests {
					switch {
					case t.outcome == Passed:
						namedPassed++
					case t.outcome.Bad():
						namedFailed++
					}
					b.test(Key(file, t.name), t.outcome)
				}
				if len(tests) == 0 && status == "failed" {
					b.scope(file, BuildFailed)
				}
			})
		default:
			j.skip()
		}
	})
	if j.err == nil && passed >= 0 {
		b.wants("passed tests", passed, namedPassed)
	}
	if j.err == nil && failed >= 0 {
		b.wants("failed tests", failed, namedFailed)
	}
	b.report.scoped = true
}

type jestTest struct {
	name    string
	outcome Outcome
}

func walkJestTest(j *jsonScanner) (t jestTest) {
	var titles []string
	title := ""
	j.object(func(key string) {
		switch key {
		case "ancestorTitles":
			j.list(func() {
				if s := j.text(); s != "" && len(titles) < maxJSONDepth {
					titles = append(titles, s)
				}
			})
		case "title":
			title = j.text()
		case "status":
			switch status := j.text(); status {
			case "passed":
				t.outcome = Passed
			case "failed":
				t.outcome = Failed
			case "pending", "todo", "skipped", "disabled":
				t.outcome = Skipped
			default:
				t.outcome = Errored
			}
		default:
			j.skip()
		}
	})
	if t.outcome == "" {
		t.outcome = Errored
	}
	t.name = joined(append(titles, title), " > ")
	return t
}

// tree follows the indented titles of describe blocks in the text of jest, mocha and karma.
type tree struct {
	titles  []string
	indents []int
}

// group opens a block at an indent, closing those that are not around it.
func (t *tree) group(indent int, title string) {
	t.close(indent)
	if len(t.titles) < maxJSONDepth {
		t.titles, t.indents = append(t.titles, strings.Clone(title[:min(len(title), maxName+1)])), append(t.indents, indent)
	}
}

func (t *tree) close(indent int) {
	for len(t.indents) > 0 && t.indents[len(t.indents)-1] >= indent {
		t.titles, t.indents = t.titles[:len(t.titles)-1], t.indents[:len(t.indents)-1]
	}
}

// name is the full name of a test at an indent. It closes no block: the line may be one that a test printed.
func (t *tree) name(indent int, title, between string) string {
	n := len(t.indents)
	for n > 0 && t.indents[n-1] >= indent {
		n--
	}
	return joined(append(t.titles[:n:n], title), between)
}

// joined is a name out of titles, tooLong where it would be: long titles come before every test below them.
func joined(titles []string, between string) string {
	size := 0
	for _, title := range titles {
		size += len(title) + len(between)
	}
	if size > maxName+len(between) {
		return tooLong
	}
	return strings.Join(titles, between)
}

func indentOf(text string) int { return len(text) - len(strings.TrimLeft(text, " ")) }

// jestText reads the text of jest --verbose.
type jestText struct {
	*builder
	tree
	within         bool // a file's tree
	file           string
	passed, failed int
}

var (
	jestFile    = regexp.MustCompile(`^\s?(PASS|FAIL) +(?:\S+ +)?(\S+\.\S+)(?: \([\d.]+ m?s\))?$`)
	jestMark    = regexp.MustCompile(`^\s+([✓√✕×○✎]) (.+)$`)
	jestTiming  = regexp.MustCompile(` \([\d.]+ m?s\)$`)
	jestTotals  = regexp.MustCompile(`^Tests: +(.*\d+ total)$`)
	totalsCount = regexp.MustCompile(`(\d+) (passed|failed|skipped|todo|pending|passing|failing)\b`)
)

func (t *jestText) line(text string) {
	if m := jestFile.FindStringSubmatch(text); m != nil {
		t.seen, t.within, t.file = true, true, m[2]
		t.tree = tree{}
		return
	}
	if m := jestTotals.FindStringSubmatch(text); m != nil {
		t.seen, t.ended, t.within = true, true, false
		t.wantsTotals(m[1], t.passed, t.failed)
		return
	}
	if strings.Contains(text, "● Test suite failed to run") && t.file != "" {
		t.scope(t.file, BuildFailed)
	}
	if !t.within {
		return
	}
	m := jestMark.FindStringSubmatch(text)
	switch {
	case m != nil:
		title := jestTiming.ReplaceAllString(m[2], "")
		o := Skipped
		switch m[1] {
		case "✓", "√":
			o = Passed
			t.passed++
		case "✕", "×":
			o = Failed
			t.failed++
		case "○":
			title = strings.TrimPrefix(title, "skipped ")
		case "✎":
			title = strings.TrimPrefix(title, "todo ")
		}
		t.test(t.name(indentOf(text), title, " > "), o)
	case strings.HasPrefix(strings.TrimLeft(text, " "), "●"):
		t.within = false // details of failures
	case strings.HasPrefix(text, "  ") && strings.TrimSpace(text) != "":
		t.group(indentOf(text), strings.TrimSpace(text))
	case strings.TrimSpace(text) != "":
		t.within = false
	}
}

func (t *jestText) end() {}

var (
	compatJestMark = regexp.MustCompile(`^\s*(✓|✕|○)\s(.+?)(?:\s\(\d+\s*m?s\))?$`)
	jestLine       = regexp.MustCompile(`^\[(PASSED|FAILED|PENDING|SKIPPED|TODO|DISABLED)\]\s(.+)$`)
	jestFileLine   = regexp.MustCompile(`^\s*(PASS|FAIL)\s+(.+?)(\s+\([\d.]+\s*m?s\))?$`)
)

// compatJest is parse_log_jest: titles alone, so that equal ones overwrite each other.
func compatJest(text string) (string, Outcome) {
	m := compatJestMark.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return strings.TrimSpace(m[2]), map[string]Outcome{"✓": Passed, "✕": Failed, "○": Skipped}[m[1]]
}

// jestLines reads what SWE-bench makes out of jest's JSON: "[PASSED] describe > title".
func jestLines(text string) (string, Outcome) {
	m := jestLine.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	switch m[1] {
	case "PASSED":
		return m[2], Passed
	case "FAILED":
		return m[2], Failed
	}
	return m[2], Skipped
}

func compatJestJSON(text string) (string, Outcome) {
	name, o := jestLines(text)
	if o == Skipped {
		return "", ""
	}
	return name, o
}

// compatJestFiles takes each file for one test.
func compatJestFiles(text string) (string, Outcome) {
	m := jestFileLine.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return m[2], map[string]Outcome{"PASS": Passed, "FAIL": Failed}[m[1]]
}

// compatJestFilesTimed keeps the duration in the name.
func compatJestFilesTimed(text string) (string, Outcome) {
	name, o := compatJestFiles(text)
	if m := jestFileLine.FindStringSubmatch(text); m != nil {
		name += m[3]
	}
	return name, o
}
