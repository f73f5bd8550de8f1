// Package planning freezes what a run will do before its first cell: it reads the cohort, takes snapshots and evidence
// units into the data folder, and writes the Contract; and it says of every cell whether it will run, and why.
//
// The decision that shapes it: after the contract nothing outside the data folder is read again. A cohort file may be
// edited or deleted during a run, and a resume is still a resume of what was launched.
//
// What may not be here: the engine, and any step of a cell.
package planning
