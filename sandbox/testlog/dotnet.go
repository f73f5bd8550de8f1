package testlog

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// trx reads the results files of dotnet test: one for each project and target framework.
type trx struct {
	*builder
	files, whole int
}

func newTRX(b *builder) reading { return &trx{builder: b} }

// trxOutcomes are the outcomes of Visual Studio's test results that are not errors.
var trxOutcomes = map[string]Outcome{
	"Passed": Passed, "Failed": Failed, "NotExecuted": Skipped, "Inconclusive": Skipped, "NotRunnable": Skipped,
	"Warning": Passed, "InProgress": Unfinished, "Pending": Unfinished,
}

func (t *trx) read(in io.Reader) error {
	t.files++
	x := newXMLScanner(in)
	type result struct {
		id, name string
		outcome  Outcome
	}
	var results []result
	classes := map[string]string{} // test id -> class
	definition, passed, failed, statedPassed, statedFailed := "", 0, 0, -1, -1
	for {
		e, err := x.next()
		if errors.Is(err, io.EOF) {
			t.whole++
			break
		}
		if _, syntax := asSyntax(err); syntax || errors.Is(err, errXMLCut) {
			if t.seen || syntax {
				t.problem("a report file is damaged: %v", err)
			}
			break
		}
		if err != nil {
			return fmt.Errorf("reading a test report: %w", err)
		}
		if e.End {
			continue
		}
		switch e.Name {
		case "TestRun":
			t.seen = true
		case "UnitTestResult":
			o, known := trxOutcomes[e.attr("outcome")]
			if !known {
				o = Errored // Error, Timeout, Aborted, Disconnected, PassedButRunAborted
			}
			if o == Passed {
				passed++
			}
			if o == Failed {
				failed++
			}
			r := result{strings.Clone(e.attr("testId")), strings.Clone(e.attr("testName")), o} // without the rest of a long tag
			if len(r.name) > maxName {
				t.problem("a test has a name longer than %d bytes", maxName)
			} else if t.keeps(len(results), len(r.id)+len(r.name)) {
				results = append(results, r)
			}
		case "UnitTest":
			definition = e.attr("id")
		case "TestMethod":
			class, _, _ := strings.Cut(e.attr("className"), ",")
			if len(definition)+len(class) <= maxName && t.keeps(len(classes), len(definition)+len(class)) {
				classes[strings.Clone(definition)] = strings.Clone(class)
			}
		case "Counters":
			statedPassed, statedFailed = stated(&e, "passed"), stated(&e, "failed")
		case "ResultSummary":
			if e.attr("outcome") == "Aborted" {
				t.problem("the test run was aborted")
			}
		}
	}
	for _, r := range results {
		name, class := r.name, classes[r.id]
		if head, _, _ := strings.Cut(name, "("); class != "" && !strings.Contains(head, ".") {
			name = class + "." + name // MSTest has the method alone
		}
		t.test(name, r.outcome)
	}
	if statedPassed >= 0 {
		t.wants("passed tests", statedPassed, passed)
	}
	if statedFailed >= 0 {
		t.wants("failed tests", statedFailed, failed)
	}
	return nil
}

func (t *trx) finish() *Report {
	t.ended = t.files > 0 && t.whole == t.files
	return t.builder.finish()
}

// dotnet reads the console of dotnet test with a logger of normal verbosity.
type dotnet struct {
	*builder
	passed, failed int
}

var (
	dotnetLine   = regexp.MustCompile(`^\s{1,2}(Passed|Failed|Skipped) (.+?)(?: \[[^\]]*\])?$`)
	dotnetTotals = regexp.MustCompile(`^(?:Passed!|Failed!|Skipped!) +- Failed: +(\d+), Passed: +(\d+), `)
	dotnetWords  = map[string]Outcome{"Passed": Passed, "Failed": Failed, "Skipped": Skipped}
)

func (d *dotnet) line(text string) {
	switch {
	case strings.HasPrefix(text, "The active test run was aborted."):
		d.seen = true
		d.problem("%s", text)
		return
	case strings.HasPrefix(text, "Test Run Successful."), strings.HasPrefix(text, "Test Run Failed."):
		d.seen, d.ended = true, true
		return
	case strings.HasPrefix(text, "Build FAILED."), strings.Contains(text, "): error CS"):
		d.seen = true
		d.said(text + "\n")
		if strings.HasPrefix(text, "Build") {
			d.scope("build", BuildFailed)
			d.ended = true
		}
		return
	}
	if m := dotnetTotals.FindStringSubmatch(text); m != nil {
		d.seen, d.ended = true, true
		for i, named := range []int{d.failed, d.passed} {
			if n, err := strconv.Atoi(m[i+1]); err == nil {
				d.wants([]string{"failed", "passed"}[i]+" tests", n, named)
			}
		}
		d.passed, d.failed = 0, 0
		return
	}
	if m := dotnetLine.FindStringSubmatch(text); m != nil {
		o := dotnetWords[m[1]]
		switch o {
		case Passed:
			d.passed++
		case Failed:
			d.failed++
		}
		d.test(m[2], o)
	}
}

func (d *dotnet) end() {}
