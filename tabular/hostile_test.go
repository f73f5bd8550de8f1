package tabular_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"evlab/tabular"
)

// endless gives a prefix, then one byte over and over, then a suffix.
func endless(prefix string, fill byte, n int64, suffix string) io.Reader {
	return io.MultiReader(strings.NewReader(prefix), io.LimitReader(same(fill), n), strings.NewReader(suffix))
}

type same byte

func (s same) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s)
	}
	return len(p), nil
}

// stream reads a whole table from a reader.
func stream(t *testing.T, format tabular.Format, in io.Reader) (rows int, faults *tabular.Faults, err error) {
	t.Helper()
	faults = new(tabular.Faults)
	table, err := tabular.Read("in", format, in, faults)
	if err != nil {
		return 0, faults, err
	}
	for range table.Rows() {
		rows++
	}
	return rows, faults, table.Err()
}

// TestLongRows: a row of 50 MB is read, a longer one is a fault of its own in JSONL, and ends a CSV file, where it is most likely a quote
// that never closes. Memory stays near a row.
func TestLongRows(t *testing.T) {
	if testing.Short() {
		t.Skip("reads hundreds of megabytes")
	}
	const near = tabular.MaxRow - 1<<10
	for _, c := range []struct {
		name   string
		format tabular.Format
		in     io.Reader
		rows   int
		says   string
	}{
		{"csv, near the limit", tabular.CSV, endless("a,b\n1,", 'x', near, "\n2,3\n"), 2, ""},
		{"csv, above", tabular.CSV, endless("a,b\n1,", 'x', 4*tabular.MaxRow, "\n2,3\n"), 0, "more than 50 MB"},
		{"csv, a quote that never closes", tabular.CSV, endless("a,b\n1,\"", '\n', 4*tabular.MaxRow, ""), 0, "a quote that never closes"},
		{"jsonl, near", tabular.JSONL, endless(`{"a":"`, 'x', near, "\"}\n{\"a\":1}\n"), 2, ""},
		{"jsonl, above", tabular.JSONL, endless(`{"a":"`, 'x', 4*tabular.MaxRow, "\"}\n{\"a\":1}\n"), 1, "in:1: the line has more than"},
		{"list, above", tabular.JSONL, endless(`[{"a":"`, 'x', 4*tabular.MaxRow, "\"}]"), 0, "more than 50 MB"},
		{"deep", tabular.JSONL, endless(`{"a":`, '[', 1<<20, "\n{\"a\":1}\n"), 1, "in:1: "},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rows, faults, err := stream(t, c.format, c.in)
		runtime.ReadMemStats(&after)
		err = errors.Join(err, faults.Err())
		if rows != c.rows || c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %d rows, %v", c.name, rows, err)
		}
		if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 12*tabular.MaxRow {
			t.Errorf("%s: the heap grew by %d MB", c.name, grown>>20)
		}
	}
}

func TestManyColumns(t *testing.T) {
	var b strings.Builder
	for i := range tabular.MaxColumns + 10 {
		fmt.Fprintf(&b, "{\"c%d\":1}\n", i)
	}
	rows, faults, err := stream(t, tabular.JSONL, strings.NewReader(b.String()))
	if rows != tabular.MaxColumns || faults.Len() != 10 || err != nil {
		t.Errorf("%d rows, %d faults, %v", rows, faults.Len(), err)
	}
	if _, _, err := stream(t, tabular.CSV, strings.NewReader(strings.Repeat("a,", tabular.MaxColumns)+"b\n")); err == nil {
		t.Error("a CSV header of too many columns")
	}
}

// TestManyFaults: what is kept is bounded, what is counted is not.
func TestManyFaults(t *testing.T) {
	_, faults, err := stream(t, tabular.JSONL, strings.NewReader(strings.Repeat("nonsense\n", 5000)))
	if err != nil || faults.Len() != 5000 || len(faults.All()) != tabular.MaxFaults+1 || !strings.HasSuffix(faults.Err().Error(), "and 4900 more") {
		t.Errorf("%d faults, %d kept, %v", faults.Len(), len(faults.All()), err)
	}
}

