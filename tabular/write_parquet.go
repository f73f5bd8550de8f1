package tabular

import (
	"io"

	"github.com/parquet-go/parquet-go"
)

// groupRows is how many rows a written row group has: what is held in memory.
const groupRows = 1 << 16

// parquetSink writes every column as optional, with Zstandard.
type parquetSink struct {
	w     *parquet.GenericWriter[any]
	leaf  []int // the leaf of each column: a group's fields are sorted by name
	cells [][]parquet.Value
	row   parquet.Row
}

func newParquetSink(out io.Writer, columns []Column) *parquetSink {
	group := parquet.Group{}
	for _, c := range columns {
		group[c.Name] = c.Type.node()
	}
	schema := parquet.NewSchema("table", group)
	at := map[string]int{}
	for i, path := range schema.Columns() {
		at[path[0]] = i
	}
	s := &parquetSink{leaf: make([]int, len(columns)), cells: make([][]parquet.Value, len(columns))}
	for i, c := range columns {
		s.leaf[i] = at[c.Name]
	}
	s.w = parquet.NewGenericWriter[any](out, schema, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(groupRows))
	return s
}

func (t ColumnType) node() parquet.Node {
	switch t {
	case Numbers:
		return parquet.Optional(parquet.Leaf(parquet.DoubleType))
	case Ints:
		return parquet.Optional(parquet.Int(64))
	case Bools:
		return parquet.Optional(parquet.Leaf(parquet.BooleanType))
	case Lists:
		return parquet.Optional(parquet.List(parquet.Optional(parquet.String())))
	}
	return parquet.Optional(parquet.String())
}

func (s *parquetSink) append(cells []any) error {
	for i, cell := range cells {
		leaf := s.leaf[i]
		into := s.cells[leaf][:0]
		switch c := cell.(type) {
		case nil:
			into = append(into, parquet.Value{}.Level(0, 0, leaf))
		case int:
			into = append(into, parquet.ValueOf(int64(c)).Level(0, 1, leaf))
		case []string:
			if len(c) == 0 {
				into = append(into, parquet.Value{}.Level(0, 1, leaf))
			}
			for k, text := range c {
				into = append(into, parquet.ValueOf(text).Level(min(k, 1), 3, leaf))
			}
		default:
			into = append(into, parquet.ValueOf(c).Level(0, 1, leaf))
		}
		s.cells[leaf] = into
	}
	s.row = s.row[:0]
	for _, values := range s.cells {
		s.row = append(s.row, values...)
	}
	_, err := s.w.WriteRows([]parquet.Row{s.row})
	return err
}

func (s *parquetSink) close() error { return s.w.Close() }
