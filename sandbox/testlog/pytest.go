package testlog

import (
	"regexp"
	"strconv"
	"strings"
)

// pytest reads pytest's own text: the lines of -v while tests run, and the short summary at the end (-rA names all).
//
// What a test printed is shown again in sections between them, and may hold the text of another run of pytest. So lines
// count only where pytest writes its own, the last summary is the summary, and the totals of the last line must agree
// with it; where several lines look like totals, the letters of the progress lines must agree with the last one, too.
type pytest struct {
	*builder
	part     pytestPart
	running  map[string]Outcome // of -v lines
	summary  map[string]Outcome
	broken   map[string]Outcome // files that could not be collected
	earlier  map[string]Outcome // what a summary said that was not the last
	named    map[string]int     // lines of the summary, or while running, by word
	vNamed   map[string]int
	progress map[string]int // letters
	totals   map[string]int
	ends     int // lines of totals
	longest  int // bytes of the longest name of running
	subtests bool
}

type pytestPart int

const (
	pytestRuns pytestPart = iota
	pytestElsewhere
	pytestSummary
)

func newPytest(b *builder) lineReader {
	return &pytest{
		builder: b, running: map[string]Outcome{}, summary: map[string]Outcome{}, broken: map[string]Outcome{}, earlier: map[string]Outcome{},
		named: map[string]int{}, vNamed: map[string]int{}, progress: map[string]int{},
	}
}

var (
	pytestHeader = regexp.MustCompile(`^=+ (.+) =+$`)
	pytestTotals = regexp.MustCompile(`^(?:=+ )?((?:\d+ [a-z]+(?: [a-z]+)?(?:, )?)+|no tests ran|no tests collected) in [\d.:]+ ?s(?:econds)?(?: \([\d:., a-z]+\))?(?: =+)?$`)
	pytestCount  = regexp.MustCompile(`(\d+) ([a-z]+(?: [a-z]+)?)`)
	pytestVLine  = regexp.MustCompile(`^(\S.*::.+?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: \(.*\)?)?(?:\s+\[\s*\d+%\])?$`)
	pytestXdist  = regexp.MustCompile(`^\[gw\d+\] \[\s*\d+%\] (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\S.*::.*)$`)
	pytestDots   = regexp.MustCompile(`^(?:\S+\.py )?([.FEsxX]+)(?:\s+\[\s*\d+%\])?$`)
	pytestSub    = regexp.MustCompile(`^SUBFAIL(?:ED)?(?:[\[(].*?[\])])? (\S.*::.*)$`)
)

var pytestWords = map[string]Outcome{
	"PASSED": Passed, "FAILED": Failed, "ERROR": Errored, "SKIPPED": Skipped, "XFAIL": ExpectedFailure, "XPASS": UnexpectedPass,
}

// pytestLetters are what the progress lines write for the words of the totals.
var pytestLetters = map[rune]string{'.': "passed", 'F': "failed", 'E': "error", 's': "skipped", 'x': "xfailed", 'X': "xpassed"}

func (p *pytest) passesOver() bool { return p.part == pytestElsewhere }

func (p *pytest) line(text string) {
	if text == "" {
		return
	}
	if m := pytestTotals.FindStringSubmatch(text); m != nil {
		p.total(m[1])
		return
	}
	if text[0] == '=' {
		if m := pytestHeader.FindStringSubmatch(text); m != nil {
			p.header(m[1])
			return
		}
	}
	switch {
	case strings.HasPrefix(text, "ERROR: ") && p.part != pytestElsewhere:
		// Wrong usage, and reports of what could not be collected, are told apart by the file that the latter name.
		if strings.HasPrefix(text, "ERROR: file or directory not found: ") || strings.HasPrefix(text, "ERROR: not found: ") || strings.HasPrefix(text, "ERROR: usage: ") {
			p.seen = true
			p.problem("pytest did not begin: %s", text)
		}
	case strings.HasPrefix(text, "INTERNALERROR> "):
		p.seen = true
		p.problem("pytest itself broke: %s", text)
	case strings.HasPrefix(text, "!!!") && strings.Contains(text, " Interrupted: "):
		p.seen = true
		p.problem("pytest was interrupted: %s", strings.Trim(text, "! "))
	case p.part == pytestRuns:
		p.runs(text)
	case p.part == pytestSummary:
		p.sums(text)
	}
}

func (p *pytest) header(title string) {
	switch {
	case title == "test session starts":
		p.seen = true
		if p.part == pytestRuns { // else it is in the output of a test
			p.part = pytestRuns
		}
	case title == "short test summary info":
		p.seen = true
		keepWorst(p.earlier, p.summary)
		clear(p.summary)
		clear(p.broken)
		clear(p.named)
		p.part = pytestSummary
	default:
		p.part = pytestElsewhere
	}
}

func keepWorst(into, from map[string]Outcome) {
	for name, o := range from {
		if was, known := into[name]; !known || rank(o) > rank(was) {
			into[name] = o
		}
	}
}

