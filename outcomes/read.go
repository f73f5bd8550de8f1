package outcomes

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"evlab/experiments"
	"evlab/tabular"
)

// Names that columns go by, first come first taken. The second ones are those of SWE-bench's predictions and reports and of the
// method's own files.
var (
	taskColumns      = []string{"task", "instance_id", "task_id", "state_id"}
	conditionColumns = []string{"condition", "model_name_or_path", "method_id", "method"}
	executorColumns  = []string{"executor"}
	replicateColumns = []string{"replicate", "attempt"}
	verdictColumns   = []string{"verdict"}

	// clusterColumns are what --unit repository and the like may be called in a file.
	clusterColumns = map[string][]string{"repository": {"repository", "repo", "cluster"}, "episode": {"episode", "episode_id", "cluster"}}
)

// MaxRows bounds a table.
const MaxRows = 20_000_000

// Wanted names what is to be read from a file besides task, condition, executor and replicate.
type Wanted struct {
	Metrics []string // at least one
	Labels  []string // columns that say something of a task: clusters ("repository", "episode" or a column) and strata
}

// Read reads outcome rows from a CSV, JSONL or Parquet file: columns task (or instance_id, task_id, state_id), condition (or
// model_name_or_path, method_id, method), the metrics, and, when they are there, executor, replicate (or attempt) and the labels. A
// metric is a number, or true or false; missing is null, no such field, and in CSV an empty cell, NA, NaN, null or None. In
// rows with a verdict the metrics strict and resolved need no column, and a verdict that is no result (infra, excluded,
// pending) makes every metric missing. Every fault goes to faults, with its file and row; there is no table when there is one, and
// the error joins them.
func Read(file string, want Wanted, faults *tabular.Faults) (*Table, error) {
	in, err := tabular.Open(file, faults)
	if err != nil {
		return nil, err
	}
	defer in.Close() // read only: a failing close loses nothing
	r := newReader(file, in, want, faults)
	if r.headerFaults(); faults.Len() > 0 {
		return nil, faults.Err()
	}
	for row := range in.Rows() {
		if len(r.table.seen.rows) == MaxRows {
			faults.Addf(file, "it has more than %d rows", MaxRows)
			break
		}
		if err := r.read(row); err != nil {
			faults.Add(err)
		}
	}
	if in.Err() == nil && faults.Len() == 0 {
		r.finish()
	}
	faults.Add(in.Err())
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return r.table, nil
}

// reader finds the columns in a file's rows.
type reader struct {
	in        *tabular.Table
	faults    *tabular.Faults
	want      Wanted
	table     *Table
	task      field
	condition field
	executor  field
	replicate field
	verdict   field
	kind      field // of a row in a stream of JSON lines
	metrics   []field
	labels    []field
	met       []bool // the metric was in some row
}

// field is a column under the names it may have.
type field struct {
	names []string
	at    []int
}

func newReader(file string, in *tabular.Table, want Wanted, faults *tabular.Faults) *reader {
	column := func(names []string) field {
		f := field{names: names}
		for _, name := range names {
			if at := in.Column(name); at >= 0 {
				f.at = append(f.at, at)
			}
		}
		return f
	}
	r := &reader{in: in, faults: faults, want: want, task: column(taskColumns), condition: column(conditionColumns), executor: column(executorColumns),
		replicate: column(replicateColumns), verdict: column(verdictColumns), kind: column([]string{"type"}), met: make([]bool, len(want.Metrics)), table: newTable(file, want)}
	for _, name := range want.Metrics {
		r.metrics = append(r.metrics, column([]string{name}))
	}
	for _, name := range want.Labels {
		names := clusterColumns[name]
		if names == nil {
			names = []string{name}
		}
		r.labels = append(r.labels, column(names))
	}
	return r
}

func newTable(source string, want Wanted) *Table {
	t := &Table{source: source, labels: map[string]label{}, values: make([][]float64, len(want.Metrics))}
	for _, name := range want.Metrics {
		t.metrics.number(name)
	}
	for _, name := range want.Labels {
		t.labels[name] = label{names: &names{}}
	}
	return t
}

