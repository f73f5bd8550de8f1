package workflows

import "evlab/experiments"

// ExperimentInput starts or continues a run.
type ExperimentInput struct {
	RunID  string `json:"run_id"`
	System string `json:"system"` // os-arch of the sandbox queue
	Window int    `json:"window"` // tasks open at once
	Cells  int    `json:"cells"`  // cells of one task at once
	Cursor int    `json:"cursor"` // index of the next task; more than 0 only after a continue-as-new
	Done   int    `json:"done"`   // tasks closed before a continue-as-new
}

// ExperimentResult says how a run ended.
type ExperimentResult struct {
	Tasks   int                `json:"tasks"`
	Summary experiments.Digest `json:"summary"` // artifact: the summary
}

// Progress answers ProgressQuery.
type Progress struct {
	Listed int `json:"listed"` // tasks started or done
	Open   int `json:"open"`
	Done   int `json:"done"`
}

// ListTasksInput asks for a page of the tasks that have cells without a verdict.
type ListTasksInput struct {
	RunID  string `json:"run_id"`
	Cursor int    `json:"cursor"`
}

// TaskPage is a page of task ids; Next is the next page's cursor, 0 when there is none.
type TaskPage struct {
	Tasks []string `json:"tasks"`
	Next  int      `json:"next"`
}

// TaskInput is one task of a run.
type TaskInput struct {
	RunID  string `json:"run_id"`
	Task   string `json:"task"`
	System string `json:"system"`
	Window int    `json:"window"`
}

// OpenedTask is what the organizer says of a task: the cells to do, or why none can be asked.
type OpenedTask struct {
	Cells    []OpenedCell `json:"cells"`
	Excluded string       `json:"excluded,omitempty"`
	Lost     string       `json:"lost,omitempty"` // what the run froze of the task and the data folder has no more
	// Hand-out artifacts: the hidden tests, and the same with the reference repair for making and checking the image.
	HandOut   experiments.Digest `json:"hand_out,omitempty"`
	Reference experiments.Digest `json:"reference,omitempty"`
	// SkipPreflight: the task's tests are taken as they are.
	SkipPreflight bool `json:"skip_preflight,omitempty"`
}

// OpenedCell is a cell to do and the order of its steps.
type OpenedCell struct {
	Cell experiments.Cell `json:"cell"`
	Plan CellPlan         `json:"plan"`
}

// TaskResult is how a task ended.
type TaskResult struct {
	Cells    int    `json:"cells"`
	Excluded string `json:"excluded,omitempty"`
}

// SandboxInput is what the task's sandbox steps need to know.
type SandboxInput struct {
	RunID   string             `json:"run_id"`
	Task    string             `json:"task"`
	HandOut experiments.Digest `json:"hand_out"`
	// Reference is the hand-out for making and checking the image: it holds the reference repair, which no step gets that proposes.
	Reference experiments.Digest `json:"reference"`
	Image     Image              `json:"image"`
}

// Image is a task's sandbox image, as its sandbox names it.
type Image struct {
	ID  string `json:"id"`
	Ref string `json:"ref"`
}

// Prepared is a task's image.
type Prepared struct {
	Image Image `json:"image"`
}

// Checked is a preflight's outcome: OK, or why the task is set aside.
type Checked struct {
	OK     bool   `json:"ok"`
	Reason string `json:"reason,omitempty"`
	// Doubts: the report of the task's own repair is not above doubt either, so those of candidates are held against it.
	Doubts bool `json:"doubts,omitempty"`
}

// CellInput is one cell of a run.
type CellInput struct {
	RunID   string             `json:"run_id"`
	Cell    experiments.Cell   `json:"cell"`
	System  string             `json:"system"`
	HandOut experiments.Digest `json:"hand_out"`
	Image   Image              `json:"image"`
	Plan    CellPlan           `json:"plan"`
	// Reference is the hand-out with the reference repair; for cells that test it, and for candidates of a task that no
	// preflight has proved, or none without doubts, whose reports may have to be held against that of the repair.
	Reference experiments.Digest `json:"reference,omitempty"`
}

// CellPlan is what of the contract orders a cell's steps.
type CellPlan struct {
	Rounds     int    `json:"rounds"`
	Diagnostic bool   `json:"diagnostic"` // the organizer builds its evidence
	NoEvidence bool   `json:"no_evidence"`
	PassToPass string `json:"pass_to_pass"`
	Together   bool   `json:"together,omitempty"` // both phases in one command
	// Of says that there is nobody to propose: the cell tests experiments.Base or experiments.Reference, with all tests that there are.
	Of string `json:"of,omitempty"`
}

// CellResult is how a cell ended.
type CellResult struct {
	Verdict experiments.Verdict `json:"verdict"`
}

