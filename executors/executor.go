package executors

import (
	"context"
	"errors"
	"fmt"

	"evlab/evidence"
)

// Kinds of reply.
const (
	Ask     = "ask"     // more evidence is wanted; Reply.Ask says which
	Patch   = "patch"   // Reply.Patch is the proposed repair
	Nothing = "nothing" // the executor proposes no change
)

// Errors that are the task's or the experiment's, never the machine's.
var (
	// ErrNoPrediction: the replayed model has no row for the task. An empty prediction is a row.
	ErrNoPrediction = errors.New("there is no prediction for the task")
	// ErrNoEdits: the cohort has no simulated reader for the task.
	ErrNoEdits = errors.New("there are no simulated edits for the task")
	// ErrInput: the executor's own artifact is not of its form or does not fit the base commit.
	ErrInput = errors.New("the executor's input can't be used")
)

// Request is all that an executor knows in one round.
type Request struct {
	// Input is the executor's own artifact for the task: the patch to replay, or the simulated reader's edits. Nil
	// means that there is none, which is not the same as an empty one.
	Input []byte
	State evidence.StateCard // of this round
	// Evidence is all evidence text shown so far in the cell, as evidence.Render made it.
	Evidence string
	Round    int // from 1 to Rounds
	Rounds   int // in the last round the executor must propose
	// ReadFile reads a file of the base snapshot by its slash-separated path. For a path that is no file there the
	// error wraps fs.ErrNotExist, for one that is something else than a regular file fs.ErrInvalid; any other error is a
	// failure of the machine.
	ReadFile func(path string) ([]byte, error)
	Prompt   string // made by Prompt from the fields above
}

// Reply is an executor's answer to one request.
type Reply struct {
	Kind         string       // Ask, Patch or Nothing
	Ask          evidence.Ask // set for Ask
	Patch        []byte       // unified git diff against the base commit; set for Patch
	Text         string       // the reply as it was given, to the byte
	PromptTokens int          // in evidence.Tokens
	ReplyTokens  int          // in evidence.Tokens
}

// Executor proposes. Propose has no effect and keeps no state: the same request gets the same reply. Errors wrap
// ErrNoPrediction, ErrNoEdits or ErrInput when the request can't be answered, and are the machine's otherwise.
type Executor interface {
	Propose(ctx context.Context, r Request) (Reply, error)
}

// New returns the executor of a kind: "simulated" or "replay".
func New(kind string) (Executor, error) {
	switch kind {
	case "simulated":
		return simulated{}, nil
	case "replay":
		return replay{}, nil
	}
	return nil, fmt.Errorf("%.60q is no kind of executor; expected simulated or replay", kind)
}

// check reports a request that no executor could answer.
func (r *Request) check() error {
	if r.Round < 1 || r.Rounds < r.Round {
		return fmt.Errorf("round %d of %d can't be", r.Round, r.Rounds)
	}
	return nil
}
