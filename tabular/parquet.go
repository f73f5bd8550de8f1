package tabular

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of Parquet files: what their own index announces is checked before anything is unpacked, and so is each page
// (parquet_index.go, parquet_pages.go): a file of some hundred bytes can say that it is gigabytes, and be believed.
const (
	maxChunk = 1 << 30 // bytes of one column in one row group, unpacked
	rowBatch = 64      // rows that are put together at a time, if they are small

	// A row is put together whole, and a list of equal values takes next to no bytes in the file.
	maxListed  = 1 << 24 // values of one column of lists in one row group
	maxPerList = 200_000 // the same for each row of the group
)

// parquetSource goes through the row groups. A row is put together from the leaves' values by their repetition and definition
// levels (Melnik et al., Dremel, 2010).
type parquetSource struct {
	index   *parquetIndex
	columns []*parquet.Column
	leaves  int
	groups  []parquet.RowGroup
	group   int // of the groups, from 0: the next one
	rows    parquet.Rows
	rowsAt  []parquet.Row
	batch   []parquet.Row // those of rowsAt that are used in the row group
	at, n   int
	ended   bool // the row group has no more than what is in the batch
	cells   [][]parquet.Value
	json    []byte
}

func (t *Table) openParquet(in io.ReaderAt, size int64) (err error) {
	defer t.unpanic(&err)
	index, err := readIndex(in, size)
	if err != nil {
		return t.instead(err)
	}
	f, err := parquet.OpenFile(in, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return t.instead(err)
	}
	s := &parquetSource{index: index, columns: f.Root().Columns(), groups: f.RowGroups(), rowsAt: make([]parquet.Row, rowBatch), leaves: len(index.leaves)}
	s.cells = make([][]parquet.Value, s.leaves)
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i] = c.Name()
	}
	t.source = s
	return t.header(names)
}

// unpanic turns a panic of the Parquet library, which some damaged files bring about, into an error.
func (t *Table) unpanic(err *error) {
	if p := recover(); p != nil {
		*err = t.instead(fmt.Errorf("row %d: it is damaged: %v", t.row.Number+1, p))
	}
}

