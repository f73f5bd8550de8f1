package executors

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// applyWithGit writes base files, applies the patch with the real git and returns every file that is there after.
func applyWithGit(t *testing.T, base map[string]string, patch []byte) map[string]string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range base {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "apply", "--whitespace=nowarn", "-")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	cmd.Stdin = strings.NewReader(string(patch))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%.4000s", err, out, patch)
	}
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		got[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func sameFiles(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if g, ok := got[name]; !ok || g != text {
			t.Errorf("%s: got %q (there: %v), want %q", name, g, ok, text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}

func TestDiff(t *testing.T) {
	numbered := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintf(&b, "%d\n", i)
		}
		return b.String()
	}
	for _, c := range []struct{ name, path, old, new, want string }{
		{"no change", "x.go", "a\n", "a\n", ""},
		{"one line with its context", "x.go", numbered(1, 9), strings.Replace(numbered(1, 9), "5\n", "five\n", 1),
			"diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		{"changes whose contexts touch are one hunk", "x.go", numbered(1, 8), "one\n" + numbered(2, 7) + "eight\n",
			"diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1,8 +1,8 @@\n-1\n+one\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+eight\n"},
		{"changes further apart are two", "x.go", numbered(1, 9), "one\n" + numbered(2, 8) + "nine\n",
			"diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+nine\n"},
		{"no line feed at the end of the old", "x.go", "a", "a\n",
			"diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"a name with a blank", "a b.go", "a\n", "b\n",
			"diff --git a/a b.go b/a b.go\n--- a/a b.go\t\n+++ b/a b.go\t\n@@ -1 +1 @@\n-a\n+b\n"},
		{"a name with a quote", `a".go`, "a\n", "b\n",
			"diff --git \"a/a\\\".go\" \"b/a\\\".go\"\n--- \"a/a\\\".go\"\n+++ \"b/a\\\".go\"\n@@ -1 +1 @@\n-a\n+b\n"},
	} {
		got := string(appendDiff(nil, c.path, c.old, c.new, true))
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		if c.want != "" {
			sameFiles(t, applyWithGit(t, map[string]string{c.path: c.old}, []byte(got)), map[string]string{c.path: c.new})
		}
	}
	created := string(appendDiff(nil, "dir/x.go", "", "a\nb\n", false))
	if want := "diff --git a/dir/x.go b/dir/x.go\nnew file mode 100644\n--- /dev/null\n+++ b/dir/x.go\n@@ -0,0 +1,2 @@\n+a\n+b\n"; created != want {
		t.Errorf("new file:\n%s", created)
	}
}

// TestDiffAppliesWithGit makes one patch of many random pairs of files, few distinct lines so that much repeats, and
// has the real git turn the old into the new.
func TestDiffAppliesWithGit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"", "a", "b", "}", "-- a/x", "++ b/x", "\tdiff --git a/x b/x", "@@ -1 +1 @@", " ", "\r", "\\ No newline at end of file", "ü\x00\xff"}
	text := func(lines int) string {
		var b strings.Builder
		for range lines {
			b.WriteString(alphabet[rng.IntN(len(alphabet))] + "\n")
		}
		s := b.String()
		if rng.IntN(4) == 0 {
			s = strings.TrimSuffix(s, "\n")
		}
		return s
	}
	edited := func(s string) string {
		lines := strings.SplitAfter(s, "\n")
		for range 1 + rng.IntN(4) {
			at := rng.IntN(len(lines))
			switch rng.IntN(3) {
			case 0:
				lines[at] = text(1)
			case 1:
				lines[at] = ""
			case 2:
				lines[at] += text(rng.IntN(3))
			}
		}
		return strings.Join(lines, "")
	}
	base, want := map[string]string{}, map[string]string{}
	var patch []byte
	for i := range 600 {
		name := fmt.Sprintf("d%d/file %d.go", i%7, i)
		if i%3 == 0 {
			name = fmt.Sprintf("d%d/file%d.go", i%7, i)
		}
		old := text(1 + rng.IntN(40))
		changed := edited(old)
		exists := true
		switch rng.IntN(10) {
		case 0:
			changed = text(rng.IntN(40))
		case 1:
			exists = false
		case 2:
			changed = ""
		}
		if old == "" || !exists && changed == "" {
			continue
		}
		if exists {
			base[name] = old
		} else {
			old = ""
		}
		want[name] = changed
		patch = appendDiff(patch, name, old, changed, exists)
	}
	sameFiles(t, applyWithGit(t, base, patch), want)
}

func TestDiffIsShortest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		side := func() (lines []string) {
			for range rng.IntN(9) {
				lines = append(lines, string(rune('a'+rng.IntN(3)))+"\n")
			}
			return lines
		}
		old, new := side(), side()
		var back, forth []string
		changes := 0
		for _, l := range compare(old, new) {
			if l.op != '+' {
				back = append(back, l.text)
			}
			if l.op != '-' {
				forth = append(forth, l.text)
			}
			if l.op != ' ' {
				changes++
			}
		}
		if strings.Join(back, "") != strings.Join(old, "") || strings.Join(forth, "") != strings.Join(new, "") {
			t.Fatalf("%q to %q: sides %q and %q", old, new, back, forth)
		}
		if want := len(old) + len(new) - 2*common(old, new); changes != want {
			t.Fatalf("%q to %q in %d changes, want %d", old, new, changes, want)
		}
	}
}

// common is the length of the longest common subsequence, by the textbook's table.
func common(a, b []string) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			if table[i+1][j+1] = max(table[i][j+1], table[i+1][j]); a[i] == b[j] {
				table[i+1][j+1] = table[i][j] + 1
			}
		}
	}
	return table[len(a)][len(b)]
}

func TestDiffOfUnlikeFilesIsBounded(t *testing.T) {
	var old, new strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&old, "old %d\n", i)
		fmt.Fprintf(&new, "new %d\n", i)
	}
	patch := appendDiff(nil, "x", old.String(), new.String(), true)
	sameFiles(t, applyWithGit(t, map[string]string{"x": old.String()}, patch), map[string]string{"x": new.String()})
}
