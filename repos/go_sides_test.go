package repos_test

import (
	"testing"
)

// TestOverlayUndoesGoOfTests: a package of Go is the tests' when the tree without the candidate says so, whatever it is
// called and wherever its module is; what a candidate adds is the program's when its program imports it.
func TestOverlayUndoesGoOfTests(t *testing.T) {
	m, base := mirror(t, file("f.go", "package f\n"), file("go.mod", "module x.org/f\n"),
		file("f_test.go", "package f\n\nimport (\n\t_ \"x.org/f/internal/assert\"\n\t_ \"x.org/f/assertx\"\n\t_ \"x.org/f/pub\"\n\t_ \"x.org/f/internal/deep\"\n)\n"),
		file("internal/assert/a.go", "package assert\n\nimport \"testing\"\n\nfunc Equal(t *testing.T, a, b any) {}\n"),
		file("internal/deep/d.go", "package deep\n\nimport _ \"x.org/f/internal/below\"\n\nfunc Equal(t interface{ Helper() }) { t.Helper() }\n"),
		file("internal/below/b.go", "package below\n\nimport _ \"testing\"\n"),
		file("assertx/a.go", "package assertx\n\nfunc Equal(t interface{ Helper() }) { t.Helper() }\n"),
		file("pub/p.go", "package pub\n\nimport _ \"testing\"\n"), file("pub/p_test.go", "package pub\n"),
		file("used/u.go", "package used\n\nimport _ \"testing\"\n"), file("cmd/a/main.go", "package main\n\nimport u \"x.org/f/used\"\n\nvar _ = u.A\n"),
		file("tests/run/r.go", "package run\n"), file("cmd/a/run.go", "package main\n\nimport \"x.org/f/tests/run\"\n"),
		file("tests/idle/i.go", "package idle\n"),
		file("lib/go.mod", "module y.org/lib\n"), file("lib/testutil/t.go", "package testutil\n"), file("lib/l_test.go", "package lib\n\nimport _ \"y.org/lib/testutil\"\n"),
		file("vendor/y.org/used/u.go", "package used\n\nimport _ \"y.org/below\"\n"), file("vendor/y.org/below/b.go", "package below\n"),
		file("vendor/y.org/check/c.go", "package check\n\nimport (\n\t_ \"y.org/below\"\n\t_ \"y.org/deep\"\n)\n"), file("vendor/y.org/deep/d.go", "package deep\n"),
		file("v_test.go", "package f\n\nimport (\n\t_ \"y.org/check\"\n\t_ \"y.org/used\"\n\t_ \"y.org/absent\"\n)\n"), file("v.go", "package f\n\nimport _ \"y.org/used\"\n"),
		file("other/o.go", "package other\n\nimport _ \"z.org/else/testutil\"\n"))
	more := func(p, pkg string) string { return adds(p, "100644", "package "+pkg+"\n") }
	uses := func(name string) string {
		return adds("cmd/b/main.go", "100644", "package main\n\nimport _ \""+name+"\"\n")
	}
	for name, c := range map[string]struct {
		patch string
		undo  []string
	}{
		"assertions by another name":             {more("internal/assert/b.go", "assert"), []string{"internal/assert/b.go"}},
		"assertions without testing":             {more("assertx/b.go", "assertx"), []string{"assertx/b.go"}},
		"assertions below assertions":            {more("internal/below/c.go", "below"), []string{"internal/below/c.go"}},
		"assertions that the patch imports, too": {more("internal/assert/b.go", "assert") + uses("x.org/f/internal/assert"), []string{"internal/assert/b.go"}},
		"a library of assertions":                {more("pub/q.go", "pub"), nil},
		"what the program imports":               {more("used/v.go", "used"), nil},
		"a helper in another module":             {more("lib/testutil/u.go", "testutil"), []string{"lib/testutil/u.go"}},
		"a program's package among tests":        {more("tests/run/s.go", "run"), nil},
		"another one":                            {more("tests/idle/j.go", "idle"), []string{"tests/idle/j.go"}},
		"vendored for the program":               {more("vendor/y.org/used/v.go", "used") + more("vendor/y.org/below/v.go", "below") + more("vendor/y.org/new/v.go", "new"), nil},
		"vendored for tests":                     {more("vendor/y.org/check/v.go", "check"), []string{"vendor/y.org/check/v.go"}},
		"vendored for what is for tests":         {more("vendor/y.org/deep/v.go", "deep"), []string{"vendor/y.org/deep/v.go"}},
		"vendored where tests look in vain":      {more("vendor/y.org/absent/v.go", "absent"), []string{"vendor/y.org/absent/v.go"}},
		"new packages of the program": {
			more("internal/testing/n.go", "testing") + more("test/n.go", "test") + more("tests/n/n.go", "n") + more("spec/n.go", "spec") +
				adds("cmd/b/main.go", "100644", "package main\n\nimport (\n\t_ \"x.org/f/internal/testing\"\n\t_ \"x.org/f/spec\"\n\t_ \"x.org/f/test\"\n)\n") +
				adds("spec/m.go", "100644", "package spec\n\nimport \"x.org/f/tests/n\"\n"), nil,
		},
		"new packages of nobody's": {more("test/n.go", "test") + more("tests/n/n.go", "n"), []string{"test/n.go", "tests/n/n.go"}},
	} {
		undoes(t, name, m, base, c.patch, c.undo)
	}
}