// instead is the error for a file that is damaged, or made to be, with a way around evlab's own reading.
func (t *Table) instead(err error) error {
	name := filepath.Base(t.file)
	if !plainName.MatchString(name) {
		name = "FILE.parquet"
	}
	return fmt.Errorf("%s: reading Parquet: %w; if you trust it, have it written as JSONL, for instance by duckdb -c \"COPY (FROM '%s') TO '%s.jsonl' (FORMAT json)\", and give that",
		t.file, err, name, strings.TrimSuffix(name, ".parquet"))
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func (s *parquetSource) next(t *Table) (err error) {
	defer t.unpanic(&err)
	for s.at == s.n {
		if s.rows == nil || s.ended {
			if err := s.close(); err != nil {
				return fmt.Errorf("reading %s: row %d: %w", t.file, t.row.Number+1, err)
			}
			if s.group == len(s.groups) {
				return io.EOF
			}
			if err := s.open(); err != nil {
				return t.instead(err)
			}
		}
		s.at = 0
		switch s.n, err = s.rows.ReadRows(s.batch); {
		case errors.Is(err, io.EOF):
			s.ended = true
		case err == nil && s.n == 0: // a damaged file may go on like this for ever
			err = io.ErrNoProgress
			fallthrough
		case err != nil:
			return t.instead(fmt.Errorf("after row %d: %w", t.row.Number, err))
		}
	}
	row := s.batch[s.at]
	s.at++
	t.row.Number++
	clear(s.cells)
	for from := 0; from < len(row); {
		leaf, to := row[from].Column(), from+1
		for to < len(row) && row[to].Column() == leaf {
			to++
		}
		if leaf < 0 || leaf >= len(s.cells) {
			return fmt.Errorf("reading %s: row %d: a value of column %d of %d", t.file, t.row.Number, leaf+1, len(s.cells))
		}
		s.cells[leaf], from = row[from:to], to
	}
	leaf, size := 0, 0
	for i, c := range s.columns {
		n := leavesOf(c)
		v, err := s.cell(c, s.cells[leaf:leaf+n])
		if size += len(v.raw); err == nil && size > MaxRow {
			err = errLongParquet
		}
		if err != nil {
			return t.skip(t.columns[i], "%w", err)
		}
		t.row.set(i, v)
		leaf += n
	}
	return nil
}

// errLongParquet says that a row is longer than rows of other formats may be: a dictionary has a text once, and a row may have it
// as often as it likes.
var errLongParquet = fmt.Errorf("the row has more than %d bytes", MaxRow)

// open checks the next row group and begins to read it, fewer rows at a time where they are large: a row holds on to the pages that
// it is of.
func (s *parquetSource) open() error {
	need, err := s.index.checkGroup(s.group)
	if err != nil {
		return err
	}
	fit := min(s.index.budget()/max(need.unpacked, 1), maxRowValues/4/max(need.values, 1), rowBatch)
	s.batch = s.rowsAt[:max(fit, 1)]
	s.rows, s.ended = s.groups[s.group].Rows(), false
	s.group++
	return nil
}

func (s *parquetSource) close() error {
	if s.rows == nil {
		return nil
	}
	return s.rows.Close()
}

func leavesOf(c *parquet.Column) int {
	if c.Leaf() {
		return 1
	}
	n := 0
	for _, child := range c.Columns() {
		n += leavesOf(child)
	}
	return n
}

// cell is a top-level column of a row.
func (s *parquetSource) cell(c *parquet.Column, cells [][]parquet.Value) (Value, error) {
	if c.Leaf() && !c.Repeated() {
		if len(cells[0]) != 1 {
			return Value{}, fmt.Errorf("expected one value, found %d", len(cells[0]))
		}
		return leafValue(c, cells[0][0])
	}
	var err error
	if s.json, err = appendNode(s.json[:0], c, cells, 0, 0); err != nil {
		return Value{}, err
	}
	return jsonValue(string(s.json)), nil
}

// appendNode writes a column as JSON. rep and def are the levels that its parents use up.
func appendNode(out []byte, c *parquet.Column, cells [][]parquet.Value, rep, def int) ([]byte, error) {
	if len(cells) == 0 || len(cells[0]) == 0 {
		return nil, errors.New("a value is missing")
	}
	there := cells[0][0].DefinitionLevel()
	switch {
	case c.Optional():
		if def++; there < def {
			return append(out, "null"...), nil
		}
	case c.Repeated():
		if rep, def = rep+1, def+1; there < def {
			return append(out, "[]"...), nil
		}
		return appendItems(out, cells, rep, func(out []byte, item [][]parquet.Value) ([]byte, error) {
			return appendContent(out, c, item, rep, def)
		})
	}
	return appendContent(out, c, cells, rep, def)
}

// appendItems cuts the leaves at the repetition level and writes a list of what is between.
func appendItems(out []byte, cells [][]parquet.Value, rep int, each func([]byte, [][]parquet.Value) ([]byte, error)) ([]byte, error) {
	rest := make([][]parquet.Value, len(cells))
	copy(rest, cells)
	item := make([][]parquet.Value, len(cells))
	out = append(out, '[')
	for first := true; len(rest[0]) > 0; first = false {
		for i, values := range rest {
			if len(values) == 0 {
				return nil, errors.New("a list has items of different lengths")
			}
			end := 1
			for end < len(values) && values[end].RepetitionLevel() > rep {
				end++
			}
			item[i], rest[i] = values[:end], values[end:]
		}
		if !first {
			out = append(out, ',')
		}
		var err error
		if out, err = each(out, item); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

// appendContent writes what is inside a column that is there: a value, a list or map without its wrapping groups, or an object.
func appendContent(out []byte, c *parquet.Column, cells [][]parquet.Value, rep, def int) ([]byte, error) {
	if c.Leaf() {
		if len(cells[0]) != 1 {
			return nil, fmt.Errorf("expected one value, found %d", len(cells[0]))
		}
		v, err := leafValue(c, cells[0][0])
		if err != nil {
			return nil, err
		}
		return appendJSON(out, v)
	}
	children := c.Columns()
	if isList(c) && len(children) == 1 && children[0].Repeated() {
		inner := children[0]
		if cells[0][0].DefinitionLevel() < def+1 {
			return append(out, "[]"...), nil
		}
		return appendItems(out, cells, rep+1, func(out []byte, item [][]parquet.Value) ([]byte, error) {
			if grand := inner.Columns(); !inner.Leaf() && len(grand) == 1 {
				return appendNode(out, grand[0], item, rep+1, def+1)
			}
			return appendContent(out, inner, item, rep+1, def+1)
		})
	}
	out = append(out, '{')
	leaf := 0
	for i, child := range children {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(child.Name())
		if err != nil {
			return nil, err
		}
		out = append(append(out, name...), ':')
		n := leavesOf(child)
		if out, err = appendNode(out, child, cells[leaf:leaf+n], rep, def); err != nil {
			return nil, err
		}
		leaf += n
	}
	return append(out, '}'), nil
}

func isList(c *parquet.Column) bool {
	t := c.Type()
	if l := t.LogicalType(); l != nil {
		_, ok := l.Value.(*format.ListType)
		return ok
	}
	return false
}

func appendJSON(out []byte, v Value) ([]byte, error) {
	if len(out)+len(v.raw) > MaxRow {
		return nil, errLongParquet
	}
	switch v.kind {
	case Text:
		text, err := json.Marshal(v.raw)
		return append(out, text...), err
	case Null:
		return append(out, "null"...), nil
	case Number:
		if _, err := v.Number(); err != nil { // JSON has no NaN
			return nil, err
		}
	}
	return append(out, v.raw...), nil
}

// leafValue is one value by its physical and logical type.
func leafValue(c *parquet.Column, v parquet.Value) (Value, error) {
	if v.IsNull() {
		return Value{kind: Null, raw: "null"}, nil
	}
	var logical format.LogicalTypeValue
	if l := c.Type().LogicalType(); l != nil {
		logical = l.Value
	}
	number := func(raw string) (Value, error) { return Value{kind: Number, raw: raw}, nil }
	whole := func(n int64, bits int) (Value, error) {
		switch l := logical.(type) {
		case *format.TimestampType:
			return Value{kind: Text, raw: timestamp(n, l.Unit)}, nil
		case *format.DateType:
			return Value{kind: Text, raw: time.Unix(0, 0).UTC().AddDate(0, 0, int(n)).Format(time.DateOnly)}, nil
		case *format.DecimalType, *format.TimeType:
			return Value{}, fmt.Errorf("values of type %s are not read", logical)
		case *format.IntType:
			if !l.IsSigned && bits == 64 {
				return number(strconv.FormatUint(uint64(n), 10))
			}
			if !l.IsSigned {
				return number(strconv.FormatUint(uint64(uint32(n)), 10))
			}
		}
		return number(strconv.FormatInt(n, 10))
	}
	real := func(x float64, bits int) (Value, error) { return number(strconv.FormatFloat(x, 'g', -1, bits)) } // NaN too: Value.Number refuses it
	switch v.Kind() {
	case parquet.Boolean:
		return Value{kind: Bool, raw: strconv.FormatBool(v.Boolean())}, nil
	case parquet.Int32:
		return whole(int64(v.Int32()), 32)
	case parquet.Int64:
		return whole(v.Int64(), 64)
	case parquet.Float:
		return real(float64(v.Float()), 32)
	case parquet.Double:
		return real(v.Double(), 64)
	case parquet.ByteArray:
		if _, ok := logical.(*format.DecimalType); ok {
			return Value{}, fmt.Errorf("values of type %s are not read", logical)
		}
		text := v.ByteArray()
		switch {
		case len(text) > MaxRow:
			return Value{}, errLongParquet
		case utf8.Valid(text):
			return Value{kind: Text, raw: string(text)}, nil
		}
		return Value{}, errors.New("the value is not UTF-8")
	}
	return Value{}, fmt.Errorf("values of type %s are not read", c.Type())
}

func timestamp(n int64, unit format.TimeUnit) string {
	var at time.Time
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		at = time.UnixMilli(n)
	case *format.MicroSeconds:
		at = time.UnixMicro(n)
	default:
		at = time.Unix(0, n)
	}
	return at.UTC().Format(time.RFC3339Nano)
}
