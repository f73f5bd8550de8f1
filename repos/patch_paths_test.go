package repos_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evlab/repos"
)

func TestPatchPaths(t *testing.T) {
	for name, c := range map[string]struct {
		patch string
		want  []string
	}{
		"plain":                      {edit, []string{"f.go"}},
		"prose around":               {"I changed --- a/x, see:\n" + edit + "bye\n", []string{"f.go"}},
		"timestamps":                 {"--- a/x.go\t2024-01-01 00:00:00\n+++ b/x.go\t2024-01-01 00:00:01\n@@ -1 +1 @@\n-a\n+b\n", []string{"x.go"}},
		"no prefixes":                {"--- pkg/x.go\n+++ pkg/x.go\n@@ -1 +1 @@\n-a\n+b\n", []string{"pkg/x.go"}},
		"CR at the ends":             {"diff --git a/x.go b/x.go\r\n--- a/x.go\r\n+++ b/x.go\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", []string{"x.go"}},
		"removed line like a header": {"--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- a/not\n-b\n+++ b/not\n+c\n", []string{"x.sql"}},
		"wrong counts":               {"--- a/x\n+++ b/x\n@@ -1,90 +1,90 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", []string{"x", "y"}},
		"cut off in a header":        {"diff --git a/x b/x\n--- a/x", []string{"x"}},
		"deleted and added":          {"diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n" + adds("y", "100644", "1\n"), []string{"x", "y"}},
		"empty file added":           {"diff --git a/d/e b/d/e\nnew file mode 100644\nindex 0000000..e69de29\n", []string{"d/e"}},
		"mode only, blank in name":   {"diff --git a/a b.sh b/a b.sh\nold mode 100644\nnew mode 100755\n", []string{"a b.sh"}},
		"rename":                     {"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", []string{"x", "y"}},
		"copy":                       {"diff --git a/x b/y\nsimilarity index 90%\ncopy from x\ncopy to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", []string{"y"}},
		"binary":                     {"diff --git a/i.png b/i.png\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIcmZQzU|?WI0000005bt2\n\nliteral 0\nHcmV?d00001\n\n", []string{"i.png"}},
		"quoted":                     {"diff --git \"a/\\303\\274\\t\\\"\" \"b/\\303\\274\\t\\\"\"\nold mode 100644\nnew mode 100755\n", []string{"ü\t\""}},
		"outside names are left out": {"--- a/../x\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n" + edit, []string{"f.go"}},
		"empty":                      {"", nil},
		"prose only":                 {"no change needed\n", nil},
		"headers of nothing":         {"diff --git \ndiff --git \"\nrename from \nrename to\n--- \n+++ \n@@ -\n@@ -1\n", nil},
	} {
		if got := repos.PatchPaths([]byte(c.patch)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Git's own diffs of odd names are read the way git names them.
func TestPatchPathsAgreesWithGit(t *testing.T) {
	names := []string{"plain.go", "a b", "a b b/a b", "b/x", "q\"uote", "tab\there", "ünï", "new\nline", " lead", "x -> y", "dir/trail "}
	var one, two []repos.File
	for i, n := range names {
		one = append(one, file(n, strings.Repeat("line\n", i+1)))
		switch i % 4 {
		case 0:
			two = append(two, file(n, "-- x\n++ y\n"))
		case 1:
			two = append(two, repos.File{Path: n, Mode: "100755", Content: []byte(strings.Repeat("line\n", i+1))})
		case 2:
			two = append(two, file(n, "\x00\x01"))
		}
	}
	second := repos.Commit{Date: at(2), Author: "A <a>", Message: "x", Files: two, Remove: []string{names[3], names[7]}}
	dir, heads := history(t, commit(1, "x", one...), second)
	for _, extra := range [][]string{nil, {"--binary"}, {"-M1"}, {"--src-prefix=i/", "--dst-prefix=w/"}, {"-U0"}} {
		out, err := try(dir, append(append([]string{"diff"}, extra...), heads[0], heads[1])...)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(names)
		slices.Sort(want)
		if got := repos.PatchPaths([]byte(out)); !slices.Equal(got, want) {
			t.Errorf("%v: got %q\nwant %q\n%s", extra, got, want, out)
		}
	}
	m, err := repos.Open(context.Background(), filepath.Clean(dir))
	if err != nil {
		t.Fatal(err)
	}
	out, err := try(dir, "diff", "--binary", heads[0], heads[1])
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Apply(context.Background(), heads[0], []byte(out))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := m.Tree(context.Background(), heads[1])
	if err != nil || a.Tree != tree {
		t.Errorf("got tree %s (%s), want the second commit's %s; %v", a.Tree, a.Reason, tree, err)
	}
}

func FuzzPatchPaths(f *testing.F) {
	f.Add([]byte(edit))
	f.Add([]byte(adds("a/b", "120000", "x")))
	f.Add([]byte("diff --git \"a/\\3\" \"b/\\\nrename from \"\\\ncopy to x\n@@ -1,99999999999 +1 @@\n--- a\n+++ b"))
	f.Fuzz(func(t *testing.T, patch []byte) {
		got := repos.PatchPaths(patch)
		if !slices.IsSorted(got) {
			t.Errorf("not sorted: %q", got)
		}
		for _, p := range got {
			if p == "" || strings.HasPrefix(p, "/") || strings.Contains("/"+p+"/", "/../") || strings.Contains(strings.ToLower("/"+p+"/"), "/.git/") {
				t.Errorf("gave %q", p)
			}
		}
	})
}
