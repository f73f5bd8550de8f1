// Package organizer is the private side of an experiment: certificates of missing evidence, the two bundles that are
// built from them (oracle-mss and oracle-minus-group), hidden tests, reference repairs and the files those repairs
// touch.
//
// The decision that shapes it: everything that a deployable condition or an executor must not know is reachable
// through this package and through no other, so what a package can see is what it imports. A certificate is scored
// exactly as it nests, groups joined by AND over OR, or one whole alternative branch; branches are never merged.
//
// What may not be here: input and output, the clock, randomness, rankings (they are handed in as lists of unit ids),
// and any import of retrieval or executors.
package organizer
