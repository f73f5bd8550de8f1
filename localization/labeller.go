package localization

import "fmt"

// maxLocal is the largest number of lines that still isolate a place: as many as the largest evidence unit has.
const maxLocal = 150

// HunkLabeller is the deterministic labeller: it lays a target over the reference patch's hunks.
//
//	wrong    the patch does not change the file
//	precise  the symbol is a function, value or type in whose lines something changes, on either side of the patch; of a
//	         type, outside the functions and types inside it, unless these come or go. Or, without a symbol that is
//	         defined, the lines touch a change: 150 at most, that take in no two whole functions. Or the file itself is
//	         the place: it is new, goes, moves or is binary
//	coarse   the file is right and that is all: no symbol and no lines, a symbol in which nothing changes, that is not
//	         defined, or that several definitions have, lines elsewhere or too many
//
// Where it can't tell it gives no label: a symbol in a file of which there is no source or no outline. It never says
// other: that is a person's verdict.
type HunkLabeller struct {
	references map[string]*Reference
}

// NewHunkLabeller labels by the Edits of references, whose sources have been set.
func NewHunkLabeller(references []*Reference) *HunkLabeller {
	l := &HunkLabeller{references: map[string]*Reference{}}
	for _, r := range references {
		l.references[r.Task] = r
	}
	return l
}

// Source is FromHunks.
func (*HunkLabeller) Source() Source { return FromHunks }

// Label labels a valid target of a task.
func (l *HunkLabeller) Label(k Key, t Target) Labelled {
	r := l.references[k.Task]
	if r == nil || r.Edits == nil {
		return Labelled{Unlabelled, "the task has no reference patch"}
	}
	f := r.Edits.files[t.Path]
	if f == nil {
		for _, name := range r.Files {
			if name == t.Path {
				return Labelled{Unlabelled, "a reference file that the patch does not change"}
			}
		}
		return Labelled{Wrong, "the reference does not change the file"}
	}
	if f.whole {
		return Labelled{Precise, "the file itself is the place"}
	}
	if t.Symbol != "" {
		if label, ok := f.symbol(symbolPath(t.Symbol)); ok {
			return label
		}
	}
	switch {
	case !t.Lines.IsZero() && t.Lines.Last-t.Lines.First >= maxLocal:
		return Labelled{Coarse, fmt.Sprintf("more than %d lines", maxLocal)}
	case !t.Lines.IsZero() && f.before.severalFunctions(t.Lines):
		return Labelled{Coarse, "the lines take in several functions"}
	case !t.Lines.IsZero() && f.before.touches(t.Lines):
		return Labelled{Precise, "the lines touch a change"}
	case !t.Lines.IsZero():
		return Labelled{Coarse, "the lines touch no change"}
	case t.Symbol == "":
		return Labelled{Coarse, "no symbol and no lines"}
	case !f.sourced:
		return Labelled{Unlabelled, "the file's source is not here"}
	case !f.before.outline && !f.after.outline:
		return Labelled{Unlabelled, "there is no outline of the file"}
	}
	return Labelled{Coarse, "the symbol is not defined in the file"}
}

// symbol labels by a symbol that one side defines; false when neither does.
func (f *fileEdit) symbol(symbol []string) (Labelled, bool) {
	if len(symbol) == 0 {
		return Labelled{}, false
	}
	found, several := false, false
	for i, s := range [2]*side{&f.before, &f.after} {
		other := [2]*side{&f.after, &f.before}[i]
		defs, many := named(s.defs, symbol)
		found = found || len(defs) > 0
		if several = several || many; several {
			continue
		}
		for _, d := range defs {
			if s.changes(d, other) {
				return Labelled{Precise, "something changes in the definition"}, true
			}
		}
	}
	switch {
	case several:
		return Labelled{Coarse, "several definitions have the name"}, true
	case found:
		return Labelled{Coarse, "nothing changes in the definition"}, true
	}
	return Labelled{}, false
}
