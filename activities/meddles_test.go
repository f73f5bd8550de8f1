package activities

import (
	"context"
	"testing"

	"evlab/repos"
)

// TestProgramsThatSetWhatTestsDecideBy: a variable of an assertion library that the program sets is seen, whatever its import
// is called, and only in the program; what it uses of such a library is its own business.
func TestProgramsThatSetWhatTestsDecideBy(t *testing.T) {
	text := func(imported, body string) string {
		return "package p\n\nimport " + imported + "\n\nfunc init() {\n\t" + body + "\n}\n"
	}
	m, base := repository(t, map[string]string{"old.go": text(`"gopkg.in/check.v1"`, "check.Equals = nil"), "p.go": "package p\n"})
	for name, c := range map[string]struct {
		path, text string
		meddles    bool
	}{
		"a checker":             {"p.go", text(`qt "github.com/frankban/quicktest"`, "qt.Equals = nil"), true},
		"by its package's name": {"new.go", text(`"gopkg.in/check.v1"`, "check.DeepEquals = nil"), true},
		"of a major version":    {"new.go", text(`"github.com/alecthomas/assert/v2"`, "assert.Diff, _ = nil, 1"), true},
		"by its address":        {"new.go", text(`qt "github.com/go-quicktest/qt"`, "p := &qt.IsNil\n\t*p = nil"), true},
		"what is in it":         {"new.go", text(`qt "github.com/go-quicktest/qt"`, "(*qt.Table).F[1] = nil"), true},
		"at base, too":          {"old.go", text(`"gopkg.in/check.v1"`, "check.Equals = nil // as ever"), false},
		"a test":                {"p_test.go", text(`qt "github.com/frankban/quicktest"`, "qt.Equals = nil"), false},
		"a use":                 {"p.go", text(`"github.com/google/go-cmp/cmp"`, "x := cmp.Diff(1, 2)\n\t_ = &cmp.Path{}\n\t_ = x"), false},
		"another library":       {"p.go", text(`"github.com/fatih/color"`, "color.NoColor = true"), false},
		"one of a like name":    {"p.go", text(`"x.org/check"`, "check.Equals = nil"), false},
		"no source":             {"p.go", "{", false},
		"names of another":      {"p.go", text(`. "strings"`, "_ = 1"), false},
	} {
		got, err := meddles(context.Background(), m, base, repos.Delta{Files: []repos.File{{Path: c.path, Mode: "100644", Content: []byte(c.text)}}})
		if err != nil || (got != "") != c.meddles {
			t.Errorf("%s: %q, %v; want that it meddles: %v", name, got, err, c.meddles)
		}
	}
}
