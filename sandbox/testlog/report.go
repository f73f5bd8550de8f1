package testlog

import (
	"fmt"
	"slices"
	"strings"
)

// Report is what one run of a test suite reported.
type Report struct {
	Grammar  string             // the name of the grammar that it was read with
	Tests    map[string]Outcome // go test: by "import/path::TestName/sub"; JUnit: by "classname::name"; else by the runner's own name
	Packages map[string]Outcome // go test: by import path; else files, classes or binaries that have an outcome of their own
	Complete bool               // the runner came to its end, and nothing of the stream was lost
	Problem  string             // why the report should not be trusted as it is; "" when there is no reason
	Build    string             // beginning of what the compiler said, for people

	absent    bool              // nothing in the stream is of the grammar
	truncated bool              // part of the stream was left out
	masked    bool              // an exit status of 0 says nothing of the tests
	scoped    bool              // keys are scope::name, and a bare name means every scope that has it
	doubtful  map[string]string // tests whose events contradict each other: why
	alone     map[string]bool   // of these, tests that a second report does not know
	index     *index
}

// Key is a test's name in a Report of a scoped grammar.
func Key(scope, test string) string { return scope + "::" + test }

// Wanted is the name of a Go test somebody waits for.
type Wanted struct {
	Package string // import path; "" means every package that has such a test
	Test    string // TestName or TestName/sub
}

// ParseWanted reads "import/path::TestName/sub" or "TestName/sub".
func ParseWanted(name string) (Wanted, error) {
	pkg, test, ok := strings.Cut(name, "::")
	if !ok {
		pkg, test = "", name
	}
	if test == "" || ok && pkg == "" || strings.ContainsAny(name, "\n\x00") {
		return Wanted{}, fmt.Errorf("%q is no test name, want import/path::TestName or TestName", name)
	}
	return Wanted{Package: pkg, Test: test}, nil
}

// Judged is the answer for one wanted test.
type Judged struct {
	Name    string
	Outcome Outcome
	Detail  string // why it did not pass; "" when it did
	Alone   bool   // it is named as passed, and a second report does not know it by this name
}

// Judge answers for every name in order. In a scoped report a name without a scope stands for that test in every scope
// that has it, and all of them must pass. A test that passed while its events contradict each other is Failed.
// match.go says which spellings of a name are the same test.
func (r *Report) Judge(names []string) []Judged {
	if r.index == nil {
		r.index = newIndex(r)
	}
	judged := make([]Judged, len(names))
	for i, name := range names {
		judged[i] = r.judge(name)
	}
	return judged
}

func (r *Report) judgeKey(name, key string) Judged {
	if why := r.doubtful[key]; why != "" {
		return Judged{Name: name, Outcome: Failed, Detail: key + ": " + why, Alone: r.alone[key]}
	}
	j := Judged{Name: name, Outcome: r.Tests[key]}
	switch j.Outcome {
	case Passed:
	case Unfinished:
		j.Detail = key + " started and never ended"
	default:
		j.Detail = key + " " + string(j.Outcome)
	}
	return j
}

// worst is the answer for several tests that one name stands for.
func (r *Report) worst(name string, keys []string) Judged {
	worst := r.judgeKey(name, keys[0])
	for _, key := range keys[1:] {
		if j := r.judgeKey(name, key); rank(j.Outcome) > rank(worst.Outcome) {
			worst = j
		}
	}
	return worst
}

// unless finds the outcome of a test that is not in the report.
func (r *Report) missing(name string) Judged {
	scope, _, found := strings.Cut(name, "::")
	detail := "the report does not name it"
	switch {
	case found && r.Packages[scope] != "":
		detail = r.whyMissing(scope)
	case r.scoped && found:
		detail = "its package is not in the report" + r.unlessComplete()
	case r.scoped:
		detail = "no package of the report has it" + r.unlessComplete()
	default:
		detail += r.unlessComplete()
	}
	return Judged{Name: name, Outcome: Missing, Detail: detail}
}

func (r *Report) whyMissing(pkg string) string {
	switch r.Packages[pkg] {
	case BuildFailed:
		return "its package does not build"
	case Unfinished:
		return "its package never ended" + r.unlessComplete()
	case Skipped:
		return "its package has no tests to run"
	case Failed:
		return "its package failed before it, or does not have it"
	}
	return "its package does not have it"
}

func (r *Report) unlessComplete() string {
	if r.Complete {
		return ""
	}
	return " (the report is not complete)"
}

func sorted(m map[string]Outcome) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
