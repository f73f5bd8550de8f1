package tabular_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evlab/tabular"
)

// write puts a text into a file of a test's own.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read is every row of a file as "number:line col=value ...", and every fault, with the folder cut off.
func read(t testing.TB, path string) (rows, faults []string, err error) {
	t.Helper()
	var f tabular.Faults
	table, err := tabular.Open(path, &f)
	if err != nil {
		return nil, nil, short(path, err)
	}
	defer table.Close()
	for row := range table.Rows() {
		line := fmt.Sprintf("%d:%d", row.Number, row.Line)
		for i, name := range table.Columns() {
			if v := row.At(i); v.Kind() != tabular.Absent {
				line += fmt.Sprintf(" %s=%s", name, v)
			}
		}
		rows = append(rows, line)
	}
	for _, fault := range f.All() {
		faults = append(faults, short(path, fault).Error())
	}
	return rows, faults, short(path, table.Err())
}

func short(path string, err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.ReplaceAll(err.Error(), filepath.Dir(path)+string(filepath.Separator), ""))
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		rows, faults     []string
		err              string
	}{
		{"csv", "t.csv", "task,a\nx,1\ny,\n", []string{`1:2 task="x" a="1"`, `2:3 task="y" a=an empty cell`}, nil, ""},
		{"byte order mark, CR LF and a quoted line break", "t.csv", "\xef\xbb\xbftask,a\r\n\"x\ny\",1\r\nz,2\r\n",
			[]string{`1:2 task="x\ny" a="1"`, `2:4 task="z" a="2"`}, nil, ""},
		{"too many cells and a bare quote", "t.csv", "task,a\nx,1,2\ny\"z,2\nw,3\n", []string{`3:4 task="w" a="3"`},
			[]string{"t.csv:2: the row has 3 cells, the header has 2", `t.csv:3: column 2 of the line: bare " in non-quoted-field`}, ""},
		{"a quote that never closes", "t.csv", "task,a\nx,\"1\ny,2\n", nil, []string{"t.csv:2: the row runs on to line 3: a quote never closes, or text follows one that does"}, ""},
		{"not UTF-8", "t.csv", "task,a\nx,caf\xe9\ny,2\n", []string{`2:3 task="y" a="2"`}, []string{"t.csv:2: a: the cell is not UTF-8"}, ""},
		{"duplicate columns", "t.csv", "task,a,task\n", nil, nil, `t.csv: columns 1 and 3 are both named "task"; names have to differ`},
		{"semicolons", "t.csv", "task;a\n", nil, nil, `t.csv: the columns of its header, "task;a", are separated by semicolons; save it with commas between columns (and points in numbers)`},
		{"semicolons and a comma", "t.csv", "task;a, or b;c\n", nil, nil, `t.csv: the columns of its header, "task;a, or b;c", are separated by semicolons; save it with commas between columns (and points in numbers)`},
		{"UTF-16 without a mark", "t.jsonl", "{\x00\"\x00a\x00", nil, nil, `t.jsonl: it is written in UTF-16; save it as UTF-8`},
		{"UTF-16, the other way", "t.jsonl", "\x00{\x00\"\x00a", nil, nil, `t.jsonl: it is written in UTF-16; save it as UTF-8`},
		{"no text", "t.jsonl", "\x00\x00\x00\x00", nil, nil, `t.jsonl: it is no text`},
		{"a page", "t.jsonl", "\n<!DOCTYPE html><html>", nil, nil, `t.jsonl: it is a page of HTML, as sites give for a file that they don't; fetch the file itself`},
		{"tabs", "t.csv", "task\ta\n", nil, nil, `t.csv: the columns of its header, "task\ta", are separated by tabs; name the file .tsv`},
		{"tabs", "t.tsv", "task\ta\nx\t1,5\n", []string{`1:2 task="x" a="1,5"`}, nil, ""},
		{"no ending", "t", "task,a\nx,1\n", []string{`1:2 task="x" a="1"`}, nil, ""},
		{"empty", "t.csv", "", nil, nil, "t.csv: it is empty; expected CSV with a header, JSONL or Parquet"},
		{"UTF-16", "t.csv", "\xff\xfet\x00", nil, nil, "t.csv: it is written in UTF-16; save it as UTF-8"},
		{"gzip", "t.csv.gz", "\x1f\x8b\x08", nil, nil, "t.csv.gz: it is compressed; unpack it first"},
		{"LFS", "t.parquet", "version https://git-lfs.github.com/spec/v1\n", nil, nil,
			"t.parquet: it is a Git LFS pointer and not the file itself; git lfs pull fetches that"},
		{"not Parquet", "t.parquet", "task,a\n", nil, nil, "t.parquet: it does not begin as a Parquet file does (PAR1)"},
		{"jsonl", "t.jsonl", "\xef\xbb\xbf{\"task\":\"x\",\"a\":1.5,\"ok\":true,\"n\":null}\r\n\r\n{\"a\":[\"}\",{\"k\":\"]\"}],\"task\":\"q\\\"\\u00e9\"}",
			[]string{`1:1 task="x" a=1.5 ok=true n=null`, `2:3 task="q\"\u00e9" a=a list`}, nil, ""},
		{"jsonl faults", "t.jsonl", "{\"a\":1,\"a\":2}\n{\"a\":\n[1]\n\"x\"\n{\"a\":\"\xff\"}\n{\"a\":3} {}\n{\"a\":4}\n", []string{"7:7 a=4"}, []string{
			"t.jsonl:1: a: the field is given twice", "t.jsonl:2: column 5: reading JSON: unexpected end of JSON input",
			"t.jsonl:3: expected an object, found a list", `t.jsonl:4: expected an object, found "x"`, "t.jsonl:5: column 7: byte 0xff is not UTF-8",
			"t.jsonl:6: column 9: reading JSON: invalid character '{' after top-level value"}, ""},
		{"json list", "t.json", " [\n{\"a\":1},\n {\"a\":2} , 3]\n", []string{"1:0 a=1", "2:0 a=2"}, []string{"t.json: row 3: expected an object, found 3"}, ""},
		{"json list cut short", "t.json", "[{\"a\":1},", []string{"1:0 a=1"}, nil, "reading t.json: after row 1: the list never ends"},
		{"objects over several lines", "t.json", "{\n \"a\": 1\n}\n{\n \"a\":\n2}", []string{"1:0 a=1", "2:0 a=2"}, nil, ""},
		{"one such, cut short", "t.json", "{\r\n\"a\": 1", nil, nil, "reading t.json: after row 0: the object never ends"},
		{"such objects, and what is none", "t.jsonl", "{\n\"a\": 1}\n3\n{,", []string{"1:0 a=1"}, []string{"t.jsonl: row 2: expected an object, found 3"}, "reading t.jsonl: after row 2: invalid character ',' looking for beginning of object key string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, faults, err := read(t, write(t, c.file, c.text))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if !slices.Equal(rows, c.rows) || !slices.Equal(faults, c.faults) || got != c.err {
				t.Errorf("rows %q\nfaults %q\nerror %q\nwant %q\n%q\n%q", rows, faults, got, c.rows, c.faults, c.err)
			}
		})
	}
}

