// Package validation measures a cohort's tests before anybody is graded by them: hidden tests at the base commit twice and
// with the reference repair three times, all tests that there are, and what the task's own lists say of them.
//
// The decision that shapes it: it is a run whose executors are the organizer's (`base`, `reference`), so that it is
// resumed, audited and kept by content like every run; this package says what is run and reads the records.
//
// What may not be here: the run itself.
package validation
