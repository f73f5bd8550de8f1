package environments

import (
	"slices"
	"testing"

	"evlab/experiments"
)

func TestAsks(t *testing.T) {
	starts := experiments.Addition{Imports: []string{"os/exec"}, Uses: []string{"os.StartProcess", "syscall.Exec"}}
	c := experiments.Addition{Imports: []string{"C"}, Requires: []string{"x.org/sqlite"}}
	for name, x := range map[string]struct {
		a          experiments.Addition
		file, text string
		asks       bool
	}{
		"an import":                        {starts, "a.go", "package a\n\nimport \"os/exec\"\n", true},
		"one of several, of a test":        {starts, "x/a_test.go", "package a\n\nimport (\n\t\"os\"\n\te `os/exec`\n)\n", true},
		"a text":                           {starts, "a.go", "package a\n\nvar s = \"os/exec\"\n", false},
		"a comment":                        {starts, "a.go", "// \"os/exec\"\npackage a\n", false},
		"a use":                            {starts, "a.go", "package a\n\nimport \"syscall\"\n\nvar e = syscall.Exec\n", true},
		"another use":                      {starts, "a.go", "package a\n\nimport \"syscall\"\n\nvar e = syscall.ExecFoo + mysyscall.Exec\n", false},
		"what is vendored":                 {starts, "vendor/x/a.go", "package a\n\nimport \"os/exec\"\n", false},
		"a fixture":                        {starts, "x/testdata/a.go", "package a\n\nimport \"os/exec\"\n", false},
		"a folder that is passed over":     {starts, "_x/a.go", "package a\n\nimport \"os/exec\"\n", false},
		"another machine's, by its name":   {starts, "a_windows.go", "package a\n\nimport \"os/exec\"\n", false},
		"another machine's, by constraint": {c, "a.go", "//go:build darwin\n\npackage a\n\nimport \"C\"\n", false},
		"a generator":                      {starts, "gen.go", "//go:build ignore\n\npackage main\n\nimport \"os/exec\"\n", false},
		"with a tag of its own":            {starts, "a_test.go", "//go:build integration && !windows\n\npackage a\n\nimport \"os/exec\"\n", true},
		"without a tag of its own":         {starts, "a_test.go", "//go:build !short\n\npackage a\n\nimport \"os/exec\"\n", true},
		"with C alone":                     {c, "a.go", "//go:build cgo\n\npackage a\n\n// int a;\nimport \"C\"\n", true},
		"a file that does not end":         {c, "a.go", "package a\n\nimport \"C\"\n\nfunc f() {", true},
		"no Go":                            {c, "a.c", "import \"C\"", false},
		"a requirement":                    {c, "x/go.mod", "module m\n\nrequire (\n\tx.org/sqlite v1.0.0 // indirect\n)\n", true},
		"a requirement of one line":        {c, "go.mod", "module m\n\nrequire x.org/sqlite v1.0.0\n", true},
		"another module":                   {c, "go.mod", "module m\n\nrequire x.org/sqlite/v2 v2.0.0\nreplace x.org/sqlite => ./x\n", false},
	} {
		if got := Asks(x.a, x.file, []byte(x.text)); got != x.asks {
			t.Errorf("%s: %v", name, got)
		}
	}
	words := AdditionWords([]experiments.Addition{starts, c})
	if !slices.Equal(words, []string{`"os/exec"`, "`os/exec`", "os.StartProcess", "syscall.Exec", `"C"`, "`C`", "x.org/sqlite"}) {
		t.Errorf("words %q", words)
	}
}
