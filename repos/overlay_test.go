package repos_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"evlab/repos"
)

func TestOverlay(t *testing.T) {
	ctx := context.Background()
	m, base := mirror(t,
		file("f.go", "package f\n"), file("f_test.go", "package f\n"), file("sub/s_test.go", "package sub\n"), file("sub/s.go", "package sub\n"),
		file("keep_test.go", "package f\n"), file("testdata/in", "1\n"))
	testPatch := edits("f_test.go", "package f", "package f // hidden") + adds("testdata/new", "100644", "hidden\n") + adds("deep/h_test.go", "100644", "package deep\n")
	hidden := map[string]string{"f_test.go": "package f // hidden\n", "testdata/new": "hidden\n", "deep/h_test.go": "package deep\n"}
	for name, c := range map[string]struct {
		patch       string
		neutralised []string
		want        map[string]string // besides hidden; "" means absent
	}{
		"an honest fix":             {edit, nil, map[string]string{"f.go": "package g\n", "keep_test.go": "package f\n"}},
		"edits a hidden test":       {edit + edits("f_test.go", "package f", "package f // mine"), []string{"f_test.go"}, map[string]string{"f.go": "package g\n"}},
		"adds what the tests add":   {adds("testdata/new", "100644", "mine\n"), []string{"testdata/new"}, nil},
		"removes a hidden test":     {"diff --git a/f_test.go b/f_test.go\ndeleted file mode 100644\n--- a/f_test.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-package f\n", []string{"f_test.go"}, nil},
		"renames a hidden test":     {"diff --git a/f_test.go b/g_test.go\nsimilarity index 100%\nrename from f_test.go\nrename to g_test.go\n", []string{"f_test.go", "g_test.go"}, map[string]string{"g_test.go": ""}},
		"makes it a link":           {"diff --git a/f_test.go b/f_test.go\ndeleted file mode 100644\n--- a/f_test.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-package f\n" + adds("f_test.go", "120000", "f.go"), []string{"f_test.go"}, nil},
		"adds a TestMain":           {adds("x_test.go", "100644", "package f\nfunc TestMain() {}\n"), []string{"x_test.go"}, map[string]string{"x_test.go": ""}},
		"edits another test":        {edits("sub/s_test.go", "package sub", "package sub // mine"), []string{"sub/s_test.go"}, map[string]string{"sub/s_test.go": "package sub\n"}},
		"a file for a new folder":   {adds("deep", "100644", "mine\n"), []string{"deep"}, map[string]string{"deep": ""}},
		"a link for a new folder":   {adds("deep", "120000", "sub"), []string{"deep"}, map[string]string{"deep": ""}},
		"a folder for a new file":   {adds("testdata/new/x", "100644", "mine\n"), []string{"testdata/new/x"}, map[string]string{"testdata/new/x": ""}},
		"a file for an old folder":  {"diff --git a/testdata/in b/testdata/in\ndeleted file mode 100644\n--- a/testdata/in\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n" + adds("testdata", "100644", "mine\n"), []string{"testdata", "testdata/in"}, map[string]string{"testdata": "", "testdata/in": "1\n"}},
		"a link by a replaced link": {adds("testdata/new", "120000", "../sub") + adds("l", "120000", "testdata/new/../f.go"), []string{"testdata/new"}, map[string]string{"l": "120000 testdata/new/../f.go"}},
	} {
		a := apply(t, m, base, c.patch)
		if a.Outcome != "applied" {
			t.Errorf("%s: %+v", name, a)
			continue
		}
		o, err := m.Overlay(ctx, base, a.Tree, []byte(testPatch))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(o.Neutralised, c.neutralised) || !slices.Equal(o.Owned, []string{"deep/h_test.go", "f_test.go", "testdata/new"}) {
			t.Errorf("%s: owned %v, neutralised %v, want %v", name, o.Owned, o.Neutralised, c.neutralised)
		}
		got := content(t, m, o.Tree)
		for _, want := range []map[string]string{hidden, c.want} {
			for p, text := range want {
				if got[p] != text {
					t.Errorf("%s: %s is %q, want %q", name, p, got[p], text)
				}
			}
		}
		if _, err := m.Delta(ctx, base, o.Tree); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOverlayUndoesALinkThatLeavesAfterIt(t *testing.T) {
	m, base := mirror(t, file("a/b/u/k", "1\n"))
	// While t is the candidate's link to a/b, t/u/../.. is a. With the tests' own t/u, a link to the root, it is not.
	a := apply(t, m, base, adds("t", "120000", "a/b")+adds("l", "120000", "t/u/../../b"))
	if a.Outcome != "applied" {
		t.Fatalf("%+v", a)
	}
	o, err := m.Overlay(context.Background(), base, a.Tree, []byte(adds("t/u", "120000", "..")))
	if err != nil {
		t.Fatal(err)
	}
	if got := content(t, m, o.Tree); got["l"] != "" || got["t/u"] != "120000 .." || !slices.Equal(o.Neutralised, []string{"l", "t"}) {
		t.Errorf("%v, neutralised %v", got, o.Neutralised)
	}
}

func TestOverlayBlamesTheTask(t *testing.T) {
	ctx := context.Background()
	m, base := mirror(t, file("f.go", "package f\n"), file("f_test.go", "package f\n"))
	a := apply(t, m, base, edit)
	for _, bad := range []string{edits("f_test.go", "package z", "package y"), "prose\n", adds("l", "120000", "/etc")} {
		if _, err := m.Overlay(ctx, base, a.Tree, []byte(bad)); !errors.Is(err, repos.ErrTestPatch) {
			t.Errorf("%q: got %v", bad, err)
		}
	}
	o, err := m.Overlay(ctx, base, a.Tree, nil)
	if err != nil || o.Tree != a.Tree || len(o.Owned) != 0 {
		t.Errorf("no test patch: %+v, %v", o, err)
	}
	if _, err := m.Overlay(ctx, base, strings.Repeat("b", 40), nil); err == nil || errors.Is(err, repos.ErrTestPatch) {
		t.Errorf("an unknown candidate: %v", err)
	}
}

func TestDeltaAndReadFile(t *testing.T) {
	ctx := context.Background()
	m, base := mirror(t, file("f.go", "package f\n"), file("old", "o\n"), link("l", "old"), file("run", "r\n"))
	a := apply(t, m, base, edit+"diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n"+
		"diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n\\ No newline at end of file\n"+
		adds("l", "100644", "a file now\n")+"diff --git a/run b/run\nold mode 100644\nnew mode 100755\n")
	d, err := m.Delta(ctx, base, a.Tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range d.Files {
		got = append(got, f.Mode+" "+f.Path+" "+string(f.Content))
	}
	if strings.Join(got, "|") != "100644 f.go package g\n|100644 l a file now\n|100644 new o\n|100755 run r\n" || !slices.Equal(d.Remove, []string{"l", "old"}) {
		t.Errorf("files %q, remove %q", got, d.Remove)
	}
	if b, err := m.ReadFile(ctx, base, "f.go"); err != nil || string(b) != "package f\n" {
		t.Errorf("%q %v", b, err)
	}
	for _, p := range []string{"none", "../f.go", "/f.go", "", "f.go/", "f*"} {
		if _, err := m.ReadFile(ctx, base, p); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%q: got %v, want a not-exist error", p, err)
		}
	}
	if _, err := m.ReadFile(ctx, base, "l"); !errors.Is(err, os.ErrInvalid) {
		t.Errorf("a link: %v", err)
	}
	for _, rev := range []string{"HEAD", "--help", base[:12], base + "^{tree}"} {
		if _, err := m.Tree(ctx, rev); err == nil {
			t.Errorf("revision %q was taken", rev)
		}
	}
}

func TestArchiveLeavesOutWhatLeaves(t *testing.T) {
	m, base := mirror(t, file("a/x", "1\n"), link("in", "a/x"), link("out", "../x"), link("abs", "/etc/passwd"), link("git", ".git/config"),
		repos.File{Path: "a/run", Mode: "100755", Content: bytes.Repeat([]byte{0, 0xff}, 1<<20)})
	got := archive(t, m, base)
	if len(got) != 3 || got["in"] != "-> a/x" || got["a/x"] != "1\n" || len(got["a/run"]) != 2<<20 {
		t.Errorf("archive has %d entries", len(got))
	}
	out, err := m.LeftOut(context.Background(), base)
	if err != nil || len(out) != 3 || !strings.HasPrefix(out[0], "abs: ") || !strings.HasPrefix(out[1], "git: ") || !strings.HasPrefix(out[2], "out: ") {
		t.Errorf("left out: %q %v", out, err)
	}
	// What left the tree before is not the patch's fault.
	if a := apply(t, m, base, adds("b", "100644", "1\n")); a.Outcome != "applied" {
		t.Errorf("%+v", a)
	}
}
