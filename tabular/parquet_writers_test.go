package tabular_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"evlab/tabular"
)

// varied is a row in every encoding that is read.
type varied struct {
	Plain   string   `parquet:"plain"`
	Dict    string   `parquet:"dict,dict"`
	Delta   string   `parquet:"delta,delta"`
	Ints    int64    `parquet:"ints,delta"`
	Small   int32    `parquet:"small,delta"`
	Floats  float64  `parquet:"floats,split"`
	Truth   bool     `parquet:"truth"`
	Maybe   *int64   `parquet:"maybe,optional"`
	Names   []string `parquet:"names,list,dict"`
	Numbers []int32  `parquet:"numbers,list"`
	Nested  []struct {
		A *string  `parquet:"a,optional"`
		B []string `parquet:"b,list"`
	} `parquet:"nested,list"`
}

// TestParquetOfWriters: nothing that a writer makes is taken for a lie, whatever its encodings, codecs and sizes of pages.
func TestParquetOfWriters(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	rows := make([]varied, 3000)
	for i := range rows {
		r := &rows[i]
		r.Plain, r.Dict, r.Delta = strings.Repeat("p", i%50), fmt.Sprint("d", i%7), fmt.Sprint("x", random.Uint64()>>(i%64))
		r.Ints, r.Small, r.Floats, r.Truth = int64(random.Uint64()), int32(random.Uint32()>>(i%32)), random.NormFloat64(), random.IntN(3) == 0
		if i%3 > 0 {
			n := int64(i)
			r.Maybe = &n
		}
		for k := range random.IntN(9) {
			r.Names, r.Numbers = append(r.Names, fmt.Sprint(k)), append(r.Numbers, int32(k*k*i))
		}
		if i%4 == 0 {
			r.Nested = append(r.Nested, struct {
				A *string  `parquet:"a,optional"`
				B []string `parquet:"b,list"`
			}{B: r.Names}, struct {
				A *string  `parquet:"a,optional"`
				B []string `parquet:"b,list"`
			}{A: &r.Dict})
		}
	}
	for _, version := range []int{1, 2} {
		for _, page := range []int{1 << 10, 1 << 20} {
			for name, codec := range map[string]parquet.WriterOption{
				"plain": parquet.Compression(&parquet.Uncompressed), "snappy": parquet.Compression(&parquet.Snappy), "gzip": parquet.Compression(&parquet.Gzip),
				"brotli": parquet.Compression(&parquet.Brotli), "zstd": parquet.Compression(&parquet.Zstd),
			} {
				var b bytes.Buffer
				w := parquet.NewGenericWriter[varied](&b, parquet.DataPageVersion(version), parquet.PageBufferSize(page), parquet.MaxRowsPerRowGroup(1700), codec)
				if _, err := w.Write(rows); err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				var faults tabular.Faults
				table, err := tabular.OpenParquet("t.parquet", b.Bytes(), &faults)
				if err != nil {
					t.Errorf("%s, version %d: %v", name, version, err)
					continue
				}
				n := 0
				for row := range table.Rows() {
					if text, err := row.Get("delta").Text(); err != nil || text != rows[n].Delta {
						t.Fatalf("%s, version %d: row %d: %q, %v", name, version, n+1, text, err)
					}
					if names, err := row.Get("names").Texts(); err != nil || strings.Join(names, " ") != strings.Join(rows[n].Names, " ") {
						t.Fatalf("%s, version %d: row %d: %q, %v", name, version, n+1, names, err)
					}
					n++
				}
				if n != len(rows) || table.Err() != nil || faults.Len() > 0 {
					t.Errorf("%s, version %d, pages of %d: %d rows, %v, %v", name, version, page, n, table.Err(), faults.Err())
				}
			}
		}
	}
}

// TestParquetBeginnings: texts that share their beginnings, as other writers store them.
func TestParquetBeginnings(t *testing.T) {
	var b bytes.Buffer
	schema := parquet.NewSchema("t", parquet.Group{"a": parquet.Optional(parquet.Encoded(parquet.String(), &parquet.DeltaByteArray))})
	w := parquet.NewGenericWriter[any](&b, schema, parquet.Compression(&parquet.Zstd))
	for i := range 2000 {
		if _, err := w.WriteRows([]parquet.Row{{parquet.ValueOf(fmt.Sprintf("tests/unit/test_%04d.py::test", i)).Level(0, 1, 0)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := opened(t, b.Bytes())
	if rows != 2000 || err != nil {
		t.Errorf("%d rows, %v", rows, err)
	}
}
