package experiments

import (
	"strings"
	"time"
)

// Spec is the experiment file: everything that decides what a run means. The `origin` tag says who may override a
// field: "science" none but the file, "machine" also the environment and flags.
type Spec struct {
	Name        string          `mapstructure:"name" json:"name"`
	Cohort      CohortSource    `mapstructure:"cohort" json:"cohort"`
	Tasks       []string        `mapstructure:"tasks" json:"tasks,omitempty"` // a selection; empty means all
	Conditions  []ConditionSpec `mapstructure:"conditions" json:"conditions"`
	Executors   []ExecutorSpec  `mapstructure:"executors" json:"executors"`
	Replicates  int             `mapstructure:"replicates" json:"replicates"`
	Tracks      Tracks          `mapstructure:"tracks" json:"tracks"`
	Limits      Limits          `mapstructure:"limits" json:"limits"`
	Contrasts   []ContrastSpec  `mapstructure:"contrasts" json:"contrasts"`
	Preflight   string          `mapstructure:"preflight" json:"preflight"` // always, or never: a task's tests are not proved on its own repair first
	Sandbox     string          `mapstructure:"sandbox" json:"sandbox"`     // auto, docker or host
	Concurrency Concurrency     `mapstructure:"concurrency" json:"concurrency"`
	Engine      string          `mapstructure:"engine" json:"engine,omitempty"` // host:port of a Temporal server; empty: embedded
}

// CohortSource names a cohort: a bundled one by Name ("demo"), a cohort folder by Path, or a SWE-bench-shaped JSONL
// file (Tasks) with its repositories (Repos). Exactly one of the three is given. Paths are absolute after reading; in the
// file they are relative to it. Repos is a folder, a git bundle, a URL (IsURL) or GitHub.
type CohortSource struct {
	Name     string `mapstructure:"name" json:"name,omitempty"`
	Path     string `mapstructure:"path" json:"path,omitempty"`
	Tasks    string `mapstructure:"tasks" json:"tasks,omitempty"`
	Repos    string `mapstructure:"repos" json:"repos,omitempty"`
	Language string `mapstructure:"language" json:"language,omitempty"` // take only rows of this language
}

// GitHub is the Repos of tasks whose repositories are fetched from there by owner and name. A folder of that name is
// given as ./github.
const GitHub = "github"

// IsURL reports whether Repos is to be fetched: nothing else has a scheme.
func IsURL(repos string) bool { return strings.Contains(repos, "://") }

// Condition kinds.
const (
	BM25             = "bm25"
	NoEvidence       = "none"
	OracleMSS        = "oracle-mss"
	OracleMinusGroup = "oracle-minus-group"
)

// ConditionKinds lists the kinds that an experiment file may name.
var ConditionKinds = []string{BM25, NoEvidence, OracleMSS, OracleMinusGroup}

// ConditionSpec is one condition with all its parameters (section 3). In the file a bare kind stands for
// {name: kind, kind: kind}.
type ConditionSpec struct {
	Name string `mapstructure:"name" json:"name"`
	Kind string `mapstructure:"kind" json:"kind"`
	// K1 and B are BM25's parameters, for kind bm25 and for the base ranking of the diagnostics.
	K1 float64 `mapstructure:"k1" json:"k1"`
	B  float64 `mapstructure:"b" json:"b"`
	// Reference (diagnostics only) is the condition whose item count the bundle takes; MaxItems its upper bound.
	Reference string `mapstructure:"reference" json:"reference,omitempty"`
	MaxItems  int    `mapstructure:"max_items" json:"max_items,omitempty"`
}

// Diagnostic reports whether the condition reads the organizer's certificate: such a condition is built by the
// organizer role and is never deployable.
func (c ConditionSpec) Diagnostic() bool { return c.Kind == OracleMSS || c.Kind == OracleMinusGroup }

// Executor kinds. Base and Reference are the organizer's: nobody proposes, and the tests that there are run on the base
// commit as it is, or with the reference repair.
const (
	Simulated = "simulated"
	Replay    = "replay"
	Base      = "base"
	Reference = "reference"
)