// TestOverlayUndoesModulesInOthersPlaces: a program may be made of a module of its own tree that comes in another one's
// place. What tests decide by, and what only they are made with, stays.
func TestOverlayUndoesModulesInOthersPlaces(t *testing.T) {
	require := "module x.org/f\nrequire (\n\tgithub.com/stretchr/testify v1.0.0\n\tx.org/check v1.0.0\n\tx.org/dep v1.0.0\n\tx.org/below v1.0.0\n)\n"
	m, base := mirror(t, file("f.go", "package f\n"), file("go.mod", require), file("near/go.mod", "module x.org/near\n"), file("near/n.go", "package near\n"),
		file("dep.go", "package f\n\nimport (\n\t_ \"x.org/dep/in\"\n\t_ \"github.com/stretchr/testify/assert\"\n)\n"),
		file("f_test.go", "package f\n\nimport (\n\t_ \"x.org/check\"\n\t_ \"x.org/dep/in\"\n)\n"), file("testutil/t.go", "package testutil\n"))
	module := func(dir, name string) string {
		return adds(dir+"/go.mod", "100644", "module "+name+"\n") + adds(dir+"/a.go", "100644", "package a\n")
	}
	replace := func(line string) string {
		return "diff --git a/go.mod b/go.mod\n--- a/go.mod\n+++ b/go.mod\n@@ -7,1 +7,2 @@\n )\n+" + line + "\n"
	}
	for name, c := range map[string]struct {
		patch string
		undo  []string
	}{
		"a module that base has":                 {replace("replace x.org/near => ./near"), nil},
		"a dependency of the program":            {replace("replace x.org/dep v1.0.0 => ./third/dep") + module("third/dep", "x.org/dep"), nil},
		"one that is new":                        {replace("replace x.org/new => ./third/new") + module("third/new", "x.org/new"), nil},
		"a library of tests":                     {replace("replace github.com/stretchr/testify => ./third/t") + module("third/t", "github.com/stretchr/testify"), []string{"go.mod"}},
		"what only tests import":                 {replace("replace x.org/check => ./third/c") + module("third/c", "x.org/check"), []string{"go.mod"}},
		"the same, imported by the program, too": {replace("replace x.org/check => ./third/c") + module("third/c", "x.org/check") + adds("g.go", "100644", "package f\n\nimport _ \"x.org/check\"\n"), []string{"go.mod"}},
		"what is needed in a roundabout way":     {replace("replace x.org/below => ./third/b") + module("third/b", "x.org/below"), []string{"go.mod"}},
		"a folder without a module":              {replace("replace x.org/dep => ./testutil"), []string{"go.mod"}},
		"a folder outside":                       {replace("replace x.org/dep => ../dep"), []string{"go.mod"}},
		"another module of the cache":            {replace("replace x.org/dep => x.org/check v1.0.0"), []string{"go.mod"}},
	} {
		undoes(t, name, m, base, c.patch, c.undo)
	}
}

// TestOverlayKeepsWhatTheProgramEmbeds: a file in a folder of tests is the program's where that embeds it, at base if it is
// there at base.
func TestOverlayKeepsWhatTheProgramEmbeds(t *testing.T) {
	m, base := mirror(t, file("f.go", "package f\n"), file("go.mod", "module x.org/f\n"),
		file("gen/g.go", "package gen\n\nimport _ \"embed\"\n\n//go:embed all:templates \"test/*.txt\"\nvar files string\n"), file("gen/templates/tests/a.tmpl", "a\n"), file("gen/test/b.txt", "b\n"),
		file("testdata/c.txt", "c\n"), file("f_test.go", "package f\n\nimport _ \"embed\"\n\n//go:embed testdata\nvar files string\n"))
	embed := adds("e.go", "100644", "package f\n\nimport _ \"embed\"\n\n//go:embed testdata/*\nvar all string\n")
	undoes(t, "templates", m, base, edits("gen/templates/tests/a.tmpl", "a", "b")+adds("gen/templates/tests/b.tmpl", "100644", "b\n"), nil)
	undoes(t, "by a pattern", m, base, edits("gen/test/b.txt", "b", "c"), nil)
	undoes(t, "beside a pattern", m, base, adds("gen/test/b.json", "100644", "b\n"), []string{"gen/test/b.json"})
	undoes(t, "data that the candidate embeds", m, base, edits("testdata/c.txt", "c", "d")+adds("testdata/d.txt", "100644", "d\n")+embed, []string{"testdata/c.txt"})
	undoes(t, "data that tests embed", m, base, adds("testdata/d.txt", "100644", "d\n"), []string{"testdata/d.txt"})
}
