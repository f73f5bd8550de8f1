package testlog

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// junit reads JUnit XML in the dialects of pytest, surefire and failsafe, Gradle, ctest, googletest, PHPUnit, vitest,
// jest-junit and mocha: one or many files, each a testsuite or several.
type junit struct {
	*builder
	suites []junitSuite // open ones
	files  int
	whole  int
}

// junitSuite is an open testsuite element with what it states and what it names.
type junitSuite struct {
	name                  string
	tests, bad            int // stated; -1 when they are not
	errors                int
	named, passed, failed int
}

func newJUnit(b *builder) reading { return &junit{builder: b} }

func (j *junit) read(in io.Reader) error {
	j.files++
	j.suites = j.suites[:0]
	x := newXMLScanner(in)
	for {
		e, err := x.next()
		switch {
		case errors.Is(err, io.EOF):
			j.whole++
			return nil
		case errors.Is(err, errXMLCut):
			if j.seen {
				j.problem("a report file ends before its end")
			}
			return nil
		case err != nil:
			if _, syntax := asSyntax(err); !syntax {
				return fmt.Errorf("reading a test report: %w", err)
			}
			j.problem("a report file is no XML: %v", err)
			return nil
		}
		switch {
		case e.Name == "testsuite" && !e.End:
			j.seen = true
			j.suites = append(j.suites, openSuite(&e))
		case e.Name == "testsuite":
			j.closeSuite()
		case e.Name == "testsuites":
			j.seen = true
		case e.Name == "testcase" && !e.End:
			if err := j.testcase(x, &e); err != nil {
				if errors.Is(err, errXMLCut) {
					j.problem("a report file ends before its end")
					return nil
				}
				if _, syntax := asSyntax(err); !syntax {
					return fmt.Errorf("reading a test report: %w", err)
				}
				j.problem("a report file is no XML: %v", err)
				return nil
			}
		}
	}
}

func openSuite(e *xmlElement) junitSuite {
	name := e.attr("name")
	s := junitSuite{name: strings.Clone(name[:min(len(name), maxName+1)]), tests: stated(e, "tests"), bad: -1, errors: max(0, stated(e, "errors"))}
	if f := stated(e, "failures"); f >= 0 {
		s.bad = f + s.errors
	}
	return s
}

// stated is a count that an attribute states, -1 when it does not.
func stated(e *xmlElement, attr string) int {
	n, err := strconv.Atoi(e.attr(attr))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// closeSuite holds what a suite states against what it names. pytest counts a test twice that passed and whose teardown
// broke, and mocha does not count hooks, so neither way is it a plain equality.
func (j *junit) closeSuite() {
	if len(j.suites) == 0 {
		return
	}
	s := j.suites[len(j.suites)-1]
	j.suites = j.suites[:len(j.suites)-1]
	switch {
	case s.tests >= 0 && s.passed > s.tests:
		j.problem("suite %.80s states %d tests and names %d that passed", s.name, s.tests, s.passed)
	case s.tests >= 0 && s.tests-s.errors > s.named:
		j.problem("suite %.80s states %d tests and names %d", s.name, s.tests, s.named)
	case s.bad > 0 && s.failed == 0:
		j.problem("suite %.80s states %d failures and names none", s.name, s.bad)
	}
	if n := len(j.suites); n > 0 {
		j.suites[n-1].named += s.named
		j.suites[n-1].passed += s.passed
		j.suites[n-1].failed += s.failed
	}
}

// testcase reads one test with its children.
func (j *junit) testcase(x *xmlScanner, e *xmlElement) error {
	j.seen = true
	name, class := e.attr("name"), e.attr("classname")
	if class == "" {
		class = e.attr("class")
	}
	o := caseStatus(e)
	for {
		child, err := x.next()
		if err != nil {
			return err
		}
		if child.End {
			if child.Name == "testcase" {
				break
			}
			continue
		}
		if child.Name == "testcase" || child.Name == "testsuite" {
			return &xmlSyntax{"a testcase holds a " + child.Name}
		}
		switch {
		case child.Name == "error" && class == "" && child.attr("message") == "collection failure":
			j.scope(name, BuildFailed) // pytest: a file that could not be imported
			return passCase(x)
		case child.Name == "failure", child.Name == "error" && strings.HasSuffix(child.attr("type"), "RiskyTestError"):
			o = worse(o, Failed)
		case child.Name == "error":
			o = worse(o, Errored)
		case child.Name == "skipped":
			o = worse(o, skippedCase(e, &child))
		}
		// flakyFailure and flakyError passed on another try; rerunFailure and rerunError stand beside the first failure.
	}
	if class == "" && len(j.suites) > 0 {
		class = j.suites[len(j.suites)-1].name
	}
	if strings.TrimSpace(name) == "" {
		j.problem("a testcase has no name")
		return nil
	}
	if n := len(j.suites); n > 0 {
		s := &j.suites[n-1]
		s.named++
		if o.OK() {
			s.passed++
		}
		if o.Bad() {
			s.failed++
		}
	}
	j.test(Key(class, name), o)
	return nil
}

// passCase reads the rest of a testcase.
func passCase(x *xmlScanner) error {
	for {
		e, err := x.next()
		if err != nil || e.End && e.Name == "testcase" {
			return err
		}
	}
}

func worse(a, b Outcome) Outcome {
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// caseStatus is what the attributes of a testcase say: ctest and googletest write some there.
func caseStatus(e *xmlElement) Outcome {
	switch strings.ToLower(e.attr("status")) {
	case "fail", "failed":
		return Failed
	case "error":
		return Errored
	case "notrun", "disabled", "skipped", "ignored":
		return Skipped
	}
	switch strings.ToLower(e.attr("result")) {
	case "skipped", "suppressed":
		return Skipped
	}
	return Passed
}

func skippedCase(e, skipped *xmlElement) Outcome {
	switch {
	case skipped.attr("type") == "pytest.xfail":
		return ExpectedFailure
	case e.attr("status") == "notrun" && strings.HasPrefix(skipped.attr("message"), "Unable to find executable"):
		return Errored // ctest: the program to run was not built
	}
	return Skipped
}

func (j *junit) finish() *Report {
	j.report.scoped = true
	j.ended = j.files > 0 && j.whole == j.files
	return j.builder.finish()
}
