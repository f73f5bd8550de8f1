package tabular

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of a Parquet file's index, which stands at its end and is read whole.
const (
	maxIndex      = 32 << 20    // bytes
	maxStructures = 1 << 19     // columns, parts of columns in row groups, and what is said of them
	maxWithin     = 32          // columns within columns
	maxFileRows   = 100_000_000 // an empty row takes no bytes
)

// parquetLeaf is a column that has values of its own.
type parquetLeaf struct {
	path       string // as messages name it
	kind       format.Type
	length     int32 // of values of a fixed length
	repetition int   // how many lists are around a value
	definition int   // how many lists and optional columns are
}

// parquetIndex is what a file says of itself, checked before anybody makes room for it.
type parquetIndex struct {
	in     io.ReaderAt
	size   int64
	meta   format.FileMetaData
	leaves []parquetLeaf
}

// readIndex reads and checks a file's index.
func readIndex(in io.ReaderAt, size int64) (*parquetIndex, error) {
	data, err := indexBytes(in, size)
	if err != nil {
		return nil, err
	}
	w := thriftWalk{data: data}
	if err := w.structure(0); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("a list or a text in it has more bytes than are left of it")
		}
		return nil, fmt.Errorf("its index is damaged: %w", err)
	}
	if w.structs > maxStructures || w.structs > len(data)/3 {
		return nil, fmt.Errorf("its index of %d bytes lists %d structures; at most %d are read", len(data), w.structs, min(maxStructures, len(data)/3))
	}
	x := &parquetIndex{in: in, size: size}
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(data)).Decode(&x.meta); err != nil {
		return nil, fmt.Errorf("reading its index: %w", err)
	}
	if err := x.columns(); err != nil {
		return nil, err
	}
	return x, x.groups()
}

func indexBytes(in io.ReaderAt, size int64) ([]byte, error) {
	const around = 12 // magic bytes at both ends, and the index's length
	var end [8]byte
	if size < around {
		return nil, errors.New("it is too short to be Parquet")
	}
	if _, err := in.ReadAt(end[:], size-8); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(end[:]))
	switch magic := string(end[4:]); {
	case magic == "PARE":
		return nil, errors.New("it is encrypted")
	case magic != "PAR1":
		return nil, errors.New("it does not end as a Parquet file does (PAR1): was it cut?")
	case n > size-around:
		return nil, fmt.Errorf("it says that its index has %d bytes, and has %d before it", n, size-around)
	case n > maxIndex:
		return nil, fmt.Errorf("its index has %d bytes; at most %d are read", n, maxIndex)
	}
	data := make([]byte, n)
	_, err := in.ReadAt(data, size-8-n)
	return data, err
}

// columns goes over the tree of columns, which is written as a list: each is followed by those within it.
func (x *parquetIndex) columns() error {
	elements := x.meta.Schema
	at := 0
	var column func(path string, depth, repetition, definition int) error
	column = func(path string, depth, repetition, definition int) error {
		if at >= len(elements) {
			return errors.New("it says that there are more columns than it describes")
		}
		e := &elements[at]
		at++
		if depth > 0 {
			if path != "" {
				path += "."
			}
			path += e.Name
			switch e.RepetitionType.V {
			case format.Optional:
				definition++
			case format.Repeated:
				repetition, definition = repetition+1, definition+1
			}
		}
		inner := int(e.NumChildren.V)
		switch {
		case depth > maxWithin:
			return fmt.Errorf("columns are within columns more than %d deep", maxWithin)
		case inner < 0, e.Type.Valid && inner > 0:
			return fmt.Errorf("column %q has values and columns within it", shown(path))
		case e.Type.Valid && len(x.leaves) == MaxColumns:
			return fmt.Errorf("it has more than %d columns", MaxColumns)
		case e.Type.Valid:
			x.leaves = append(x.leaves, parquetLeaf{path, e.Type.V, e.TypeLength.V, repetition, definition})
			return nil
		}
		for range inner {
			if err := column(path, depth+1, repetition, definition); err != nil {
				return err
			}
		}
		return nil
	}
	if err := column("", 0, 0, 0); err != nil {
		return err
	}
	switch {
	case at < len(elements):
		return errors.New("it describes more columns than it says there are")
	case len(x.leaves) == 0:
		return errors.New("it has no columns")
	}
	return nil
}

// groups checks what the index says of the row groups.
func (x *parquetIndex) groups() error {
	var rows int64
	for i := range x.meta.RowGroups {
		g := &x.meta.RowGroups[i]
		if len(g.Columns) != len(x.leaves) {
			return fmt.Errorf("row group %d has %d columns, the file has %d", i+1, len(g.Columns), len(x.leaves))
		}
		if g.NumRows < 0 || g.NumRows > maxFileRows-rows {
			return fmt.Errorf("it announces more than %d rows, and no more are read of one file", maxFileRows)
		}
		rows += g.NumRows
		for k := range g.Columns {
			if err := x.chunk(&g.Columns[k], &x.leaves[k], g.NumRows); err != nil {
				return fmt.Errorf("column %q of row group %d %w", shown(x.leaves[k].path), i+1, err)
			}
		}
	}
	return nil
}

// chunk checks what the index says of one column in one row group.
func (x *parquetIndex) chunk(c *format.ColumnChunk, leaf *parquetLeaf, rows int64) error {
	m := &c.MetaData
	most := min(maxListed, rows*maxPerList)
	start := chunkStart(m)
	switch {
	case c.FilePath != "":
		return fmt.Errorf("is in another file (%s)", shown(c.FilePath))
	case leaf.repetition > 0 && m.NumValues > most:
		return fmt.Errorf("announces lists of %d values in %d rows; at most %d are unpacked", m.NumValues, rows, most)
	case m.NumValues < 0, leaf.repetition == 0 && m.NumValues != rows:
		return fmt.Errorf("announces %d values in %d rows", m.NumValues, rows)
	case m.TotalUncompressedSize > maxChunk || m.TotalUncompressedSize < 0:
		return fmt.Errorf("announces %d bytes; at most %d are unpacked", m.TotalUncompressedSize, maxChunk)
	case m.NumValues == 0 && m.TotalCompressedSize == 0:
		return nil
	case start < 4, m.TotalCompressedSize < 0, start > x.size, m.TotalCompressedSize > x.size-start, m.DataPageOffset-start > m.TotalCompressedSize, m.DataPageOffset < start:
		return errors.New("is said to be where the file is not")
	case m.Type != leaf.kind:
		return errors.New("is of another type than the file says of it")
	}
	return nil
}

// chunkStart is where a column of a row group begins: with its dictionary, if it has one of which the index knows.
func chunkStart(m *format.ColumnMetaData) int64 {
	if m.DictionaryPageOffset != 0 {
		return m.DictionaryPageOffset
	}
	return m.DataPageOffset
}
