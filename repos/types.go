package repos

import (
	"errors"
	"slices"
)

// Outcomes of Apply.
const (
	OutcomeApplied = "applied"
	OutcomeEmpty   = "empty"        // nothing proposed, or a patch that leaves the tree as it is
	OutcomeFailed  = "apply-failed" // it does not apply, or is refused by name
)

// Applied is what became of a candidate patch.
type Applied struct {
	Outcome string   `json:"outcome"`          // applied, empty or apply-failed
	Reason  string   `json:"reason,omitempty"` // one line; why it is not applied
	Tree    string   `json:"tree,omitempty"`   // tree id of base + patch: the candidate's identity; base's tree when empty
	Paths   []string `json:"paths"`            // changed paths, sorted; a rename has both
	Flags   []string `json:"flags,omitempty"`  // what deserves a reader's eye, each "kind: path" or a remark
	// OnlyRunnerConfig is true when every changed path configures the test runner or the build and none is source:
	// such a patch can change a verdict without changing the program.
	OnlyRunnerConfig bool `json:"only_runner_config,omitempty"`
}

// Overlaid is a candidate's tree made ready for the hidden tests.
type Overlaid struct {
	Tree        string   `json:"tree"`
	Owned       []string `json:"owned"`                 // paths that the test patch changes, sorted
	Neutralised []string `json:"neutralised,omitempty"` // paths where the candidate's change was undone, sorted
}

// Delta is how one tree becomes another. Remove comes first; a folder that it empties goes, too.
type Delta struct {
	Files  []File
	Remove []string
}

// Paths are those that the delta removes and writes.
func (d Delta) Paths() []string {
	paths := slices.Clone(d.Remove)
	for _, f := range d.Files {
		paths = append(paths, f.Path)
	}
	return paths
}

// ErrTestPatch says that the hidden tests' own patch does not apply to the base commit, or is refused: the task is at
// fault, whatever the candidate did.
var ErrTestPatch = errors.New("the test patch does not apply to the base commit")
