package organizer_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evlab/evidence"
	"evlab/organizer"
)

func TestTargetFiles(t *testing.T) {
	for _, c := range []struct{ name, diff, want string }{
		{"nothing", "", ""},
		{"no diff", "Subject: a patch\n---\n b.go | 2 +-\n--- not a header\n", ""},
		{"an edit, a creation and a deletion, sorted", `diff --git a/z.go b/z.go
index 1..2 100644
--- a/z.go
+++ b/z.go
@@ -1 +1 @@
-a
+b
diff --git a/dir/new.go b/dir/new.go
new file mode 100644
--- /dev/null
+++ b/dir/new.go
@@ -0,0 +1 @@
+a
diff --git a/gone.go b/gone.go
deleted file mode 100644
--- a/gone.go
+++ /dev/null
@@ -1 +0,0 @@
-a
`, "dir/new.go gone.go z.go"},
		{"tests are no targets", "--- a/x_test.go\n+++ b/x_test.go\n@@ -1 +1 @@\n-a\n+b\n--- a/testdata/y.go\n+++ b/testdata/y.go\n@@ -1 +1 @@\n-a\n+b\n", ""},
		{"a plain diff of two files, with dates", "--- old/x.go\t2026-01-01\n+++ new/x.go\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n--- old/y.go\n+++ new/y.go\n@@ -1 +1 @@\n-a\n+b\n", "x.go y.go"},
		{"removed and added lines that look like headers", "--- a/x.go\n+++ b/x.go\n@@ -1,2 +1,2 @@ func\n--- a/no.go\n+++ b/no.go\n-diff --git a/q b/q\n+diff --git a/q b/q\n", "x.go"},
		{"a hunk that ends early", "--- a/x.go\n+++ b/x.go\n@@ -1,9 +1,9 @@\n a\ndiff --git a/y.go b/y.go\nold mode 100644\nnew mode 100755\n", "x.go y.go"},
		{"a rename edits both names", "diff --git a/x.go b/y.go\nsimilarity index 100%\nrename from x.go\nrename to y.go\n", "x.go y.go"},
		{"a copy edits the new name only", "diff --git a/x.go b/y.go\ncopy from x.go\ncopy to y.go\n--- a/x.go\n+++ b/y.go\n@@ -1 +1 @@\n-a\n+b\n", "y.go"},
		{"a quoted name", "diff --git \"a/\\303\\244.go\" \"b/\\303\\244.go\"\nold mode 100644\nnew mode 100755\n", "ä.go"},
		{"line ends of another system", "diff --git a/x.go b/x.go\r\n--- a/x.go\r\n+++ b/x.go\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", "x.go"},
		{"a header that names nothing", "diff --git nothing\ndiff --git \"a/x\n+++ b/alone.go\n@@ -x +y @@\n", ""},
	} {
		if got := strings.Join(organizer.TargetFiles([]byte(c.diff)), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// git runs the real git in dir, away from the user's configuration.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@localhost"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

func TestTargetFilesAgreesWithGit(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	names := []string{"plain.go", "with space.go", "a b/c d.go", "tab\there.go", `quote".go`, `back\slash.go`, "ünïcode.go", "dir/b/x.go",
		"x_test.go", "testdata/in.txt", "a/b b/c.go", "no ext", "bin.dat", "ends "}
	for round := range 8 {
		for i, name := range names {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			var err error
			switch rng.IntN(6) {
			case 0, 1:
				text := strings.Repeat(fmt.Sprintf("-- a/%d\n++ b/%d\n", rng.IntN(9), i), 1+rng.IntN(9))
				if name == "bin.dat" {
					text = "\x00" + text
				}
				err = os.WriteFile(path, []byte(text), 0o644)
			case 2:
				if err = os.Remove(path); os.IsNotExist(err) {
					err = nil
				}
			case 3:
				if err = os.Chmod(path, 0o755); os.IsNotExist(err) {
					err = nil
				}
			case 4:
				if err = os.Rename(path, path+".moved.go"); os.IsNotExist(err) {
					err = nil
				}
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		git(t, dir, "add", "-A")
		var want []string
		for name := range strings.SplitSeq(git(t, dir, "diff", "--cached", "--no-renames", "--name-only", "-z"), "\x00") {
			if name != "" && !evidence.IsTestPath(name) {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		for _, args := range [][]string{{"--no-renames"}, {"-M"}, {"-M", "--binary"}, {"-C", "--find-copies-harder"}, {"-M", "--src-prefix=i/", "--dst-prefix=w/"}} {
			diff := git(t, dir, append([]string{"diff", "--cached"}, args...)...)
			if got := organizer.TargetFiles([]byte(diff)); !slices.Equal(got, want) {
				t.Errorf("round %d, %v:\ngot  %q\nwant %q\n%s", round, args, got, want, diff)
			}
		}
		git(t, dir, "commit", "-q", "--allow-empty", "-m", "round")
	}
}
