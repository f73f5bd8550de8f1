package tabular_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"evlab/tabular"
)

// made is a Parquet file of one column, written by hand so that every part of it can lie.
type made struct {
	kind       format.Type
	repetition format.FieldRepetitionType
	codec      format.CompressionCodec
	rows       int64
	values     int64 // 0: as many as rows
	dictionary *madePage
	pages      []madePage
	edit       func(m *format.FileMetaData)
	index      []byte // in the place of the file's own, when it is not nil
	length     uint32 // that the index says it has, when it is not 0
}

type madePage struct {
	header format.PageHeader
	body   []byte
}

func thrifted(t testing.TB, v any) []byte {
	t.Helper()
	b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// write is the file in bytes.
func (f made) write(t testing.TB) []byte {
	t.Helper()
	out := []byte("PAR1")
	page := func(p *madePage) {
		if p.header.CompressedPageSize == 0 {
			p.header.CompressedPageSize = int32(len(p.body))
		}
		if p.header.UncompressedPageSize == 0 {
			p.header.UncompressedPageSize = p.header.CompressedPageSize
		}
		out = append(append(out, thrifted(t, &p.header)...), p.body...)
	}
	c := format.ColumnMetaData{Type: f.kind, Codec: f.codec, NumValues: f.values, PathInSchema: thrift.Slice[string]{"x"}, TotalUncompressedSize: 1}
	if c.NumValues == 0 {
		c.NumValues = f.rows
	}
	if f.dictionary != nil {
		c.DictionaryPageOffset = int64(len(out))
		page(f.dictionary)
	}
	c.DataPageOffset = int64(len(out))
	for i := range f.pages {
		page(&f.pages[i])
	}
	c.TotalCompressedSize = int64(len(out)) - 4
	m := format.FileMetaData{Version: 1, NumRows: f.rows}
	m.Schema = thrift.Slice[format.SchemaElement]{{Name: "root", NumChildren: thrift.New[int32](1)}, {Name: "x", Type: thrift.New(f.kind), RepetitionType: thrift.New(f.repetition)}}
	m.RowGroups = thrift.Slice[format.RowGroup]{{NumRows: f.rows, Columns: thrift.Slice[format.ColumnChunk]{{MetaData: c}}}}
	if f.edit != nil {
		f.edit(&m)
	}
	index := f.index
	if index == nil {
		index = thrifted(t, &m)
	}
	length := f.length
	if length == 0 {
		length = uint32(len(index))
	}
	return append(binary.LittleEndian.AppendUint32(append(out, index...), length), "PAR1"...)
}

// plainPage is a data page of the first version.
func plainPage(values int32, encoding format.Encoding, body ...[]byte) madePage {
	return madePage{format.PageHeader{Type: format.DataPage, DataPageHeader: thrift.New(format.DataPageHeader{
		NumValues: values, Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
	})}, bytes.Join(body, nil)}
}

func dictionaryPage(values int32, body []byte) *madePage {
	return &madePage{format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: values, Encoding: format.Plain})}, body}
}

// run is so many equal values; prefixed with its length it is what levels are.
func run(count uint64, value ...byte) []byte {
	return append(binary.AppendUvarint(nil, count<<1), value...)
}

func levels(b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func plainText(s string) []byte { return levels([]byte(s)) }

// differences are the beginning of whole numbers that are written as differences, and blocks that take next to nothing.
func differences(total uint64, first int64, blocks int) []byte {
	b := binary.AppendVarint(binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 1024), 4), total), first)
	for range blocks {
		b = append(b, 0, 0, 0, 0, 0) // no difference, in no bits
	}
	return b
}

