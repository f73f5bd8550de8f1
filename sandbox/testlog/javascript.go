package testlog

import (
	"regexp"
	"strconv"
	"strings"
)

// vitestText reads the text of vitest --reporter=verbose.
type vitestText struct {
	*builder
	passed, failed int
}

var (
	vitestMark   = regexp.MustCompile(`^\s*([✓√×✗↓]) (.+)$`)
	vitestTail   = regexp.MustCompile(`(?: \[skipped\])?(?:\s+[\d.]+ ?m?s)?$`)
	vitestFile   = regexp.MustCompile(` \(\d+ tests?(?: \|.*)?\)$`)
	vitestTotals = regexp.MustCompile(`^\s+Tests\s+(.*\(\d+\))$`)
)

func vitestName(text string) (mark, name string) {
	m := vitestMark.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return m[1], vitestTail.ReplaceAllString(m[2], "")
}

// wantsTotals holds the counts of a line of totals against what was named.
func (b *builder) wantsTotals(totals string, passed, failed int) {
	for _, c := range totalsCount.FindAllStringSubmatch(totals, -1) {
		n, err := strconv.Atoi(c[1])
		switch {
		case err != nil:
		case c[2] == "passed":
			b.wants("passed tests", n, passed)
		case c[2] == "failed":
			b.wants("failed tests", n, failed)
		}
	}
}

func (t *vitestText) line(text string) {
	if m := vitestTotals.FindStringSubmatch(text); m != nil {
		t.seen, t.ended = true, true
		t.wantsTotals(m[1], t.passed, t.failed)
		return
	}
	mark, name := vitestName(text)
	if mark == "" || vitestFile.MatchString(name) {
		return // a file of tests has a line, too
	}
	switch mark {
	case "✓", "√":
		t.passed++
		t.test(name, Passed)
	case "×", "✗":
		t.failed++
		t.test(name, Failed)
	default:
		t.test(name, Skipped)
	}
}

func (t *vitestText) end() {}

// compatVitest is parse_log_vitest, to which a file is one more test.
func compatVitest(text string) (string, Outcome) {
	m := vitestCompat.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return m[2], map[string]Outcome{"✓": Passed, "×": Failed, "↓": Skipped}[m[1]]
}

var vitestCompat = regexp.MustCompile(`^(✓|×|↓)\s(.+?)(?:\s(?:\d+\s*m?s?|\[skipped\]))?$`) // durations in whole numbers only

// mochaHook is the title of a hook that failed: the test that it was for has no line.
var mochaHook = regexp.MustCompile(`^(.*?)"(?:before|after) (?:each|all)" hook(?:.*? for "(.*)"|.*)$`)

// mochaName is the test that a title stands for, and whether the title was a hook's.
func mochaName(title string) (string, bool) {
	m := mochaHook.FindStringSubmatch(title)
	if m == nil {
		return title, false
	}
	if m[2] == "" {
		return title, true
	}
	return m[1] + m[2], true
}

// walkMocha reads mocha -R json.
func walkMocha(b *builder, j *jsonScanner) {
	stated := map[string]int{"passes": -1, "failures": -1}
	named := map[string]int{}
	j.object(func(key string) {
		switch key {
		case "stats":
			j.object(func(key string) {
				if _, wanted := stated[key]; wanted {
					stated[key] = j.count()
				} else {
					j.skip()
				}
			})
		case "passes", "failures", "pending":
			b.seen = true
			j.list(func() {
				file, title := "", ""
				j.object(func(key string) {
					switch key {
					case "fullTitle":
						title = j.text()
					case "file":
						file = j.text()
					default:
						j.skip()
					}
				})
				named[key]++
				name, hook := mochaName(title)
				o := map[string]Outcome{"passes": Passed, "failures": Failed, "pending": Skipped}[key]
				if hook {
					o = Errored
				}
				b.test(Key(file, name), o)
			})
		default:
			j.skip()
		}
	})
	for _, key := range []string{"passes", "failures"} {
		if j.err == nil && stated[key] >= 0 {
			b.wants(key, stated[key], named[key])
		}
	}
	b.report.scoped = true
}

