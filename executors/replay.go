package executors

import (
	"bytes"
	"context"
	"fmt"
)

// replay proposes a patch that was made before: Request.Input, to the byte, in the first round. It reads no evidence
// and asks no model, so it counts no tokens; Text is the patch. Blank input is a prediction of nothing.
type replay struct{}

func (replay) Propose(ctx context.Context, r Request) (Reply, error) {
	if err := ctx.Err(); err != nil {
		return Reply{}, err
	}
	if err := r.check(); err != nil {
		return Reply{}, fmt.Errorf("replaying a prediction: %w", err)
	}
	if r.Input == nil {
		return Reply{}, fmt.Errorf("replaying a prediction: %w", ErrNoPrediction)
	}
	if len(bytes.TrimSpace(r.Input)) == 0 {
		return Reply{Kind: Nothing, Text: string(r.Input)}, nil
	}
	return Reply{Kind: Patch, Patch: bytes.Clone(r.Input), Text: string(r.Input)}, nil
}