func TestRoundTrip(t *testing.T) {
	columns := []tabular.Column{{"task", tabular.Texts}, {"score", tabular.Numbers}, {"n", tabular.Ints}, {"ok", tabular.Bools}, {"ids", tabular.Lists}}
	for _, ext := range []string{"csv", "tsv", "jsonl", "parquet"} {
		path := filepath.Join(t.TempDir(), "t."+ext)
		w, err := tabular.Create(path, columns...)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range [][]any{{"a,\"b\"\n\té", 0.1, 7, true, []string{"x", "y,z", ""}}, {nil, nil, nil, nil, nil}, {"", -1e-300, -1 << 60, false, []string{}}} {
			if err := w.Append(row...); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: the file is there before it is whole", ext)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		var faults tabular.Faults
		in, err := tabular.Open(path, &faults)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		n := 0
		for row := range in.Rows() {
			n++
			if n == 2 {
				for _, c := range columns {
					if !row.Get(c.Name).Missing() {
						t.Errorf("%s: an empty %s came back as %s", ext, c.Name, row.Get(c.Name))
					}
				}
				continue
			}
			text, err1 := row.Get("task").Text()
			x, err2 := row.Get("score").Number()
			k, err3 := row.Get("n").Int()
			ok, err4 := row.Get("ok").Bool()
			ids, err5 := row.Get("ids").Texts()
			got := fmt.Sprintf("%q %v %v %v %q", text, x, k, ok, ids)
			want := []string{`"a,\"b\"\n\té" 0.1 7 true ["x" "y,z" ""]`, "", `"" -1e-300 -1152921504606846976 false []`}[n-1]
			if err := errors.Join(err1, err2, err3, err4, err5, faults.Err()); err != nil || got != want {
				t.Errorf("%s: row %d: %s, %v; want %s", ext, n, got, err, want)
			}
		}
		if n != 3 || in.Err() != nil {
			t.Errorf("%s: %d rows, %v", ext, n, in.Err())
		}
	}
}

// TestTheHeaderOfAnotherFile: a table that lacks columns has one fault that names them all, and no rows.
func TestTheHeaderOfAnotherFile(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"prose.txt", "Once upon a time, there was\na line, and another, one\n\"and\" a quote\n", `prose.txt: there is no column task (or id), and none verdict; there are "Once upon a time", " there was"`},
		{"near.csv", "id,verdcit\na,1\n", `near.csv: there is no column verdict (did you mean "verdcit"?); there are "id", "verdcit"`},
	} {
		var faults tabular.Faults
		in, err := tabular.Read(c.name, "", strings.NewReader(c.text), &faults)
		if err != nil {
			t.Fatal(err)
		}
		for row := range in.RowsWith(tabular.Field{"task", "id"}, tabular.Field{"verdict"}) {
			t.Errorf("%s: row %d", c.name, row.Number)
		}
		if faults.Len() != 1 || faults.Err().Error() != c.want {
			t.Errorf("%s: %v", c.name, faults.Err())
		}
	}
}