func TestValues(t *testing.T) {
	var faults tabular.Faults
	table, err := tabular.Read("in", "", strings.NewReader(`{"n":1.5,"i":9007199254740993,"big":1e400,"s":"5","half":"\ud800","l":["a",1],"texts":["a","\u00e9"],"nested":"[\"x\"]","t":true,"z":null}`), &faults)
	if err != nil {
		t.Fatal(err)
	}
	for row := range table.Rows() {
		if i, err := row.Get("i").Int(); i != 9007199254740993 || err != nil {
			t.Errorf("i: %d, %v", i, err)
		}
		for name, want := range map[string]string{"big": "the number 1e400 is out of range", "s": `expected a number, found "5"`, "z": "expected a number, found null",
			"t": "expected a number, found true", "l": "expected a number, found a list", "none": "expected a number, found nothing"} {
			if _, err := row.Get(name).Number(); err == nil || err.Error() != want {
				t.Errorf("%s as a number: %v, want %s", name, err, want)
			}
		}
		if _, err := row.Get("half").Text(); err == nil || !strings.Contains(err.Error(), "half a surrogate pair") {
			t.Errorf("half a pair: %v", err)
		}
		if _, err := row.Get("l").Texts(); err == nil || err.Error() != "expected a list of texts, item 2 is 1" {
			t.Errorf("a mixed list: %v", err)
		}
		if got, err := row.Get("texts").Texts(); err != nil || got[1] != "é" {
			t.Errorf("texts: %q, %v", got, err)
		}
		if got, err := row.Get("nested").Texts(); err != nil || got[0] != "x" {
			t.Errorf("a list inside a text: %q, %v", got, err)
		}
		if _, err := row.Get("n").Int(); err == nil {
			t.Error("1.5 as a whole number")
		}
	}
	if err := errors.Join(table.Err(), faults.Err()); err != nil {
		t.Error(err)
	}
}

