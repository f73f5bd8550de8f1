// Package experiments is evlab's vocabulary: the experiment file's shape (Spec), the public side of a cohort
// (Cohort, Task), what a run consists of (Condition, Executor, Cell, Plan) and what it leaves behind
// (Contract, Record, Verdict).
//
// The decision that shapes it: a cell is identified by the digests of everything that could change its result and
// of nothing else (CellInputs, Key). Taking a finished cell over, refusing to, and telling a user why, are all read
// off that one list.
//
// What may not be here: side effects, the clock, the organizer's private side, and any package of an engine. It is
// the one package of ours that workflows import, so it must stay deterministic.
package experiments
