package datasets

import (
	"errors"

	"evlab/experiments"
	"evlab/organizer"
)

// Cohort is a cohort with everything that a run freezes of it. Maps are keyed by task id.
type Cohort struct {
	experiments.Cohort
	// Private is the organizer's side; every task that is not excluded has an entry.
	Private map[string]organizer.Private
	// Sources are the git directories that hold the base commits; every task that is not excluded has an entry.
	Sources map[string]string
	// Simulated are the simulated reader's scripts, public, verbatim. Tasks without one have no entry.
	Simulated map[string][]byte
	// Settings say how a dataset's own harness runs a task's tests; tasks that no dataset says it of have no entry.
	Settings map[string]Setting
	// Excluded says why a task can't be asked, one line.
	Excluded map[string]string
	// Unmeasured are those of Excluded whose tests nobody has run yet, and that are whole otherwise: a validation measures
	// them.
	Unmeasured map[string]bool
	// Unfound are those of Excluded whose repositories are not in the folder where they were looked for.
	Unfound map[string]bool
	// PublicDigest covers tasks, repositories and scripts; PrivateDigest covers the organizer's side. Paths on this
	// machine are in neither.
	PublicDigest, PrivateDigest experiments.Digest
}

func newCohort() *Cohort {
	return &Cohort{
		Private: map[string]organizer.Private{}, Sources: map[string]string{}, Simulated: map[string][]byte{},
		Settings: map[string]Setting{}, Excluded: map[string]string{}, Unmeasured: map[string]bool{},
		Unfound: map[string]bool{},
	}
}

// exclude sets a task aside for what is wrong with it at a place.
func (c *Cohort) exclude(id, at string, errs ...error) {
	c.Excluded[id] = oneLine(at, errs)
	var unfound *unfoundError
	c.Unfound[id] = errors.As(errors.Join(errs...), &unfound)
}
