package testlog

import (
	"fmt"
	"slices"
	"strings"
)

// Outcome is what became of a test or of a package.
type Outcome string

const (
	Passed      Outcome = "passed"
	Failed      Outcome = "failed"
	Skipped     Outcome = "skipped"      // a package: it has no test files, or none to run
	Unfinished  Outcome = "unfinished"   // started and never ended: a crash, a deadline, a cut log
	BuildFailed Outcome = "build-failed" // packages only: it, its tests or something they need does not compile
	Missing     Outcome = "missing"      // wanted and not in the report; never in Report.Tests
)

// Report is one run of `go test -json -count=1`.
type Report struct {
	Tests    map[string]Outcome // by "import/path::TestName/sub"
	Packages map[string]Outcome // by import path
	Complete bool               // every package that started ended, and nothing of the stream was lost
	Problem  string             // why the report should not be trusted as it is; "" when there is no reason
	Build    string             // beginning of what the compiler said, for people

	doubtful map[string]string // tests whose events contradict each other: why
	byName   map[string][]string
}

// Key is a test's name in a Report.
func Key(pkg, test string) string { return pkg + "::" + test }

// Wanted is the name of a test somebody waits for.
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
}

// Judge answers for every name in order. A name without a package stands for that test in every package that has it, and
// all of them must pass. A test that passed while its events contradict each other is Failed.
func (r *Report) Judge(names []string) []Judged {
	if r.byName == nil {
		r.byName = map[string][]string{}
		for key := range r.Tests {
			_, test, _ := strings.Cut(key, "::")
			r.byName[test] = append(r.byName[test], key)
		}
		for _, keys := range r.byName {
			slices.Sort(keys)
		}
	}
	judged := make([]Judged, len(names))
	for i, name := range names {
		judged[i] = r.judge(name)
	}
	return judged
}

func (r *Report) judge(name string) Judged {
	if _, ok := r.Tests[name]; ok && strings.Contains(name, "::") {
		return r.judgeKey(name, name)
	}
	w, err := ParseWanted(name)
	if err != nil {
		return Judged{Name: name, Outcome: Missing, Detail: err.Error()}
	}
	if w.Package != "" && r.Packages[w.Package] != "" {
		return Judged{Name: name, Outcome: Missing, Detail: r.whyMissing(w.Package)}
	}
	keys := r.byName[w.Test]
	if w.Package != "" {
		keys = r.byName[name] // a bare name may itself hold the separator
	}
	if len(keys) == 0 {
		detail := "no package of the report has it"
		if w.Package != "" {
			detail = "its package is not in the report"
		}
		return Judged{Name: name, Outcome: Missing, Detail: detail + r.unlessComplete()}
	}
	worst := r.judgeKey(name, keys[0])
	for _, key := range keys[1:] {
		if j := r.judgeKey(name, key); rank(j.Outcome) > rank(worst.Outcome) {
			worst = j
		}
	}
	return worst
}

func (r *Report) judgeKey(name, key string) Judged {
	if why := r.doubtful[key]; why != "" {
		return Judged{Name: name, Outcome: Failed, Detail: key + ": " + why}
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

// rank orders outcomes from the best to the worst.
func rank(o Outcome) int {
	return slices.Index([]Outcome{Passed, Skipped, Missing, Unfinished, Failed, BuildFailed}, o)
}

// CheckExit says how the go command's exit status contradicts the report, or "".
func (r *Report) CheckExit(exit int) string {
	failed := ""
	for _, key := range sorted(r.Packages) {
		if o := r.Packages[key]; o == Failed || o == BuildFailed || o == Unfinished {
			failed = "package " + key + " " + string(o)
			break
		}
	}
	for _, key := range sorted(r.Tests) {
		if o := r.Tests[key]; failed == "" && (o == Failed || o == Unfinished) {
			failed = "test " + key + " " + string(o)
		}
	}
	switch {
	case exit == 0 && failed != "":
		return fmt.Sprintf("the exit status is 0, but %s", failed)
	case exit == 0 && !r.Complete:
		return "the exit status is 0, but the report is not complete"
	case exit != 0 && failed == "" && r.Complete:
		return fmt.Sprintf("the exit status is %d, but nothing in the report failed", exit)
	}
	return ""
}

func sorted(m map[string]Outcome) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
