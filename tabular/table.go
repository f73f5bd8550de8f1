package tabular

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of what is read.
const (
	MaxRow     = 50 << 20 // bytes of a row as it stands in a CSV or JSONL file
	MaxColumns = 10_000
)

// Format is how a table is written.
type Format string

// Formats.
const (
	CSV     Format = "csv"
	TSV     Format = "tsv"
	JSONL   Format = "jsonl"
	Parquet Format = "parquet"
)

// Table is a table being read.
type Table struct {
	file    string
	format  Format
	faults  *Faults
	columns []string
	index   map[string]int
	fixed   bool // the columns are all known: there was a header
	source  source
	closer  io.Closer
	row     Row
	err     error
}

// source is one format: it fills the row, io.EOF at the end, errSkip for a row that it has noted as a fault.
type source interface {
	next(t *Table) error
}

var errSkip = errors.New("row noted as a fault")

// Open opens a table. Its format is told by the file's content, then by its name; CSV and Parquet have their header read.
// Faults of rows go to faults, which must not be nil.
func Open(file string, faults *Faults) (*Table, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	t, err := open(file, in, faults)
	if err != nil {
		in.Close() // read only: a failing close loses nothing
		return nil, err
	}
	t.closer = in
	return t, nil
}

func open(file string, in *os.File, faults *Faults) (*Table, error) {
	info, err := in.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: expected a CSV, JSONL or Parquet file, found a folder", file)
	case !info.Mode().IsRegular():
		return Read(file, "", in, faults) // a pipe
	}
	var magic [4]byte
	if n, err := in.ReadAt(magic[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	} else if string(magic[:n]) == "PAR1" {
		t := newTable(file, Parquet, faults)
		return t, t.openParquet(in, info.Size())
	}
	return Read(file, "", in, faults)
}

// Read reads a table of CSV or JSONL from a stream. name stands for it in messages, and its ending tells the format when the
// content does not and format is empty. Close does not close in.
func Read(name string, format Format, in io.Reader, faults *Faults) (*Table, error) {
	r := bufio.NewReaderSize(in, 1<<16)
	head, err := r.Peek(1024)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if bytes.HasPrefix(head, byteOrderMark) {
		head = head[len(byteOrderMark):]
		if _, err := r.Discard(len(byteOrderMark)); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
	}
	if format == "" {
		if format, err = formatOf(name, head); err != nil {
			return nil, err
		}
	}
	t := newTable(name, format, faults)
	switch format {
	case CSV, TSV:
		err = t.openCSV(r)
	case JSONL:
		t.source, err = newLines(r)
	default:
		err = fmt.Errorf("%s: %q can't be read from a stream; csv, tsv and jsonl can", name, format)
	}
	return t, err
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// formatOf tells the format of a text by its start, then by its name.
func formatOf(name string, head []byte) (Format, error) {
	if err := NoText(name, head); err != nil {
		return "", err
	}
	start := bytes.TrimLeft(head, " \t\r\n")
	ext := strings.ToLower(filepath.Ext(name))
	switch {
	case ext == ".parquet":
		return "", fmt.Errorf("%s: it does not begin as a Parquet file does (PAR1)", name)
	case len(start) == 0:
		return "", fmt.Errorf("%s: it is empty; expected CSV with a header, JSONL or Parquet", name)
	case ext == ".csv":
		return CSV, nil
	case ext == ".tsv", ext == ".tab":
		return TSV, nil
	case start[0] == '{', start[0] == '[', ext == ".jsonl", ext == ".ndjson", ext == ".json":
		return JSONL, nil
	}
	return CSV, nil
}

// NoText says what a file is that is no text in UTF-8 as its beginning shows, with what to do about it; nil when nothing tells.
func NoText(name string, head []byte) error {
	begins := func(marks ...string) bool {
		return slices.ContainsFunc(marks, func(mark string) bool { return bytes.HasPrefix(head, []byte(mark)) })
	}
	start := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n"))
	switch {
	case begins("\xff\xfe", "\xfe\xff"), len(head) > 3 && (head[0] == 0) != (head[1] == 0) && (head[0] == 0) == (head[2] == 0) && (head[1] == 0) == (head[3] == 0):
		return fmt.Errorf("%s: it is written in UTF-16; save it as UTF-8", name)
	case begins("\x1f\x8b", "\x28\xb5\x2f\xfd", "PK\x03\x04", "BZh", "\xfd7zXZ"):
		return fmt.Errorf("%s: it is compressed; unpack it first", name)
	case begins("\x00", "\x7fELF", "SQLite format 3\x00"):
		return fmt.Errorf("%s: it is no text", name)
	case bytes.HasPrefix(start, []byte("version https://git-lfs")):
		return fmt.Errorf("%s: it is a Git LFS pointer and not the file itself; git lfs pull fetches that", name)
	case bytes.HasPrefix(start, []byte("<!doctype html")), bytes.HasPrefix(start, []byte("<html")):
		return fmt.Errorf("%s: it is a page of HTML, as sites give for a file that they don't; fetch the file itself", name)
	}
	return nil
}

func newTable(file string, format Format, faults *Faults) *Table {
	t := &Table{file: file, format: format, faults: faults, index: map[string]int{}}
	t.row.table = t
	return t
}

// File is the name that messages have for the table.
func (t *Table) File() string { return t.file }

// Format is how the table is written.
func (t *Table) Format() Format { return t.format }

// Columns are the names of the columns: all of them for CSV and Parquet, those met or asked for so far for JSONL.
func (t *Table) Columns() []string { return t.columns }

// HasHeader reports whether the columns were all known before the first row: CSV and Parquet.
func (t *Table) HasHeader() bool { return t.fixed }

// Column is the index of a column, for Row.At. It is -1 where a header does not have it; JSONL, where any row may, gives
// every name an index.
func (t *Table) Column(name string) int {
	if at, ok := t.index[name]; ok {
		return at
	}
	if t.fixed {
		return -1
	}
	return t.add(name)
}

// add makes a column of a name, -1 when there are too many.
func (t *Table) add(name string) int {
	if len(t.columns) == MaxColumns {
		return -1
	}
	at := len(t.columns)
	t.columns, t.index[name] = append(t.columns, name), at
	return at
}

// header sets the columns of a table that has them all at its start.
func (t *Table) header(names []string) error {
	if len(names) > MaxColumns {
		return fmt.Errorf("%s: it has %d columns; at most %d are read", t.file, len(names), MaxColumns)
	}
	for i, name := range names {
		if first, twice := t.index[name]; twice {
			return fmt.Errorf("%s: columns %d and %d are both named %q; names have to differ", t.file, first+1, i+1, shown(name))
		}
		t.add(name)
	}
	t.fixed = true
	return nil
}

// Rows are the rows, in order, each valid until the next. They can be gone through once; Err tells whether the end was the
// table's.
func (t *Table) Rows() iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		for t.err == nil {
			clear(t.row.values)
			err := t.source.next(t)
			switch {
			case errors.Is(err, errSkip):
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				t.err = err
			case !yield(&t.row):
				return
			}
		}
	}
}