func zipped(t testing.TB, n int64) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.Copy(z, io.LimitReader(same('x'), n)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(t testing.TB, data []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(data, nil)
}

// opened reads a file to its end: its rows, and what is wrong.
func opened(t testing.TB, data []byte) (rows int, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var faults tabular.Faults
	table, err := tabular.Open(path, &faults)
	if err != nil {
		return 0, err
	}
	defer table.Close()
	for range table.Rows() {
		rows++
	}
	return rows, errors.Join(table.Err(), faults.Err())
}

// TestMadeParquet: what the files of the other tests are changed from can be read.
func TestMadeParquet(t *testing.T) {
	two := []byte{1, 0, 0, 0, 2, 0, 0, 0}
	for name, f := range map[string]made{
		"plain":             {kind: format.Int32, rows: 2, pages: []madePage{plainPage(2, format.Plain, two)}},
		"optional":          {kind: format.Int32, repetition: format.Optional, rows: 2, pages: []madePage{plainPage(2, format.Plain, levels(run(2, 1)), two)}},
		"a list":            {kind: format.Int32, repetition: format.Repeated, rows: 1, values: 2, pages: []madePage{plainPage(2, format.Plain, levels(append(run(1, 0), run(1, 1)...)), levels(run(2, 1)), two)}},
		"a dictionary":      {kind: format.ByteArray, rows: 3, dictionary: dictionaryPage(1, plainText("a")), pages: []madePage{plainPage(3, format.RLEDictionary, []byte{1}, run(3, 0))}},
		"differences":       {kind: format.Int64, rows: 1025, pages: []madePage{plainPage(1025, format.DeltaBinaryPacked, differences(1025, 7, 1))}},
		"lengths":           {kind: format.ByteArray, rows: 3, pages: []madePage{plainPage(3, format.DeltaLengthByteArray, differences(3, 2, 1), []byte("aabbcc"))}},
		"beginnings":        {kind: format.ByteArray, rows: 3, pages: []madePage{plainPage(3, format.DeltaByteArray, differences(3, 0, 1), differences(3, 2, 1), []byte("aabbcc"))}},
		"of the second":     {kind: format.Int32, repetition: format.Optional, rows: 2, pages: []madePage{pageV2(2, 0, run(2, 1), two)}},
		"Snappy":            {kind: format.Int32, codec: format.Snappy, rows: 2, pages: []madePage{packed(plainPage(2, format.Plain, snappy.Encode(nil, two)), 8)}},
		"Zstandard":         {kind: format.Int32, codec: format.Zstd, rows: 2, pages: []madePage{packed(plainPage(2, format.Plain, zstandard(t, two)), 8)}},
		"no rows at all":    {kind: format.Int32},
		"several pages":     {kind: format.Int32, rows: 4, pages: []madePage{plainPage(2, format.Plain, two), plainPage(2, format.Plain, two)}},
		"truth in bits":     {kind: format.Boolean, rows: 9, pages: []madePage{plainPage(9, format.RLE, levels(run(9, 0xff)))}},
		"nulls without end": {kind: format.Int32, repetition: format.Optional, rows: 1_000_000, pages: []madePage{plainPage(1_000_000, format.Plain, levels(run(1_000_000, 0)))}},
	} {
		rows, err := opened(t, f.write(t))
		if int64(rows) != f.rows || err != nil {
			t.Errorf("%s: %d rows, %v", name, rows, err)
		}
	}
}

func packed(p madePage, size int32) madePage {
	p.header.UncompressedPageSize = size
	return p
}

func pageV2(values, rep int32, levels []byte, body []byte) madePage {
	return madePage{format.PageHeader{Type: format.DataPageV2, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
		NumValues: values, NumRows: values, Encoding: format.Plain, RepetitionLevelsByteLength: rep, DefinitionLevelsByteLength: int32(len(levels)) - rep,
	})}, append(levels, body...)}
}

