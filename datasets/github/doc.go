// Package github makes tasks out of merged pull requests: those that close an issue and have tests in their change.
//
// The decision that shapes it: what an agent is shown is what was written before the base commit. The title and
// body are its statement; comments count up to the base commit's date, and only if nobody edited them later. The base is
// the merge base of the pull request, and its change is the difference from there to its head, so that it is the same
// however it was merged. Every pull request of the window is accounted for: it is a task, or it is refused with a reason.
//
// It talks to the REST API through go-github. Answers are kept in a folder and asked for again under the condition that
// they changed, so that an interrupted import goes on without being charged for what it has; rate limits of both kinds are
// waited out.
//
// What may not be here: git over a network, and anything that runs code of a repository.
package github
