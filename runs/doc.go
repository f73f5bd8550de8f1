// Package runs carries a run from its launch to its summary: it opens the engine, the sandbox and the workers of every
// role in this process, starts or joins the run's workflow, follows it, and closes everything in order.
//
// The decision that shapes it: launching and resuming are one thing. Both make sure that the contract is frozen, that
// steps of dead processes are handed out again, that containers nobody will read are gone, and that the workflow whose
// id is the run's id is running; what is left to do follows from the records on disk.
//
// What may not be here: what a step does (activities), what a run means (planning, report), the terminal (cmd).
package runs
