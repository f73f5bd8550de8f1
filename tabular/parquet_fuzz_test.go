package tabular_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"evlab/tabular"
)

// drained reads a file that is in memory to its end.
func drained(t *testing.T, data []byte) (rows int) {
	var faults tabular.Faults
	table, err := tabular.OpenParquet("t.parquet", data, &faults)
	if err != nil {
		return 0
	}
	for row := range table.Rows() {
		rows++
		for i := range table.Columns() {
			_ = row.At(i).String()
		}
	}
	return rows
}

// FuzzParquet: damaged files give rows, faults or an error.
func FuzzParquet(f *testing.F) {
	path := filepath.Join(f.TempDir(), "t.parquet")
	w, err := tabular.Create(path, tabular.Column{Name: "a"}, tabular.Column{Name: "n", Type: tabular.Numbers}, tabular.Column{Name: "l", Type: tabular.Lists})
	if err != nil {
		f.Fatal(err)
	}
	for i := range 5 {
		if err := w.Append(fmt.Sprint(i), float64(i), []string{"x", "y"}[:i%3]); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		f.Fatal(err)
	}
	seed, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	two := []byte{1, 0, 0, 0, 2, 0, 0, 0}
	f.Add(made{kind: format.Int32, rows: 2, pages: []madePage{plainPage(2, format.Plain, two)}}.write(f))
	f.Add(made{kind: format.ByteArray, repetition: format.Repeated, rows: 1, values: 3, dictionary: dictionaryPage(1, plainText("a")),
		pages: []madePage{plainPage(3, format.RLEDictionary, levels(append(run(1, 0), run(2, 1)...)), levels(run(3, 1)), []byte{1}, run(3, 0))}}.write(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		if rows := drained(t, append([]byte("PAR1"), data[min(4, len(data)):]...)); rows > 1<<20 {
			t.Errorf("%d rows of %d bytes", rows, len(data))
		}
	})
}

// compressedFrom is where the fuzzer's number of a codec says that the body is to be compressed by it: a multiple of the nine codecs.
const compressedFrom = 135

// FuzzParquetPages: whatever a page holds, under whatever header, in a file whose index fits it, gives rows, faults or an error.
func FuzzParquetPages(f *testing.F) {
	two := []byte{1, 0, 0, 0, 2, 0, 0, 0}
	add := func(kind format.Type, rep format.FieldRepetitionType, enc format.Encoding, v2 bool, rows, values uint16, dictionary []byte, rep2, def2 uint8, body ...[]byte) {
		f.Add(uint8(kind), uint8(rep), uint8(enc), uint8(format.Uncompressed), v2, rows, values, rep2, def2, dictionary, bytes.Join(body, nil))
	}
	add(format.Int32, format.Required, format.Plain, false, 2, 2, nil, 0, 0, two)
	add(format.Int32, format.Optional, format.Plain, false, 2, 2, nil, 0, 0, levels(run(2, 1)), two)
	add(format.Int32, format.Repeated, format.Plain, false, 1, 2, nil, 0, 0, levels(append(run(1, 0), run(1, 1)...)), levels(run(2, 1)), two)
	add(format.ByteArray, format.Required, format.RLEDictionary, false, 3, 3, plainText("a"), 0, 0, []byte{1}, run(3, 0))
	add(format.Int64, format.Required, format.DeltaBinaryPacked, false, 1025, 1025, nil, 0, 0, differences(1025, 7, 1))
	add(format.ByteArray, format.Required, format.DeltaLengthByteArray, false, 3, 3, nil, 0, 0, differences(3, 2, 1), []byte("aabbcc"))
	add(format.ByteArray, format.Required, format.DeltaByteArray, false, 3, 3, nil, 0, 0, differences(3, 0, 1), differences(3, 2, 1), []byte("aabbcc"))
	add(format.Int32, format.Optional, format.Plain, true, 2, 2, nil, 0, 2, run(2, 1), two)
	add(format.Boolean, format.Required, format.RLE, false, 9, 9, nil, 0, 0, levels(run(9, 0xff)))
	add(format.Double, format.Required, format.ByteStreamSplit, false, 1, 1, nil, 0, 0, two)
	for _, codec := range []format.CompressionCodec{format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw} {
		f.Add(uint8(format.Int32), uint8(format.Optional), uint8(format.Plain), compressedFrom+uint8(codec), false, uint16(2), uint16(2), uint8(0), uint8(0), []byte(nil), append(levels(run(2, 1)), two...))
	}
	f.Fuzz(func(t *testing.T, kind, rep, enc, codec uint8, v2 bool, rows, values uint16, rep2, def2 uint8, dictionary, body []byte) {
		m := made{kind: format.Type(kind % 8), repetition: format.FieldRepetitionType(rep % 3), codec: format.CompressionCodec(codec % 9), rows: int64(rows), values: int64(values)}
		if len(dictionary) > 0 {
			m.dictionary = dictionaryPage(int32(len(dictionary)/5), dictionary)
		}
		whole := int32(4 * len(body)) // what is compressed by chance has no more
		if codec >= compressedFrom {
			whole = int32(len(body))
			body = compressed(m.codec, body)
		}
		page := plainPage(int32(values), format.Encoding(enc%10), body)
		if v2 {
			page = madePage{format.PageHeader{Type: format.DataPageV2, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
				NumValues: int32(values), NumRows: int32(rows), Encoding: format.Encoding(enc % 10), RepetitionLevelsByteLength: int32(rep2), DefinitionLevelsByteLength: int32(def2),
			})}, body}
		}
		page.header.UncompressedPageSize = whole
		m.pages = []madePage{page}
		if m.kind == format.FixedLenByteArray {
			m.edit = func(meta *format.FileMetaData) { meta.Schema[1].TypeLength = thrift.New(int32(rep2)) }
		}
		if n := drained(t, m.write(t)); n > int(rows) {
			t.Errorf("%d rows of %d", n, rows)
		}
	})
}

// compressed is a body as a codec has it; by one that nothing is written in here, as it is.
func compressed(codec format.CompressionCodec, body []byte) []byte {
	out, err := parquet.LookupCompressionCodec(codec).Encode(nil, body)
	if err != nil {
		return body
	}
	return out
}
