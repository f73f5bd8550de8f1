package testlog

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// FuzzGoEvent holds the quick way of reading an event against encoding/json.
func FuzzGoEvent(f *testing.F) {
	for _, s := range []string{
		`{"Time":"2026-01-01T00:00:00.5Z","Action":"output","Package":"p","Test":"TestA/x_y","Output":"a \"b\" \u003c \u00e9 é\n"}`,
		`{"Time":"x","Action":"pass","Package":"p","Elapsed":0.12}`, `{"Action":"output","Package":"p","Output":"\u0016--- PASS\n"}`,
		`{"Action":"output","Package":"p","Output":"\\u0016"}`, `{"action":"pass","Package":"p"}`, `{"Action":"pass","Action":"fail"}`,
		`{"Action":"pass","Package":null}`, `{"Action":"pass","Elapsed":1e9}`, `{"Action":"pass","Elapsed":01}`, `{"Action":"pass","Elapsed":-1}`, `{}`, `{"Action":"x"}x`,
		"{\"Action\":\"output\",\"Test\":\"t\",\"Output\":\"\xff\"}", `{"Action":"output","Test":"t","Output":"\ud83d"}`, `{"Action":"out` + "\x01" + `put"}`, `{"Action":"pass",}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var fast, slow goEvent
		ok := parseGoEvent(line, &fast)
		if slowOK := slowGoEvent(line, &slow); ok != slowOK {
			t.Fatalf("%q: read %v, encoding/json %v", line, ok, slowOK)
		}
		if !ok {
			return
		}
		same := func(field string, a, b []byte) {
			if !bytes.Equal(a, b) {
				t.Errorf("%q: %s %q, encoding/json has %q", line, field, a, b)
			}
		}
		same("Action", fast.Action, slow.Action)
		same("Package", fast.Package, slow.Package)
		same("Test", fast.Test, slow.Test)
		same("ImportPath", fast.ImportPath, slow.ImportPath)
		same("FailedBuild", fast.FailedBuild, slow.FailedBuild)
		if len(slow.Test) == 0 || string(slow.Action) != "output" {
			same("Output", fast.Output, slow.Output)
		}
		if fast.marked != slow.marked {
			t.Errorf("%q: marked %v, encoding/json %v", line, fast.marked, slow.marked)
		}
	})
}

// goStream is a report as a large suite writes it: mostly output, in packages of many tests.
func goStream(size int) []byte {
	var b bytes.Buffer
	write := func(action, pkg, test, output string) {
		line, err := json.Marshal(struct {
			Time, Action, Package string
			Test, Output          string  `json:",omitempty"`
			Elapsed               float64 `json:",omitempty"`
		}{"2026-01-01T00:00:00.123456789Z", action, pkg, test, output, 0.01})
		if err != nil {
			panic(err)
		}
		b.Write(append(line, '\n'))
	}
	for n := 0; b.Len() < size; n++ {
		pkg := "example.org/module/" + strings.Repeat("x", n%7+1)
		pkg += string(rune('a'+n%26)) + string(rune('a'+n/26%26))
		write("start", pkg, "", "")
		for i := range 40 {
			test := "TestSomething/" + string(rune('a'+i%26)) + string(rune('a'+i/26))
			write("run", pkg, test, "")
			write("output", pkg, test, "=== RUN   "+test+"\n")
			for range 6 {
				write("output", pkg, test, "    file_test.go:42: the value of \"x\" is <nil>, after some more words\n")
			}
			write("output", pkg, test, "--- PASS: "+test+" (0.00s)\n")
			write("pass", pkg, test, "")
		}
		write("output", pkg, "", "PASS\n")
		write("pass", pkg, "", "")
	}
	return b.Bytes()
}

// BenchmarkGoTestJSON is the reading of a whole report; its floor is BenchmarkLines, which only splits the same stream
// into lines, and its peer encoding/json over the same lines.
func BenchmarkGoTestJSON(b *testing.B) {
	data := goStream(32 << 20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if r, err := ParseGoTest(bytes.NewReader(data)); err != nil || r.Problem != "" {
			b.Fatal(err, r.Problem)
		}
	}
}

func BenchmarkGoTestJSONPeer(b *testing.B) {
	data := goStream(8 << 20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		for dec := json.NewDecoder(bytes.NewReader(data)); ; {
			var e struct{ Action, Package, Test, Output string }
			if err := dec.Decode(&e); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
}

type countLines int

func (c *countLines) line(string) { *c++ }
func (c *countLines) end()        {}

func BenchmarkLines(b *testing.B) {
	data := goStream(32 << 20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := readLines(newBuilder("lines", Strict), bytes.NewReader(data), new(countLines)); err != nil {
			b.Fatal(err)
		}
	}
}
