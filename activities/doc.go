// Package activities adapts the steps that workflows ask for to the rooms that know how to do them: one file of entry
// points per role (organizer.go, inference.go, sandbox.go).
//
// The decision that shapes it: a role is a struct that holds the stores it may read. Inference has no private store and
// no hand-out store; the sandbox role has the hand-outs and nothing else of the organizer's. A step may be tried many
// times by several processes, so each first looks whether it was done, and what costs money or a container is
// remembered under the step's stable id before its result is returned.
//
// What may not be here: scores, rankings, bundles or statistics of its own.
package activities
