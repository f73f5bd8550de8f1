// Package retrieval ranks evidence units for a state: the conditions that a deployable agent could use (section 3's
// retrievers).
//
// The decision that shapes it: a ranking is exact and reproducible to the bit. A score is a defined sum in a defined
// order, pruning may only skip work that can't change the result, and equal scores are ordered by unit id.
//
// What may not be here: the organizer's private side (a condition sees what this package can import), rendering and
// ceilings, files and networks, and the clock.
package retrieval
