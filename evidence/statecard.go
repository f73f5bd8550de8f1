package evidence

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxField bounds one field of a state card, in bytes; for a list it bounds the sum over its entries, each counted
// with one byte more.
const MaxField = 1 << 20

// Boundaries lists the decision boundaries a state can be captured at (section 4.1). A state card may also leave
// its boundary empty.
var Boundaries = []string{"before_search", "after_search", "after_file_inspection", "before_edit"}

// StateCard is the visible state of an agent at a decision (section 3). All of it may be shown to a deployable
// condition and to an executor.
type StateCard struct {
	Issue       string   `json:"issue"`
	Need        string   `json:"need,omitempty"` // the current information need
	Observation string   `json:"observation,omitempty"`
	OpenedFiles []string `json:"opened_files,omitempty"` // paths in the repository
	Queries     []string `json:"queries,omitempty"`      // searches made so far
	TestOutput  string   `json:"test_output,omitempty"`  // the latest
	Diff        string   `json:"diff,omitempty"`         // the current one
	Hypothesis  string   `json:"hypothesis,omitempty"`
	Subgoal     string   `json:"subgoal,omitempty"`
	Trajectory  string   `json:"trajectory,omitempty"` // the visible trajectory, summarised
	Boundary    string   `json:"boundary,omitempty"`   // one of Boundaries, or empty
	Observed    []string `json:"observed,omitempty"`   // ids of the units already read
}

// Asks reports whether the card has an issue. Without one nobody can be asked, and nothing be searched for; patches that
// were made elsewhere can be tested all the same.
func (s StateCard) Asks() bool { return strings.TrimSpace(s.Issue) != "" }

// Validate reports everything that is wrong with what the card has, joined: an unknown boundary, and fields over
// MaxField or not in UTF-8.
func (s StateCard) Validate() error {
	var errs []error
	if s.Boundary != "" && !slices.Contains(Boundaries, s.Boundary) {
		errs = append(errs, fmt.Errorf("state: boundary %.60q is not one of %s, or empty", s.Boundary, strings.Join(Boundaries, ", ")))
	}
	for _, f := range []struct{ name, text string }{
		{"issue", s.Issue}, {"need", s.Need}, {"observation", s.Observation}, {"test_output", s.TestOutput},
		{"diff", s.Diff}, {"hypothesis", s.Hypothesis}, {"subgoal", s.Subgoal}, {"trajectory", s.Trajectory},
	} {
		if len(f.text) > MaxField {
			errs = append(errs, fmt.Errorf("state: %s has %d bytes; at most %d are allowed", f.name, len(f.text), MaxField))
		}
		if at := invalidUTF8(f.text); at >= 0 {
			errs = append(errs, fmt.Errorf("state: %s is not valid UTF-8 at byte %d", f.name, at))
		}
	}
	for _, f := range []struct {
		name string
		list []string
	}{{"opened_files", s.OpenedFiles}, {"queries", s.Queries}, {"observed", s.Observed}} {
		size, bad := 0, false
		for i, entry := range f.list {
			size += len(entry) + 1
			if at := invalidUTF8(entry); at >= 0 && !bad {
				bad = true // the first is enough: a list may have very many entries
				errs = append(errs, fmt.Errorf("state: %s[%d] is not valid UTF-8 at byte %d", f.name, i, at))
			}
		}
		if size > MaxField {
			errs = append(errs, fmt.Errorf("state: %s has %d bytes in %d entries; at most %d are allowed", f.name, size, len(f.list), MaxField))
		}
	}
	return errors.Join(errs...)
}

// invalidUTF8 is the offset of the first byte of s that isn't part of valid UTF-8, or -1.
func invalidUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// Ask is what an executor asks for when it wants another round of retrieval (section F.5).
type Ask struct {
	Need       string `json:"need"`
	Hypothesis string `json:"hypothesis,omitempty"`
	Subgoal    string `json:"subgoal,omitempty"`
}

// WithAsk is the state of the next round: the card with its need, hypothesis and subgoal replaced by the ask's, the
// empty ones too. The receiver is unchanged.
func (s StateCard) WithAsk(a Ask) StateCard {
	s.Need, s.Hypothesis, s.Subgoal = a.Need, a.Hypothesis, a.Subgoal
	return s
}
