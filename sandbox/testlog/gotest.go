package testlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// goTestReading reads `go test -json -count=1`: one final event for each test of each package.
type goTestReading struct {
	*builder
	tests    map[string]*goTest
	packages map[string]*goPackage
	last     string // the package of the event before, whose state is latest
	latest   *goPackage
	key      []byte
}

type goTest struct {
	outcome Outcome
	running int // starts without an end
	ended   bool
}

type goPackage struct {
	tests   int
	began   bool // a test of it started
	failed  int  // tests of it that failed
	outcome Outcome
	build   bool // an output line of the go command says that it did not build
}

func newGoTest(b *builder) reading {
	return &goTestReading{builder: b, tests: map[string]*goTest{}, packages: map[string]*goPackage{}}
}

// ParseGoTest reads the output of `go test -json`. Lines that are no events (the go command prints some) are passed over.
// The error is r's own; a strange report is a Report with a Problem.
func ParseGoTest(r io.Reader) (*Report, error) {
	g, err := Find(GoTestJSON)
	if err != nil {
		return nil, err
	}
	return g.Read(r)
}

func (p *goTestReading) read(in io.Reader) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var buf []byte
	for {
		// A line that fits into the buffer is read where it lies.
		line, err := r.ReadSlice('\n')
		whole := true
		if errors.Is(err, bufio.ErrBufferFull) {
			buf = append(buf[:0], line...)
			line, whole, err = readLine(r, buf)
			buf = line
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading a test report: %w", err)
		}
		p.line(line, whole, err == nil)
		if err != nil {
			return nil
		}
	}
}

func (p *goTestReading) line(line []byte, whole, ended bool) {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		return
	case !whole:
		p.problem("a line is longer than %d bytes", maxLine)
		p.lost = true
		return
	case text[0] != '{':
		if text[0] == '[' && cutMark(string(text)) {
			p.lost = true
		}
		return
	}
	var e goEvent
	if !parseGoEvent(text, &e) {
		if !ended {
			p.problem("the report ends in the middle of an event")
			p.lost = true
		}
		return // the program's own braces, or the remains around a cut
	}
	p.event(&e)
}

func (p *goTestReading) event(e *goEvent) {
	switch string(e.Action) {
	case "build-output":
		p.said(string(e.Output))
		return
	case "start", "run", "pause", "cont", "output", "pass", "fail", "skip", "bench":
	default:
		return // build-fail names a package build, which the package's own end tells as well; others are not known yet
	}
	if len(e.Package) == 0 || len(e.Package)+len(e.Test) > maxName {
		if string(e.Action) != "output" {
			p.problem("an event without a package, or with a name longer than %d bytes", maxName)
		}
		return
	}
	s := p.pkg(e.Package)
	switch {
	case s == nil:
	case len(e.Test) == 0:
		p.packageEvent(e, s)
	default:
		p.testEvent(e, s)
	}
}

// pkg is the state of a package, nil for a name that tests cannot be told apart by.
func (p *goTestReading) pkg(name []byte) *goPackage {
	if p.latest != nil && p.last == string(name) {
		return p.latest
	}
	s := p.packages[string(name)]
	if s == nil {
		if bytes.Contains(name, []byte("::")) {
			p.problem("package %q has a name that tests cannot be told apart by", name)
			return nil
		}
		s = &goPackage{outcome: Unfinished}
		if !p.room(string(name)) {
			return s
		}
		p.packages[string(name)] = s
	}
	p.last, p.latest = string(name), s
	return s
}

// room says whether one more name fits into memory.
func (p *goTestReading) room(name string) bool {
	if len(p.tests)+len(p.packages) >= maxTests {
		p.problem("the report has more tests than can be kept")
		p.lost = true
		return false
	}
	return p.builder.room(name)
}

func (p *goTestReading) packageEvent(e *goEvent, s *goPackage) {
	switch string(e.Action) {
	case "start":
		if s.outcome != Unfinished {
			p.problem("package %s is there twice", e.Package)
			s.outcome = Unfinished
		}
	case "output":
		line := strings.TrimSpace(string(e.Output))
		if strings.HasPrefix(line, "FAIL\t") && (strings.HasSuffix(line, "[build failed]") || strings.HasSuffix(line, "[setup failed]")) {
			s.build = true
		}
		p.lookForMark(e)
	case "pass", "fail", "skip":
		if s.outcome != Unfinished {
			p.problem("package %s ended twice", e.Package)
		}
		outcome := goOutcome(e.Action)
		if outcome == Failed && (len(e.FailedBuild) > 0 || s.build && s.tests == 0) {
			outcome = BuildFailed
		}
		if s.outcome == Unfinished || rank(outcome) > rank(s.outcome) {
			s.outcome = outcome
		}
	}
}

