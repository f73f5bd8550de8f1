// Package statefile reads the files of a recovery cohort (states with their pools, certificates, units) and the
// predictions made on it, and writes the scores of each state.
//
// The decision that shapes it: public and private sides are files of their own, and every file is read to its end, so
// that one reading finds all that is wrong, each fault with its file, row and reason. Two spellings of the fields are
// read, evlab's own and the one in which SERBench is released; a row is held to one name per field. What only counts
// against a method (a state it has no row for, a row that returns nothing) is a notice and not a fault.
//
// What may not be here: scoring, and repairs of what a file says.
package statefile