// TestParquetLies: whatever a small file says that it is, it is refused before anybody makes room for it, by column and page, with
// a way around.
func TestParquetLies(t *testing.T) {
	const most = math.MaxInt32
	one := []byte{1, 0, 0, 0}
	lying := func(p madePage, change func(h *format.PageHeader)) []madePage {
		if p.header.CompressedPageSize == 0 {
			p.header.CompressedPageSize = int32(len(p.body))
		}
		change(&p.header)
		return []madePage{p}
	}
	for name, c := range map[string]struct {
		file made
		want string
	}{
		"packed size": {made{kind: format.Int32, rows: 1, pages: lying(plainPage(1, format.Plain, one), func(h *format.PageHeader) { h.CompressedPageSize = most })},
			`column "x" of row group 1: page 1: it says that it has 2147483647 bytes, and 4 are left`},
		"unpacked size": {made{kind: format.Int32, rows: 1, codec: format.Zstd, pages: lying(plainPage(1, format.Plain, zstandard(t, one)), func(h *format.PageHeader) { h.UncompressedPageSize = most })},
			"at most 67"},
		"more than the unpacked size": {made{kind: format.Int32, rows: 1, codec: format.Gzip, pages: []madePage{packed(plainPage(1, format.Plain, zipped(t, 256<<20)), 4)}}, "it has more than the 4 bytes that it says"},
		"Snappy's own size":           {made{kind: format.Int32, rows: 1, codec: format.Snappy, pages: []madePage{packed(plainPage(1, format.Plain, binary.AppendUvarint(nil, most)), 4)}}, "it has more than the 4 bytes that it says"},
		"LZ4":                         {made{kind: format.Int32, rows: 1, codec: format.Lz4Raw, pages: []madePage{packed(plainPage(1, format.Plain, one), 4)}}, "it is compressed by LZ4_RAW, which is not read"},
		"Zstandard's own size":        {made{kind: format.Int32, rows: 1, codec: format.Zstd, pages: []madePage{packed(plainPage(1, format.Plain, zstandard(t, make([]byte, 64<<20))), 4)}}, "it has more than the 4 bytes that it says"},
		"values of a page": {made{kind: format.Int32, rows: 1, pages: []madePage{plainPage(most, format.Plain, one)}},
			"it says that it has 2147483647 values, and 1 are left of the column"},
		"values of page and column": {made{kind: format.Int32, repetition: format.Optional, rows: 90_000_000, pages: []madePage{plainPage(90_000_000, format.Plain, levels(run(90_000_000, 0)))}}, "it says that it unpacks to 450"},
		"rows":                      {made{kind: format.Int32, repetition: format.Optional, rows: 1 << 40, pages: []madePage{plainPage(1, format.Plain, levels(run(1, 0)))}}, "more than 100000000 rows"},
		"a run of levels":           {made{kind: format.Int32, repetition: format.Optional, rows: 1, pages: []madePage{plainPage(1, format.Plain, levels(run(most, 1)), one)}}, "it has runs of 2147483647 values, and says that it has 1"},
		"runs of levels":            {made{kind: format.Int32, repetition: format.Optional, rows: 1, pages: []madePage{plainPage(1, format.Plain, levels(bytes.Repeat(run(60, 1), 1000)), one)}}, "it has runs of"},
		"a run of levels, version 2": {made{kind: format.Int32, repetition: format.Optional, rows: 1, pages: []madePage{pageV2(1, 0, run(most, 1), one)}},
			"it has runs of"},
		"levels longer than the page": {made{kind: format.Int32, repetition: format.Optional, rows: 1, pages: []madePage{plainPage(1, format.Plain, []byte{0xff, 0xff, 0xff, 0xff})}}, "its levels have 4294967295 bytes"},
		"a dictionary's values":       {made{kind: format.ByteArray, rows: 1, dictionary: dictionaryPage(most, plainText("a")), pages: []madePage{plainPage(1, format.RLEDictionary, []byte{1}, run(1, 0))}}, "a dictionary of 2147483647 values, and has 5 bytes"},
		"a dictionary in differences": {made{kind: format.ByteArray, rows: 1, dictionary: &madePage{format.PageHeader{Type: format.DictionaryPage,
			DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: 1, Encoding: format.DeltaByteArray})}, one}, pages: []madePage{plainPage(1, format.RLEDictionary, []byte{1}, run(1, 0))}}, "a dictionary in the encoding"},
		"places in the dictionary": {made{kind: format.ByteArray, rows: 1, dictionary: dictionaryPage(1, plainText("a")), pages: []madePage{plainPage(1, format.RLEDictionary, []byte{1}, run(most, 0))}}, "it has runs of"},
		"places without bits":      {made{kind: format.ByteArray, rows: 1, dictionary: dictionaryPage(1, plainText("a")), pages: []madePage{plainPage(1, format.RLEDictionary, []byte{0}, binary.AppendUvarint(nil, 1<<30<<1|1))}}, "it has runs of"},
		"truth values":             {made{kind: format.Boolean, rows: 1, pages: []madePage{plainPage(1, format.RLE, levels(run(most, 1)))}}, "it has runs of"},
		"numbers in runs":          {made{kind: format.Int32, rows: 1, pages: []madePage{plainPage(1, format.RLE, run(most, 1))}}, "in the encoding RLE are not read"},
		"differences":              {made{kind: format.Int64, rows: 1, pages: []madePage{plainPage(1, format.DeltaBinaryPacked, differences(most, 7, 10))}}, "it has runs of 2147483647 values"},
		"lengths":                  {made{kind: format.ByteArray, rows: 1, pages: []madePage{plainPage(1, format.DeltaLengthByteArray, differences(most, 7, 10))}}, "it has runs of 2147483647 values"},
		"a length":                 {made{kind: format.ByteArray, rows: 1, pages: []madePage{plainPage(1, format.DeltaLengthByteArray, differences(1, most, 0))}}, "a text has a length that is not there"},
		"beginnings of texts":      {beginnings(t, 1<<20, 100_000), "it says that it unpacks to"},
		"a row of lists":           {made{kind: format.Int32, repetition: format.Repeated, rows: 2, values: 300_001, pages: []madePage{plainPage(300_001, format.Plain, levels(append(run(2, 0), run(299_999, 1)...)), levels(run(300_001, 0)))}}, "a row has a list of 300000 values"},
		"more rows than pages":     {made{kind: format.Int32, repetition: format.Repeated, rows: 2, values: 2, pages: []madePage{plainPage(2, format.Plain, levels(append(run(1, 0), run(1, 1)...)), levels(run(2, 0)))}}, "its pages have 1 rows, and the index says 2"},
		"the index's length":       {made{kind: format.Int32, rows: 1, length: math.MaxUint32}, "it says that its index has 4294967295 bytes"},
		"a list of the index":      {made{index: binary.AppendUvarint([]byte{0x15, 0x02, 0x19, 0xfc}, most)}, "its index is damaged"},
		"a list of nothing":        {made{index: append(binary.AppendUvarint([]byte{0x15, 0x02, 0x19, 0xfc}, 1<<20), make([]byte, 1<<20+1)...)}, "structures; at most"},
		"a text of the index":      {made{index: binary.AppendUvarint([]byte{0x15, 0x02, 0x68}, most)}, "its index is damaged"},
		"structures in structures": {made{index: bytes.Repeat([]byte{0x1c}, 1<<20)}, "structures are more than"},
		"columns in columns": {made{kind: format.Int32, rows: 1, edit: func(m *format.FileMetaData) {
			deep := thrift.Slice[format.SchemaElement]{}
			for range 10_000 {
				deep = append(deep, format.SchemaElement{Name: "g", NumChildren: thrift.New[int32](1)})
			}
			m.Schema = append(deep, m.Schema[1])
		}}, "columns are within columns more than 32 deep"},
		"values with columns in them": {made{kind: format.Int32, rows: 1, edit: func(m *format.FileMetaData) { m.Schema[1].NumChildren = thrift.New[int32](1) }}, "has values and columns within it"},
		"row groups without columns": {made{kind: format.Int32, edit: func(m *format.FileMetaData) {
			m.RowGroups = slicesOf(format.RowGroup{}, 30_000)
		}}, "row group 1 has 0 columns, the file has 1"},
		"a place beyond the file": {made{kind: format.Int32, rows: 1, pages: []madePage{plainPage(1, format.Plain, one)}, edit: func(m *format.FileMetaData) { m.RowGroups[0].Columns[0].MetaData.TotalCompressedSize = 1 << 50 }},
			`column "x" of row group 1 is said to be where the file is not`},
		"another file": {made{kind: format.Int32, rows: 1, pages: []madePage{plainPage(1, format.Plain, one)}, edit: func(m *format.FileMetaData) { m.RowGroups[0].Columns[0].FilePath = "/etc/passwd" }}, "is in another file"},
		"a page's least value": {made{kind: format.Int32, rows: 1, pages: []madePage{{body: binary.AppendUvarint([]byte{0x15, 0x00, 0x15, 0x08, 0x15, 0x08, 0x2c, 0x15, 0x02, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06, 0x1c, 0x18}, most)}}},
			"page 1"},
	} {
		data := c.file.write(t)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rows, err := opened(t, data)
		runtime.ReadMemStats(&after)
		if err == nil || rows > 0 || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "t.parquet") || !strings.Contains(err.Error(), "duckdb -c") {
			t.Errorf("%s: %d rows, %v; want %q", name, rows, err, c.want)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 160<<20 {
			t.Errorf("%s: %d bytes took %d MB", name, len(data), taken>>20)
		}
	}
}

