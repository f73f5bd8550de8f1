package experiments

import (
	"fmt"
	"time"
)

// Contract is what a run froze before its first cell (section E.4). Resume goes by it and by nothing else.
type Contract struct {
	Schema     string        `json:"schema"` // ContractSchema
	RunID      string        `json:"run_id"`
	Created    time.Time     `json:"created"`
	SpecFile   string        `json:"spec_file,omitempty"` // where the experiment file was, for people
	Spec       Spec          `json:"spec"`
	SpecDigest Digest        `json:"spec_digest"`
	Cohort     FrozenCohort  `json:"cohort"`
	Tasks      []FrozenTask  `json:"tasks"`
	Sandbox    FrozenSandbox `json:"sandbox"`
	Notes      []string      `json:"notes,omitempty"` // sentences that a reader of the run should know
	// Environments are the recipes that the tasks' tests need, by name.
	Environments map[string]Environment `json:"environments"`
	// Procedure names the versions of everything of evlab's own that could change a record: it is an input of every cell.
	Procedure map[string]string `json:"procedure"`
	Versions  map[string]string `json:"versions"` // evlab, go, git, engine: recorded, and no input
	Fresh     bool              `json:"fresh"`    // finished cells of other runs are not taken over
}

// ContractSchema is the wire form's name.
const ContractSchema = "evlab-contract-v1"

// FrozenCohort is the cohort as the run saw it: one digest for each side.
type FrozenCohort struct {
	Name            string `json:"name"`
	Trusted         bool   `json:"trusted"`
	ExcludeObserved bool   `json:"exclude_observed"`
	Certified       bool   `json:"certified"`
	PublicDigest    Digest `json:"public_digest"`
	PrivateDigest   Digest `json:"private_digest"`
}

// FrozenTask says where the frozen content of one task is. Public is an artifact any role may read; Private one that
// only the organizer's store holds.
type FrozenTask struct {
	ID         string `json:"id"`
	Repo       string `json:"repo"`
	Episode    string `json:"episode,omitempty"`
	BaseCommit string `json:"base_commit"`
	BaseTree   string `json:"base_tree"` // git tree id at the base commit
	Mirror     string `json:"mirror"`    // name of the repository's mirror in the data folder
	Public     Digest `json:"public"`    // artifact: Task
	Private    Digest `json:"private"`   // organizer artifact: hidden tests, reference repair, certificate
	Units      Digest `json:"units"`     // artifact: evidence units of the base tree
	// Recipe names one of the contract's Environments. Environment is the digest of all that it makes of a sandbox:
	// recipe, toolchain, sandbox kind, platform.
	Recipe      string `json:"recipe"`
	Environment Digest `json:"environment"`
	// Executors maps an executor's name to the artifact that it reads for this task (a prediction, the simulated
	// reader's edits). A missing entry means that it has nothing for this task.
	Executors map[string]Digest `json:"executors"`
	// Inputs are the digests that every cell of the task shares, in key order.
	Inputs []Input `json:"inputs"`
	// Excluded says why no cell of the task can be asked, empty otherwise.
	Excluded string `json:"excluded,omitempty"`
}

// FrozenSandbox is the sandbox that the run decided on.
type FrozenSandbox struct {
	Kind   string `json:"kind"` // docker or host
	Reason string `json:"reason,omitempty"`
}

// Condition finds a condition of the frozen spec by name.
func (c *Contract) Condition(name string) (ConditionSpec, bool) {
	for _, s := range c.Spec.Conditions {
		if s.Name == name {
			return s, true
		}
	}
	return ConditionSpec{}, false
}

// Executor finds an executor of the frozen spec by name.
func (c *Contract) Executor(name string) (ExecutorSpec, bool) {
	for _, s := range c.Spec.Executors {
		if s.Name == name {
			return s, true
		}
	}
	return ExecutorSpec{}, false
}

// Task finds a frozen task by id.
func (c *Contract) Task(id string) (*FrozenTask, bool) {
	for i := range c.Tasks {
		if c.Tasks[i].ID == id {
			return &c.Tasks[i], true
		}
	}
	return nil, false
}

// EnvironmentOf finds the recipe of a task's tests.
func (c *Contract) EnvironmentOf(task *FrozenTask) (Environment, error) {
	e, ok := c.Environments[task.Recipe]
	if !ok {
		return e, fmt.Errorf("the contract of %s has no environment %q for task %s", c.RunID, task.Recipe, task.ID)
	}
	return e, nil
}
