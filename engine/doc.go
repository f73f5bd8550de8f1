// Package engine gives the rest of evlab a Temporal server to talk to: one embedded in this process over a SQLite
// file (Start), or one that somebody else runs (Dial).
//
// The decision that shapes it: the embedded server's file is disposable run state, and one process owns it. An
// operating system lock on the state folder is taken before anything else, so that everything the server itself does
// not protect against (two servers on one file, a taken port, a damaged or foreign file) is found and said in words
// first, and so that at start every activity still marked as started is known to belong to a dead process and may be
// handed out again at once (ReapOrphans).
//
// What may not be here: workflows, activities, results, or any other package of evlab. It is the only package that
// imports go.temporal.io/server and the Temporal web UI; everybody else needs the SDK alone.
package engine
