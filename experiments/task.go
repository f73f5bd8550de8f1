package experiments

import (
	"errors"
	"fmt"

	"evlab/evidence"
)

// Task is the public side of one task: what a deployable condition and an executor may know.
type Task struct {
	ID         string             `json:"id"`
	Repo       string             `json:"repo"`        // "owner/name", or the name of a bundled repository
	BaseCommit string             `json:"base_commit"` // full hexadecimal commit id
	Language   string             `json:"language"`    // "go", "python": what names the environment of its tests
	CreatedAt  string             `json:"created_at,omitempty"`
	Episode    string             `json:"episode,omitempty"` // clustering unit of episode cohorts
	State      evidence.StateCard `json:"state"`
}

// Check reports everything that is wrong with the task, joined.
func (t Task) Check() error {
	var errs []error
	if err := CheckName("task", t.ID); err != nil {
		errs = append(errs, err)
	}
	if t.Repo == "" {
		errs = append(errs, fmt.Errorf("task %s: repo is empty", t.ID))
	}
	if !commitID(t.BaseCommit) {
		errs = append(errs, fmt.Errorf("task %s: base_commit %.60q is not a full commit id of 40 hexadecimal digits", t.ID, t.BaseCommit))
	}
	if t.Language == "" {
		errs = append(errs, fmt.Errorf("task %s: language is empty", t.ID))
	}
	if err := t.State.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("task %s: %w", t.ID, err))
	}
	return errors.Join(errs...)
}

func commitID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Cohort is a frozen list of tasks with a name.
type Cohort struct {
	Name            string `json:"name"`
	Trusted         bool   `json:"trusted"`          // its content may run in the host sandbox without being asked
	ExcludeObserved bool   `json:"exclude_observed"` // observed evidence leaves the candidate pool (section 3, a per-cohort switch)
	Certified       bool   `json:"certified"`        // its tasks have certificates, so the diagnostics can be asked for
	Tasks           []Task `json:"tasks"`
}
