// Package report turns a run's records into what people read: one Summary, and its text.
//
// The decision that shapes it: everything is computed anew from the contract and the records, never from counters kept
// on the way, so the report of a run that died and was resumed is the report of one that did not. The same text goes to
// the terminal and into the run's folder.
//
// What may not be here: the engine, and any figure that is not in a record; the time at work alone comes from the ledgers,
// and whoever has read them fills it in.
package report
