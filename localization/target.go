package localization

import (
	"fmt"
	"slices"

	"evlab/organizer"
)

// Span is a range of lines, from 1 and inclusive; the zero Span is none.
type Span struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// IsZero reports whether there are no lines.
func (s Span) IsZero() bool { return s == Span{} }

func (s Span) String() string {
	if s.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d-%d", s.First, s.Last)
}

// Target is one place that an executor proposes for the next edit.
type Target struct {
	Path   string `json:"path"`
	Symbol string `json:"symbol,omitempty"`
	Lines  Span   `json:"lines,omitzero"` // optional
}

func (t Target) String() string {
	s := t.Path
	if t.Symbol != "" {
		s += "#" + t.Symbol
	}
	if !t.Lines.IsZero() {
		s += ":" + t.Lines.String()
	}
	return s
}

// Bounds of the number of targets in a selection (section F.4).
const (
	leastCap = 3
	mostCap  = 6
)

// Reference is the organizer's side of one task.
type Reference struct {
	Task       string
	Repository string
	// Files are the reference files, sorted: the set R of section F.4, of at least one path.
	Files []string
	// Evaluator are paths that belong to the task's evaluator, which are no targets.
	Evaluator []string
	// Edits are what the reference patch changes; nil when there is no patch, and then nothing can be labelled by it.
	Edits *Edits
	// Paths are the paths of the repository at the base commit, with the reference files.
	Paths *Paths
}

// Cap is the number of targets that a selection may have: min(6, max(3, r)) for r reference files.
func (r *Reference) Cap() int { return min(mostCap, max(leastCap, len(r.Files))) }

// Eligible reports whether a selection can cover all reference files: r is within the cap.
func (r *Reference) Eligible() bool { return len(r.Files) <= r.Cap() }

// FilesOf are the reference files of a patch: what organizer.TargetFiles lists, without what no target can be.
func FilesOf(patch []byte, evaluator []string) []string {
	return slices.DeleteFunc(organizer.TargetFiles(patch), func(p string) bool { return notATarget(p, evaluator) != "" })
}

// Refused is a target that was proposed and is not scored.
type Refused struct {
	Target Target `json:"target"` // as it was proposed
	Reason Reason `json:"reason"`
}

// Selected is what is left of a selection: the valid targets with their paths normalised, in the order proposed.
type Selected struct {
	Targets []Target  `json:"targets"`
	Refused []Refused `json:"refused"`
}

// Select normalises paths, filters, drops what is proposed twice, and cuts at the cap. Several targets may be in one
// file.
func (r *Reference) Select(proposed []Target) Selected {
	out := Selected{Targets: []Target{}, Refused: []Refused{}}
	seen := map[Target]bool{}
	for _, t := range proposed {
		valid, reason := r.valid(t)
		switch {
		case reason != "":
		case seen[valid]:
			reason = Duplicate
		case len(out.Targets) == r.Cap():
			reason = BeyondCap
		default:
			seen[valid] = true
			out.Targets = append(out.Targets, valid)
			continue
		}
		out.Refused = append(out.Refused, Refused{t, reason})
	}
	return out
}

func (r *Reference) valid(t Target) (Target, Reason) {
	path, lines, reason := r.Paths.Normalize(t.Path)
	if reason != "" {
		return t, reason
	}
	t.Path = path
	if t.Lines.IsZero() {
		t.Lines = lines
	}
	return t, notATarget(path, r.Evaluator)
}

// Normalized is a target as Select would keep it, for joining labels to it; false when it would be refused.
func (r *Reference) Normalized(t Target) (Target, bool) {
	t, reason := r.valid(t)
	return t, reason == ""
}