// total reads a line of totals, "1 failed, 2 passed in 0.10s".
func (p *pytest) total(counts string) {
	p.seen, p.ended = true, true
	p.ends++
	p.totals = map[string]int{}
	for _, m := range pytestCount.FindAllStringSubmatch(counts, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		word := m[2]
		if word == "errors" {
			word = "error"
		}
		p.subtests = p.subtests || strings.HasPrefix(word, "subtest")
		p.totals[word] = n
	}
	p.part = pytestElsewhere
}

// runs reads a line while tests run.
func (p *pytest) runs(text string) {
	var name, word string
	if m := pytestVLine.FindStringSubmatch(text); m != nil {
		name, word = m[1], m[2]
	} else if m := pytestXdist.FindStringSubmatch(text); m != nil {
		name, word = strings.TrimRight(m[2], " "), m[1]
	}
	if name != "" {
		p.seen = true
		p.vNamed[word]++
		p.keep(p.running, name, pytestWords[word])
		p.longest = max(p.longest, min(len(name), maxName))
		return
	}
	if m := pytestDots.FindStringSubmatch(text); m != nil {
		p.seen = true
		for _, letter := range m[1] {
			p.progress[pytestLetters[letter]]++
		}
	}
}

// sums reads a line of the summary.
func (p *pytest) sums(text string) {
	if m := pytestSub.FindStringSubmatch(text); m != nil {
		p.subtests = true
		p.keep(p.summary, p.id(m[1]), Failed)
		return
	}
	word, rest, ok := strings.Cut(text, " ")
	o, known := pytestWords[word]
	if !ok || !known || rest == "" {
		return
	}
	if word == "SKIPPED" && strings.HasPrefix(rest, "[") {
		return // a place in a file, without the test's name
	}
	name := rest
	if word != "PASSED" {
		name = p.id(rest)
	}
	if word == "XPASS" && !strings.Contains(rest, "[") {
		name, _, _ = strings.Cut(rest, " ") // older ones have the reason without a dash
	}
	if word == "ERROR" && !strings.Contains(name, "::") {
		p.named[word]++
		p.keep(p.broken, name, BuildFailed)
		return
	}
	p.named[word]++
	p.keep(p.summary, name, o)
}

// keep bounds what is kept.
func (p *pytest) keep(in map[string]Outcome, name string, o Outcome) {
	was, known := in[name]
	switch {
	case len(name) > maxName:
		p.problem("a test has a name longer than %d bytes", maxName)
	case !known && len(in) >= maxTests:
		p.problem("the report has more tests than can be kept")
		p.lost = true
	case !known && !p.room(name):
	case !known:
		in[strings.Clone(name)] = o // without the message behind it
	case rank(o) > rank(was):
		in[name] = o
	}
}

// id is the id at the start of "id - message": the longest that a line of -v had before, else what pytestID makes of it.
func (p *pytest) id(s string) string {
	if len(s) <= p.longest {
		if _, known := p.running[s]; known {
			return s
		}
	}
	// A message may be long, and full of dashes; a name is not.
	start := s[:min(len(s), p.longest+len(" - "))]
	for tries := 0; tries < maxDashes; tries++ {
		end := strings.LastIndex(start, " - ")
		if end <= 0 {
			break
		}
		if start = s[:end]; p.running[start] != "" {
			return start
		}
	}
	return pytestID(s)
}

// maxDashes bounds how many ends of a name are tried.
const maxDashes = 256

// pytestID is the id at the start of "id - message". Parameters may hold " - "; the id ends with the first bracket that can
// end them.
func pytestID(s string) string {
	dash := strings.Index(s, " - ")
	if open := strings.IndexByte(s, '['); open >= 0 && (dash < 0 || open < dash) {
		if end := strings.Index(s[open:], "] - "); end >= 0 {
			return s[:open+end+1]
		}
		if strings.HasSuffix(s, "]") {
			return s
		}
		if end := strings.Index(s[open:], "] "); end >= 0 {
			return s[:open+end+1]
		}
	}
	if dash >= 0 {
		return s[:dash]
	}
	return s
}

// end puts the parts together.
func (p *pytest) end() {
	keepWorst(p.running, p.summary)
	for _, name := range sorted(p.running) {
		o := p.running[name]
		p.test(name, o)
		if was, known := p.earlier[name]; known && o.OK() && !was.OK() {
			p.doubt(name, "passed in the last summary of the log and did not in one before it")
		}
	}
	for file, o := range p.broken {
		p.scope(file, o)
	}
	if !p.ended {
		return
	}
	if p.subtests {
		return // their lines are counted in ways that differ between versions
	}
	if p.ends > 1 && len(p.progress) > 0 {
		p.progress["error"] += len(p.broken) // what could not be collected has no letter
		for _, word := range []string{"passed", "failed", "error", "skipped"} {
			p.wants(word, p.totals[word], p.progress[word])
		}
	}
	for _, c := range []struct{ word, total string }{{"PASSED", "passed"}, {"FAILED", "failed"}, {"ERROR", "error"}, {"XFAIL", "xfailed"}, {"XPASS", "xpassed"}} {
		named := p.named[c.word]
		if named == 0 {
			named = p.vNamed[c.word]
		}
		if named > 0 {
			p.wants(c.total, p.totals[c.total], named)
		}
	}
}