// derived reports whether a metric can come from a verdict.
func derived(metric string) bool { return metric == "strict" || metric == "resolved" }

// headerFaults are the columns that a header lacks.
func (r *reader) headerFaults() {
	if !r.in.HasHeader() {
		return
	}
	needed := []tabular.Field{taskColumns, conditionColumns}
	for i, f := range r.metrics {
		if !derived(r.want.Metrics[i]) || len(r.verdict.at) == 0 {
			needed = append(needed, f.names)
		}
	}
	for _, f := range r.labels {
		needed = append(needed, f.names)
	}
	r.in.Lacks(needed...)
}

// value is the first of a field's columns that the row has.
func (f field) value(row *tabular.Row) tabular.Value {
	for _, at := range f.at {
		if v := row.At(at); v.Kind() != tabular.Absent {
			return v
		}
	}
	return tabular.Value{}
}

// name reads a name that has to be there.
func (f field) name(row *tabular.Row) (string, error) {
	v := f.value(row)
	if v.Kind() == tabular.Absent {
		return "", row.Fault(f.names[0], errors.New("the field is missing"))
	}
	text, err := v.Text()
	if err == nil && text == "" {
		err = errors.New("the field is empty")
	}
	if err != nil {
		return "", row.Fault(f.names[0], err)
	}
	return text, nil
}

// optional reads a name or a number that need not be there.
func (f field) optional(row *tabular.Row) (string, error) {
	v := f.value(row)
	switch {
	case v.Missing():
		return "", nil
	case v.Kind() == tabular.Number, v.Kind() == tabular.Bool:
		return v.Literal(), nil
	}
	text, err := v.Text()
	if err != nil {
		return "", row.Fault(f.names[0], err)
	}
	return text, nil
}

// passedOver reports whether a row is one of those that evlab's own JSON lines have around their outcomes: the version, the
// run, the summary.
func (r *reader) passedOver(in *tabular.Row) bool {
	if r.in.HasHeader() || r.task.value(in).Kind() != tabular.Absent {
		return false
	}
	kind, err := r.kind.optional(in)
	return err == nil && (kind == "version" || kind == "run" || kind == "summary")
}

// read takes one row in; the error is its fault.
func (r *reader) read(in *tabular.Row) error {
	if r.passedOver(in) {
		return nil
	}
	task, err1 := r.task.name(in)
	condition, err2 := r.condition.name(in)
	executor, err3 := r.executor.optional(in)
	replicate, err4 := r.replicate.optional(in)
	verdict, err5 := r.verdict.optional(in)
	for _, err := range []error{err1, err2, err3, err4, err5} {
		if err != nil {
			r.faults.Add(err)
		}
	}
	if errors.Join(err1, err2, err3, err4, err5) != nil {
		return nil
	}
	v := experiments.Verdict(verdict)
	if verdict != "" && !v.Valid() {
		return in.Fault("verdict", fmt.Errorf("%.60q is none of %v", verdict, experiments.Verdicts))
	}
	t := r.table
	at := row{t.tasks.number(task), t.conditions.number(condition), t.executors.number(executor), t.replicates.number(replicate)}
	if err := t.claim(at, in); err != nil {
		r.faults.Add(err)
	}
	for i, f := range r.metrics {
		x, there, err := metric(f.value(in))
		if err != nil {
			r.faults.Add(in.Fault(r.want.Metrics[i], err))
			continue // there will be no table, and other cells may have faults too
		}
		r.met[i] = r.met[i] || there
		if !there && verdict != "" && derived(r.want.Metrics[i]) {
			r.met[i] = true
			if x = 0; v == experiments.Resolved {
				x = 1
			}
		}
		if verdict != "" && !v.Decided() {
			x = math.NaN()
		}
		t.values[i] = append(t.values[i], x)
	}
	for i, f := range r.labels {
		text, err := f.optional(in)
		if err != nil {
			r.faults.Add(err)
			continue
		}
		if err := t.setLabel(r.want.Labels[i], int(at.task), text); err != nil {
			r.faults.Add(in.Fault(f.names[0], err))
		}
	}
	return nil
}

