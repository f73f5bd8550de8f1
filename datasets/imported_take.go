package datasets

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evlab/experiments"
	"evlab/repos"
)

// tellLanguage takes the language from the names of the files, tests first, where nobody said it.
func (t *ImportedTask) tellLanguage() {
	if t.Language == "" {
		t.Language = guessLanguage(t.Private.Tests.Patch)
	}
	if t.Language == "" {
		t.Language = guessLanguage(t.Private.Reference)
	}
}

// Take checks a task and keeps it, or refuses it with all that is wrong with it, errs among it. at is its place.
func (m *Imported) Take(at string, t ImportedTask, errs ...error) {
	t.At = at
	unread := slices.ContainsFunc(errs, func(err error) bool { // then it is not known whether it has one
		return strings.Contains(err.Error(), "patch") || strings.HasPrefix(err.Error(), "fix ")
	})
	t.tellLanguage()
	checked := t
	checked.standIn(errs)
	if t.Language == "" {
		checked.Language = "unknown" // it is told once
		errs = append(errs, errors.New("its language is not given, and the names of its files do not tell"))
	}
	if !repoName.MatchString(checked.Repo) || len(t.Repo) > 256 {
		errs = append(errs, fmt.Errorf("repo %.80q: expected owner/name", t.Repo))
	}
	if err := checked.Check(); err != nil {
		errs = append(errs, experiments.Flatten(err)...)
	}
	if m.Format != "table" && m.Format != "cohort" { // one of a table's
		if err := asks(checked.Task); err != nil {
			errs = append(errs, err)
		}
	}
	if t.Private.Certificate == nil {
		if len(bytes.TrimSpace(t.Private.Reference)) == 0 {
			if !unread {
				errs = append(errs, errors.New("it has no reference repair: none is given, or an empty one, as in test splits that are kept secret"))
			}
		} else if len(repos.PatchPaths(t.Private.Reference)) == 0 {
			errs = append(errs, errors.New("its reference repair changes no file: expected a git diff"))
		}
		if len(checked.Private.Tests.FailToPass) == 0 && t.Setting.Rule != RuleEvlab {
			errs = append(errs, errors.New("it names no fail-to-pass test"))
		}
	}
	if name := outside(t.Private.Reference); name != "" {
		errs = append(errs, fmt.Errorf("its reference repair changes %.120q, which is not in the repository", name))
	}
	if name := outside(t.Private.Tests.Patch); name != "" {
		errs = append(errs, fmt.Errorf("its test patch changes %.120q, which is not in the repository", name))
	}
	if len(errs) == 0 {
		if i, taken := m.index[fileID(t.ID)]; taken {
			if same(&m.Tasks[i], &t) {
				m.Repeated++
				return
			}
			errs = append(errs, clash(t.ID, m.Tasks[i].ID, m.Tasks[i].At))
		}
	}
	if len(errs) > 0 {
		m.Refuse(at, t.ID, errs...)
		return
	}
	if len(m.Tasks) >= maxRows {
		m.Refuse(at, t.ID, fmt.Errorf("more than %d tasks", maxRows))
		return
	}
	if m.index == nil {
		m.index = map[string]int{}
	}
	m.index[fileID(t.ID)] = len(m.Tasks)
	m.Tasks = append(m.Tasks, t)
}

// standIn puts something in the place of what a field leaves empty that is missing or can't be read, so that it is told once.
func (t *ImportedTask) standIn(errs []error) {
	for _, err := range errs {
		field := (*fieldError)(nil)
		if !errors.As(err, &field) {
			continue
		}
		switch field.key {
		case "instance_id", "state_id":
			t.ID = cmp.Or(t.ID, "task")
		case "repo", "org":
			t.Repo = "owner/name" // org/ or /repo where one of them is there
		case "base_commit", "base", "sha":
			t.BaseCommit = cmp.Or(t.BaseCommit, strings.Repeat("0", 40))
		case "problem_statement":
			t.State.Issue = cmp.Or(t.State.Issue, "statement")
		case "FAIL_TO_PASS", "fail_to_pass":
			t.Private.Tests.FailToPass = []string{"test"}
		}
	}
}

// asks refuses a task without an issue. Only a plain table may have such tasks: see StateCard.Asks.
func asks(t experiments.Task) error {
	if !t.State.Asks() {
		return fmt.Errorf("task %s: state: issue is empty", t.ID)
	}
	return nil
}

// same reports whether two rows are one task: splits overlap, word for word.
func same(a, b *ImportedTask) bool {
	x, y := *a, *b
	x.At, y.At = "", ""
	left, err := json.Marshal(x)
	if err != nil {
		return false
	}
	right, err := json.Marshal(y)
	return err == nil && bytes.Equal(left, right)
}

// maxRefused bounds what is kept of refusals; a file of another kind has one in every row.
const maxRefused = 10_000

// Refuse notes a row that can't be taken. id may be empty.
func (m *Imported) Refuse(at, id string, errs ...error) {
	if len(m.Refused) == maxRefused {
		m.Refused = append(m.Refused, Refusal{At: at, Reasons: []string{"further rows that can't be taken are not listed"}})
	}
	if len(m.Refused) > maxRefused {
		return
	}
	r := Refusal{At: at}
	if len(id) <= 200 {
		r.ID = strings.ToValidUTF8(id, "\uFFFD")
	}
	for _, err := range errs {
		reason := strings.ToValidUTF8(err.Error(), "\uFFFD")
		if runes := []rune(reason); len(runes) > 500 {
			reason = string(runes[:500]) + "..."
		}
		r.Reasons = append(r.Reasons, reason)
	}
	m.Refused = append(m.Refused, r)
}
