package outline_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evlab/localization/outline"
)

var endings = []string{".go", ".py", ".ts", ".java", ".rs", ".cpp", ".rb"}

// FuzzOf holds what every outline promises: it comes to an end, its lines are those of the file, names have no empty
// parts, and the same bytes give the same outline.
func FuzzOf(f *testing.F) {
	for _, name := range []string{"ledger.go", "ledger.py", "shop.ts", "Shop.java", "lib.rs", "shape.cpp", "shop.rb"} {
		source, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(source)
	}
	for _, s := range []string{
		"", "\n", "{", "}", "}}}{{{", "'", "\"", "`${`${", "/*", "\"\"\"", "R\"(", "r#\"", "<<~A", "%w[", "=begin\n", "#if\n#else\n#endif\n#endif\n",
		"def", "class", "f(){", "(((((", "a\\\n", "@", "@(", "template<", "operator", "?", "$", ":", "x<<-'", "f'{", "#define", "extern \"C\" {",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		lines := strings.Count(string(source), "\n") + 1
		for _, ending := range endings {
			defs, ok := outline.Of("x"+ending, source)
			if !ok && len(defs) > 0 {
				t.Errorf("%s: definitions of no outline", ending)
			}
			for _, d := range defs {
				if d.Start < 1 || d.End < d.Start || d.End > lines {
					t.Errorf("%s: %v has lines %d-%d of %d", ending, d.Name, d.Start, d.End, lines)
				}
				if len(d.Name) == 0 || slices.Contains(d.Name, "") {
					t.Errorf("%s: a name is empty: %q", ending, d.Name)
				}
			}
			if again, _ := outline.Of("x"+ending, source); len(again) != len(defs) {
				t.Errorf("%s: the second reading gives another outline", ending)
			}
		}
	})
}

// TestHostileSources are what a careless reader takes quadratic time or a deep stack for. A test that hangs fails.
func TestHostileSources(t *testing.T) {
	const n = 50_000
	for _, s := range []string{
		strings.Repeat("{", n), strings.Repeat("}", n), strings.Repeat("f(){", n/2), strings.Repeat("(", n), strings.Repeat("[{", n),
		strings.Repeat("/*", n), strings.Repeat("\"", n), strings.Repeat("'", n), strings.Repeat("`${", n), strings.Repeat("`", n),
		strings.Repeat("f({},", n), strings.Repeat("x = {} ", n), strings.Repeat("#if x\n", n), strings.Repeat("#if x\n{\n#else\n{\n#endif\n", n/10),
		strings.Repeat("class A {", n/4), strings.Repeat("def f\n", n/4), strings.Repeat("<<~A\n", n/4), strings.Repeat("a \\\n", n/4),
		strings.Repeat("@a(", n/2), strings.Repeat("template<", n/4), strings.Repeat("// x\n", n/4) + "f() {}", strings.Repeat("r#\"", n/3),
		strings.Repeat("R\"(", n/3), strings.Repeat("\"\\\n", n/4), strings.Repeat("/[", n/2), strings.Repeat("%w[", n/3), strings.Repeat("#define a\n", n/4),
		strings.Repeat("class A:\n ", n/10), strings.Repeat("// x\nf() {}\n", n/10), strings.Repeat("#[a", n/3), strings.Repeat("a: {", n/4), strings.Repeat(";", n),
		strings.Repeat("=begin\n", n/4), strings.Repeat("a\n", n), strings.Repeat("if ", n), strings.Repeat("''' ", n/4), strings.Repeat("'a", n/2),
	} {
		for _, ending := range endings {
			outline.Of("x"+ending, []byte(s))
		}
	}
}

// TestNoOutline: what it does not cover it says so.
func TestNoOutline(t *testing.T) {
	for name, source := range map[string]string{
		"a.php": "<?php function f() {}", "Makefile": "all:", "x.go": "package p\nfunc {", "bin.c": "int f() {}\x00", "big.py": strings.Repeat("x = 1\n", 2<<20),
	} {
		if defs, ok := outline.Of(name, []byte(source)); ok || defs != nil {
			t.Errorf("%s has an outline of %d definitions", name, len(defs))
		}
	}
	if !outline.Covers("A/B.TSX") || outline.Covers("a.php") {
		t.Error("Covers goes by the ending, in any case of letters")
	}
}
