package datasets_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evlab/datasets"
)

// saved is a file with the text.
func saved(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// says checks that err has every part, and nothing when there is none.
func says(t *testing.T, name string, err error, parts ...string) {
	t.Helper()
	if (err != nil) != (len(parts) > 0) {
		t.Errorf("%s: got error %v, want %q", name, err, parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s: got %v, want it to say %q", name, err, part)
		}
	}
}

func TestReadPredictions(t *testing.T) {
	const (
		a = `{"instance_id":"a","model_name_or_path":"m","model_patch":"pa\r\n","extra":[1]}`
		b = `{"patch":null,"instance_id":"b","model_name_or_path":"m"}`
		n = `{"instance_id":"a","model_name_or_path":"n","model_patch":"x"}`
	)
	for name, c := range map[string]struct{ file, text string }{
		"lines":                 {"p.jsonl", a + "\n" + b + "\n" + n + "\n"},
		"lines, CR LF, BOM":     {"p.jsonl", "\xef\xbb\xbf" + a + "\r\n\r\n" + b + "\r\n" + n},
		"lines of another name": {"p.json", a + "\n" + b + "\n" + n},
		"a list":                {"p.json", "[" + a + ",\n " + b + ",\n" + n + "]"},
		"a list named jsonl":    {"p.jsonl", "\xef\xbb\xbf [" + a + "," + b + "]"},
		"a map on one line":     {"p.json", `{"a":` + a + `,"b":{"model_name_or_path":"m","model_patch":""}}`},
		"a map on many":         {"p.json", "{\n\"a\":" + a + ",\n\"b\":\n{\"model_name_or_path\":\"m\",\n\"model_patch\":\"\"}}\n"},
	} {
		got, err := datasets.ReadPredictions(saved(t, c.file, c.text), "m")
		says(t, name, err)
		if len(got) != 2 || string(got["a"]) != "pa\r\n" || got["b"] == nil || len(got["b"]) != 0 {
			t.Errorf("%s: got %q", name, got)
		}
	}
	got, err := datasets.ReadPredictions(saved(t, "p.json", "{\n \"instance_id\": \"a\",\n \"model_name_or_path\": \"gold\",\n \"model_patch\": \"x\"\n}\n"), "gold")
	says(t, "one row over many lines", err)
	if string(got["a"]) != "x" {
		t.Errorf("got %q", got)
	}
	got, err = datasets.ReadPredictions(saved(t, "p.jsonl", `{"instance_id":"a","model_name_or_path":"m","model_patch":"\u00e9\udce9\ud83d\ude00\u0041\"\\\/\n"}`), "m")
	says(t, "bytes that are not UTF-8", err)
	if want := "é\xe9😀A\"\\/\n"; string(got["a"]) != want {
		t.Errorf("got %q, want %q", got["a"], want)
	}
}

// TestReadPredictionsOfOtherForms: rows of SWE-bench-Live, SWE-bench Pro and Multi-SWE-bench.
func TestReadPredictionsOfOtherForms(t *testing.T) {
	for name, c := range map[string]struct{ file, text, model, task string }{
		"map without a model":  {"live.json", `{"o__r-1":{"model_patch":"x"}}`, "live", "o__r-1"},
		"over several lines":   {"p.jsonl", "{\n\"instance_id\": \"a\",\n\"patch\": \"y\"\n}\n{\n\"instance_id\": \"o__r-1\",\n\"patch\": \"x\"\n}\n", "p", "o__r-1"},
		"list with a prefix":   {"p.json", `[{"instance_id":"o__r-1","patch":"x","prefix":"agent"}]`, "agent", "o__r-1"},
		"org, repo and number": {"multi.jsonl", `{"org":"o","repo":"r","number":7,"fix_patch":"x"}` + "\n", "multi", "o__r-7"},
		"a number as text":     {"multi.jsonl", `{"org":"o","repo":"r","number":"7","fix_patch":"x"}` + "\n", "multi", "o__r-7"},
	} {
		got, err := datasets.ReadPredictions(saved(t, c.file, c.text), c.model)
		if err != nil || string(got[c.task]) != "x" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestReadPredictionsReportsEveryFault(t *testing.T) {
	row := func(fields string) string { return `{"instance_id":"a","model_name_or_path":"m",` + fields + "}\n" }
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"many": {
			row(`"model_patch":"1"`) + "not json\n" + `{"model_patch":"x"}` + "\n" + row(`"model_patch":["x"]`) + row(`"model_patch":"2"`) + row(`"n":1`) + "[]\n" + row(`"patch":"a","model_patch":"b"`),
			[]string{":2: column 2: reading JSON", ":3: field instance_id is missing", ":4: field model_patch: expected a string, found a list",
				`:5: task "a" of model "m" is given at `, "p.jsonl:1 already", ":6: field model_patch is missing", ":7: expected an object, found a list", ":8: fields model_patch, patch and fix_patch differ"},
		},
		"same key twice":    {`{"instance_id":"a","instance_id":"b"}`, []string{`:1: field "instance_id" is given twice`}},
		"not UTF-8":         {row("\"model_patch\":\"\xff\""), []string{":1: byte 0xff at column"}},
		"half a pair":       {row(`"model_patch":"\ud83d"`), []string{`half a surrogate pair, \ud83d`}},
		"a bad id":          {`{"instance_id":"../a","model_name_or_path":"m","patch":""}`, []string{"characters other than"}},
		"another model":     {row(`"patch":""`), []string{`no row has model_name_or_path "mm"; there are rows of m`}},
		"empty":             {"", []string{"it has no rows"}},
		"texts by id":       {"{\"a\":\"diff --git a/x b/x\",\"b\":\"diff\"}", []string{"nor is any other of its 2 entries a row: expected objects with model_patch, in a list or by instance_id"}},
		"list of odd":       {"[1,\n{\"instance_id\":\"a\"}]", []string{":1: expected an object, found", ":2: field model_patch is missing"}},
		"cut off list":      {"[{}\n,", []string{":2:1: reading JSON: unexpected end"}},
		"cut off map":       {"{\n\"a\": {", []string{":2:6: reading JSON: unexpected end"}},
		"map, another id":   {`{"k":{"instance_id":"a","model_name_or_path":"m","patch":""}}`, []string{`instance_id is "a" under the key "k"`}},
		"map, key twice":    {`{"a":{"model_name_or_path":"m","patch":""},"a":{"model_name_or_path":"m","patch":""}}`, []string{`task "a" of model "m" is given at`}},
		"one has a model":   {row(`"patch":""`) + `{"instance_id":"b","patch":""}`, []string{":2: field model_name_or_path is missing, and other rows have it"}},
		"a number of words": {`{"org":"o","repo":"r","number":"seven","fix_patch":""}`, []string{"field number: expected a number"}},
	} {
		model := "m"
		if name == "another model" {
			model = "mm"
		}
		_, err := datasets.ReadPredictions(saved(t, "p.jsonl", c.text), model)
		says(t, name, err, c.want...)
	}
	_, err := datasets.ReadPredictions(t.TempDir(), "m")
	says(t, "a folder", err, "expected a regular file")
	_, err = datasets.ReadPredictions(filepath.Join(t.TempDir(), "none"), "m")
	says(t, "no file", err, "none")
	_, err = datasets.ReadPredictions(saved(t, "p.jsonl", strings.Repeat("{\n", 1000)+"x"), "m")
	if err == nil || strings.Count(err.Error(), "\n") > 110 {
		t.Errorf("unbounded: %v", err)
	}
}

func FuzzPredictionRow(f *testing.F) {
	f.Add([]byte("diff --git a/x b/x\r\n\x00\x7f\"\\ \xff\xed\xa0\x80 ü \U0001f600 \u2028"))
	f.Fuzz(func(t *testing.T, patch []byte) {
		row, err := datasets.PredictionRow("a-1", "m \"ü\"", patch)
		if err != nil {
			t.Fatal(err)
		}
		got, err := datasets.ReadPredictions(saved(t, "p.jsonl", string(row)), "m \"ü\"")
		if err != nil || !bytes.Equal(got["a-1"], patch) {
			t.Errorf("%q comes back as %q, %v", patch, got["a-1"], err)
		}
	})
}

func FuzzReadPredictions(f *testing.F) {
	f.Add([]byte(`{"instance_id":"a","model_name_or_path":"m","model_patch":"x\udc80"}` + "\n"))
	f.Add([]byte(`[{"instance_id":"a","model_name_or_path":"m","patch":null}]`))
	f.Add([]byte("{\"a\":\n{\"model_name_or_path\":\"m\",\"patch\":\"\\ud83d\\ude00\"}}"))
	f.Add([]byte("\xef\xbb\xbf{}\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := datasets.ReadPredictions(saved(t, "p", string(data)), "m")
		if err == nil && len(got) == 0 {
			t.Error("no rows and no fault")
		}
		for _, id := range slices.Sorted(maps.Keys(got)) {
			if got[id] == nil || strings.ContainsAny(id, "/\\ \n") {
				t.Errorf("%q: %q", id, got[id])
			}
		}
	})
}