// claim notes where a cell's replicate was given, and refuses a second time.
func (t *Table) claim(at row, in *tabular.Row) error {
	place, kind := int32(in.Line), "line"
	if in.Line == 0 {
		place, kind = int32(in.Number), "row"
	}
	first, twice := t.seen.claim(at, place)
	if !twice {
		return nil
	}
	what := fmt.Sprintf("task %q under condition %q", t.tasks.list[at.task], t.conditions.list[at.condition])
	if e := t.executors.list[at.executor]; e != "" {
		what += fmt.Sprintf(", executor %q", e)
	}
	hint := "repetitions need a column replicate that tells them apart"
	if n := t.replicates.list[at.replicate]; n != "" {
		what, hint = what+fmt.Sprintf(", replicate %q", n), "each replicate can be given once"
	}
	return in.Fault("", fmt.Errorf("%s is given at %s %d already; %s", what, kind, first, hint))
}

// setLabel notes what a task's rows say of it, which has to be the same in all of them.
func (t *Table) setLabel(column string, task int, text string) error {
	l := t.labels[column]
	for len(l.of) <= task {
		l.of = append(l.of, -1)
	}
	t.labels[column] = l
	if text == "" {
		return nil
	}
	n := l.names.number(text)
	if was := l.of[task]; was >= 0 && was != n {
		return fmt.Errorf("task %q has %q here and %q in an earlier row", t.tasks.list[task], text, l.names.list[was])
	}
	l.of[task] = n
	return nil
}

// missingWords are what CSV files have for a value that is not there.
var missingWords = []string{"NA", "NaN", "nan", "null", "None"}

// metric reads a value: NaN when it is missing. there says that the row has the column.
func metric(v tabular.Value) (x float64, there bool, err error) {
	switch v.Kind() {
	case tabular.Absent:
		return math.NaN(), false, nil
	case tabular.Null:
		return math.NaN(), true, nil
	case tabular.Untyped:
		if v.Missing() || slices.Contains(missingWords, v.Literal()) {
			return math.NaN(), true, nil
		}
		if strings.IndexByte("tTfF", v.Literal()[0]) >= 0 { // an error costs more than a number
			if b, err := v.Bool(); err == nil {
				return number(b), true, nil
			}
		}
	case tabular.Bool:
		b, err := v.Bool()
		return number(b), true, err
	}
	x, err = v.Number()
	return x, true, err
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// finish looks at the whole: metrics and rows that never came.
func (r *reader) finish() {
	t := r.table
	if len(t.seen.rows) == 0 {
		r.faults.Addf(r.in.File(), "it has no rows")
		return
	}
	for i, name := range r.want.Metrics {
		if !r.met[i] {
			have := r.others()
			if slices.Contains(r.in.Columns(), verdictColumns[0]) {
				have = append(have, slices.DeleteFunc([]string{"strict", "resolved"}, func(m string) bool { return m == name })...)
			}
			r.faults.Addf(r.in.File(), "no row has the metric %q%s; beside task and condition they have %s", name, experiments.Suggest(name, have), few(have))
		}
	}
	t.rows, t.seen = t.seen.rows, claims{}
	t.complete()
}

// others are the columns that rows had and nobody asked for by name.
func (r *reader) others() []string {
	asked := slices.Concat(taskColumns, conditionColumns, executorColumns, replicateColumns, verdictColumns, r.kind.names, r.want.Metrics)
	for _, f := range r.labels {
		asked = append(asked, f.names...)
	}
	return slices.DeleteFunc(slices.Clone(r.in.Columns()), func(c string) bool { return slices.Contains(asked, c) })
}

// complete gives every task a place in every column of labels.
func (t *Table) complete() {
	for name, l := range t.labels {
		for len(l.of) < len(t.tasks.list) {
			l.of = append(l.of, -1)
		}
		t.labels[name] = l
	}
}
