package testlog

import "slices"

// Outcome is what became of a test or of a package.
type Outcome string

// The closed set of outcomes.
const (
	Passed          Outcome = "passed"
	ExpectedFailure Outcome = "xfail"        // it failed, as its authors said that it would
	Skipped         Outcome = "skipped"      // a package: it has no test files, or none to run
	UnexpectedPass  Outcome = "xpass"        // it passed although its authors said that it would fail
	Unfinished      Outcome = "unfinished"   // started and never ended: a crash, a deadline, a cut log
	Failed          Outcome = "failed"       //
	Errored         Outcome = "error"        // it broke outside of its own assertions: fixtures, a crash, a time-out of the runner's
	BuildFailed     Outcome = "build-failed" // packages only: it, its tests or something they need does not compile or load
	Missing         Outcome = "missing"      // wanted and not in the report; never in Report.Tests
	Ambiguous       Outcome = "ambiguous"    // wanted by a name that several tests have, and they differ; never in Report.Tests
)

// ranks orders outcomes from the best to the worst.
var ranks = []Outcome{
	Passed, ExpectedFailure, Skipped, UnexpectedPass, Missing, Ambiguous, Unfinished, Failed, Errored, BuildFailed,
}

func rank(o Outcome) int { return slices.Index(ranks, o) }

// OK reports whether a test with this outcome counts as passed: it passed, or failed as expected (the rule of
// SWE-bench). An unexpected pass does not: runners differ on whether it is a failure.
func (o Outcome) OK() bool { return o == Passed || o == ExpectedFailure }

// Bad reports whether the outcome is one that makes a runner end with a status other than 0.
func (o Outcome) Bad() bool {
	return o == Failed || o == Errored || o == Unfinished || o == BuildFailed
}
