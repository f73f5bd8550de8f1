// Package sandbox is where untrusted code runs: a model's patch and a repository's tests, each in a container of its own
// (OpenDocker) or, for content that its user trusts, in a confined process (OpenHost).
//
// The one decision: a step's main process is the command itself, under a supervisor, in a container whose name follows
// from the step's id. Its output, its end and its status live with the engine, so a step survives the death of evlab:
// Run finds it by name and waits, reads or starts it, and nothing runs twice. An error of this package is about the
// infrastructure and never about the candidate; what the candidate did to itself is a Result.
//
// What may not be here: what a test report means (testlog reads those), how a patch becomes a tree (package repos), what
// a verdict is, and any secret.
package sandbox
