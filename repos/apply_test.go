package repos_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"evlab/repos"
)

// mirror is a snapshot of one commit with the files.
func mirror(t testing.TB, files ...repos.File) (*repos.Mirror, string) {
	t.Helper()
	dir, heads := history(t, commit(1, "base\n", files...))
	m, err := repos.Snapshot(context.Background(), filepath.Join(t.TempDir(), "store"), dir, heads[0])
	if err != nil {
		t.Fatal(err)
	}
	return m, heads[0]
}

func apply(t testing.TB, m *repos.Mirror, base, patch string) repos.Applied {
	t.Helper()
	a, err := m.Apply(context.Background(), base, []byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// content is a tree as path -> content, with modes other than 100644 in front.
func content(t testing.TB, m *repos.Mirror, tree string) map[string]string {
	t.Helper()
	files, err := m.Files(context.Background(), tree, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range files {
		got[f.Path] = string(f.Content)
		if f.Mode != "100644" {
			got[f.Path] = f.Mode + " " + got[f.Path]
		}
	}
	return got
}

// adds is a patch that adds one file.
func adds(path, mode, text string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	var b strings.Builder
	b.WriteString("diff --git a/" + path + " b/" + path + "\nnew file mode " + mode + "\n--- /dev/null\n+++ b/" + path + "\n")
	b.WriteString("@@ -0,0 +1," + itoa(len(lines)) + " @@\n")
	for _, l := range lines {
		b.WriteString("+" + strings.TrimSuffix(l, "\n") + "\n")
	}
	if !strings.HasSuffix(text, "\n") {
		b.WriteString("\\ No newline at end of file\n")
	}
	return b.String()
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// edits is a patch that replaces the one line of a file.
func edits(path, before, after string) string {
	return "diff --git a/" + path + " b/" + path + "\n--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n-" + before + "\n+" + after + "\n"
}

const edit = "--- a/f.go\n+++ b/f.go\n@@ -1 +1 @@\n-package f\n+package g\n"

func TestApplyOutcomes(t *testing.T) {
	m, base := mirror(t, file("f.go", "package f\n"), file("crlf.txt", "one\r\ntwo\r\n"), file("sub/a.txt", "a\n"), file("nonl", "x"))
	baseTree, err := m.Tree(context.Background(), base)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ patch, outcome, reason, path, want string }{
		"a plain edit":           {edit, "applied", "", "f.go", "package g\n"},
		"no final newline":       {strings.TrimSuffix(edit, "\n"), "applied", "", "f.go", "package g\n"},
		"prose around":           {"Here it is:\n\n" + edit + "\nDone.\n", "applied", "", "f.go", "package g\n"},
		"in fences":              {"```diff\n" + edit + "```\n", "applied", "", "f.go", "package g\n"},
		"a BOM before it":        {"\ufeffdiff --git a/f.go b/f.go\n" + edit, "applied", "", "f.go", "package g\n"},
		"a BOM in its way":       {"\ufeff" + edit, "apply-failed", "", "", ""},
		"two patches of a file":  {edit + "--- a/f.go\n+++ b/f.go\n@@ -1 +1 @@\n-package g\n+package h\n", "applied", "", "f.go", "package h\n"},
		"the same one twice":     {edit + edit, "apply-failed", "f.go: patch does not apply", "", ""},
		"reversed":               {"--- a/f.go\n+++ b/f.go\n@@ -1 +1 @@\n-package g\n+package f\n", "apply-failed", "f.go: patch does not apply", "", ""},
		"wrong counts":           {"--- a/f.go\n+++ b/f.go\n@@ -1,3 +1,3 @@\n-package f\n+package g\n", "apply-failed", "corrupt patch", "", ""},
		"names without prefixes": {"--- f.go\n+++ f.go\n@@ -1 +1 @@\n-package f\n+package g\n", "apply-failed", "", "", ""},
		"a binary file's stub":   {edit + "diff --git a/x.png b/x.png\nnew file mode 100644\nindex 0000000..1111111\nBinary files /dev/null and b/x.png differ\n", "apply-failed", "binary", "", ""},
		"CRLF patch on LF file":  {strings.ReplaceAll(edit, "\n", "\r\n"), "apply-failed", "f.go: patch does not apply", "", ""},
		"CR kept":                {"--- a/crlf.txt\n+++ b/crlf.txt\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+2\r\n", "applied", "", "crlf.txt", "one\r\n2\r\n"},
		"no newline at the end":  {"--- a/nonl\n+++ b/nonl\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n", "applied", "", "nonl", "y"},
		"mode":                   {"diff --git a/f.go b/f.go\nold mode 100644\nnew mode 100755\n", "applied", "", "f.go", "100755 package f\n"},
		"quoted name":            {"diff --git \"a/q\\303\\274 \\\"x\\\"\" \"b/q\\303\\274 \\\"x\\\"\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/q\\303\\274 \\\"x\\\"\"\n@@ -0,0 +1 @@\n+1\n", "applied", "", `qü "x"`, "1\n"},
		"link inside":            {adds("sub/l", "120000", "../f.go"), "applied", "", "sub/l", "120000 ../f.go"},
		"zero bytes":             {"", "empty", "is empty", "", ""},
		"blanks only":            {"  \n\t\r\n", "empty", "is empty", "", ""},
		"the same content":       {"--- a/f.go\n+++ b/f.go\n@@ -1 +1 @@\n-package f\n+package f\n", "empty", "changes nothing", "", ""},
		"prose":                  {"No change is needed.\n", "apply-failed", "No valid patches", "", ""},
		"cut off":                {edit[:len(edit)-12], "apply-failed", "corrupt patch", "", ""},
		"other context":          {"--- a/f.go\n+++ b/f.go\n@@ -1 +1 @@\n-package z\n+package g\n", "apply-failed", "f.go: patch does not apply", "", ""},
		"LF patch on CRLF file":  {"--- a/crlf.txt\n+++ b/crlf.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n", "apply-failed", "crlf.txt: patch does not apply", "", ""},
		"one of two files":       {edit + "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n", "apply-failed", "none: does not exist", "", ""},
		"parent folder":          {adds("../x", "100644", "1\n"), "apply-failed", `path "../x" leaves the tree`, "", ""},
		"parent inside":          {adds("sub/../../x", "100644", "1\n"), "apply-failed", `leaves the tree`, "", ""},
		"absolute":               {"--- /dev/null\n+++ /etc/passwd\n@@ -0,0 +1 @@\n+1\n", "apply-failed", `path "/etc/passwd" is absolute`, "", ""},
		"git folder":             {adds(".git/config", "100644", "1\n"), "apply-failed", `path ".git/config" is inside a .git folder`, "", ""},
		"git folder, other case": {adds("sub/.GIT/hooks/x", "100755", "1\n"), "apply-failed", "inside a .git folder", "", ""},
		"rename into git folder": {"diff --git a/f.go b/.git/f\nsimilarity index 100%\nrename from f.go\nrename to .git/f\n", "apply-failed", "inside a .git folder", "", ""},
		"link to /etc":           {adds("l", "120000", "/etc/passwd"), "apply-failed", `symbolic link "l" -> "/etc/passwd": absolute`, "", ""},
		"link out":               {adds("sub/l", "120000", "../../x"), "apply-failed", `symbolic link "sub/l" -> "../../x": target outside`, "", ""},
		"link out by a link":     {adds("sub/s", "120000", "..") + adds("l", "120000", "sub/s/../x"), "apply-failed", `symbolic link "l" -> "sub/s/../x"`, "", ""},
		"file beyond a link":     {adds("l", "120000", "sub") + adds("l/x", "100644", "1\n"), "apply-failed", "l", "", ""},
		"a name like a fault":    {"--- a/No space left\n+++ b/No space left\n@@ -1 +1 @@\n-a\n+b\n", "apply-failed", "No space left: does not exist", "", ""},
		"submodule":              {adds("mod", "160000", "Subproject commit 1111111111111111111111111111111111111111\n"), "apply-failed", `path "mod" is a submodule`, "", ""},
		"inflates without end":   {"diff --git a/b b/b\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..1111111111111111111111111111111111111111\nGIT binary patch\nliteral 99999999999\nAc${NkU|;|M00aO5\n\nliteral 0\nHcmV?d00001\n\n", "apply-failed", "", "", ""},
	} {
		a := apply(t, m, base, c.patch)
		if a.Outcome != c.outcome || !strings.Contains(a.Reason, c.reason) || (a.Outcome != "applied" && a.Reason == "") || strings.Contains(a.Reason, "\n") {
			t.Errorf("%s: got %s, reason %q; want %s, %q", name, a.Outcome, a.Reason, c.outcome, c.reason)
			continue
		}
		switch a.Outcome {
		case "applied":
			if got := content(t, m, a.Tree); got[c.path] != c.want || !slices.Contains(a.Paths, c.path) || a.OnlyRunnerConfig {
				t.Errorf("%s: %s is %q, want %q; %+v", name, c.path, got[c.path], c.want, a)
			}
		case "empty":
			if a.Tree != baseTree {
				t.Errorf("%s: tree %s, want base's", name, a.Tree)
			}
		default:
			if a.Tree != "" || len(a.Paths) != 0 {
				t.Errorf("%s: a failed patch has %+v", name, a)
			}
		}
		if newline := slices.Contains(a.Flags, "final newline added"); newline != (c.patch != "" && strings.Trim(c.patch, " \t\r\n") != "" && !strings.HasSuffix(c.patch, "\n")) {
			t.Errorf("%s: flags %v", name, a.Flags)
		}
	}
	a := apply(t, m, base, strings.Repeat("x", 16<<20+1))
	if a.Outcome != "apply-failed" || !strings.Contains(a.Reason, "at most 16777216") {
		t.Errorf("a huge patch: %+v", a)
	}
}

func TestApplyIsContentAddressedAndConcurrent(t *testing.T) {
	m, base := mirror(t, file("f.go", "package f\n"))
	before := snapshotOf(t, filepath.Join(m.Dir(), "objects"))
	trees := make([]string, 12)
	var wg sync.WaitGroup
	for i := range trees {
		wg.Go(func() {
			patch := edit
			if i%2 == 1 {
				patch = "diff --git a/f.go b/f.go\n" + edit // the same change in other words
			}
			a, err := m.Apply(context.Background(), base, []byte(patch))
			if err != nil {
				t.Error(err)
			}
			trees[i] = a.Tree
		})
	}
	wg.Wait()
	if got := slices.Compact(trees); len(got) != 1 || got[0] == "" {
		t.Errorf("trees: %v", got)
	}
	if after := snapshotOf(t, filepath.Join(m.Dir(), "objects")); !slices.Equal(before, after) {
		t.Errorf("the mirror's own objects changed: %v, then %v", before, after)
	}
	again, err := repos.Open(context.Background(), m.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if got := content(t, again, trees[0])["f.go"]; got != "package g\n" {
		t.Errorf("another process reads %q", got)
	}
}

func snapshotOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
		names = append(names, p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestApplyErrorsAreTheMachines(t *testing.T) {
	m, base := mirror(t, file("f.go", "package f\n"))
	if _, err := m.Apply(context.Background(), strings.Repeat("a", 40), []byte(edit)); err == nil {
		t.Error("an unknown base commit was taken")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Apply(ctx, base, []byte(edit)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	packs, err := filepath.Glob(filepath.Join(m.Dir(), "objects/pack/*.pack"))
	if err != nil {
		t.Fatal(err)
	}
	loose, err := filepath.Glob(filepath.Join(m.Dir(), "objects/??/*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(packs, loose...) {
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
	}
	if a, err := m.Apply(context.Background(), base, []byte(edit)); err == nil {
		t.Errorf("a damaged mirror gives %+v", a)
	}
}

func TestApplyTellsADamagedFileFromABadPatch(t *testing.T) {
	dir, heads := history(t, commit(1, "x", file("f.go", "package f\n"), file("g.go", "package g\n")))
	id := run(t, dir, "rev-parse", heads[0]+":f.go")
	packs, err := filepath.Glob(filepath.Join(dir, "objects/pack/pack-*.pack"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packs { // loose objects can be removed one by one
		aside := filepath.Join(t.TempDir(), "p.pack")
		if err := os.Rename(p, aside); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(strings.TrimSuffix(p, ".pack") + ".idx"); err != nil {
			t.Fatal(err)
		}
		unpack(t, dir, aside)
	}
	if err := os.Remove(filepath.Join(dir, "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
	m, err := repos.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := m.Apply(context.Background(), heads[0], []byte(edit)); err == nil || !strings.Contains(err.Error(), "missing or damaged") {
		t.Errorf("a patch of a file whose object is lost: %+v, %v", a, err)
	}
}

func TestApplyFlags(t *testing.T) {
	m, base := mirror(t, file("f.go", "package f\n"), file("go.mod", "module m\n"), file("f_test.go", "package f\n"), file("package.json", "{}\n"))
	testMain := adds("m_test.go", "100644", "package f\n\nfunc TestMain(m *testing.M) {}\n")
	for _, c := range []struct {
		patch string
		flags []string
		only  bool
	}{
		{edit, nil, false},
		{edits("f_test.go", "package f", "package f // x"), nil, false},
		{adds("conftest.py", "100644", "1\n"), []string{"runner config: conftest.py"}, true},
		{adds("a/pytest.ini", "100644", "1\n") + adds("setup.cfg", "100644", "1\n") + adds("tox.ini", "100644", "1\n"), []string{"runner config: a/pytest.ini", "runner config: setup.cfg", "runner config: tox.ini"}, true},
		{adds("sitecustomize.py", "100644", "1\n") + adds("x/y.pth", "100644", "1\n"), []string{"runner config: sitecustomize.py", "runner config: x/y.pth"}, true},
		{edits("package.json", "{}", "{ }"), []string{"runner config: package.json"}, true},
		{adds("Makefile", "100644", "1\n") + adds(".cargo/config.toml", "100644", "1\n"), []string{"runner config: .cargo/config.toml", "runner config: Makefile"}, true},
		{testMain, []string{"TestMain: m_test.go"}, true},
		{testMain + edit, []string{"TestMain: m_test.go"}, false},
		{edits("go.mod", "module m", "module n"), []string{"go module: go.mod"}, true},
		{"--- a/go.mod\n+++ b/go.mod\n@@ -1 +1,4 @@\n module m\n+replace (\n+\ta => ./b\n+)\n", []string{"go module: go.mod", "go.mod replace: go.mod"}, true},
		{adds("go.work", "100644", "go 1.26\n") + adds("go.sum", "100644", "x\n"), []string{"go module: go.sum", "go module: go.work"}, true},
		{adds("vendor/x/y.go", "100644", "package y\n"), []string{"vendored code: vendor/x/y.go"}, true},
		{adds("testdata/junit.xml", "100644", "<x/>\n") + edit, []string{"report file: testdata/junit.xml"}, false},
		{adds("conftest.py", "100644", "1\n") + edits("f_test.go", "package f", "package g"), []string{"runner config: conftest.py"}, true},
	} {
		a := apply(t, m, base, c.patch)
		if a.Outcome != "applied" || !slices.Equal(a.Flags, c.flags) || a.OnlyRunnerConfig != c.only {
			t.Errorf("got %+v, want flags %v, only %v, for\n%s", a, c.flags, c.only, c.patch)
		}
	}
}

// TestFlagsOfRepositoriesThatAreTheRunner: what would be loaded in a runner's place is the program where base has it.
func TestFlagsOfRepositoriesThatAreTheRunner(t *testing.T) {
	m, base := mirror(t, file("_pytest/config.py", "a\n"), file("junit/src/main/java/org/junit/Assert.java", "a\n"), file("pluggy.py", "a\n"))
	for _, c := range []struct {
		patch string
		flags []string
	}{
		{edits("_pytest/config.py", "a", "b"), nil},
		{adds("_pytest/more.py", "100644", "b\n") + edits("pluggy.py", "a", "b"), nil},
		{adds("junit/src/main/java/org/junit/Assume.java", "100644", "b\n"), nil},
		{adds("pytest.py", "100644", "b\n"), []string{"runner config: pytest.py"}},
		{adds("other/org/junit/Assert.java", "100644", "b\n"), []string{"runner config: other/org/junit/Assert.java"}},
	} {
		a := apply(t, m, base, c.patch)
		if a.Outcome != "applied" || !slices.Equal(a.Flags, c.flags) || a.OnlyRunnerConfig != (c.flags != nil) {
			t.Errorf("got %+v, want flags %v for\n%s", a, c.flags, c.patch)
		}
	}
}