func slicesOf[T any](v T, n int) thrift.Slice[T] {
	out := make(thrift.Slice[T], n)
	for i := range out {
		out[i] = v
	}
	return out
}

// beginnings is a column of texts that each begin as the whole one before them.
func beginnings(t testing.TB, size, n int) made {
	t.Helper()
	body := binary.AppendVarint(binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 1024), 4), uint64(n)), 0)
	block := append(binary.AppendVarint(nil, 0), 0, 0, 0, 0)
	first := append(binary.AppendVarint(nil, 0), 32, 0, 0, 0) // only the first difference is one
	first = append(first, binary.LittleEndian.AppendUint32(nil, uint32(size))...)
	first = append(first, make([]byte, 255*4)...)
	body = append(body, first...)
	body = append(body, bytes.Repeat(block, n/1024)...)
	own := binary.AppendVarint(binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 1024), 4), uint64(n)), int64(size))
	down := append(binary.AppendVarint(nil, 0), 32, 0, 0, 0)
	down = append(down, binary.LittleEndian.AppendUint32(nil, uint32(-size))...)
	down = append(down, make([]byte, 255*4)...)
	own = append(append(own, down...), bytes.Repeat(block, n/1024)...)
	return made{kind: format.ByteArray, rows: int64(n), pages: []madePage{plainPage(int32(n), format.DeltaByteArray, body, own, bytes.Repeat([]byte("x"), size))}}
}

// TestParquetLongRows: a text that a dictionary has once, and a row often, is no way to a row without an end.
func TestParquetLongRows(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	list := made{kind: format.ByteArray, repetition: format.Repeated, rows: 1, values: 150_000, dictionary: dictionaryPage(1, plainText(text)),
		pages: []madePage{plainPage(150_000, format.RLEDictionary, levels(append(run(1, 0), run(149_999, 1)...)), levels(run(150_000, 1)), []byte{1}, run(150_000, 0))}}
	long := made{kind: format.ByteArray, rows: 1, codec: format.Zstd, pages: []madePage{packed(plainPage(1, format.Plain, zstandard(t, plainText(strings.Repeat("x", 51<<20)))), 51<<20+4)}}
	for name, f := range map[string]made{"a list": list, "a text": long} {
		rows, err := opened(t, f.write(t))
		if rows != 0 || err == nil || !strings.Contains(err.Error(), "t.parquet: row 1: x: the row has more than 52428800 bytes") {
			t.Errorf("%s: %d rows, %v", name, rows, err)
		}
	}
}
