package testlog

import (
	"regexp"
	"strings"
)

// goText reads the text of go test -v. Tests have no package there but the one whose line follows them.
type goText struct {
	*builder
	tests   map[string]Outcome // of the package whose end is still to come
	running map[string]bool
}

func newGoText(b *builder) lineReader {
	b.report.scoped = true
	return &goText{builder: b, tests: map[string]Outcome{}, running: map[string]bool{}}
}

var (
	goTextRun     = regexp.MustCompile(`^=== RUN   (\S+)$`)
	goTextResult  = regexp.MustCompile(`^(.*)--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$`)
	goTextPackage = regexp.MustCompile(`^(ok  |FAIL|---|\?   )\t(\S+)(?:\t(.*)| (\[.*\]))?$`)
	goTextWords   = map[string]Outcome{"PASS": Passed, "FAIL": Failed, "SKIP": Skipped}
)

func (t *goText) line(text string) {
	if m := goTextRun.FindStringSubmatch(text); m != nil {
		t.seen = true
		if !t.running[m[1]] && t.holds(m[1]) {
			t.running[strings.Clone(m[1])] = true
		}
	} else if m := goTextResult.FindStringSubmatch(text); m != nil {
		// Output without a newline stands before the mark, and indented results after their parent's.
		o, was := goTextWords[m[2]], t.tests[m[3]]
		if !t.running[m[3]] {
			t.doubtLater(m[3])
		}
		delete(t.running, m[3])
		t.seen = true
		if was == "" && t.holds(m[3]) || was != "" && rank(o) > rank(was) {
			t.tests[strings.Clone(m[3])] = o
		}
	} else if m := goTextPackage.FindStringSubmatch(text); m != nil {
		t.endPackage(m)
	}
}

// holds says whether a name fits beside those whose package has not ended.
func (t *goText) holds(name string) bool {
	if len(name) > maxName {
		t.problem("a test has a name longer than %d bytes", maxName)
		return false
	}
	return t.keeps(len(t.tests)+len(t.running), len(name))
}

// doubtLater marks a result without a start: only go test -v itself writes results, and it names the start of each.
func (t *goText) doubtLater(name string) {
	t.problem("test %.80s ended without a start", name)
}

func (t *goText) endPackage(m []string) {
	pkg, rest := m[2], m[3]+m[4]
	o := Passed
	switch {
	case strings.Contains(rest, "[build failed]"), strings.Contains(rest, "[setup failed]"):
		o = BuildFailed
	case m[1] == "FAIL":
		o = Failed
	case strings.HasPrefix(m[1], "?"):
		o = Skipped
	}
	failed := false
	for name := range t.running {
		t.tests[name] = Unfinished
	}
	for name, outcome := range t.tests {
		failed = failed || outcome.Bad()
		t.test(Key(pkg, name), outcome)
	}
	switch {
	case o == Passed && failed:
		t.problem("package %s passed although a test of it did not", pkg)
	case o == Failed && !failed:
		t.problem("package %s failed although none of its tests did", pkg)
	}
	t.scope(pkg, o)
	clear(t.tests)
	clear(t.running)
	t.ended = true
}

func (t *goText) end() {
	if len(t.tests)+len(t.running) == 0 {
		return
	}
	t.ended = false
	for name, o := range t.tests {
		t.test(Key("", name), o)
	}
	for name := range t.running {
		t.test(Key("", name), Unfinished)
	}
}

var compatGo = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): (.+) \((.+)\)$`)

// compatGoTest is parse_log_gotest.
func compatGoTest(text string) (string, Outcome) {
	if m := compatGo.FindStringSubmatch(text); m != nil {
		return m[2], goTextWords[m[1]]
	}
	return "", ""
}
