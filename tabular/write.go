package tabular

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"evlab/artifacts"
)

// Column is a column of a table being written.
type Column struct {
	Name string
	Type ColumnType
}

// ColumnType is what a written column holds; any cell may be nil.
type ColumnType uint8

// Types of columns, with the Go types of their cells.
const (
	Texts   ColumnType = iota // string
	Numbers                   // float64, finite
	Ints                      // int or int64
	Bools                     // bool
	Lists                     // []string; in CSV a JSON list
)

// Writer writes a table into a file that is there whole or not at all. One of Commit and Abort has to be called.
type Writer struct {
	columns []Column
	file    *artifacts.FileWriter
	buf     *bufio.Writer
	sink    sink
	rows    int
}

// sink is one format.
type sink interface {
	append(cells []any) error
	close() error
}

// Create begins a table whose format the file's ending tells: .csv, .tsv, .jsonl or .parquet.
func Create(file string, columns ...Column) (*Writer, error) {
	format := Format(strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), "."))
	switch format {
	case CSV, TSV, JSONL, Parquet:
	default:
		return nil, fmt.Errorf("%s: its name has to end in .csv, .tsv, .jsonl or .parquet, which tells the format", file)
	}
	seen := map[string]bool{}
	for _, c := range columns {
		if seen[c.Name] {
			return nil, fmt.Errorf("%s: two columns are named %q", file, c.Name)
		}
		seen[c.Name] = true
	}
	out, err := artifacts.Create(file)
	if err != nil {
		return nil, err
	}
	w := &Writer{columns: columns, file: out, buf: bufio.NewWriterSize(out, 1<<16)}
	if w.sink, err = newSink(format, w.buf, columns); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w, nil
}

func newSink(format Format, out io.Writer, columns []Column) (sink, error) {
	switch format {
	case JSONL:
		return newLineSink(out, columns)
	case Parquet:
		return newParquetSink(out, columns), nil
	}
	s := &csvSink{csv: csv.NewWriter(out), fields: make([]string, len(columns))}
	if format == TSV {
		s.csv.Comma = '\t'
	}
	for i, c := range columns {
		s.fields[i] = c.Name
	}
	return s, s.csv.Write(s.fields)
}

// Append writes a row: one cell per column, of its type or nil.
func (w *Writer) Append(cells ...any) error {
	w.rows++
	if len(cells) != len(w.columns) {
		return fmt.Errorf("row %d has %d cells for %d columns", w.rows, len(cells), len(w.columns))
	}
	for i, cell := range cells {
		if !w.columns[i].Type.holds(cell) {
			return fmt.Errorf("row %d, column %s: a %T (%v) can't be written", w.rows, w.columns[i].Name, cell, cell)
		}
	}
	return w.sink.append(cells)
}

func (t ColumnType) holds(cell any) bool {
	switch c := cell.(type) {
	case nil:
		return true
	case string:
		return t == Texts
	case float64:
		return t == Numbers && !math.IsNaN(c) && !math.IsInf(c, 0)
	case int, int64:
		return t == Ints
	case bool:
		return t == Bools
	case []string:
		return t == Lists
	}
	return false
}

// Commit ends the table and puts it in its place.
func (w *Writer) Commit() error {
	if err := errors.Join(w.sink.close(), w.buf.Flush()); err != nil {
		return errors.Join(err, w.file.Abort())
	}
	return w.file.Commit()
}

// Abort leaves no table behind.
func (w *Writer) Abort() error { return w.file.Abort() }

type csvSink struct {
	csv    *csv.Writer
	fields []string
}

func (s *csvSink) append(cells []any) error {
	for i, cell := range cells {
		switch c := cell.(type) {
		case nil:
			s.fields[i] = ""
		case string:
			s.fields[i] = c
		case float64:
			s.fields[i] = strconv.FormatFloat(c, 'g', -1, 64)
		case []string:
			text, err := json.Marshal(c)
			if err != nil {
				return err
			}
			s.fields[i] = string(text)
		default:
			s.fields[i] = fmt.Sprint(c)
		}
	}
	return s.csv.Write(s.fields)
}

func (s *csvSink) close() error {
	s.csv.Flush()
	return s.csv.Error()
}

// lineSink keeps the order of the columns, which a map would not.
type lineSink struct {
	out  io.Writer
	keys [][]byte
	line []byte
}

func newLineSink(out io.Writer, columns []Column) (*lineSink, error) {
	s := &lineSink{out: out}
	for _, c := range columns {
		key, err := json.Marshal(c.Name)
		if err != nil {
			return nil, err
		}
		s.keys = append(s.keys, append(key, ':'))
	}
	return s, nil
}

func (s *lineSink) append(cells []any) error {
	s.line = append(s.line[:0], '{')
	for i, cell := range cells {
		if i > 0 {
			s.line = append(s.line, ',')
		}
		s.line = append(s.line, s.keys[i]...)
		text, err := json.Marshal(cell)
		if err != nil {
			return err
		}
		s.line = append(s.line, text...)
	}
	s.line = append(s.line, '}', '\n')
	_, err := s.out.Write(s.line)
	return err
}

func (s *lineSink) close() error { return nil }
