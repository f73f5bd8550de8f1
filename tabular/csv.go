package tabular

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// csvSource reads RFC 4180 text, with LF or CR LF at the ends of rows.
type csvSource struct {
	csv   *csv.Reader
	limit *rowLimit
}

// rowLimit stops a row, or what an unclosed quote makes of the rest of the file, from filling the memory: it counts what was
// read since the last row ended.
type rowLimit struct {
	in    io.Reader
	read  int64
	ended int64 // offset at which the last row ended
}

var errLongRow = errors.New("the row has more than 50 MB; is there a quote that never closes?")

func (l *rowLimit) Read(p []byte) (int, error) {
	if l.read-l.ended > MaxRow {
		return 0, errLongRow
	}
	n, err := l.in.Read(p)
	l.read += int64(n)
	return n, err
}

func (t *Table) openCSV(in io.Reader) error {
	limit := &rowLimit{in: in}
	s := &csvSource{csv: csv.NewReader(limit), limit: limit}
	s.csv.FieldsPerRecord = -1
	if t.format == TSV {
		s.csv.Comma = '\t'
	}
	names, err := s.csv.Read()
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s: it is empty; expected a header with the names of the columns", t.file)
	case err != nil:
		return fmt.Errorf("%s: reading the header: %w", t.file, err)
	}
	for i, name := range names {
		if !utf8.ValidString(name) {
			return fmt.Errorf("%s: the name of column %d is not UTF-8", t.file, i+1)
		}
	}
	if err := otherSeparator(t, names); err != nil {
		return err
	}
	if err := t.header(names); err != nil {
		return err
	}
	s.csv.ReuseRecord = true
	limit.ended = s.csv.InputOffset()
	t.source = s
	return nil
}

// otherSeparator refuses a header that has more semicolons or tabs than commas: spreadsheets write these where the comma is
// the decimal point, or into a file that should have been named otherwise.
func otherSeparator(t *Table, names []string) error {
	if t.format != CSV {
		return nil
	}
	header := strings.Join(names, ",")
	count := func(separator string) int { return strings.Count(header, separator) }
	switch {
	case count(";") >= len(names) && count(";") >= count("\t"):
		return fmt.Errorf("%s: the columns of its header, %q, are separated by semicolons; save it with commas between columns (and points in numbers)", t.file, shown(header))
	case count("\t") >= len(names):
		return fmt.Errorf("%s: the columns of its header, %q, are separated by tabs; name the file .tsv", t.file, shown(header))
	}
	return nil
}

func (s *csvSource) next(t *Table) error {
	fields, err := s.csv.Read()
	s.limit.ended = s.csv.InputOffset()
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	t.row.Number++
	if err != nil {
		return s.refuse(t, err)
	}
	t.row.Line, _ = s.csv.FieldPos(0)
	if len(fields) != len(t.columns) {
		return t.skip("", "the row has %d cells, the header has %d", len(fields), len(t.columns))
	}
	for i, field := range fields {
		if !utf8.ValidString(field) {
			return t.skip(t.columns[i], "the cell is not UTF-8")
		}
		t.row.set(i, Value{kind: Untyped, raw: field})
	}
	return nil
}

// refuse is what an unreadable row means: a fault of its own, or the end of what can be read.
func (s *csvSource) refuse(t *Table, err error) error {
	var syntax *csv.ParseError
	if !errors.As(err, &syntax) {
		t.row.Line = 0
		return fmt.Errorf("reading %s: row %d: %w", t.file, t.row.Number, err)
	}
	t.row.Line = syntax.StartLine
	switch {
	case !errors.Is(err, csv.ErrQuote) && !errors.Is(err, csv.ErrBareQuote):
		return t.row.Fault("", syntax.Err)
	case syntax.Line != syntax.StartLine:
		return t.skip("", "the row runs on to line %d: a quote never closes, or text follows one that does", syntax.Line)
	}
	return t.skip("", "column %d of the line: %w", syntax.Column, syntax.Err)
}
