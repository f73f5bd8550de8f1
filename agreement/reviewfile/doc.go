// Package reviewfile reads the files of agreement: reviews, and the ledger of changes.
//
// The decision that shapes it: one row is one verdict of one person on one item (or on one field of it), so that any
// number of fields and an arbiter need no other form; every fault of every file is noted with its file and row.
//
// What may not be here: coefficients and classes (agreement makes them).
package reviewfile
