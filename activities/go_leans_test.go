package activities

import (
	"context"
	"maps"
	"strings"
	"testing"

	"evlab/repos"
)

// TestProgramsThatNeedTheirTests: a name that only the package's own tests declare is seen in its sources, and none that the
// sources, Go or an import has; base may have done so before.
func TestProgramsThatNeedTheirTests(t *testing.T) {
	const tests = "package p\n\nvar table = []int{1}\n\ntype fake struct{}\n\nfunc isNone(p *int) bool { return (p == nil) == true && max(1, len(table)) == 1 }\n"
	files := map[string]string{
		"p.go": "package p\n", "old/p.go": "package old\n\nvar a = table\n", "old/p_test.go": "package old\n\nvar table = 1\n",
		"p_test.go": tests, "out_test.go": "package p_test\n\nvar outside = 1\n", "sub/q.go": "package q\n", "main.go": "//go:build ignore\n\npackage main\n",
	}
	m, base := repository(t, files)
	for name, c := range map[string]struct {
		path, text string
		leans      bool
	}{
		"a table":                  {"p.go", "package p\n\nfunc init() { table = nil }\n", true},
		"true turned round":        {"new.go", "package p\n\nconst true, false = 1 == 0, 1 == 1\n", true},
		"nil that is something":    {"p.go", "package p\n\nvar nil = 1\n", true},
		"of no use to the tests":   {"p.go", "package p\n\nfunc cap(x int) int { return x }\n", false},
		"a common name":            {"p.go", "package p\n\nfunc max(a, b int) int { return a }\n", false},
		"a method of that name":    {"p.go", "package p\n\ntype s struct{}\n\nfunc (s) len() int { return 1 }\n", false},
		"in a new file":            {"new.go", "package p\n\nvar first = len(table)\n", true},
		"a method":                 {"p.go", "package p\n\nfunc (fake) Fail() {}\n", true},
		"declared elsewhere alone": {"new_windows.go", "package p\n\nfunc init() { table = nil }\n", false},
		"declared here":            {"p.go", "package p\n\nvar table int\n\nfunc init() { table++ }\n", false},
		"a variable of its own":    {"p.go", "package p\n\nfunc init() { table := 1; _ = table }\n", false},
		"a field":                  {"p.go", "package p\n\ntype s struct{ table int }\n\nvar x = s{table: 1}\n\nvar y = x.table\n", false},
		"what Go has":              {"p.go", "package p\n\nvar x = max(1, 2)\n", false},
		"an import":                {"p.go", "package p\n\nimport table \"strings\"\n\nvar x = table.ToUpper\n", false},
		"of a package beside":      {"p.go", "package p\n\nvar x = outside\n", false},
		"of another folder":        {"sub/q.go", "package q\n\nvar x = table\n", false},
		"at base, too":             {"old/p.go", "package old\n\nvar a, b = table, table\n", false},
		"left out":                 {"main.go", "//go:build ignore\n\npackage main\n\nvar x = table\n", false},
		"no source":                {"p.go", "package {", false},
	} {
		after := maps.Clone(files)
		after[c.path] = c.text
		applied, err := m.Apply(context.Background(), base, rewritten(files, after))
		if err != nil || applied.Tree == "" {
			t.Fatalf("%s: %+v, %v", name, applied, err)
		}
		got, err := leans(context.Background(), m, base, applied.Tree, repos.Delta{Files: []repos.File{{Path: c.path}}}, false)
		if err != nil || (got != "") != c.leans || c.leans && !strings.Contains(got, " in "+c.path+" ") && !strings.Contains(got, "anew in p,") {
			t.Errorf("%s: %q, %v; want that it leans on its tests: %v", name, got, err, c.leans)
		}
	}
}
