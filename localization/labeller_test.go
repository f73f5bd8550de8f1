package localization_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"evlab/localization"
)

// reference makes a task of an archive: patch, and the files that it changes.
func reference(t testing.TB, archive *txtar.Archive) (*localization.Reference, string) {
	t.Helper()
	r := &localization.Reference{Task: "t", Paths: localization.NewPaths(nil, false)}
	cases := ""
	for _, f := range archive.Files {
		switch f.Name {
		case "patch":
			edits, err := localization.ParsePatch(f.Data)
			if err != nil {
				t.Fatal(err)
			}
			r.Edits, r.Files = edits, localization.FilesOf(f.Data, nil)
		case "cases":
			cases = string(f.Data)
		default:
			if err := r.Edits.SetSource(f.Name, f.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.Paths.Add(r.Files...)
	return r, cases
}

// TestHunkLabels goes through the cases of testdata/labels: a file of each language, a patch of it, and the label that a
// target deserves: path | symbol | lines | label.
func TestHunkLabels(t *testing.T) {
	archives, err := filepath.Glob("testdata/labels/*.txtar")
	if err != nil || len(archives) != 8 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, file := range archives {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, cases := reference(t, archive)
		labeller := localization.NewHunkLabeller([]*localization.Reference{r})
		for line := range strings.Lines(cases) {
			f := strings.Split(strings.TrimSpace(line), "|")
			if len(f) != 4 {
				t.Fatalf("%s: case %q", file, line)
			}
			for i := range f {
				f[i] = strings.TrimSpace(f[i])
			}
			target := localization.Target{Path: f[0], Symbol: f[1]}
			if first, last, ok := strings.Cut(f[2], "-"); ok {
				target.Lines.First, _ = strconv.Atoi(first)
				target.Lines.Last, _ = strconv.Atoi(last)
			}
			want := localization.Label(f[3])
			if f[3] == "unlabelled" {
				want = localization.Unlabelled
			}
			if got := labeller.Label(localization.Key{Task: "t"}, target); got.Label != want {
				t.Errorf("%s: %s is %q (%s), want %q", file, target, got.Label, got.Why, want)
			}
		}
	}
}

func TestLabelsWithoutSource(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/labels/py.txtar")
	if err != nil {
		t.Fatal(err)
	}
	archive.Files = archive.Files[:1] // the patch alone
	r, _ := reference(t, archive)
	l := localization.NewHunkLabeller([]*localization.Reference{r})
	for target, want := range map[localization.Target]localization.Label{
		{Path: "src/ledger.py", Symbol: "add"}: localization.Unlabelled,
		{Path: "src/ledger.py"}:                localization.Coarse,
		{Path: "src/ledger.py", Symbol: "add", Lines: localization.Span{First: 23, Last: 23}}: localization.Precise,
		{Path: "src/x.py", Symbol: "add"}: localization.Wrong,
	} {
		if got := l.Label(localization.Key{Task: "t"}, target); got.Label != want {
			t.Errorf("%s is %q (%s), want %q", target, got.Label, got.Why, want)
		}
	}
	if got := l.Label(localization.Key{Task: "another"}, localization.Target{Path: "x"}); got.Label != localization.Unlabelled {
		t.Errorf("a task without reference gives %q", got.Label)
	}
}

func TestPatchesThatAreNone(t *testing.T) {
	for _, patch := range []string{"", "hello", "--- a/x\n+++ b/x\n@@ -1,5 +1,1 @@\n-a\n", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n"} {
		if _, err := localization.ParsePatch([]byte(patch)); err == nil {
			t.Errorf("%q is taken for a patch", patch)
		}
	}
	edits, err := localization.ParsePatch([]byte("--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := edits.SetSource("x.py", []byte("c\n")); err == nil {
		t.Error("a patch that does not apply gives line numbers")
	}
	if err := edits.SetSource("y.py", nil); err == nil {
		t.Error("a file that the patch does not change has a source")
	}
}

// FuzzLabeller: any patch, source and target give one of the labels of a labeller, the same each time, and wrong exactly
// where the patch does not change the file.
func FuzzLabeller(f *testing.F) {
	archives, err := filepath.Glob("testdata/labels/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archives {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data, archive.Files[1].Data, archive.Files[1].Name, "Ledger.total", 3, 9)
	}
	f.Add([]byte("--- a/x.c\n+++ b/x.c\n@@ -0,0 +1 @@\n+int f() {}\n"), []byte(""), "x.c", "f", 0, 0)
	f.Fuzz(func(t *testing.T, patch, source []byte, path, symbol string, first, last int) {
		edits, err := localization.ParsePatch(patch)
		if err != nil {
			return
		}
		for _, p := range edits.Sources() {
			_ = edits.SetSource(p, source) // a patch that does not apply leaves the file without a source
		}
		r := &localization.Reference{Task: "t", Files: localization.FilesOf(patch, nil), Edits: edits, Paths: localization.NewPaths(nil, false)}
		r.Paths.Add(r.Files...)
		l := localization.NewHunkLabeller([]*localization.Reference{r})
		target := localization.Target{Path: path, Symbol: symbol}
		if first > 0 && last >= first {
			target.Lines = localization.Span{First: first, Last: last}
		}
		got := l.Label(localization.Key{Task: "t"}, target)
		if got.Label == localization.Other || got.Why == "" {
			t.Errorf("%s is %q (%q)", target, got.Label, got.Why)
		}
		if again := l.Label(localization.Key{Task: "t"}, target); again != got {
			t.Errorf("%s is %v, then %v", target, got, again)
		}
		selected := r.Select([]localization.Target{target, target})
		if len(selected.Targets)+len(selected.Refused) != 2 || len(selected.Targets) > 1 {
			t.Errorf("%s twice gives %v", target, selected)
		}
		for _, kept := range selected.Targets {
			again, ok := r.Normalized(kept)
			if !ok || again.Path != kept.Path {
				t.Errorf("the normal form %q is not its own: %q, %v", kept.Path, again.Path, ok)
			}
		}
		_ = fmt.Sprint(selected)
	})
}