// RoundInput asks for evidence or for a proposal in round Round, given the rounds before it.
type RoundInput struct {
	RunID  string              `json:"run_id"`
	Cell   experiments.Cell    `json:"cell"`
	Round  int                 `json:"round"` // from 1
	Past   []experiments.Round `json:"past"`
	Shown  Evidence            `json:"shown"` // this round's evidence; Propose only
	Bundle experiments.Digest  `json:"bundle,omitempty"`
	Last   bool                `json:"last"` // the executor must propose now
}

// Evidence is what a round shows: unit ids in order, and the text as an artifact.
type Evidence struct {
	Called bool               `json:"called"`
	IDs    []string           `json:"ids"`
	Text   experiments.Digest `json:"text,omitempty"`
	Tokens int                `json:"tokens"`
	Report experiments.Digest `json:"report,omitempty"` // artifact: BundleReport of a diagnostic
}

// Proposal is the executor's reply: a closed Round, and the patch when it proposed one.
type Proposal struct {
	Round experiments.Round  `json:"round"`
	Patch experiments.Digest `json:"patch,omitempty"`
	Calls int                `json:"calls"` // executor calls really made for this reply, over all attempts
	// Excluded is set when the executor has nothing to act with for this task.
	Excluded string `json:"excluded,omitempty"`
}

// PatchInput is a patch to apply.
type PatchInput struct {
	RunID   string             `json:"run_id"`
	Cell    experiments.Cell   `json:"cell"`
	HandOut experiments.Digest `json:"hand_out"`
	Patch   experiments.Digest `json:"patch"`
	Of      string             `json:"of,omitempty"` // experiments.Base or experiments.Reference in place of a patch
}

// AppliedPatch is what the patch did.
type AppliedPatch struct {
	Outcome    string   `json:"outcome"` // applied, empty or apply-failed
	Reason     string   `json:"reason,omitempty"`
	Tree       string   `json:"tree,omitempty"`   // base + patch
	Tested     string   `json:"tested,omitempty"` // base + patch + hidden tests
	Flags      []string `json:"flags,omitempty"`
	ConfigOnly bool     `json:"config_only,omitempty"` // it changes nothing but the test runner's configuration
}

// Phases of testing.
const (
	FailToPass = experiments.FailToPass
	PassToPass = experiments.PassToPass
	Others     = experiments.Others
)

// TestInput is one phase to test.
type TestInput struct {
	RunID   string             `json:"run_id"`
	Cell    experiments.Cell   `json:"cell"`
	HandOut experiments.Digest `json:"hand_out"`
	Image   Image              `json:"image"`
	Tested  string             `json:"tested"`
	Phase   string             `json:"phase"`
	// Together runs the tests of both phases in one command and answers for Phase; the other phase's answer comes of
	// the same command.
	Together bool `json:"together,omitempty"`
	// Reference is the hand-out by which a candidate's silent or doubtful tests are proved; empty where the preflight has
	// done so. With All it says that the tree is the task's own repair.
	Reference experiments.Digest `json:"reference,omitempty"`

	All    bool `json:"all,omitempty"`    // run whatever tests there are
	Repeat int  `json:"repeat,omitempty"` // more than 0: which of several runs of the same
}

// Tested is a phase's outcome.
type Tested struct {
	Passed  bool                `json:"passed"`
	Command experiments.Command `json:"command"`
	Results experiments.Digest  `json:"results,omitempty"` // artifact: []TestResult
	Starts  int                 `json:"starts"`            // containers really started for it, over all attempts
	Reason  string              `json:"reason,omitempty"`  // why it did not pass, one line
}

// ScoreInput is all that a record is made of.
type ScoreInput struct {
	RunID   string              `json:"run_id"`
	Cell    experiments.Cell    `json:"cell"`
	Rounds  []experiments.Round `json:"rounds"`
	Report  experiments.Digest  `json:"report,omitempty"`
	Patch   experiments.Digest  `json:"patch,omitempty"`
	Applied *AppliedPatch       `json:"applied,omitempty"`
	Phases  []Tested            `json:"phases"`
	Calls   int                 `json:"calls"`
	Started int64               `json:"started"`           // workflow time, Unix nanoseconds
	Verdict experiments.Verdict `json:"verdict,omitempty"` // set for cells without a verdict: infra or excluded
	Class   string              `json:"class,omitempty"`
	Reason  string              `json:"reason,omitempty"`
}

// GiveUpInput records cells that get no verdict.
type GiveUpInput struct {
	RunID   string              `json:"run_id"`
	Cells   []experiments.Cell  `json:"cells"`
	Verdict experiments.Verdict `json:"verdict"` // infra or excluded
	Class   string              `json:"class,omitempty"`
	Reason  string              `json:"reason"`
}

// AggregateInput asks for the run's summary.
type AggregateInput struct {
	RunID string `json:"run_id"`
}

// Aggregated is where the summary is.
type Aggregated struct {
	Summary experiments.Digest `json:"summary"`
}
