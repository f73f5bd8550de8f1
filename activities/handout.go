package activities

import (
	"context"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/organizer"
)

// handOut is what the organizer hands to a sandbox: the hidden tests, and the reference repair where the step is to
// make or check the image.
type handOut struct {
	Tests     organizer.Tests `json:"tests"`
	Reference []byte          `json:"reference,omitempty"`
	// Kept are the paths of what decides how tests run that the reference repair changes: a candidate may, too.
	Kept []string `json:"kept,omitempty"`
	// Requires are what the reference repair adds to each go.mod: the hidden tests may be made with it.
	Requires map[string][]string `json:"requires,omitempty"`
	Asks     bool                `json:"asks,omitempty"` // the reference repair itself has the program ask whether it is tested
}

func (h *handOut) read(ctx context.Context, store *artifacts.Store, d experiments.Digest) error {
	return store.GetJSON(ctx, d, h)
}
