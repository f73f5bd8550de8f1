package testlog

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var juliaLine = regexp.MustCompile(`^(\s*)(.+?)\s+\|(.+)$`)

// rebenchJulia is parse_log_julia, for the table that Julia's tests end with: a line has as many numbers as there are kinds of outcomes,
// and which ones they are is told by the heading and by how far the first of them is from the bar.
func rebenchJulia(*builder) func(string) (string, Outcome) {
	within, fails, errors := false, false, false
	return func(text string) (string, Outcome) {
		if strings.Contains(text, "Test Summary:") {
			within = true
			if _, heading, ok := strings.Cut(text, "|"); ok && strings.Contains(text, "| Pass") {
				heading, _, _ = strings.Cut(heading, "|")
				fails, errors = strings.Contains(heading, "Fail"), strings.Contains(heading, "Error")
			}
			return "", ""
		}
		if !within || !strings.Contains(text, "|") {
			return "", ""
		}
		m := juliaLine.FindStringSubmatch(text)
		if m == nil {
			return "", ""
		}
		var counts []int
		for _, word := range strings.Fields(m[3]) {
			if strings.Trim(word, "0123456789") == "" {
				n, _ := strconv.Atoi(word) // digits; too many of them are some number above 0
				counts = append(counts, n)
			}
		}
		far := len(m[3])-len(strings.TrimLeft(m[3], " \t")) >= 10 // nothing stands below Pass
		o := Passed
		switch n := len(counts); {
		case n < 2:
			return "", ""
		case n == 2 && (far || counts[0] != counts[1]), n >= 4 && counts[2] > 0:
			o = Errored
		case n == 3 && counts[1] > 0 && fails && !errors, n >= 4 && counts[1] > 0:
			o = Failed
		case n == 3 && counts[1] > 0:
			o = Errored
		}
		return strings.TrimSpace(m[2]), o
	}
}

var (
	testthatFile   = shapes(Passed, `^✔\s+\|[^|]+\|\s+(.+)$`, Failed, `^✖\s+\|[^|]+\|\s+(.+)$`)
	testthatFailed = shapes(Failed, `^Failure\s+\([^)]+\):\s+(.+)$`, Errored, `^Error\s+\([^)]+\):\s+(.+)$`)
	testthatTime   = regexp.MustCompile(`\s*\[\s*\d+(?:\.\d+)?\s*[a-zA-Z]+\]$`)
)

// testthat is parse_log_r: files are tests, and so are those that failed, in a list after them.
type testthat struct {
	*builder
	list   int // 0 before the list, 1 in it, 2 after it
	failed map[string]Outcome
}

func newTestthat(b *builder) lineReader { return &testthat{builder: b, failed: map[string]Outcome{}} }

func (t *testthat) line(text string) {
	text = strings.TrimSpace(text)
	if name, o := testthatFile.parse(text); name != "" {
		t.test(withoutTiming(testthatTime.ReplaceAllString(strings.TrimSpace(name), "")), o)
	}
	switch {
	case t.list == 2:
	case strings.HasPrefix(text, "── Failed tests ──"), strings.HasPrefix(text, "== Failed tests =="):
		t.list = 1
	case t.list == 1 && (strings.HasPrefix(text, "[ FAIL") || strings.HasPrefix(text, "══ Results ══")):
		t.list = 2
	case t.list == 1:
		name, o := testthatFailed.parse(text)
		name = withoutTiming(testthatTime.ReplaceAllString(strings.TrimSpace(name), ""))
		if name != "" && len(name) <= maxName && t.keeps(len(t.failed), len(name)) {
			t.failed[strings.Clone(name)] = o
		}
	}
}

func (t *testthat) end() {
	for _, name := range slices.Sorted(maps.Keys(t.failed)) {
		t.test(name, t.failed[name])
	}
	t.ended = t.seen
}

var (
	rcheckLine  = regexp.MustCompile(`^\* checking (.+?) \.\.\.(?: ([A-Z]+))?$`)
	rcheckWords = map[string]Outcome{
		"OK": Passed, "NOTE": Passed, "NOTES": Passed, "WARNING": Failed, "WARNINGS": Failed, "ERROR": Errored, "ERRORS": Errored,
		"FAIL": Failed, "FAILED": Failed, "SKIPPED": Skipped,
	}
)

// rcheck is parse_log_r_v2, for R CMD check: a check whose result is nowhere passed, to it.
type rcheck struct {
	*builder
	open string
}

func newRCheck(b *builder) lineReader { return &rcheck{builder: b} }

func (r *rcheck) line(text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if r.open != "" {
		if f := strings.Fields(strings.Trim(text, ".:!")); len(f) > 0 {
			if o := rcheckWords[strings.ToUpper(f[0])]; o != "" {
				r.test(r.open, o)
				r.open = ""
			}
		}
		return
	}
	m := rcheckLine.FindStringSubmatch(text)
	switch {
	case m == nil:
	case m[2] == "":
		r.seen = true
		r.open = strings.Clone(m[1][:min(len(m[1]), maxName+1)])
	case rcheckWords[m[2]] != "":
		r.test(m[1], rcheckWords[m[2]])
	default:
		r.test(m[1], Passed)
	}
}

func (r *rcheck) end() {
	if r.open != "" {
		r.first(r.open, Passed)
	}
	r.ended = r.seen
}
