package evidence_test

import (
	"testing"

	"evlab/evidence"
)

// only is the one unit of a Go file with a declaration.
func only(t *testing.T, path, declaration string) evidence.Unit {
	t.Helper()
	units := evidence.Segment([]evidence.File{file(path, "package p\n\n"+declaration+"\n")})
	if len(units) != 1 {
		t.Fatalf("%q gives %d units", declaration, len(units))
	}
	return units[0]
}

func TestSameFact(t *testing.T) {
	base := "// F is.\nfunc F(a, b int) (string, error) { return \"x\", nil }"
	for _, c := range []struct {
		name, pathA, a, pathB, b, want string
	}{
		{"one file, one place", "a.go", base, "a.go", base, evidence.SameSpan},
		{"a copy", "a.go", base, "b.go", base, evidence.SameContent},
		{"a copy with other comments and spacing", "a.go", base, "b.go",
			"// Other words.\nfunc F(a,  b int) (string, error) {\n\treturn \"x\", /* why */ nil\n}", evidence.SameContent},
		{"another literal", "a.go", "var s = \"a b\"", "b.go", "var s = \"ab\"", ""},
		{"comment marks in a literal", "a.go", "var s = \"//a\"", "b.go", "var s = \"//b\"", ""},
		{"an escaped quote before a comment mark", "a.go", `var s = "\"//a"`, "b.go", `var s = "\"//b"`, ""},
		{"a raw literal that ends in a backslash", "a.go", "var s, t = `\\`, 1 // a", "b.go", "var s, t = `\\`, 1 // b", evidence.SameContent},
		{"another body", "a_linux.go", base, "a_windows.go", "func F(x int, y int) (s string, err error) { panic(1) }", evidence.SameSignature},
		{"other types", "a.go", base, "b.go", "func F(a, b int64) (string, error) { panic(1) }", ""},
		{"another name", "a.go", base, "b.go", "func G(a, b int) (string, error) { panic(1) }", ""},
		{"a method of one type", "a.go", "func (t *T[K]) M(f func(int) error) {}", "b.go",
			"func (x *T[K]) M(g func(int) error) { g(1) }", evidence.SameSignature},
		{"a method by value", "a.go", "func (t *T) M() {}", "b.go", "func (t T) M() { panic(1) }", ""},
		{"other type parameters", "a.go", "func F[T any](t T) {}", "b.go", "func F[T comparable](t T) { panic(1) }", ""},
		{"two init functions", "a.go", "func init() { a() }", "b.go", "func init() { b() }", ""},
		{"types of one name", "a.go", "type T int", "b.go", "type T string", ""},
		{"text that differs in spacing", "a.md", "one  two", "b.md", "one\n\ntwo", evidence.SameContent},
		{"text with other words", "a.md", "one // two", "b.md", "one // three", ""},
	} {
		var a, b evidence.Unit
		if c.pathA[len(c.pathA)-3:] == ".go" {
			a, b = only(t, c.pathA, c.a), only(t, c.pathB, c.b)
		} else {
			a, b = evidence.Segment([]evidence.File{file(c.pathA, c.a)})[0], evidence.Segment([]evidence.File{file(c.pathB, c.b)})[0]
		}
		for _, pair := range [][2]evidence.Unit{{a, b}, {b, a}} {
			if reason, same := evidence.SameFact(pair[0], pair[1]); reason != c.want || same != (c.want != "") {
				t.Errorf("%s: SameFact is %q %v, want %q", c.name, reason, same, c.want)
			}
		}
	}
	x, y := evidence.Unit{Path: "a.go", Kind: "var", Text: "// x"}, evidence.Unit{Path: "b.go", Kind: "var", Text: " /* y */ "}
	if _, same := evidence.SameFact(x, y); same {
		t.Error("two units of nothing but comments are the same fact")
	}
}

func TestSignatureOfALongFunctionsFirstPart(t *testing.T) {
	whole := evidence.Unit{Path: "a.go", Kind: "func", Symbol: "F", Text: "func F(a int) error {\n\treturn nil\n}\n"}
	part := whole
	part.Text = "// F is.\nfunc F(b int) error {\n\tif b > 0 {\n"
	if a, b := evidence.Signature(whole), evidence.Signature(part); a == "" || a != b {
		t.Errorf("the whole has the signature %q and its first part %q", a, b)
	}
	part.Text = "\tif b > 0 {\n\t}\n}\n"
	if s := evidence.Signature(part); s != "" {
		t.Errorf("a part without the header has the signature %q", s)
	}
}
