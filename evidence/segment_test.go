package evidence_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"evlab/evidence"
)

func file(path, content string) evidence.File {
	return evidence.File{Path: path, Content: []byte(content)}
}

// shape is what a test says of a unit: id, kind and lines.
func shape(u evidence.Unit) string {
	return fmt.Sprintf("%s %s %d-%d", u.ID, u.Kind, u.StartLine, u.EndLine)
}

func wantShapes(t *testing.T, units []evidence.Unit, want ...string) {
	t.Helper()
	var got []string
	for _, u := range units {
		got = append(got, shape(u))
	}
	if !slices.Equal(got, want) {
		t.Errorf("units are\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

const declarations = `// Package p does things.
package p

import "fmt"

// A comment of nobody's.

// Limit is documented.
const Limit = 3

const (
	// A is first.
	A = iota
	B
)

type (
	// Small is small.
	Small struct{ n int }
	Other[T any] []T
)

// F is documented
// in two lines.
func F() { fmt.Println() }

//go:noinline
func (s *Small) Get() int { return s.n }
func (o Other[T]) Len() int {
	return len(o)
}
func init() {}
func init() {}
func _() {}

var x, y = 1, 2 // trailing
`

func TestGoFilesAreCutByDeclaration(t *testing.T) {
	units := evidence.Segment([]evidence.File{file("a/p.go", declarations)})
	wantShapes(t, units,
		"a/p.go#package package 1-2",
		"a/p.go#Limit const 8-9",
		"a/p.go#A const 11-15",
		"a/p.go#Small type 18-19",
		"a/p.go#Other type 20-20",
		"a/p.go#F func 23-25",
		"a/p.go#Small.Get method 27-28",
		"a/p.go#Other.Len method 29-31",
		"a/p.go#init func 32-32",
		"a/p.go#init~2 func 33-33",
		"a/p.go#_ func 34-34",
		"a/p.go#x var 36-36",
	)
	for _, u := range units {
		checkUnit(t, u, declarations)
	}
	if got, want := units[5].Text, "// F is documented\n// in two lines.\nfunc F() { fmt.Println() }\n"; got != want {
		t.Errorf("F's text is %q, want %q", got, want)
	}
}

// checkUnit holds what every unit promises, whatever it was cut from.
func checkUnit(t *testing.T, u evidence.Unit, content string) {
	t.Helper()
	lines := strings.SplitAfter(content, "\n")
	if u.StartLine < 1 || u.EndLine < u.StartLine || u.EndLine > len(lines) {
		t.Fatalf("%s: lines %d-%d of %d", u.ID, u.StartLine, u.EndLine, len(lines))
	}
	if want := strings.Join(lines[u.StartLine-1:u.EndLine], ""); u.Text != want {
		t.Errorf("%s: text is %q, the lines are %q", u.ID, u.Text, want)
	}
	if sum := sha256.Sum256([]byte(u.Text)); u.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("%s: sha256 is not the text's", u.ID)
	}
	if u.Tokens != evidence.Tokens(u.Text) {
		t.Errorf("%s: %d tokens, want %d", u.ID, u.Tokens, evidence.Tokens(u.Text))
	}
}

func TestLinesAreTheFilesOwn(t *testing.T) {
	crlf := strings.ReplaceAll("package p\n\n//line evil.go:9000\n// F does.\nfunc F() {\n\t_ = `a\n`\n}\n", "\n", "\r\n")
	units := evidence.Segment([]evidence.File{file("p.go", crlf)})
	wantShapes(t, units, "p.go#F func 3-8")
	checkUnit(t, units[0], crlf)
	if !strings.HasPrefix(units[0].Text, "//line evil.go:9000\r\n") {
		t.Errorf("text %q lost its line ends or its comment", units[0].Text)
	}
}

func TestLongFunctionsAreCutBetweenStatements(t *testing.T) {
	var b strings.Builder
	b.WriteString("package p\n\nfunc Long() {\n")
	for i := range 40 {
		fmt.Fprintf(&b, "\t// step %d\n\tif %d > 0 {\n\t\tprintln()\n\t}\n\tfor {\n\t\tbreak\n\t}\n", i, i)
	}
	b.WriteString("}\n\nfunc After() {}\n")
	units := evidence.Segment([]evidence.File{file("p.go", b.String())})
	wantShapes(t, units, "p.go#Long func 3-150", "p.go#Long~2 func 151-284", "p.go#After func 286-286")
	if !strings.HasPrefix(units[1].Text, "\t// step 21\n\tif 21 > 0 {\n") {
		t.Errorf("the second part begins with %.40q, not with a statement's comment", units[1].Text)
	}
	for _, u := range units {
		checkUnit(t, u, b.String())
	}
}

func TestLongGroupsAreCutBetweenSpecs(t *testing.T) {
	var b strings.Builder
	b.WriteString("package p\n\nconst (\n")
	for i := range 100 {
		fmt.Fprintf(&b, "\t// C%d is.\n\tC%d = %d\n", i, i, i)
	}
	b.WriteString(")\n\nvar table = []int{\n" + strings.Repeat("\t1,\n", 400) + "}\n")
	units := evidence.Segment([]evidence.File{file("p.go", b.String())})
	wantShapes(t, units,
		"p.go#C0 const 3-81", "p.go#C39 const 82-161", "p.go#C79 const 162-204",
		"p.go#table var 206-355", "p.go#table~2 var 356-505", "p.go#table~3 var 506-607")
	covered := 0
	for _, u := range units {
		checkUnit(t, u, b.String())
		covered += u.EndLine - u.StartLine + 1
	}
	if covered != 604 {
		t.Errorf("the units have %d lines; the two declarations have 604", covered)
	}
}

func TestOtherFilesAreCutIntoWindows(t *testing.T) {
	units := evidence.Segment([]evidence.File{
		file("z.md", strings.Repeat("line\n", 61)),
		file("broken.go", "package p\nfunc {\n"),
		file("blank.txt", "\n\n \n"),
		file("one.yaml", "a: b"),
	})
	wantShapes(t, units, "broken.go#L1-L2 window 1-2", "one.yaml#L1-L1 window 1-1", "z.md#L1-L60 window 1-60", "z.md#L61-L61 window 61-61")
}

func TestSegmentLeavesOut(t *testing.T) {
	for _, f := range []evidence.File{
		file("p_test.go", "package p\n\nfunc TestX() {}\n"),
		file("vendor/x/x.go", "package x\n\nfunc F() {}\n"),
		file("a/node_modules/x.js", "x"),
		file("testdata/x.txt", "x"),
		file("go.sum", "x v1 h1:y"),
		file("binary.txt", "a\x00b"),
		file("latin1.txt", "caf\xe9"),
		file("huge.txt", strings.Repeat("x", 1<<20+1)),
		file("empty.txt", ""),
		file("/etc/passwd", "x"), file("../up.txt", "x"), file("a/../b.txt", "x"), file("a//b.txt", "x"), file("", "x"),
		file("two\nlines.txt", "x"), file("bad\xff.txt", "x"), file("right\u202eleft.txt", "x"),
	} {
		if units := evidence.Segment([]evidence.File{f}); len(units) != 0 {
			t.Errorf("%q gives %v", f.Path, units)
		}
	}
	if units := evidence.Segment([]evidence.File{file("just.txt", strings.Repeat("x", 1<<20))}); len(units) != 1 {
		t.Errorf("a file of 1 MiB gives %d units, want 1", len(units))
	}
}

func TestSegmentDependsOnTheSetOnly(t *testing.T) {
	files := []evidence.File{file("b.go", declarations), file("a.md", "x\n"), file("a/z.go", declarations), file("a.go", declarations)}
	want := evidence.Segment(files)
	slices.Reverse(files)
	files = append(files, file("a.md", "a later file of the same path"))
	if got := evidence.Segment(files); !slices.Equal(got, want) {
		t.Errorf("another order of files gives other units")
	}
	if !slices.IsSortedFunc(want, func(a, b evidence.Unit) int {
		if a.Path != b.Path {
			return strings.Compare(a.Path, b.Path)
		}
		return a.StartLine - b.StartLine
	}) {
		t.Error("units aren't sorted by path and line")
	}
}

func TestIsTestPath(t *testing.T) {
	for path, want := range map[string]bool{
		"a_test.go": true, "x/testdata/a.go": true, "testsuite/E10.py": true, "test/a.go": true, "src/Tests/a.py": true, "__snapshots__/a.snap": true,
		"test_a.py": true, "a_test.py": true, "conftest.py": true, "a.spec.ts": true, "a.test.jsx": true, "FooTest.java": true,
		"lib/a_spec.rb": true, "fixtures/x.json": true,
		"a.go": false, "testing/a.go": false, "latest.go": false, "contest.java": false, "test.go": false, "attest/a.go": false,
		"test_a.go": false, "spec/openapi.yaml": false, "_test": false, "": false,
	} {
		if got := evidence.IsTestPath(path); got != want {
			t.Errorf("IsTestPath(%q) = %v, want %v", path, got, want)
		}
	}
}

func FuzzSegment(f *testing.F) {
	f.Add("p.go", declarations)
	f.Add("p.go", "package p; func A(){}; func A(){}; var (a,b=1,2\nc=3)")
	f.Add("p.go", "package p\ntype T struct{}\nfunc (T) a() {}\nfunc (*T) a() {}\nfunc (int.x) b() {}\nfunc () c() {}\r\n")
	f.Add("p.md", "\r\n\r\n#\n")
	f.Fuzz(func(t *testing.T, path, content string) {
		units := evidence.Segment([]evidence.File{file(path, content), file(path+".go", content)})
		ids := map[string]bool{}
		for _, u := range units {
			if ids[u.ID] {
				t.Fatalf("two units have the id %q", u.ID)
			}
			ids[u.ID] = true
			if u.EndLine-u.StartLine >= 150 {
				t.Errorf("%s has lines %d-%d", u.ID, u.StartLine, u.EndLine)
			}
			checkUnit(t, u, content)
			if _, same := evidence.SameFact(u, u); !same {
				t.Errorf("%s isn't the same fact as itself", u.ID)
			}
		}
		text, shown, tokens := evidence.Render(units, 1<<30, "skip")
		if len(shown) != len(units) || tokens != evidence.Tokens(text) {
			t.Errorf("%d of %d units shown, %d tokens of %d", len(shown), len(units), tokens, evidence.Tokens(text))
		}
		headers := 0
		for line := range strings.SplitSeq(text, "\n") {
			if evidence.IsHeader(line) {
				headers++
			}
		}
		if headers != len(units) {
			t.Errorf("%d header lines for %d units", headers, len(units))
		}
	})
}