// mochaText reads the tree of mocha's spec reporter; the list of failures after the totals says them again.
type mochaText struct {
	*builder
	tree
	over                    bool
	passed, failed, pending int
}

var (
	mochaMark   = regexp.MustCompile(`^\s+(?:([✔✓√])|(\d+)\)|(-)) (.+?)(?: \([\d.]+m?s\))?$`)
	mochaTotals = regexp.MustCompile(`^\s+(\d+) (passing|failing|pending)(?: \(.*\))?$`)
)

func (t *mochaText) line(text string) {
	if m := mochaTotals.FindStringSubmatch(text); m != nil {
		t.seen, t.ended, t.over = true, true, true
		n, err := strconv.Atoi(m[1])
		switch {
		case err != nil:
		case m[2] == "passing":
			t.wants("passing tests", n, t.passed)
		case m[2] == "failing":
			t.wants("failing tests", n, t.failed)
		default:
			t.wants("pending tests", n, t.pending)
		}
		return
	}
	if t.over || strings.TrimSpace(text) == "" {
		return
	}
	m := mochaMark.FindStringSubmatch(text)
	if m == nil {
		if strings.HasPrefix(text, "  ") {
			t.group(indentOf(text), strings.TrimSpace(text))
		}
		return
	}
	o := Passed
	title, hook := mochaName(m[4])
	switch {
	case m[1] != "":
		t.passed++
	case m[2] != "":
		o = Failed
		t.failed++
		if hook {
			o = Errored
		}
	default:
		o = Skipped
		t.pending++
	}
	t.test(t.name(indentOf(text), title, " "), o)
}

func (t *mochaText) end() {}

// karmaCompat is parse_log_karma, which leaves a block only where the indent shrinks: a second block at the same indent
// is taken for the first.
type karmaCompat struct {
	*builder
	started, over bool
	indent        int
	suite         []string
}

var karmaLine = regexp.MustCompile(`^(\s*)?([✔✖])?\s(.*)$`)

func (k *karmaCompat) line(text string) {
	switch {
	case strings.HasPrefix(text, "SUMMARY:"):
		k.over, k.ended = true, true
	case strings.Contains(text, "Starting browser"):
		k.started = true
		return
	}
	m := karmaLine.FindStringSubmatch(text)
	if !k.started || k.over || m == nil {
		return
	}
	if m[2] != "" {
		k.test(joined(append(k.suite[:len(k.suite):len(k.suite)], m[3]), " > "), map[string]Outcome{"✔": Passed, "✖": Failed}[m[2]])
		return
	}
	if m[1] == "" {
		return
	}
	switch n := len(m[1]); {
	case n > k.indent && len(k.suite) < maxJSONDepth:
		k.indent = n
		k.suite = append(k.suite, strings.Clone(m[3][:min(len(m[3]), maxName+1)]))
	case n < k.indent:
		k.indent = n
		k.suite = k.suite[:max(0, len(k.suite)-1)]
	}
}

func (k *karmaCompat) end() {}

// karma reads the same trees by their indents.
type karma struct {
	*builder
	tree
	started, over bool
}

var karmaMark = regexp.MustCompile(`^(\s+)([✔✖ℹ]) (.+)$`)

func (k *karma) line(text string) {
	switch {
	case strings.HasPrefix(text, "SUMMARY:"):
		k.over, k.ended = true, true
	case strings.Contains(text, "Starting browser"):
		k.started, k.seen = true, true
	}
	if !k.started || k.over || strings.TrimSpace(text) == "" {
		return
	}
	if m := karmaMark.FindStringSubmatch(text); m != nil {
		k.test(k.name(len(m[1]), m[3], " > "), map[string]Outcome{"✔": Passed, "✖": Failed, "ℹ": Skipped}[m[2]])
	} else if strings.HasPrefix(text, " ") {
		k.group(indentOf(text), strings.TrimSpace(text))
	}
}

func (k *karma) end() {}
