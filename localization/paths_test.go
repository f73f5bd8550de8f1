package localization_test

import (
	"slices"
	"strings"
	"testing"

	"evlab/localization"
)

func TestNormalize(t *testing.T) {
	whole := localization.NewPaths([]string{"src/app.py", "app.py", "b/deep/x.go", "README.md", "lib/Foo.java", "docs/café.md", "odd:12", "pkg/a/a.go"}, true)
	alone := localization.NewPaths([]string{"src/app.py", "b/deep/x.go"}, false)
	type result struct {
		path   string
		lines  string
		reason localization.Reason
	}
	for _, c := range []struct {
		raw          string
		whole, alone result
	}{
		{"src/app.py", result{path: "src/app.py"}, result{path: "src/app.py"}},
		{"  `./src//app.py` ", result{path: "src/app.py"}, result{path: "src/app.py"}},
		{`src\app.py`, result{path: "src/app.py"}, result{path: "src/app.py"}},
		{"src/x/../app.py", result{path: "src/app.py"}, result{path: "src/app.py"}},
		{"SRC/App.py", result{path: "src/app.py"}, result{path: "src/app.py"}},
		{"lib/foo.java", result{path: "lib/Foo.java"}, result{path: "lib/foo.java"}},
		{"docs/cafe\u0301.md", result{path: "docs/café.md"}, result{path: "docs/cafe\u0301.md"}},
		{"a/src/app.py", result{path: "src/app.py"}, result{path: "src/app.py"}},
		{"b/src/app.py", result{path: "src/app.py"}, result{path: "src/app.py"}},
		{"b/deep/x.go", result{path: "b/deep/x.go"}, result{path: "b/deep/x.go"}},
		{"b/b/deep/x.go", result{path: "b/deep/x.go"}, result{path: "b/deep/x.go"}},
		{"b/deep/new.go", result{path: "b/deep/new.go"}, result{path: "b/deep/new.go"}},
		{"a/new.go", result{path: "new.go"}, result{path: "new.go"}},
		{"/testbed/src/app.py", result{path: "src/app.py"}, result{path: "src/app.py"}},
		{"/src/app.py", result{path: "src/app.py"}, result{path: "src/app.py"}},
		{`C:\work\repo\src\app.py`, result{path: "src/app.py"}, result{path: "src/app.py"}},
		{"/etc/passwd", result{reason: localization.Absolute}, result{reason: localization.Absolute}},
		{"../src/app.py", result{reason: localization.Outside}, result{reason: localization.Outside}},
		{"src/../../app.py", result{reason: localization.Outside}, result{reason: localization.Outside}},
		{".git/config", result{reason: localization.Outside}, result{reason: localization.Outside}},
		{"x/.GIT/hooks/pre-commit", result{reason: localization.Outside}, result{reason: localization.Outside}},
		{"src", result{reason: localization.Folder}, result{reason: localization.Folder}},
		{"other/", result{reason: localization.Folder}, result{reason: localization.Folder}},
		{"", result{reason: localization.Empty}, result{reason: localization.Empty}},
		{"./", result{reason: localization.Empty}, result{reason: localization.Empty}},
		{"``", result{reason: localization.Empty}, result{reason: localization.Empty}},
		{"a\x00b", result{reason: localization.Malformed}, result{reason: localization.Malformed}},
		{"a\x1b[2Jb", result{reason: localization.Malformed}, result{reason: localization.Malformed}},
		{"x\u202ey.py", result{reason: localization.Malformed}, result{reason: localization.Malformed}},
		{"bad\xff.py", result{reason: localization.Malformed}, result{reason: localization.Malformed}},
		{strings.Repeat("x", 5000), result{reason: localization.Malformed}, result{reason: localization.Malformed}},
		{"src/app.py:12", result{"src/app.py", "12-12", ""}, result{"src/app.py", "12-12", ""}},
		{"src/app.py:12-30", result{"src/app.py", "12-30", ""}, result{"src/app.py", "12-30", ""}},
		{"src/app.py#L7-L9", result{"src/app.py", "7-9", ""}, result{"src/app.py", "7-9", ""}},
		{"src/app.py:0", result{"src/app.py", "", ""}, result{"src/app.py", "", ""}},
		{"odd:12", result{path: "odd:12"}, result{"odd", "12-12", ""}},
		{"brand/new.py", result{path: "brand/new.py"}, result{path: "brand/new.py"}},
	} {
		for name, p := range map[string]*localization.Paths{"whole": whole, "alone": alone} {
			want := c.whole
			if name == "alone" {
				want = c.alone
			}
			path, lines, reason := p.Normalize(c.raw)
			if got := (result{path, lines.String(), reason}); got != want {
				t.Errorf("%s: %q is %v, want %v", name, c.raw, got, want)
			}
		}
	}
	twins := localization.NewPaths([]string{"Make.py", "make.py"}, true)
	if path, _, _ := twins.Normalize("MAKE.py"); path != "MAKE.py" {
		t.Errorf("MAKE.py stands for %q; two paths differ from it in case alone", path)
	}
}

