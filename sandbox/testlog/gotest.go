package testlog

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds on what one report may take of memory.
const (
	maxLine  = 1 << 20  // bytes; the go command cuts output into events far shorter
	maxName  = 16 << 10 // bytes of a package and test name together
	maxTests = 500_000
	maxNames = 128 << 20 // bytes of all names together
	maxBuild = 16 << 10  // bytes kept of Report.Build
)

// event is one line of `go test -json`.
type event struct {
	Action      string
	Package     string
	ImportPath  string // build events
	Test        string
	Output      string
	FailedBuild string
}

// parser holds what a report needs to know while it is read: a few words for each test, nothing of its output.
type parser struct {
	report   *Report
	running  map[string]int // starts without an end
	ended    map[string]bool
	packages map[string]*packageState
	names    int
	problems []string
	lost     bool // part of the stream is missing
}

type packageState struct {
	tests   int
	failed  int // tests of it that failed
	outcome Outcome
	build   bool // an output line of the go command says that it did not build
}

// ParseGoTest reads the output of `go test -json`. Lines that are no events (the go command prints some) are passed over.
// The error is r's own; a strange report is a Report with a Problem.
func ParseGoTest(r io.Reader) (*Report, error) {
	p := &parser{
		report:   &Report{Tests: map[string]Outcome{}, Packages: map[string]Outcome{}, doubtful: map[string]string{}},
		running:  map[string]int{},
		ended:    map[string]bool{},
		packages: map[string]*packageState{},
	}
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, whole, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("reading a test report: %w", err)
		}
		p.line(line, whole, err == nil)
		if err != nil {
			break
		}
	}
	return p.finish(), nil
}

// readLine reads one line without its newline. It is not whole when it was longer than maxLine.
func readLine(in *bufio.Reader) (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) <= maxLine {
			line = append(line, part...)
		} else {
			whole = false
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}

func (p *parser) line(line []byte, whole, ended bool) {
	text := strings.TrimSpace(string(line))
	if text == "" {
		return
	}
	if !whole {
		p.problem("a line is longer than %d bytes", maxLine)
		p.lost = true
		return
	}
	if text[0] != '{' {
		if strings.HasPrefix(text, "[evlab: ") && strings.HasSuffix(text, " bytes left out here]") {
			p.lost = true
		}
		return
	}
	var e event
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		if !ended {
			p.problem("the report ends in the middle of an event")
			p.lost = true
		}
		return // the program's own braces, or the remains around a cut
	}
	p.event(e)
}

func (p *parser) event(e event) {
	switch e.Action {
	case "build-output":
		if room := maxBuild - len(p.report.Build); room > 0 {
			p.report.Build += e.Output[:min(room, len(e.Output))]
		}
		return
	case "start", "run", "pause", "cont", "output", "pass", "fail", "skip", "bench":
	default:
		return // build-fail names a package build, which the package's own end tells as well; others are not known yet
	}
	if e.Package == "" || len(e.Package)+len(e.Test) > maxName {
		if e.Action != "output" {
			p.problem("an event without a package, or with a name longer than %d bytes", maxName)
		}
		return
	}
	if strings.Contains(e.Package, "::") {
		p.problem("package %q has a name that tests cannot be told apart by", e.Package)
		return
	}
	if e.Test == "" {
		p.packageEvent(e)
		return
	}
	p.testEvent(e)
}

func (p *parser) pkg(name string) *packageState {
	s := p.packages[name]
	if s == nil {
		s = &packageState{outcome: Unfinished}
		if !p.room(name) {
			return s
		}
		p.packages[name] = s
	}
	return s
}

// room says whether one more name fits into memory.
func (p *parser) room(name string) bool {
	p.names += len(name)
	if len(p.report.Tests)+len(p.packages) < maxTests && p.names <= maxNames {
		return true
	}
	p.problem("the report has more tests than can be kept")
	p.lost = true
	return false
}

func (p *parser) packageEvent(e event) {
	s := p.pkg(e.Package)
	switch e.Action {
	case "start":
		if s.outcome != Unfinished {
			p.problem("package %s is there twice", e.Package)
			s.outcome = Unfinished
		}
	case "output":
		line := strings.TrimSpace(e.Output)
		if strings.HasPrefix(line, "FAIL\t") && (strings.HasSuffix(line, "[build failed]") || strings.HasSuffix(line, "[setup failed]")) {
			s.build = true
		}
		p.lookForMark(e)
	case "pass", "fail", "skip":
		if s.outcome != Unfinished {
			p.problem("package %s ended twice", e.Package)
		}
		outcome := map[string]Outcome{"pass": Passed, "fail": Failed, "skip": Skipped}[e.Action]
		if outcome == Failed && (e.FailedBuild != "" || s.build && s.tests == 0) {
			outcome = BuildFailed
		}
		if s.outcome == Unfinished || rank(outcome) > rank(s.outcome) {
			s.outcome = outcome
		}
	}
}

func (p *parser) testEvent(e event) {
	s, key := p.pkg(e.Package), Key(e.Package, e.Test)
	if s.outcome != Unfinished && e.Action != "output" {
		p.doubt(key, "has events after the end of its package")
	}
	switch e.Action {
	case "run":
		if _, known := p.report.Tests[key]; !known {
			if !p.room(key) {
				return
			}
			s.tests++
			p.report.Tests[key] = Unfinished
		}
		p.running[key]++ // twice is no fault: TestX of package p and TestX of p_test are both p's; the worse one counts
	case "output":
		p.lookForMark(e)
	case "pass", "fail", "skip":
		outcome := map[string]Outcome{"pass": Passed, "fail": Failed, "skip": Skipped}[e.Action]
		known, seen := p.report.Tests[key]
		if !seen {
			if !p.room(key) {
				return
			}
			s.tests++
		}
		if p.running[key] == 0 {
			p.doubt(key, "ended more often than it started")
		} else if p.running[key]--; p.running[key] == 0 {
			delete(p.running, key)
		}
		if outcome == Failed {
			s.failed++
		}
		if !seen || known == Unfinished && !p.ended[key] || rank(outcome) > rank(known) {
			p.report.Tests[key] = outcome
		}
		p.ended[key] = true
	}
}

// lookForMark finds the control character by which the testing package marks its own lines: the go command takes it
// away wherever it stands for one.
func (p *parser) lookForMark(e event) {
	if strings.IndexByte(e.Output, 0x16) < 0 {
		return
	}
	p.problem("package %s printed the mark that only the testing package uses", e.Package)
	if _, known := p.report.Tests[Key(e.Package, e.Test)]; known {
		p.doubt(Key(e.Package, e.Test), "printed the mark that only the testing package uses")
	}
}

func (p *parser) doubt(key, why string) {
	if p.report.doubtful[key] == "" && len(p.report.doubtful) < maxTests/10 {
		p.report.doubtful[key] = why
		p.problem("%s %s", key, why)
	}
}

// problem notes a reason not to trust the report; the first few are enough.
func (p *parser) problem(format string, args ...any) {
	if len(p.problems) < 5 {
		text := fmt.Sprintf(format, args...)
		for _, known := range p.problems {
			if known == text {
				return
			}
		}
		p.problems = append(p.problems, text[:min(len(text), 500)])
	}
}