// ExecutorKinds lists the kinds that an experiment file may name.
var ExecutorKinds = []string{Simulated, Replay, Base, Reference}

// ExecutorSpec is one executor with all its parameters.
type ExecutorSpec struct {
	Name string `mapstructure:"name" json:"name"`
	Kind string `mapstructure:"kind" json:"kind"`
	// Predictions and Model (replay only): a predictions file and the model_name_or_path whose rows are replayed.
	Predictions string `mapstructure:"predictions" json:"predictions,omitempty"`
	Model       string `mapstructure:"model" json:"model,omitempty"`
	// Missing (replay only) says what becomes of a task without a prediction: its cells are excluded by name, or left
	// out of the plan.
	Missing string `mapstructure:"missing" json:"missing,omitempty"`
	// Replicates, when more than 0, takes the place of the experiment's own number.
	Replicates int `mapstructure:"replicates" json:"replicates,omitempty"`
}

// What a replay does with tasks that it has no prediction for.
const (
	MissingExcluded = "excluded"
	MissingLeftOut  = "left-out"
)

// When preflights are run.
const (
	PreflightAlways = "always"
	PreflightNever  = "never"
)

// Tracks holds the parameters of each track.
type Tracks struct {
	Repair RepairTrack `mapstructure:"repair" json:"repair"`
}

// RepairTrack is the repair track's parameters (section F.5).
type RepairTrack struct {
	Rounds       int    `mapstructure:"rounds" json:"rounds"`                 // retrieval calls allowed per cell
	UnitsPerCall int    `mapstructure:"units_per_call" json:"units_per_call"` // evidence units per call, at most
	TokenCeiling int    `mapstructure:"token_ceiling" json:"token_ceiling"`   // evidence tokens shown in a whole cell, at most
	Overflow     string `mapstructure:"overflow" json:"overflow"`             // skip or stop
	PassToPass   string `mapstructure:"pass_to_pass" json:"pass_to_pass"`     // after_f2p or always
}

// Pass-to-pass policies.
const (
	PassToPassAfterF2P = "after_f2p"
	PassToPassAlways   = "always"
)

// Limits bound one sandbox step. They are part of a cell's identity: time-outs depend on them.
type Limits struct {
	StepTimeout time.Duration `mapstructure:"step_timeout" json:"step_timeout"`
	Memory      Bytes         `mapstructure:"memory" json:"memory"`
	Scratch     Bytes         `mapstructure:"scratch" json:"scratch"`
	Log         Bytes         `mapstructure:"log" json:"log"`
	Processes   int           `mapstructure:"processes" json:"processes"`
	CPUs        float64       `mapstructure:"cpus" json:"cpus"`
}

// ContrastSpec is one declared contrast: A minus B on Metric.
type ContrastSpec struct {
	Metric   string `mapstructure:"metric" json:"metric"`
	A        string `mapstructure:"a" json:"a"`
	B        string `mapstructure:"b" json:"b"`
	Executor string `mapstructure:"executor" json:"executor,omitempty"` // needed only with several executors
	Family   string `mapstructure:"family" json:"family,omitempty"`
	Unit     string `mapstructure:"unit" json:"unit"` // task, repository or episode
	Draws    int    `mapstructure:"draws" json:"draws"`
	Seed     uint64 `mapstructure:"seed" json:"seed"`
}

// Metrics that a repair contrast may use. Each is 0/1 per cell but the two evidence scores, which are in 0..1.
var Metrics = []string{"strict", "fail_to_pass", "pass_to_pass", "target_file_hit", "complete_mss", "group_recall"}

// Units over which a contrast may resample.
var Units = []string{"task", "repository", "episode"}

// Concurrency is the machine's business: it changes when a run ends and never what it says. Zero means "what the
// machine has".
type Concurrency struct {
	Tasks int `mapstructure:"tasks" json:"tasks"` // tasks open at once
	Steps int `mapstructure:"steps" json:"steps"` // sandbox steps at once
}
