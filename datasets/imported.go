package datasets

import (
	"context"
	"errors"
	"fmt"

	"evlab/experiments"
	"evlab/organizer"
)

// Imported is what a dataset gave: tasks in its order, and the rows that could not be taken.
type Imported struct {
	Name    string
	Format  string // the format of the first row; one of Formats
	Sources []SourceFile
	Tasks   []ImportedTask
	Refused []Refusal
	// Repeated counts rows whose task was there already, word for word: splits of one dataset overlap.
	Repeated int
	// LeftOut counts rows that the selection does not want.
	LeftOut int

	index map[string]int // fileID -> index into Tasks
}

// ImportedTask is one task with both of its sides.
type ImportedTask struct {
	experiments.Task
	Private organizer.Private
	Setting Setting
	At      string // the place in its file
}

// SourceFile is a file that was read.
type SourceFile struct {
	Name   string             `json:"name"` // without folders above the source
	SHA256 experiments.Digest `json:"sha256"`
}

// Refusal is a row that could not be taken.
type Refusal struct {
	At      string   `json:"at"`           // file:line, or file: row n
	ID      string   `json:"id,omitempty"` // when it could be read
	Reasons []string `json:"reasons"`
}

// Error is the refusal as one line.
func (r Refusal) Error() string {
	errs := make([]error, len(r.Reasons))
	for i, reason := range r.Reasons {
		errs[i] = errors.New(reason)
	}
	return oneLine(r.At, errs)
}

// Rules are whose rule judges a task: how patches are applied, and which named tests have to have passed.
const (
	RuleEvlab    = "evlab"
	RuleSWEBench = "swebench"
	RuleLive     = "live"
	RuleMulti    = "multi"
	RulePro      = "pro"
	RuleRebench  = "rebench"
	RuleSmith    = "smith"
)

// Setting is how a dataset's own harness runs the tests of a task. It is on the private side, since commands name hidden
// tests. Nothing of it has been run, and Parser and Script are code of strangers: they are for a sandbox only.
type Setting struct {
	Rule     string `json:"rule"`               // one of the Rules
	Image    string `json:"image,omitempty"`    // with registry and tag, as the dataset names it
	Platform string `json:"platform,omitempty"` // linux/amd64, windows/amd64
	// Dockerfile is the text of one that builds the image, with the tree of the base commit as its context.
	Dockerfile string `json:"dockerfile,omitempty"`
	Workdir    string `json:"workdir,omitempty"` // of the repository in the image
	// Requirements are files of the repository at the base commit that say what the tests need of a package index, and
	// Python is the version that they need, such as 3.11, where no image is taken.
	Requirements []string `json:"requirements,omitempty"`
	Python       string   `json:"python,omitempty"`
	Version      string   `json:"version,omitempty"` // SWE-bench: with the repository it selects a recipe
	// SetupCommit is the commit whose requirements the environment was made of, when it is not the base commit.
	SetupCommit string   `json:"setup_commit,omitempty"`
	Prepare     []string `json:"prepare,omitempty"`    // shell lines before the tests
	Tests       []string `json:"tests,omitempty"`      // shell lines that run the tests
	Print       []string `json:"print,omitempty"`      // shell lines whose output is the report, where that of Tests is not
	TestFiles   []string `json:"test_files,omitempty"` // what Tests is to be given
	Script      string   `json:"script,omitempty"`     // a whole script that does all of it
	Grammar     string   `json:"grammar,omitempty"`    // the report's grammar, by the dataset's name of it
	Parser      string   `json:"parser,omitempty"`     // Python source that reads the report
	// FailOnly is true when a suite names its failures only: a test that it does not name has passed.
	FailOnly bool `json:"fail_only,omitempty"`
}

// Unmeasured is why a task whose tests nobody has run yet can't be asked.
const Unmeasured = "its fail-to-pass tests have not been measured: evlab cohort validate does that"

// Cohort makes a cohort out of the tasks whose repositories are to be had.
func (m *Imported) Cohort(ctx context.Context, where Repositories) (*Cohort, error) {
	c := newCohort()
	c.Name = m.Name
	p := where.places()
	for i := range m.Tasks {
		t := &m.Tasks[i]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.Tasks = append(c.Tasks, t.Task)
		c.Certified = c.Certified && t.Private.Certificate != nil || i == 0 && t.Private.Certificate != nil
		source, err := p.find(ctx, t.Repo, t.BaseCommit)
		switch {
		case len(t.Private.Reference) == 0:
			err = errors.New("it has no reference repair: its states can be scored (evlab score), and nothing be repaired")
		case err == nil && len(t.Private.Tests.FailToPass) == 0:
			c.Unmeasured[t.ID], c.Excluded[t.ID] = true, Unmeasured
		}
		c.Settings[t.ID] = t.Setting
		if err != nil {
			c.exclude(t.ID, t.ID, err)
			continue
		}
		c.Private[t.ID], c.Sources[t.ID] = t.Private, source
	}
	var err error
	if c.PublicDigest, err = experiments.DigestJSON(c.Tasks); err != nil {
		return nil, err
	}
	if c.PrivateDigest, err = m.privateDigest(); err != nil {
		return nil, err
	}
	return c, nil
}

func (m *Imported) privateDigest() (experiments.Digest, error) {
	type side struct {
		ID      string
		Private organizer.Private
		Setting Setting
	}
	var sides []side
	for i := range m.Tasks {
		t := &m.Tasks[i]
		sides = append(sides, side{t.ID, t.Private, t.Setting})
	}
	d, err := experiments.DigestJSON(sides)
	if err != nil {
		return "", fmt.Errorf("cohort %s: %w", m.Name, err)
	}
	return d, nil
}
