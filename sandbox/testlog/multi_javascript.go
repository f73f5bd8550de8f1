package testlog

import (
	"regexp"
	"strings"
	"unicode"
)

// jestTime is what jest writes of a duration after a name.
const jestTime = `(?:\s\(\d*\.?\d+\s*\w+\))?$`

var (
	multiFiles   = shapes(Passed, `^PASS (.+?)`+jestTime, Failed, `^FAIL (.+?)`+jestTime)
	multiRedux   = shapes(Passed, `^(?:PASS|✓) (.+?)`+jestTime, Failed, `^FAIL (.+?)`+jestTime, Failed, `^\d+\) (.+?)(?:\s\(\d*\.?\d*\s*\w+\))?$`)
	multiMocha   = shapes(Passed, `^✔ (.+?)(?:\s\(\d*\.?\d*\s*\w+\))?$`, Failed, `^\d+\) (.+?)(?:\s\(\d*\.?\d*\s*\w+\))?$`)
	multiVitest  = shapes(Passed, `^✓ (.+?)(?:\s*\d*\.?\d+\s*(?:ms|s|m))?$`, Failed, `^× (.+?)(?:\s*\d*\.?\d+\s*(?:ms|s|m))?$`)
	multiNuxt    = shapes(Passed, `^✓\s+(.+?)\s`, Failed, `^❯\s+(.+?)\s`)
	multiTRPC    = shapes(Passed, `^(?:@trpc/tests:test-ci: )?\[0\]\s+✓\s+(?:\|tests\|\s+)?(\S+)`, Failed, `^(?:@trpc/tests:test-ci: )?\[0\]\s+❯\s+(?:\|tests\|\s+)?(\S+)`)
	multiTime    = regexp.MustCompile(`\s+\([0-9]+ms\)$`)
	multiFailed  = regexp.MustCompile(`^[0-9]+\)$`)
	multiSubtest = regexp.MustCompile(`^(\s*)# Subtest:\s*(.+)`)
	multiTAP     = regexp.MustCompile(`^\s*(ok|not ok)\s+\d+\s+-\s+(.+)`)

	multiCommander = shapes(Passed, `^PASS (.+?)`+jestTime, Failed, `^FAIL (.+)$`, Passed, `^(\S.*?\.js)\s+✓`, Failed, `^(\S.*?\.js)\s+✖`)
	multiInsomnia  = shapes(Passed, `^✓ (.+?)(?:\s\(\d+\s+tests\))?(?:\s*\(?\d*\.?\d+\s*\w+\)?)?$`, Passed, `^PASS (.+?)`+jestTime, Failed, `^FAIL (.+?)`+jestTime)
)

// inFiles is for jest, whose files are tests, too, and whose other tests go by their file and title.
func inFiles(files, tests rules) parsing {
	return func(*builder) func(string) (string, Outcome) {
		file := ""
		return func(text string) (string, Outcome) {
			if name, o := files.parse(text); name != "" {
				file = strings.Clone(name[:min(len(name), maxName+1)])
				return name, o
			}
			title, o := tests.parse(text)
			if title == "" || file == "" { // its parser breaks where a test has no file
				return "", ""
			}
			return joined([]string{file, title}, ":"), o
		}
	}
}

var (
	jestTests      = shapes(Passed, `^✓ (.+?)`+jestTime, Failed, `^✕ (.+?)`+jestTime)
	darkreader     = shapes(Passed, `^PASS (\S+)(?:\s*\(.+\))?$`, Failed, `^FAIL (\S+)(?:\s*\(.+\))?$`)
	darkreaderTest = shapes(Passed, `^✓ (.+?)(?:\s+\(.+\))?$`, Failed, `^✕ (.+?)(?:\s+\(.+\))?$`)
)

// indents is for mocha, whose every line is a title to it: a level is an indent that there was, in the order of their depth when each
// was new.
type indents struct {
	*builder
	passes  string // the mark of a test that passed
	between string
	levels  map[int]int
	titles  []string
}

func newIndents(passes, between string) func(*builder) lineReader {
	return func(b *builder) lineReader {
		b.counting(worstCounts)
		return &indents{builder: b, passes: passes, between: between, levels: map[int]int{}}
	}
}

func (t *indents) line(text string) {
	title := strings.TrimLeftFunc(text, unicode.IsSpace)
	indent := len(text) - len(title)
	title = multiTime.ReplaceAllString(title, "")
	o := Outcome("")
	switch at := strings.IndexFunc(title, unicode.IsSpace); {
	case at < 0:
	case title[:at] == t.passes:
		o, title = Passed, title[at:]
	case multiFailed.MatchString(title[:at]):
		o, title = Failed, title[at:]
	}
	if title = strings.TrimSpace(title); title == "" {
		return
	}
	level := t.level(indent)
	t.titles = append(t.titles[:min(level, len(t.titles))], strings.Clone(title[:min(len(title), maxName+1)]))
	if o != "" {
		t.test(joined(t.titles, t.between), o)
	}
}

// level is that of an indent: one more than that of the widest narrower one when it was new.
func (t *indents) level(indent int) int {
	level, known := t.levels[indent]
	if known {
		return level
	}
	widest := -1
	for other, at := range t.levels {
		if other < indent && other > widest {
			widest, level = other, at+1
		}
	}
	if len(t.levels) < maxJSONDepth {
		t.levels[indent] = level
	}
	return level
}

func (t *indents) end() { t.ended = t.seen }

// multiSubtests is for node:test's TAP: a result is below the suites that are open around its own.
type multiSubtests struct {
	*builder
	suites []string
}

func newMultiSubtests(b *builder) lineReader {
	b.counting(worstCounts)
	return &multiSubtests{builder: b}
}

func (t *multiSubtests) line(text string) {
	if m := multiSubtest.FindStringSubmatch(text); m != nil {
		name := strings.TrimSpace(m[2])
		t.suites = append(t.suites[:min(len(m[1])/4, len(t.suites), maxJSONDepth)], strings.Clone(name[:min(len(name), maxName+1)]))
		return
	}
	m := multiTAP.FindStringSubmatch(text)
	if m == nil {
		return
	}
	above := t.suites[:max(0, len(t.suites)-1)]
	o := Passed
	if m[1] != "ok" {
		o = Failed
	}
	t.test(joined(append(above[:len(above):len(above)], strings.TrimSpace(m[2])), ":"), o)
}

func (t *multiSubtests) end() { t.ended = t.seen }
