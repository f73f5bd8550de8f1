// Package evaluation grades predictions that others made: it turns predictions files into an experiment that replays
// them, and the records of its cells into one line per prediction.
//
// The decision that shapes it: grading is a run like any other, with the condition "none" and an executor for each
// model, so that it is planned, resumed, audited and taken over by content as every run is; only what is asked and how
// it is told are this package's own.
//
// What may not be here: the run itself, and the reading of a dataset's rows.
package evaluation
