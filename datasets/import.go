package datasets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"evlab/experiments"
	"evlab/tabular"
)

// ImportOptions say what is taken of a source and where its other parts are.
type ImportOptions struct {
	Name     string   // of the cohort; "" takes the source's
	Format   string   // one of Formats; "" tells it by the content
	Split    string   // only files of this split
	Language string   // only tasks of this language
	Tasks    []string // only tasks with these ids
	Limit    int      // at most so many tasks; 0 is no limit
	Repos    string   // where the repositories are (Repositories.From); needed where a fix is a commit
	Store    string   // what they are fetched into (Repositories.Store)
	Scripts  string   // SWE-bench Pro: its folder run_scripts

	certificates map[string]certificateRow
	ctx          context.Context
	places       places
}

// Import reads a dataset: a file of rows (JSONL, a JSON list, CSV, Parquet), a folder of such files, a folder of tasks, or
// an evlab cohort folder. What can't be taken of it is in Imported.Refused, row by row; the error is about the source as a
// whole.
func Import(ctx context.Context, source string, opts ImportOptions) (*Imported, error) {
	opts.ctx, opts.certificates = ctx, map[string]certificateRow{}
	opts.places = Repositories{From: opts.Repos, Store: opts.Store}.places()
	if known, _ := Formats(); opts.Format != "" && !slices.Contains(known, opts.Format) {
		return nil, fmt.Errorf("format %q%s: expected one of %s", opts.Format, experiments.Suggest(opts.Format, known), strings.Join(known, ", "))
	}
	source = filepath.Clean(source)
	info, err := os.Stat(source)
	switch {
	case err != nil:
		return nil, fmt.Errorf("importing: %w", err)
	case opts.Split != "" && !info.IsDir():
		return nil, fmt.Errorf("split %q chooses among the files of a folder, and %s is one file", opts.Split, source)
	case opts.Limit < 0:
		return nil, fmt.Errorf("a limit of %d tasks: expected 1 or more, or 0 for all", opts.Limit)
	}
	if opts.Scripts != "" {
		if kept, err := os.Stat(opts.Scripts); err != nil || !kept.IsDir() {
			return nil, fmt.Errorf("scripts: %s is no folder: expected the folder run_scripts of SWE-bench Pro", opts.Scripts)
		}
	}
	im := &importing{opts: opts, out: &Imported{Name: opts.Name}}
	if im.out.Name == "" {
		im.out.Name = cohortName(source)
	}
	if err := CheckCohortName(im.out.Name); err != nil {
		return nil, err
	}
	if info.IsDir() {
		err = im.folder(source)
	} else {
		err = im.files(filepath.Dir(source), []string{filepath.Base(source)})
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("importing %s: %w", source, err)
	}
	if opts.Scripts != "" && len(im.out.Refused) == 0 && !slices.ContainsFunc(im.out.Tasks, func(t ImportedTask) bool { return t.Setting.Script != "" }) {
		return nil, fmt.Errorf("scripts: they are of SWE-bench Pro, and %s has no row of it", source)
	}
	if len(im.out.Tasks) == 0 && len(im.out.Refused) == 0 {
		if im.out.LeftOut > 0 {
			which := fmt.Sprintf("none of its %d rows is", im.out.LeftOut)
			if im.out.LeftOut == 1 {
				which = "its one row is not"
			}
			return nil, fmt.Errorf("importing %s: %s wanted by the selection%s", source, which, im.unselected())
		}
		return nil, fmt.Errorf("importing %s: it has no rows", source)
	}
	return im.out, nil
}

// CohortNameError says that a cohort can't have a name, which may be that of its file.
type CohortNameError struct{ err error }

func (e *CohortNameError) Error() string { return e.err.Error() }
func (e *CohortNameError) Unwrap() error { return e.err }

// CheckCohortName reports why a cohort can't have a name, as a CohortNameError.
func CheckCohortName(name string) error {
	if err := experiments.CheckName("cohort", name); err != nil {
		return &CohortNameError{err}
	}
	return nil
}

// importing is an import at work.
type importing struct {
	opts ImportOptions
	out  *Imported

	others []string        // ids of rows that the selection does not want, the first of them
	spoken map[string]bool // their languages
}

// files reads files of rows one after the other.
func (im *importing) files(dir string, names []string) error {
	for _, name := range names {
		full := filepath.Join(dir, filepath.FromSlash(name))
		sum, err := fileDigest(full)
		if err != nil {
			return err
		}
		im.out.Sources = append(im.out.Sources, SourceFile{Name: name, SHA256: sum})
		var faults tabular.Faults
		t, err := tabular.Open(full, &faults)
		if err != nil {
			return err
		}
		if err := im.header(t); err != nil {
			t.Close() // read only: a failing close loses nothing
			if len(names) == 1 {
				return err
			}
			im.out.Refuse(name, "", err)
			continue
		}
		im.table(name, full, t, &faults)
		t.Close() // read only: a failing close loses nothing
	}
	return nil
}