// Err is what ended the rows before the table did.
func (t *Table) Err() error { return t.err }

// Close closes the file.
func (t *Table) Close() error {
	if t.closer == nil {
		return nil
	}
	return t.closer.Close()
}

// Row is one row.
type Row struct {
	Number int // data row, from 1
	Line   int // where it begins in its file, from 1; 0 in Parquet
	table  *Table
	values []Value
	raw    string
}

// At is the cell of a column by its index, Absent for one that the row does not have.
func (r *Row) At(column int) Value {
	if column < 0 || column >= len(r.values) {
		return Value{}
	}
	return r.values[column]
}

// Get is the cell of a column by its name.
func (r *Row) Get(name string) Value {
	if at, ok := r.table.index[name]; ok {
		return r.At(at)
	}
	return Value{}
}

// Fault is a fault of the row. column may be empty.
func (r *Row) Fault(column string, err error) *Fault {
	return &Fault{File: r.table.file, Line: r.Line, Row: r.Number, Column: column, Reason: err.Error(), err: err}
}

// Raw is the whole row as it stands in a JSONL file, for readers that are stricter; empty in other formats.
func (r *Row) Raw() string { return r.raw }

// Place is the row as a message names it: file:line, or "file: row n".
func (r *Row) Place() string {
	if r.Line > 0 {
		return fmt.Sprintf("%s:%d", r.table.file, r.Line)
	}
	return fmt.Sprintf("%s: row %d", r.table.file, r.Number)
}

// set puts a value into a column, making room for it.
func (r *Row) set(at int, v Value) {
	for len(r.values) <= at {
		r.values = append(r.values, Value{})
	}
	r.values[at] = v
}

// skip notes a fault of the current row.
func (t *Table) skip(column, format string, args ...any) error {
	t.faults.Add(t.row.Fault(column, fmt.Errorf(format, args...)))
	return errSkip
}
