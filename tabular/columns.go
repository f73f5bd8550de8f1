package tabular

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"evlab/experiments"
)

// RowsWith are the rows of a table that has the columns. Where a header lacks one of them there are none, and one fault about
// the file: else each row of a file of another kind would have one.
func (t *Table) RowsWith(needed ...Field) iter.Seq[*Row] {
	if t.Lacks(needed...) {
		return func(func(*Row) bool) {}
	}
	return t.Rows()
}

// Lacks reports whether the table has a header without one of the columns, and notes all that it lacks as one fault.
func (t *Table) Lacks(needed ...Field) bool {
	if !t.fixed {
		return false // any row of JSONL may have any column
	}
	var missing []string
	for _, f := range needed {
		if !t.has(f) {
			missing = append(missing, f.String()+experiments.Suggest(f[0], t.columns))
		}
	}
	if len(missing) == 0 {
		return false
	}
	have := make([]string, len(t.columns))
	for i, name := range t.columns {
		have[i] = strconv.Quote(shown(name))
	}
	t.faults.Addf(t.file, "there is no column %s; there are %s", strings.Join(missing, ", and none "), experiments.List(have, 12))
	return true
}

func (t *Table) has(f Field) bool {
	for _, name := range f {
		if _, there := t.index[name]; there {
			return true
		}
	}
	return false
}

// String is the field's usual name, with the others behind it.
func (f Field) String() string {
	if len(f) == 1 {
		return f[0]
	}
	return fmt.Sprintf("%s (or %s)", f[0], strings.Join(f[1:], ", "))
}