// header refuses a table that has a header of no format: else each of its rows would be refused for it, or for whatever makes it
// no row of a table.
func (im *importing) header(t *tabular.Table) error {
	if !t.HasHeader() {
		return nil
	}
	o := object{}
	for _, column := range t.Columns() {
		o[column] = nil
	}
	if isWrapped(o) {
		return nil
	}
	_, err := im.format(o)
	return err
}

// table reads the rows of one file.
func (im *importing) table(name, full string, t *tabular.Table, faults *tabular.Faults) {
	for row := range t.Rows() {
		if im.opts.ctx.Err() != nil || im.full() {
			break
		}
		o, err := rowObject(t, row)
		at := fmt.Sprintf("%s:%d", name, row.Line)
		if row.Line == 0 {
			at = fmt.Sprintf("%s: row %d", name, row.Number)
		}
		if err != nil {
			im.out.Refuse(at, "", err)
			continue
		}
		if row.Number == 1 && isKeyed(o) {
			im.keyed(at, o)
			continue
		}
		im.row(at, o, []byte(row.Raw()))
	}
	for _, fault := range faults.All() {
		im.refuseFault(name, full, fault)
	}
	if err := t.Err(); err != nil { // what was read before it stays read
		im.out.Refuse(name, "", err)
	}
}

// isKeyed reports whether an object is no row, but one of rows by their ids.
func isKeyed(o object) bool {
	for _, value := range o {
		if len(value) == 0 || value[0] != '{' {
			return false
		}
	}
	_, err := formatOf(o, "")
	return len(o) > 0 && err != nil && !isWrapped(o)
}

// keyed takes the rows of an object keyed by instance_id.
func (im *importing) keyed(at string, rows object) {
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		if im.opts.ctx.Err() != nil || im.full() {
			return
		}
		place := fmt.Sprintf("%s: %.120q", at, id)
		o, err := parseObject(rows[id])
		if err != nil {
			im.out.Refuse(place, id, err)
			continue
		}
		own, there, err := o.text("instance_id")
		if err == nil {
			_, err = taskID(own, there, id)
		}
		if err != nil {
			im.out.Refuse(place, id, err)
			continue
		}
		if key, err := json.Marshal(id); err == nil && !slices.ContainsFunc([]string{"instance_id", "id", "number", "state_id"}, func(name string) bool { return has(o, name) }) {
			o["instance_id"] = key
		}
		im.row(place, o, rows[id])
	}
}

// refuseFault is a row that could not even be read.
func (im *importing) refuseFault(name, full string, fault error) {
	at, reason := name, strings.TrimPrefix(fault.Error(), full)
	var f *tabular.Fault
	if errors.As(fault, &f) {
		reason = f.Reason
		if f.Column != "" {
			reason = f.Column + ": " + reason
		}
		switch {
		case f.Line > 0:
			at = fmt.Sprintf("%s:%d", name, f.Line)
		case f.Row > 0:
			at = fmt.Sprintf("%s: row %d", name, f.Row)
		}
	}
	im.out.Refuse(at, "", errors.New(reason))
}

// full reports whether the limit is reached.
func (im *importing) full() bool { return im.opts.Limit > 0 && len(im.out.Tasks) >= im.opts.Limit }

// row takes one row.
func (im *importing) row(at string, o object, text []byte) {
	o, err := unwrapped(o)
	if err != nil {
		im.out.Refuse(at, "", err)
		return
	}
	if isCertificate(o) {
		if err := im.opts.keepCertificate(o, text, at); err != nil {
			im.out.Refuse(at, "", err)
		}
		return
	}
	format, err := im.format(o)
	if err != nil {
		im.out.Refuse(at, "", err)
		return
	}
	if im.out.Format == "" {
		im.out.Format = format.name
	}
	f := &fields{object: o}
	t := format.read(f, im.opts)
	im.take(at, t, f.errs)
}

// format is that of a row, by its fields.
func (im *importing) format(o object) (rowFormat, error) {
	format, err := formatOf(o, im.opts.Format)
	switch {
	case errors.Is(err, errNoFormat):
		return format, noFormat(o)
	case err == nil && !format.is(o): // insisted on
		return format, fmt.Errorf("it is no row of format %s, which has %s; its fields are %s", format.name, formatMarks[format.name], fieldNames(o))
	}
	return format, err
}

func isWrapped(o object) bool { return has(o, "responses_create_params") }

// unwrapped takes a row out of the request of a training gym, which carries it as text.
func unwrapped(o object) (object, error) {
	if !isWrapped(o) {
		return o, nil
	}
	f := &fields{object: object{"p": o["responses_create_params"]}}
	for _, key := range []string{"p", "metadata", "instance_dict"} {
		inner := f.nested(key)
		if inner == nil {
			return nil, errors.Join(append(f.errs, errors.New("responses_create_params.metadata.instance_dict: expected the row of a dataset"))...)
		}
		f = inner
	}
	return f.object, nil
}
