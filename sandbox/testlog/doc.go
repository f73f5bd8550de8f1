// Package testlog reads what test runners report and says which of the wanted tests passed.
//
// The one decision: a test passed only if the report names it, saw it start and saw it pass, once for each start. Whatever
// is absent, unfinished or contradictory did not pass, and the exit status alone never proves anything.
//
// What a report cannot prove: the tests of a Go package run in one process with the code under test, and that process
// writes the lines that the report is made of. The go command separates what tests print from what the testing package
// says (it marks the latter with a control character), so a test that merely prints "--- PASS: TestX" forges nothing
// once the first test has started. Code that sets out to deceive can print the mark as well. Two ends for one start, an
// end without a start, a mark in the middle of output, a parent that passes over a failed child: such forgeries show and
// are held against the test. A forger that prints a whole consistent report before the first test, then ends the process
// with status 0, shows nothing; only running the tests against another build of the same patch would tell.
//
// What may not be here: what the outcomes mean for a candidate, and any file or process.
package testlog
