package localization

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"evlab/localization/outline"
)

// Edits are the places that a patch changes, by path.
type Edits struct {
	files map[string]*fileEdit
}

// fileEdit is one file before and after: what of it changes, and, once its source is known, what is defined where.
type fileEdit struct {
	patch         *gitdiff.File
	whole         bool // the file itself is the place: it is new, goes, moves, or is binary
	before, after side
	sourced       bool
}

// side is one side of the change.
type side struct {
	spans   []Span // lines that are removed (before) or added (after)
	gaps    []int  // lines after which the other side has lines that this one has not; 0: before the first
	defs    []outline.Definition
	outline bool
}

// ParsePatch reads the edits of a git or unified diff. It is strict: a patch whose counts don't add up can't say where
// its lines are.
func ParsePatch(patch []byte) (*Edits, error) {
	files, _, err := gitdiff.Parse(bytes.NewReader(patch))
	if err != nil {
		return nil, fmt.Errorf("reading the patch: %w", err)
	}
	if len(files) == 0 {
		return nil, errors.New("reading the patch: it changes no file; expected a git or unified diff")
	}
	e := &Edits{files: map[string]*fileEdit{}}
	plain := !bytes.Contains(patch, []byte("diff --git "))
	for _, f := range files {
		if plain { // names of a plain diff keep their first element, which git apply takes off
			f.OldName, f.NewName = afterSlash(f.OldName), afterSlash(f.NewName)
		}
		edit := &fileEdit{patch: f, whole: f.IsNew || f.IsDelete || f.IsBinary || len(f.TextFragments) == 0}
		for _, hunk := range f.TextFragments {
			edit.hunk(hunk)
		}
		for _, name := range [2]string{f.OldName, f.NewName} {
			if name == "" || f.IsCopy && name == f.OldName { // the source of a copy stays as it is
				continue
			}
			if twice := e.files[name]; twice != nil && twice != edit {
				return nil, fmt.Errorf("reading the patch: %q is changed twice", name)
			}
			e.files[name] = edit
		}
	}
	return e, nil
}

func afterSlash(name string) string {
	if _, rest, ok := strings.Cut(name, "/"); ok {
		return rest
	}
	return name
}

// hunk notes runs of removed and added lines.
func (f *fileEdit) hunk(h *gitdiff.TextFragment) {
	old, now := int(h.OldPosition), int(h.NewPosition)
	if h.OldLines == 0 { // git counts the line before
		old++
	}
	if h.NewLines == 0 {
		now++
	}
	for i := 0; i < len(h.Lines); {
		removed, added := 0, 0
		for ; i < len(h.Lines) && h.Lines[i].Op != gitdiff.OpContext; i++ {
			if h.Lines[i].Op == gitdiff.OpDelete {
				removed++
			} else {
				added++
			}
		}
		if removed > 0 {
			f.before.spans = append(f.before.spans, Span{old, old + removed - 1})
		} else if added > 0 {
			f.before.gaps = append(f.before.gaps, old-1)
		}
		if added > 0 {
			f.after.spans = append(f.after.spans, Span{now, now + added - 1})
		} else if removed > 0 {
			f.after.gaps = append(f.after.gaps, now-1)
		}
		old, now = old+removed, now+added
		for ; i < len(h.Lines) && h.Lines[i].Op == gitdiff.OpContext; i++ {
			old, now = old+1, now+1
		}
	}
}

// Sources are the paths whose content at the base commit the labeller needs.
func (e *Edits) Sources() (paths []string) {
	for name, f := range e.files {
		if !f.patch.IsNew && !f.patch.IsBinary && name == f.patch.OldName {
			paths = append(paths, name)
		}
	}
	return paths
}

// SetSource gives a file's content at the base commit. It is an error when the patch does not apply to it: then the
// patch's line numbers are not this file's.
func (e *Edits) SetSource(path string, base []byte) error {
	f := e.files[path]
	if f == nil {
		return fmt.Errorf("the patch does not change %q", path)
	}
	return f.source(base)
}

func (f *fileEdit) source(base []byte) error {
	var after bytes.Buffer
	if err := gitdiff.Apply(&after, bytes.NewReader(base), f.patch); err != nil {
		return fmt.Errorf("the reference patch does not apply to %q as it is here: %w", f.patch.OldName, err)
	}
	f.sourced = true
	name := f.patch.NewName
	if name == "" {
		name = f.patch.OldName
	}
	f.before.defs, f.before.outline = outline.Of(f.patch.OldName, base)
	f.after.defs, f.after.outline = outline.Of(name, after.Bytes())
	return nil
}

// inside reports whether the side changes something in the lines first to last; of a gap, both neighbours have to be in
// it.
func (s *side) inside(first, last int) bool {
	for _, x := range s.spans {
		if x.First <= last && x.Last >= first {
			return true
		}
	}
	for _, l := range s.gaps {
		if l >= first && l < last {
			return true
		}
	}
	return false
}

// touches is inside, and a gap counts that is right before or after the lines.
func (s *side) touches(lines Span) bool {
	for _, l := range s.gaps {
		if l >= lines.First-1 && l <= lines.Last {
			return true
		}
	}
	return s.inside(lines.First, lines.Last)
}
