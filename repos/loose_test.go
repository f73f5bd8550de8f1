package repos_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"evlab/repos"
)

// ten is a file of ten lines, with some of them replaced.
func ten(replaced ...string) string {
	return strings.NewReplacer(replaced...).Replace("l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\n")
}

// section is a patch of one file whose hunk has three lines of context, the first of them as given.
func section(path, context string) string {
	return "diff --git a/" + path + " b/" + path + "\n--- a/" + path + "\n+++ b/" + path +
		"\n@@ -1,7 +1,7 @@\n " + context + "\n l2\n l3\n-l4\n+L4\n l5\n l6\n l7\n"
}

func loosely(t *testing.T, m *repos.Mirror, base, patch string, way repos.Way) repos.Loosened {
	t.Helper()
	l, err := m.ApplyLoosely(context.Background(), base, []byte(patch), way)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestApplyLoosely: what each way makes of patches that Apply refuses.
func TestApplyLoosely(t *testing.T) {
	if _, err := exec.LookPath("patch"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("GNU patch is not installed")
	}
	m, base := mirror(t, repos.File{Path: "a.txt", Content: []byte(ten())}, repos.File{Path: "b.txt", Content: []byte(ten())},
		repos.File{Path: "d/run.sh", Mode: "100755", Content: []byte(ten())}, repos.File{Path: "link", Mode: "120000", Content: []byte("a.txt")},
		repos.File{Path: "way", Mode: "120000", Content: []byte("d")}, repos.File{Path: "blanks.txt", Content: []byte(ten("l1\n", "l1  and   1\n"))},
		repos.File{Path: ".gitattributes", Content: []byte("*.txt text eol=lf ident filter=x\n")})
	far := "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-l1\n+L1\n l2\n l3\n@@ -8,3 +8,3 @@\n l8\n-nine\n+L9\n l10\n"
	binary := "diff --git a/x.bin b/x.bin\nindex 1111111..2222222 100644\nBinary files a/x.bin and b/x.bin differ\n"
	l4 := map[string]string{"a.txt": ten("l4", "L4")}
	for _, c := range []struct {
		name, patch string
		way         repos.Way
		outcome     string
		how         string            // part of it
		changed     map[string]string // "" for a file that is gone
	}{
		{"fuzz", section("a.txt", "other"), repos.Fuzzy, repos.OutcomeApplied, "with fuzz", l4},
		{"fuzz is in nobody else's way", section("a.txt", "other"), repos.Parts, repos.OutcomeEmpty, "nothing is left", nil},
		{"fuzz", section("a.txt", "other"), repos.ThreeWay, repos.OutcomeFailed, "apply", nil},
		{"fuzz", section("a.txt", "other"), repos.Ignored, repos.OutcomeEmpty, "passed over", nil},
		{"fuzz", section("a.txt", "other"), repos.Whole, repos.OutcomeFailed, "whole or not at all", nil},
		// patch finds a file as git left it in the attempt before, takes its section for one that is there already, and
		// turns it round: of two sections the good one gets lost.
		{"a section that is turned round", section("a.txt", "l1") + section("b.txt", "other"), repos.Fuzzy, repos.OutcomeApplied, "turned round",
			map[string]string{"b.txt": ten("l4", "L4")}},
		{"a file that exists already", adds("new.txt", "100644", "x\n") + section("b.txt", "other"), repos.Fuzzy, repos.OutcomeApplied, "turned round",
			map[string]string{"b.txt": ten("l4", "L4")}},
		{"a hunk that fits nowhere", far, repos.Fuzzy, repos.OutcomeFailed, "patch", nil},
		{"a hunk that fits nowhere", far, repos.Parts, repos.OutcomeApplied, "in part", map[string]string{"a.txt": ten("l1\n", "L1\n")}},
		{"reversed", section("a.txt", "l1") + section("b.txt", "other"), repos.Parts, repos.OutcomeApplied, "in part", l4},
		{"modes stay", section("d/run.sh", "other"), repos.Fuzzy, repos.OutcomeApplied, "fuzz", map[string]string{"d/run.sh": "100755 " + ten("l4", "L4")}},
		{"no prefix a/", "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-l1\n+x\n", repos.Fuzzy, repos.OutcomeFailed, "patch", nil},
		{"wrong counts", strings.Replace(section("a.txt", "l1"), "-1,7 +1,7", "-1,9 +1,9", 1), repos.ThreeWay, repos.OutcomeApplied, "--recount", l4},
		{"blanks", section("blanks.txt", "l1 and 1"), repos.ThreeWay, repos.OutcomeApplied, "space", map[string]string{"blanks.txt": ten("l1\n", "l1  and   1\n", "l4", "L4")}},
		{"a binary section", binary + section("a.txt", "l1"), repos.Ignored, repos.OutcomeApplied, "without the binary", l4},
		{"no diff", "hello\n", repos.Fuzzy, repos.OutcomeFailed, "", nil},
		{"no diff", "hello\n", repos.Parts, repos.OutcomeEmpty, "nothing is left", nil},
		{"a path that leaves", section("../a.txt", "l1"), repos.Fuzzy, repos.OutcomeFailed, "leaves the tree", nil},
		{"a path in .git", adds(".git/hooks/x", "100755", "x\n"), repos.Parts, repos.OutcomeFailed, ".git", nil},
		{"a link", adds("l", "120000", "/etc/passwd\n") + far, repos.Parts, repos.OutcomeFailed, "symbolic link", nil},
		{"through a link", adds("way/x", "100644", "x\n") + far, repos.Parts, repos.OutcomeFailed, "link", nil},
		{"an editor's script", "--- a/a.txt\n+++ b/a.txt\n1c\nx\n.\nw\nq\n", repos.Fuzzy, repos.OutcomeFailed, "", nil},
		{"an editor's script after a hunk", section("a.txt", "other") + "--- a/b.txt\n+++ b/b.txt\n 1c\nx\n.\nw\nq\n", repos.Fuzzy, repos.OutcomeApplied, "", l4},
		{"a diff of the old kind", "--- a/a.txt\n+++ b/a.txt\n1c1\n< l1\n---\n> x\n", repos.Fuzzy, repos.OutcomeFailed, "", nil},
	} {
		t.Run(c.name+" "+string(c.way), func(t *testing.T) {
			if a := apply(t, m, base, c.patch); a.Outcome != repos.OutcomeFailed {
				t.Fatalf("Apply takes it: %+v", a)
			}
			l := loosely(t, m, base, c.patch, c.way)
			if l.Outcome != c.outcome || !strings.Contains(l.How, c.how) || l.How == "" {
				t.Fatalf("%+v, want %s %q", l, c.outcome, c.how)
			}
			if (l.Tree != "") != (c.outcome == repos.OutcomeApplied) {
				t.Errorf("its tree is %q", l.Tree)
			}
			if c.changed == nil {
				return
			}
			want := content(t, m, base)
			for p, text := range c.changed {
				want[p] = text
			}
			got := content(t, m, l.Tree)
			for p := range want {
				if got[p] != want[p] {
					t.Errorf("%s is %q, want %q", p, got[p], want[p])
				}
			}
			for p := range got {
				if _, there := want[p]; !there {
					t.Errorf("%s is left", p)
				}
			}
			diff, err := m.Diff(context.Background(), base, l.Tree)
			if err != nil {
				t.Fatal(err)
			}
			if a := apply(t, m, base, string(diff)); a.Tree != l.Tree {
				t.Errorf("its diff gives another tree: %+v", a)
			}
		})
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "evlab-loose-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestApplyLooselyNeedsGNUPatch(t *testing.T) {
	m, base := mirror(t, repos.File{Path: "a.txt", Content: []byte(ten())})
	bin := t.TempDir()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(git, filepath.Join(bin, "git")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "patch"), []byte("#!/bin/sh\necho 'patch 2.0-12u11-Apple'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	if _, err := m.ApplyLoosely(context.Background(), base, []byte(section("a.txt", "other")), repos.Fuzzy); err == nil || !strings.Contains(err.Error(), "GNU patch") {
		t.Errorf("another patch program: %v", err)
	}
}
