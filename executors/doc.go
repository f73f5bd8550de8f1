// Package executors is who acts on evidence: an executor reads the issue, the state and the evidence shown so far, and
// replies with a patch, with a request for more evidence, or with nothing (section F.5).
//
// The decision that shapes it: an executor gets one Request and nothing else. The request has no condition, no
// certificate and no hidden test, so the same evidence gets the same treatment whoever supplied it, and the same
// request the same reply.
//
// What may not be here: the organizer's side, applying or grading a patch, retrieval, and any state kept from one
// request to the next. An executor reads the repository through Request.ReadFile only. A new kind of executor is a new
// file beside simulated.go and replay.go, and one line in New.
package executors
