package testlog

import (
	"fmt"
	"strings"
)

// Finding is what a whole run of a suite proves. Only Sound lets wanted tests count as passed.
type Finding string

// The closed set of findings.
const (
	Sound         Finding = "sound"
	NoReport      Finding = "no-report"     // there is no report, or nothing in it is of its grammar
	NoTests       Finding = "no-tests"      // the runner came to its end, and no test ran
	Crashed       Finding = "crashed"       // it did not come to its end
	Truncated     Finding = "truncated"     // part of the report was left out, and the answer may be there
	Contradiction Finding = "contradiction" // parts of the report, or the report and the exit status, exclude each other
	Unread        Finding = "unread"        // the program that makes the report out of logs gave none; who runs it says so, and Assess never does
)

// ExitUnknown is the exit status of a run whose own status nobody has, such as one command among several in a script.
const ExitUnknown = -1

// Assess puts the report and the runner's exit status together. The reason is "" for Sound.
func (r *Report) Assess(exit int) (Finding, string) {
	switch {
	case r.absent && r.truncated:
		return Truncated, "part of the report was left out, and the rest has nothing of " + r.Grammar
	case r.absent:
		return NoReport, "nothing of " + r.Grammar + " was reported"
	case r.truncated:
		return Truncated, orElse(r.Problem, "part of the report was left out")
	case !r.Complete:
		return Crashed, orElse(r.Problem, "the report has no end")
	case len(r.Tests) == 0:
		return NoTests, orElse(r.Problem, "no test ran")
	case r.Problem != "":
		return Contradiction, r.Problem
	}
	if exit != ExitUnknown {
		if why := r.CheckExit(exit); why != "" {
			return Contradiction, why
		}
	}
	return Sound, ""
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// CheckExit says how the runner's exit status contradicts the report, or "".
func (r *Report) CheckExit(exit int) string {
	failed := ""
	for _, key := range sorted(r.Packages) {
		if o := r.Packages[key]; o.Bad() {
			failed = "package " + key + " " + string(o)
			break
		}
	}
	unexpected := false
	for _, key := range sorted(r.Tests) {
		o := r.Tests[key]
		if failed == "" && o.Bad() {
			failed = "test " + key + " " + string(o)
		}
		unexpected = unexpected || o == UnexpectedPass // runners differ on whether it is a failure
	}
	switch {
	case exit == 0 && failed != "" && r.masked:
	case exit == 0 && failed != "":
		return fmt.Sprintf("the exit status is 0, but %s", failed)
	case exit == 0 && !r.Complete:
		return "the exit status is 0, but the report is not complete"
	case exit != 0 && failed == "" && !unexpected && r.Complete:
		return fmt.Sprintf("the exit status is %d, but nothing in the report failed", exit)
	}
	return ""
}

// Judgement is the answer for a list of wanted tests out of one run.
type Judgement struct {
	Finding Finding
	Reason  string   // why the finding is not Sound; "" when it is
	Tests   []Judged // in the order in which they were wanted
}

// Judgement puts Assess and Judge together. exit is the runner's status, or ExitUnknown.
func (r *Report) Judgement(exit int, wanted []string) Judgement {
	finding, reason := r.Assess(exit)
	return Judgement{Finding: finding, Reason: reason, Tests: r.Judge(wanted)}
}

// Passed reports whether the run is Sound and every wanted test is OK; without wanted tests that is the run alone.
func (j Judgement) Passed() bool {
	for _, t := range j.Tests {
		if !t.Outcome.OK() {
			return false
		}
	}
	return j.Finding == Sound
}

// Confirm holds the report against another one of the same run, made by another part of the runner: a test that this one
// names as passed and the other does not know, or knows to have gone wrong, is doubtful, and Judge has it as Failed. Lines
// that a test printed into a log are found this way: a log alone is made of what anybody prints. Where the other one is
// missing or has no end, nothing is believed; its end is this one's, too, since a runner may be told to print none.
func (r *Report) Confirm(other *Report) {
	switch {
	case other.absent:
		r.note(fmt.Sprintf("the %s report that should confirm it is missing", other.Grammar))
		return
	case !other.Complete:
		r.note(fmt.Sprintf("the %s report that should confirm it has no end", other.Grammar))
		return
	}
	r.Complete = r.Complete || !r.absent && !r.truncated
	for _, key := range sorted(r.Tests) {
		if !r.Tests[key].OK() || r.doubtful[key] != "" {
			continue
		}
		j := other.Judge([]string{key})[0]
		if j.Outcome == Missing {
			j = other.judgeLast(key)
		}
		switch {
		case j.Outcome == Missing:
			r.doubtful[key] = "passed, and the " + other.Grammar + " report does not know it"
			if r.alone == nil {
				r.alone = map[string]bool{}
			}
			r.alone[key] = true
		case j.Outcome.OK(), j.Outcome == Ambiguous, j.Outcome == Skipped && r.Tests[key] == ExpectedFailure: // not every dialect has a word for an expected failure
		default:
			r.doubtful[key] = "passed, and the " + other.Grammar + " report says " + string(j.Outcome)
		}
	}
}

// judgeLast finds a test by the last part of its name alone: prefixes and fixtures change the class that a report has.
func (r *Report) judgeLast(name string) Judged {
	plain, params, parametrised := strings.Cut(name, "[")
	if i := strings.LastIndex(plain, "::"); i >= 0 {
		plain = plain[i+2:]
	}
	if parametrised {
		plain += "[" + params
	}
	if keys := r.index.byName[plain]; r.scoped && len(keys) > 0 {
		return r.agreed(name, keys)
	}
	return Judged{Name: name, Outcome: Missing}
}

// note adds a reason not to trust the report.
func (r *Report) note(problem string) {
	if r.Problem != "" {
		problem = r.Problem + "; " + problem
	}
	if len(problem) <= maxProblem {
		r.Problem = problem
	}
}
