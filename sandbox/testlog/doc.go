// Package testlog reads what test runners report and says which of the wanted tests passed.
//
// The one decision: a test passed only if the report names it as passed. Whatever is absent, unfinished or contradictory
// did not pass, and neither an exit status nor a report alone proves anything: Report.Assess puts the two together, and
// only a Sound finding lets a Judgement pass.
//
// How it is used:
//
//	g, err := testlog.Find("pytest")            // or go-test-json, junit, ...; Names lists all
//	rep, err := g.Read(log)                     // one stream, or several report files; none is a report that is missing
//	j := rep.Judgement(exit, wanted)            // j.Finding, j.Reason, j.Tests in the order of wanted, j.Passed()
//
// grammar.go has the table of grammars, outcome.go what becomes of a test, report.go what a report holds and how a name
// is looked up in it, finding.go what a whole run proves. Each grammar has a file of its own. Machine formats come first:
// go test -json, JUnit XML in its dialects, the JSON of jest, vitest, mocha, RSpec, googletest and cargo, trx and TAP.
//
// Every grammar is there in the mode that is right (Strict), and what published datasets made their lists of tests with as
// those datasets read it (Compat), under the names that they use: parse_log_pytest and its kin. Strict keeps the worst
// outcome of a test that is named twice, Compat the one that its dataset does.
//
// What a report cannot prove: tests run in one process with the code under test, and that process writes the lines that
// the report is made of. The go command separates what tests print from what the testing package says (it marks the
// latter with a control character), so a test that merely prints "--- PASS: TestX" forges nothing once the first test has
// started; pytest's log is held against the totals of its last line and, where there is one, its JUnit file
// (Report.Confirm). Code that sets out to deceive can print the mark, or write the file, as well. Two ends for one start,
// an end without a start, totals that do not add up, a parent that passes over a failed child: such forgeries show and
// are held against the report. A forger that prints a whole consistent report and ends the process with status 0 shows
// nothing; only running the tests against another build of the same patch would tell.
//
// What may not be here: what the outcomes mean for a candidate, and any file or process.
package testlog
