package repos_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evlab/repos"
)

func at(day int) time.Time { return time.Date(2024, 3, day, 10, 0, 0, 0, time.UTC) }

func commit(day int, message string, files ...repos.File) repos.Commit {
	return repos.Commit{Date: at(day), Author: "Ada Example <ada@example.org>", Message: message, Files: files}
}

func file(path, content string) repos.File {
	return repos.File{Path: path, Mode: "100644", Content: []byte(content)}
}

func link(path, target string) repos.File {
	return repos.File{Path: path, Mode: "120000", Content: []byte(target)}
}

// history builds a repository and returns its folder and the ids of its commits.
func history(t testing.TB, commits ...repos.Commit) (dir string, heads []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "repo.git")
	heads, err := repos.BuildHistory(context.Background(), dir, commits)
	if err != nil {
		t.Fatal(err)
	}
	return dir, heads
}

func TestBuildHistoryIsDeterministicAndReadable(t *testing.T) {
	second := commit(2, "Second\n\nwith \"quotes\"\n", file("dir/a b\"ü.txt", "two\r\n"), repos.File{Path: "run.sh", Mode: "100755", Content: []byte("x")})
	second.Remove = []string{"gone.txt"}
	commits := []repos.Commit{commit(1, "First\n", file("gone.txt", "1\n"), file("keep.txt", "k\n")), second}
	dir, heads := history(t, commits...)
	_, again := history(t, commits...)
	if len(heads) != 2 || heads[0] != again[0] || heads[1] != again[1] {
		t.Fatalf("ids differ: %v and %v", heads, again)
	}
	m, err := repos.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := m.Files(context.Background(), heads[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Mode+" "+f.Path+" "+string(f.Content))
	}
	want := "100644 dir/a b\"ü.txt two\r\n|100644 keep.txt k\n|100755 run.sh x"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %q\nwant %q", strings.Join(got, "|"), want)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".history-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestBuildHistoryRefuses(t *testing.T) {
	bad := map[string][]repos.Commit{
		"at least one commit": nil,
		"Name <mail>":         {{Date: at(1), Author: "ada", Message: "x", Files: []repos.File{file("a", "")}}},
		"since 1970":          {{Author: "A <a>", Message: "x", Files: []repos.File{file("a", "")}}},
		"changes nothing":     {commit(1, "x")},
		"no such file":        {{Date: at(1), Author: "A <a>", Message: "x", Remove: []string{"a"}}},
		"leaves the tree":     {commit(1, "x", file("../a", ""))},
		"absolute":            {commit(1, "x", file("/a", ""))},
		".git folder":         {commit(1, "x", file("b/.GIT/config", ""))},
		"given twice":         {commit(1, "x", file("a", ""), file("a", ""))},
		"in its way":          {commit(1, "x", file("a", ""), file("a/b", ""))},
		"mode":                {commit(1, "x", repos.File{Path: "a", Mode: "160000"})},
	}
	for want, commits := range bad {
		dir := filepath.Join(t.TempDir(), "r")
		_, err := repos.BuildHistory(context.Background(), dir, commits)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: a folder was made", want)
		}
	}
	dir, _ := history(t, commit(1, "x", file("a", "")))
	if _, err := repos.BuildHistory(context.Background(), dir, []repos.Commit{commit(1, "x", file("a", ""))}); err == nil {
		t.Error("a second build over the first was not refused")
	}
}

func TestParseCommit(t *testing.T) {
	c, err := repos.ParseCommit("0001-x.txtar", []byte("date: 2024-03-05T10:00:00+02:00\nauthor: Ada E <ada@example.org>\nremove: old.go\n\nAdd a\n\nBody.\n-- a/b.go --\npackage b\n-- c --\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Message != "Add a\n\nBody.\n" || c.Author != "Ada E <ada@example.org>" || len(c.Files) != 2 || c.Remove[0] != "old.go" ||
		string(c.Files[0].Content) != "package b\n" || !c.Date.Equal(time.Date(2024, 3, 5, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("got %+v", c)
	}
	for text, want := range map[string][]string{
		"x\n-- --": {"f:1: expected header lines"}, // a marker whose halves share a blank
		"":         {"f:1: expected header lines"},
		"date: yesterday\nwho: me\n\nm\n-- a --\n":                                       {"f:1: date", "f:2: unknown header", "expected a header line author"},
		"date: 2024-03-05T10:00:00Z\nauthor: A <a>\n\nm\n":                               {"at least one file"},
		"date: 2024-03-05T10:00:00Z\nauthor: A <a>\n\nm\n-- ../a --\n-- b --\n-- b --\n": {"f:5: path \"../a\" leaves", "f:6: file \"b\" is given twice"},
	} {
		_, err := repos.ParseCommit("f", []byte(text))
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%q: got %v, want %q", text, err, w)
			}
		}
	}
}

func FuzzParseCommit(f *testing.F) {
	f.Add([]byte("date: 2024-03-05T10:00:00Z\nauthor: A <a>\nremove: x\n\nm\n-- a --\nb\n"))
	f.Add([]byte("\n\n-- a --"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := repos.ParseCommit("f", data)
		if err == nil && (c.Message == "" || c.Author == "" || c.Date.IsZero()) {
			t.Errorf("accepted without message, author or date: %+v", c)
		}
		for _, file := range c.Files {
			if strings.HasPrefix(file.Path, "/") || strings.Contains("/"+file.Path+"/", "/../") {
				t.Errorf("accepted path %q", file.Path)
			}
		}
	})
}