// TestDamagedParquet flips and cuts: an error or rows, never a panic.
func TestDamagedParquet(t *testing.T) {
	type item struct {
		Task   string            `parquet:"task"`
		Score  *float64          `parquet:"score,optional"`
		Names  []string          `parquet:"names,list"`
		Inner  struct{ X int32 } `parquet:"inner"`
		Labels map[string]string `parquet:"labels"`
	}
	var whole bytes.Buffer
	w := parquet.NewGenericWriter[item](&whole)
	for i := range 200 {
		score := float64(i)
		it := item{Task: fmt.Sprint("t", i), Names: []string{"a", "b"}[:i%3], Labels: map[string]string{"k": "v"}}
		if i%3 > 0 {
			it.Score = &score
		}
		if _, err := w.Write([]item{it}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	count := func(data []byte) (int, error) {
		path := filepath.Join(dir, "t.parquet")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var faults tabular.Faults
		table, err := tabular.Open(path, &faults)
		if err != nil {
			return 0, err
		}
		defer table.Close()
		n := 0
		for row := range table.Rows() {
			n++
			row.Get("task")
		}
		return n, errors.Join(table.Err(), faults.Err())
	}
	if n, err := count(whole.Bytes()); n != 200 || err != nil {
		t.Fatalf("whole: %d rows, %v", n, err)
	}
	for at := 4; at < whole.Len(); at += 7 {
		damaged := bytes.Clone(whole.Bytes())
		damaged[at] ^= 0x55
		count(damaged)
		count(whole.Bytes()[:at])
	}
}

// TestParquetBomb: a list of equal values takes some hundred bytes in a file, however long it is.
func TestParquetBomb(t *testing.T) {
	type item struct {
		Task  string   `parquet:"task"`
		Names []string `parquet:"names,list,dict"`
	}
	for names, fine := range map[int]bool{150_000: true, 250_000: false} {
		path := filepath.Join(t.TempDir(), "t.parquet")
		var b bytes.Buffer
		w := parquet.NewGenericWriter[item](&b)
		if _, err := w.Write([]item{{"a", make([]string, names)}}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Close(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		var faults tabular.Faults
		table, err := tabular.Open(path, &faults)
		if fine {
			if err != nil {
				t.Error(err)
			} else {
				table.Close()
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "announces lists of 250000 values in 1 rows") || b.Len() > 64<<10 {
			t.Errorf("%d bytes: %v", b.Len(), err)
		}
	}
}

// TestNestedParquet: lists, groups and maps come as JSON.
func TestNestedParquet(t *testing.T) {
	type inner struct {
		X  int32    `parquet:"x"`
		Ys []string `parquet:"ys,list"`
	}
	type item struct {
		Plain []string `parquet:"plain"`
		List  []int64  `parquet:"list,list"`
		Group *inner   `parquet:"group,optional"`
		Deep  []inner  `parquet:"deep,list"`
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := parquet.WriteFile(path, []item{
		{Plain: []string{"a", "b"}, List: []int64{1, 2, 3}, Group: &inner{X: 1, Ys: []string{"p", "q"}}, Deep: []inner{{X: 2}, {X: 3, Ys: []string{"r", "s"}}, {X: 4, Ys: []string{"t"}}}},
		{},
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`["a","b"] [1,2,3] {"x":1,"ys":["p","q"]} [{"x":2,"ys":[]},{"x":3,"ys":["r","s"]},{"x":4,"ys":["t"]}]`,
		`[] [] null []`,
	}
	var faults tabular.Faults
	table, err := tabular.Open(path, &faults)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	n := 0
	for row := range table.Rows() {
		var got []string
		for _, name := range []string{"plain", "list", "group", "deep"} {
			raw, err := row.Get(name).JSON()
			if err != nil {
				t.Error(err)
			}
			got = append(got, string(raw))
		}
		if line := strings.Join(got, " "); line != want[n] {
			t.Errorf("row %d: %s\nwant %s", n+1, line, want[n])
		}
		n++
	}
	if n != 2 || table.Err() != nil || faults.Len() > 0 {
		t.Errorf("%d rows, %v, %v", n, table.Err(), faults.Err())
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := tabular.Create(filepath.Join(dir, "t.xlsx"), tabular.Column{Name: "a"}); err == nil {
		t.Error("an unknown ending")
	}
	if _, err := tabular.Create(filepath.Join(dir, "t.csv"), tabular.Column{Name: "a"}, tabular.Column{Name: "a"}); err == nil {
		t.Error("two columns of one name")
	}
	w, err := tabular.Create(filepath.Join(dir, "t.csv"), tabular.Column{Name: "a", Type: tabular.Numbers})
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range [][]any{{"text"}, {1.0, 2.0}, {}, {nan()}} {
		if err := w.Append(cells...); err == nil {
			t.Errorf("%v was written", cells)
		}
	}
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

// FuzzRead: any bytes give rows, faults or an error.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "\xef\xbb\xbfa\r\n\"x\ny\"\r\n", "{\"a\":[1,{\"b\":\"\\u00e9\"}]}\n", "[{\"a\":1},{\"a\":null}]", "a\tb\n1\t2\n", "{\"a\\ud800\":1}"} {
		f.Add([]byte(seed), uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) {
		format := []tabular.Format{"", tabular.CSV, tabular.TSV, tabular.JSONL}[kind%4]
		var faults tabular.Faults
		table, err := tabular.Read("in", format, bytes.NewReader(data), &faults)
		if err != nil {
			return
		}
		rows := 0
		for row := range table.Rows() {
			rows++
			for i := range table.Columns() {
				v := row.At(i)
				_ = v.String()
				_, _ = v.Number()
				_, _ = v.Int()
				_, _ = v.Bool()
				_, _ = v.Texts()
				if text, err := v.Text(); err == nil && !strings.Contains(string(data), "\\") && text != "" && !bytes.Contains(data, []byte(text)) &&
					!bytes.Contains(data, []byte("\r\n")) && !bytes.Contains(data, []byte(`""`)) {
					t.Fatalf("%q is not in the file", text)
				}
			}
		}
		if rows > len(data) {
			t.Fatalf("%d rows of %d bytes", rows, len(data))
		}
	})
}
