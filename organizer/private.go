package organizer

// Tests are a task's hidden tests. Names are `import/path::TestName`, or `TestName` for every package that has it.
type Tests struct {
	Patch      []byte   `json:"patch"` // unified git diff against the base commit
	FailToPass []string `json:"fail_to_pass"`
	PassToPass []string `json:"pass_to_pass"`
	// PassToPassComplete is false when the pass-to-pass environment is known to be incomplete: such a task can never
	// be strictly resolved, its own checks notwithstanding (section F.5).
	PassToPassComplete bool `json:"pass_to_pass_complete"`
}

// Private is the organizer's side of one task.
type Private struct {
	Certificate *Certificate `json:"certificate,omitempty"` // nil when the task has none: no diagnostics, no evidence scores
	Tests       Tests        `json:"tests"`
	Reference   []byte       `json:"reference"` // the reference repair, a unified git diff against the base commit
}
