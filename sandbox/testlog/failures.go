package testlog

import (
	"regexp"
	"strings"
)

// Parsers that SWE-bench has for suites whose logs name the failures only: a test that is not there passed, which only the task
// can say (its suite is fail-only). A line of totals is what is known of a run without failures.

// failures reads lines of which some name a failure.
type failures struct {
	*builder
	shapes []*regexp.Regexp // the last group is the name
	totals *regexp.Regexp
	blanks bool // several in a name are one, and none are around it
	spread *spread
}

var (
	karmaTotals = regexp.MustCompile(`Executed \d+ of \d+`)
	mochaEnds   = regexp.MustCompile(`^\s*\d+ (?:passing|failing)`)
	jasmineEnds = regexp.MustCompile(`^\d+ specs?, \d+ failures?`)

	bpmnShapes = []*regexp.Regexp{
		regexp.MustCompile(`PhantomJS\s[\d.]+\s\(Linux\s(?:[\d.]+|x86_64)\)\s(.*)FAILED$`),
		regexp.MustCompile(`Chrome\sHeadless\s.*\s\(Linux\sx86_64\)\s(.*)FAILED$`),
		regexp.MustCompile(`HeadlessChrome\s[\d.]+\s\(Linux\s[\d.]+\)\s(.*)FAILED$`),
	}
	chartShapes  = []*regexp.Regexp{regexp.MustCompile(`Chrome\s[\d.]+[^\S\r\n]\(.+?\)[^\S\r\n](.*)FAILED$`)}
	markedShapes = []*regexp.Regexp{regexp.MustCompile(`^\d+\)\s(.*)`)}
	layersShapes = []*regexp.Regexp{
		regexp.MustCompile(`Chrome\sHeadless\s[\d.]+\s\(Linux\s\S+\)\s(.*)\sFAILED$`),
		regexp.MustCompile(`Chrome\s[\d.]+\s\(Linux\s\S+\)\s(.*)FAILED$`),
		regexp.MustCompile(`^case\s(.*):\smismatch`),
	}
)

// newBPMN is parse_log_bpmn_js.
func newBPMN(b *builder) lineReader {
	return &failures{builder: b, shapes: bpmnShapes, totals: karmaTotals}
}

// newChart is parse_log_chart_js.
func newChart(b *builder) lineReader {
	return &failures{builder: b, shapes: chartShapes, totals: karmaTotals}
}

// newMarked is parse_log_marked.
func newMarked(b *builder) lineReader {
	return &failures{builder: b, shapes: markedShapes, totals: jasmineEnds}
}

// newLayers is parse_log_openlayers: karma's lines, rendered cases, and mocha's list.
func newLayers(b *builder) lineReader {
	return &failures{builder: b, shapes: layersShapes, totals: regexp.MustCompile(karmaTotals.String() + "|" + mochaEnds.String()), blanks: true,
		spread: &spread{begins: regexp.MustCompile(`^\s{2}\d+\)`), ends: func(text string) int { return strings.Index(text, "Error:") }, after: len("Error:")}}
}

// newESLint is parse_log_eslint: what stands between a number and a line with an error, blanks taken together.
func newESLint(b *builder) lineReader {
	return &failures{builder: b, totals: mochaEnds, blanks: true, spread: &spread{begins: regexp.MustCompile(`\s{2}\d+\)`), anywhere: true, ends: func(text string) int {
		at := strings.IndexAny(text, " \t\n")
		if last := strings.LastIndex(text, "Error"); at < 0 || last <= at {
			return -1
		}
		return at
	}}}
}

func (f *failures) line(text string) {
	if f.totals.MatchString(text) {
		f.seen, f.ended = true, true
	}
	for _, shape := range f.shapes {
		if m := shape.FindStringSubmatch(text); m != nil {
			f.failed(m[len(m)-1])
		}
	}
	if f.spread != nil {
		f.spread.line(text, f.failed)
	}
}

func (f *failures) failed(name string) {
	if f.blanks {
		name = strings.Join(strings.Fields(name), " ")
	}
	f.test(name, Failed)
}

func (f *failures) end() { f.ended = f.ended || f.seen }

// spread finds names that go over lines: from a number to the text that ends them.
type spread struct {
	begins   *regexp.Regexp
	anywhere bool                  // a line's end is a blank before the number, too
	ends     func(text string) int // -1 without an end
	after    int                   // bytes of the end that are passed over

	open bool
	name string
}

func (s *spread) line(text string, each func(name string)) {
	if s.open || s.anywhere {
		text = "\n" + text
	}
	for {
		if !s.open {
			at := s.begins.FindStringIndex(text)
			if at == nil {
				return
			}
			s.open, s.name, text = true, "", text[at[1]:]
		}
		at := s.ends(text)
		if at < 0 {
			if s.name += text; len(s.name) > 4*maxName { // no such name
				s.open = false
			}
			return
		}
		each(s.name + text[:at])
		s.open = false
		if s.after == 0 {
			return
		}
		text = text[at+s.after:]
		if !s.anywhere {
			return
		}
	}
}