func goOutcome(action []byte) Outcome {
	switch string(action) {
	case "pass":
		return Passed
	case "skip":
		return Skipped
	}
	return Failed
}

func (p *goTestReading) testEvent(e *goEvent, s *goPackage) {
	action := string(e.Action)
	if action == "output" {
		if e.marked {
			p.lookForMark(e)
		}
		return
	}
	p.key = append(append(append(p.key[:0], e.Package...), "::"...), e.Test...)
	if s.outcome != Unfinished {
		p.doubt(string(p.key), "has events after the end of its package")
	}
	if action != "run" && action != "pass" && action != "fail" && action != "skip" {
		return
	}
	if s.began = s.began || action == "run"; !s.began {
		return // printed by the program while it was loaded: the go command tells lines apart once it has seen the mark
	}
	t := p.tests[string(p.key)]
	known := t != nil
	if !known {
		key := string(p.key)
		if !p.room(key) {
			return
		}
		t = &goTest{outcome: Unfinished}
		p.tests[key] = t
		s.tests++
	}
	if action == "run" {
		t.running++ // twice is no fault: TestX of package p and TestX of p_test are both p's; the worse one counts
		return
	}
	if t.running == 0 {
		p.doubt(string(p.key), "ended more often than it started")
	} else {
		t.running--
	}
	outcome := goOutcome(e.Action)
	if outcome == Failed {
		s.failed++
	}
	if !known || t.outcome == Unfinished && !t.ended || rank(outcome) > rank(t.outcome) {
		t.outcome = outcome
	}
	t.ended = true
}

// lookForMark holds the testing package's mark against output that has it.
func (p *goTestReading) lookForMark(e *goEvent) {
	if !e.marked {
		return
	}
	p.problem("package %s printed the mark that only the testing package uses", e.Package)
	key := Key(string(e.Package), string(e.Test))
	if p.tests[key] != nil {
		p.doubt(key, "printed the mark that only the testing package uses")
	}
}

// finish draws the conclusions that need the whole stream.
func (p *goTestReading) finish() *Report {
	r := p.report
	r.scoped = true
	open := map[string]bool{} // packages with a test that never ended
	for key, t := range p.tests {
		r.Tests[key] = t.outcome
		if t.running > 0 {
			r.Tests[key] = Unfinished // one of its starts has no end, whatever another one came to
			pkg, _, _ := strings.Cut(key, "::")
			open[pkg] = true
		}
	}
	p.checkFamilies()
	tests, unfinished := 0, 0
	for name, s := range p.packages {
		r.Packages[name] = s.outcome
		tests += s.tests
		if s.outcome == Unfinished {
			unfinished++
		}
	}
	for _, name := range sorted(r.Packages) {
		s := p.packages[name]
		switch {
		case s.outcome == Unfinished:
			p.problem("package %s never ended", name)
		case s.outcome == Failed && s.failed == 0 && !open[name]:
			p.problem("package %s failed although none of its tests did", name)
		case s.outcome == Passed && (s.failed > 0 || open[name]):
			p.problem("package %s passed although a test of it did not", name)
		}
	}
	switch {
	case len(r.Packages) == 0:
		p.problem("there is no package in the report")
	case tests == 0:
		p.problem("no test ran")
	}
	if p.lost {
		p.problem("part of the report was left out")
	}
	r.absent, r.truncated = len(r.Packages) == 0, p.lost
	r.Complete = len(r.Packages) > 0 && unfinished == 0 && !p.lost
	r.Problem = strings.Join(p.problems, "; ")
	return r
}

// checkFamilies holds it against a test that it passed while a subtest of it failed or never ended: testing fails the
// parents of what fails.
func (p *goTestReading) checkFamilies() {
	for _, key := range sorted(p.report.Tests) {
		if o := p.report.Tests[key]; o != Failed && o != Unfinished {
			continue
		}
		from := strings.Index(key, "::")
		for tries := 0; tries < maxFamily; tries++ {
			i := strings.IndexByte(key[from:], '/')
			if from += i; i < 0 {
				break
			}
			if parent := key[:from]; p.report.Tests[parent] == Passed {
				p.doubt(parent, fmt.Sprintf("passed although its subtest %.500s did not", key))
			}
			from++
		}
	}
}

// maxFamily bounds the ancestors that are looked for, eldest first: a subtest's name may be all slashes.
const maxFamily = 64