func TestSelect(t *testing.T) {
	r := &localization.Reference{
		Task: "t", Files: []string{"src/a.py", "src/b.py"}, Evaluator: []string{"score.py", "harness/"},
		Paths: localization.NewPaths([]string{"src/a.py", "src/b.py"}, false),
	}
	if r.Cap() != 3 || !r.Eligible() {
		t.Errorf("two reference files have a cap of %d, eligible %v", r.Cap(), r.Eligible())
	}
	got := r.Select([]localization.Target{
		{Path: "tests/test_a.py"}, {Path: "src/a.py", Symbol: "f"}, {Path: "./src/a.py", Symbol: "f"}, {Path: ".github/workflows/ci.yml"},
		{Path: "score.py"}, {Path: "harness/run.py"}, {Path: "eval.sh"}, {Path: "src/a.py", Symbol: "g"}, {Path: "x/__snapshots__/a.snap"}, {Path: "/x"},
		{Path: "src/b.py"}, {Path: "src/c.py"}, {Path: "src/d.py"}, {Path: "Jenkinsfile"},
	})
	var reasons []string
	for _, refused := range got.Refused {
		reasons = append(reasons, string(refused.Reason))
	}
	want := "test duplicate ci evaluator evaluator evaluator test absolute beyond-cap beyond-cap ci"
	if strings.Join(reasons, " ") != want {
		t.Errorf("refused for %v, want %s", reasons, want)
	}
	kept := []localization.Target{{Path: "src/a.py", Symbol: "f"}, {Path: "src/a.py", Symbol: "g"}, {Path: "src/b.py"}}
	if !slices.Equal(got.Targets, kept) {
		t.Errorf("kept %v, want %v", got.Targets, kept)
	}
}

func TestCap(t *testing.T) {
	for r, want := range map[int]int{1: 3, 2: 3, 3: 3, 4: 4, 5: 5, 6: 6, 7: 6, 40: 6} {
		ref := &localization.Reference{Files: make([]string, r)}
		if ref.Cap() != want || ref.Eligible() != (r <= 6) {
			t.Errorf("%d reference files: cap %d, eligible %v; want %d, %v", r, ref.Cap(), ref.Eligible(), want, r <= 6)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{"a/b.py", `..\x`, "/a/b", "a/b:1-2", "`x`", "a//../..", "C:/x", "B/X.go", "b/", "#L1", ":1", "a/a/a"} {
		f.Add(s, "b/x.go", true)
	}
	f.Fuzz(func(t *testing.T, raw, known string, whole bool) {
		p := localization.NewPaths([]string{known}, whole)
		path, lines, reason := p.Normalize(raw)
		if reason != "" {
			if path != "" || !lines.IsZero() {
				t.Errorf("%q is refused and has %q", raw, path)
			}
			return
		}
		if path == "" || path != known && (strings.HasPrefix(path, "/") || strings.HasPrefix(path, "../") || path == ".." || strings.Contains(path, `\`)) {
			t.Errorf("%q is %q", raw, path)
		}
		if lines.First < 0 || lines.Last < lines.First {
			t.Errorf("%q has lines %v", raw, lines)
		}
	})
}
