package experiments

import "time"

// RecordSchema is the wire form's name.
const RecordSchema = "evlab-record-v1"

// ClassLost is the class of what was stored for a run and is there no more: a resume does not bring it back, a new run does.
const ClassLost = "lost"

// Record is the frozen result of a cell: enough to audit it without the engine (method section 6).
type Record struct {
	Schema  string  `json:"schema"`
	RunID   string  `json:"run_id"`
	Cell    Cell    `json:"cell"`
	Key     Key     `json:"key"`
	Inputs  []Input `json:"inputs"`
	Verdict Verdict `json:"verdict"`
	Class   string  `json:"class,omitempty"`  // infra: the class of fault
	Reason  string  `json:"reason,omitempty"` // why the verdict is what it is, one line

	// LabelsReadAtInference is true for the organizer's diagnostics only.
	LabelsReadAtInference bool `json:"labels_read_at_inference"`
	// Simulated is true when the executor stands in for a model.
	Simulated bool `json:"simulated"`

	Repository string `json:"repository"`
	Episode    string `json:"episode,omitempty"`

	Rounds   []Round       `json:"rounds"`
	Bundle   *BundleReport `json:"bundle,omitempty"` // diagnostics only
	Patch    Digest        `json:"patch,omitempty"`  // artifact of the proposed patch's exact bytes
	Tree     string        `json:"tree,omitempty"`   // git tree id of base + patch: the candidate's identity
	Flags    []string      `json:"flags,omitempty"`  // what the patch touches that deserves a reader's eye
	Commands []Command     `json:"commands"`
	Scores   Scores        `json:"scores"`
	Tests    []TestResult  `json:"tests"` // every hidden test that was asked for, with its outcome

	Attempts map[string]int    `json:"attempts"` // engine attempts per step that needed more than one
	Effects  Effects           `json:"effects"`
	Versions map[string]string `json:"versions"`
	Started  time.Time         `json:"started"`
	Finished time.Time         `json:"finished"`

	// Cached names the run whose record was taken over, empty for a cell that this run did itself.
	Cached string `json:"cached,omitempty"`
	// Sum is the digest of the record with Sum empty: a half-written or edited record is told by it.
	Sum Digest `json:"sum"`
}

// Round is one retrieval call and the executor's reply to it.
type Round struct {
	Number       int      `json:"number"` // from 1
	Called       bool     `json:"called"` // a retrieval call was made
	Need         string   `json:"need,omitempty"`
	Hypothesis   string   `json:"hypothesis,omitempty"`
	Subgoal      string   `json:"subgoal,omitempty"`
	Evidence     []string `json:"evidence"` // unit ids in the order shown
	EvidenceText Digest   `json:"evidence_text,omitempty"`
	// EvidenceTokens is the size of EvidenceText, which counts against the cell's ceiling.
	EvidenceTokens int    `json:"evidence_tokens"`
	Prompt         Digest `json:"prompt"`
	Reply          Digest `json:"reply"`
	ReplyKind      string `json:"reply_kind"` // ask, patch or nothing
	PromptTokens   int    `json:"prompt_tokens"`
	ReplyTokens    int    `json:"reply_tokens"`
}

// BundleReport is what a diagnostic condition did: what it left out, by id and reason.
type BundleReport struct {
	Items        int            `json:"items"`
	Reference    string         `json:"reference"`
	DroppedGroup string         `json:"dropped_group,omitempty"`
	Excluded     []ExcludedUnit `json:"excluded,omitempty"`
	CompleteMSS  float64        `json:"complete_mss"`
	Tokens       int            `json:"tokens"`
	Notes        []string       `json:"notes,omitempty"` // where the bundle departs from its rule, in sentences
}

// ExcludedUnit is a unit kept out of a diagnostic's bundle, and why.
type ExcludedUnit struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Command is one sandbox step as it was run.
type Command struct {
	Step       string    `json:"step"`  // stable step id
	Phase      string    `json:"phase"` // fail_to_pass or pass_to_pass
	Args       []string  `json:"args"`
	Outcome    string    `json:"outcome"` // the sandbox's outcome: completed, deadline, memory, ...
	Exit       int       `json:"exit"`
	Started    time.Time `json:"started"`
	Ended      time.Time `json:"ended"`
	Log        Digest    `json:"log,omitempty"`
	Stderr     Digest    `json:"stderr,omitempty"`
	Report     Digest    `json:"report,omitempty"` // what a dataset's program made of the two, where it is not Log itself
	Truncated  bool      `json:"truncated,omitempty"`
	Reattached bool      `json:"reattached,omitempty"`
	Image      string    `json:"image"`
	Problem    string    `json:"problem,omitempty"` // why the report does not count as a report
}

// Phases of testing, as records name them.
const (
	FailToPass = "fail_to_pass"
	PassToPass = "pass_to_pass"
	Others     = "others" // tests that neither list names
)

// PassedTest is the outcome of a test that passed; what the other outcomes are is the report's matter.
const PassedTest = "passed"

// TestResult is one hidden test's outcome.
type TestResult struct {
	Name    string `json:"name"`
	Phase   string `json:"phase"`   // FailToPass, PassToPass or Others
	Outcome string `json:"outcome"` // passed, failed, skipped, missing, ...
}

// Scores are the cell's figures (section F.5). Nil means that it could not be measured, which is not zero.
type Scores struct {
	Strict        bool     `json:"strict"`
	FailToPass    bool     `json:"fail_to_pass"`
	PassToPass    bool     `json:"pass_to_pass"`
	TargetFileHit bool     `json:"target_file_hit"`
	CompleteMSS   *float64 `json:"complete_mss,omitempty"`
	GroupRecall   *float64 `json:"group_recall,omitempty"`
	Tokens        int      `json:"tokens"` // prompt + completion over all calls
	Calls         int      `json:"calls"`  // retrieval calls
}

// Effects count what was really done for the cell, over all attempts and processes: what costs money or time.
type Effects struct {
	ExecutorCalls   int `json:"executor_calls"`   // calls made; answers from the store don't count
	ContainerStarts int `json:"container_starts"` // sandbox commands started
}

// Seal sets Schema and Sum.
func (r *Record) Seal() error {
	r.Schema, r.Sum = RecordSchema, ""
	sum, err := DigestJSON(r)
	if err != nil {
		return err
	}
	r.Sum = sum
	return nil
}

// Intact reports whether the record is whole: right schema, a verdict of the set, and the sum that it was sealed with.
func (r *Record) Intact() bool {
	if r.Schema != RecordSchema || !r.Verdict.Valid() {
		return false
	}
	c := *r
	c.Sum = ""
	sum, err := DigestJSON(&c)
	return err == nil && sum == r.Sum
}
