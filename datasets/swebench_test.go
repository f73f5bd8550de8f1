package datasets_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"evlab/datasets"
	"evlab/repos"
)

const (
	fix       = "--- a/f.go\n+++ b/f.go\n@@ -1 +1 @@\n-package f\n+package g\n"
	testPatch = "--- a/f_test.go\n+++ b/f_test.go\n@@ -1 +1 @@\n-package f\n+package g\n"
)

// repository builds a repository of one commit at dir and returns the commit.
func repository(t testing.TB, dir string) string {
	t.Helper()
	heads, err := repos.BuildHistory(context.Background(), dir, []repos.Commit{{
		Date: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), Author: "A <a@example.org>", Message: "base\n",
		Files: []repos.File{{Path: "f.go", Content: []byte("package f\n")}, {Path: "f_test.go", Content: []byte("package f\n")}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return heads[0]
}

type row map[string]any

// goRow is a complete row; changes replace fields, a nil takes one out.
func goRow(id, commit string, changes row) row {
	r := row{
		"instance_id": id, "repo": "owner/name", "base_commit": commit, "problem_statement": "It is f.\r\n", "hints_text": "try g",
		"patch": fix, "test_patch": testPatch, "FAIL_TO_PASS": `["TestG", "TestG/sub"]`, "PASS_TO_PASS": []string{"example.org/m::TestF"},
		"created_at": "2024-01-02T00:00:00Z", "version": "1",
	}
	for k, v := range changes {
		if r[k] = v; v == nil {
			delete(r, k)
		}
	}
	return r
}

func lines(t testing.TB, rows ...row) string {
	t.Helper()
	var b strings.Builder
	for _, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

func TestReadSWEBench(t *testing.T) {
	dir := t.TempDir()
	commit := repository(t, filepath.Join(dir, "owner+name", "repo"))
	text := "\xef\xbb\xbf" + strings.ReplaceAll(lines(t,
		goRow("a", commit, nil),
		goRow("b", commit, row{"language": "Go", "created_at": 1704153600000, "pass_to_pass_complete": false, "PASS_TO_PASS": "[]",
			"FAIL_TO_PASS": []string{"TestG"}, "FAIL_TO_PASS_QUALIFIED": `["example.org/m::TestG", "example.org/m/sub::TestG"]`}),
		goRow("p", commit, row{"language": "python", "FAIL_TO_PASS": nil}),
	), "\n", "\r\n\r\n")
	c, err := datasets.ReadSWEBench(context.Background(), saved(t, "my tasks.jsonl", text), in(dir), "go")
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "my-tasks" || c.Trusted || c.Certified || len(c.Tasks) != 2 || len(c.Excluded) != 0 {
		t.Fatalf("got %+v", c)
	}
	a, b := c.Tasks[0], c.Tasks[1]
	if a.ID != "a" || a.Repo != "owner/name" || a.BaseCommit != commit || a.Language != "go" || a.State.Issue != "It is f.\r\n" || a.CreatedAt != "2024-01-02T00:00:00Z" {
		t.Errorf("task %+v", a)
	}
	if js, err := json.Marshal(a); err != nil || strings.Contains(string(js), "try g") {
		t.Errorf("the hints are shown: %s %v", js, err)
	}
	pa, pb := c.Private["a"], c.Private["b"]
	if string(pa.Reference) != fix || string(pa.Tests.Patch) != testPatch || !slices.Equal(pa.Tests.FailToPass, []string{"TestG", "TestG/sub"}) ||
		!slices.Equal(pa.Tests.PassToPass, []string{"example.org/m::TestF"}) || !pa.Tests.PassToPassComplete || pa.Certificate != nil {
		t.Errorf("private %+v", pa)
	}
	if !slices.Equal(pb.Tests.FailToPass, []string{"example.org/m::TestG", "example.org/m/sub::TestG"}) || len(pb.Tests.PassToPass) != 0 || pb.Tests.PassToPassComplete || b.CreatedAt != "1704153600000" {
		t.Errorf("private %+v, created %q", pb, b.CreatedAt)
	}
	if c.Sources["a"] != filepath.Join(dir, "owner+name", "repo") {
		t.Errorf("source %q", c.Sources["a"])
	}
	if !c.PublicDigest.Valid() || !c.PrivateDigest.Valid() {
		t.Errorf("digests %q %q", c.PublicDigest, c.PrivateDigest)
	}
	other, err := datasets.ReadSWEBench(context.Background(), saved(t, "my tasks.jsonl", lines(t, goRow("a", commit, nil), goRow("b", commit, row{"patch": fix + "\n"}))), in(dir), "")
	if err != nil {
		t.Fatal(err)
	}
	if other.PrivateDigest == c.PrivateDigest || other.PublicDigest == c.PublicDigest { // created_at of b differs, too
		t.Error("other content, same digests")
	}
}

func TestReadSWEBenchLayouts(t *testing.T) {
	for _, layout := range []string{"owner+name/repo", "owner+name/repo.git", "owner__name", "owner__name.git", "owner/name", "owner+name", "name", "name.git"} {
		dir := t.TempDir()
		commit := repository(t, filepath.Join(dir, filepath.FromSlash(layout)))
		c, err := datasets.ReadSWEBench(context.Background(), saved(t, "t.jsonl", lines(t, goRow("a", commit, nil))), in(dir), "")
		if err != nil || len(c.Excluded) != 0 || c.Sources["a"] == "" {
			t.Errorf("%s: %v %+v", layout, err, c)
		}
	}
	// A work tree, whose git directory is inside.
	dir := t.TempDir()
	commit := repository(t, filepath.Join(dir, "owner__name", ".git"))
	c, err := datasets.ReadSWEBench(context.Background(), saved(t, "t.jsonl", lines(t, goRow("a", commit, nil))), in(dir), "")
	if err != nil || c.Sources["a"] != filepath.Join(dir, "owner__name", ".git") {
		t.Errorf("work tree: %v %+v", err, c)
	}
}

func TestReadSWEBenchExcludes(t *testing.T) {
	dir := t.TempDir()
	commit := repository(t, filepath.Join(dir, "owner__name"))
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	rows := []row{goRow("fine", commit, nil)}
	for reason, changes := range map[string]row{
		"field patch is missing":                              {"patch": nil},
		"field FAIL_TO_PASS is missing":                       {"FAIL_TO_PASS": nil},
		"field PASS_TO_PASS is missing; an empty list":        {"PASS_TO_PASS": nil},
		"field problem_statement is missing":                  {"problem_statement": nil},
		"issue is empty":                                      {"problem_statement": " "},
		"field repo: expected a string, found 7":              {"repo": 7},
		"field patch: expected a string, found null":          {"patch": json.RawMessage("null")},
		"field patch is empty":                                {"patch": "\n"},
		"field FAIL_TO_PASS is empty":                         {"FAIL_TO_PASS": "[]"},
		"expected a JSON list in the string":                  {"FAIL_TO_PASS": "TestG"},
		"reading the list":                                    {"FAIL_TO_PASS": "['TestG']"},
		"element 1: the test name \"\" is blank":              {"PASS_TO_PASS": []string{"TestA", ""}},
		"does not name the same tests":                        {"FAIL_TO_PASS_QUALIFIED": []string{"m::TestOther"}},
		"has no package":                                      {"FAIL_TO_PASS_QUALIFIED": []string{"TestG"}},
		"not a full commit id":                                {"base_commit": "HEAD"},
		"it has no commit or tree " + strings.Repeat("a", 40): {"base_commit": strings.Repeat("a", 40)},
		"is not in " + dir:                                    {"repo": "owner/other"},
		"expected owner/name":                                 {"repo": "../name"},
		"its language is not given":                           {"test_patch": "", "patch": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"},
		"expected true or false":                              {"pass_to_pass_complete": "yes"},
		"field patch is missing; field test_patch is missing": {"patch": nil, "test_patch": nil, "language": "go"},
	} {
		id := "t" + string(rune('a'+len(rows)))
		want[id] = reason
		rows = append(rows, goRow(id, commit, changes))
	}
	c, err := datasets.ReadSWEBench(context.Background(), saved(t, "t.jsonl", lines(t, rows...)), in(dir), "")
	if err != nil {
		t.Fatal(err)
	}
	for id, reason := range want {
		if got := c.Excluded[id]; !strings.Contains(got, reason) || !strings.Contains(got, "t.jsonl:") || strings.Contains(got, "\n") {
			t.Errorf("%s: got %q, want %q", id, got, reason)
		}
		if c.Sources[id] != "" {
			t.Errorf("%s: a source", id)
		}
	}
	if len(c.Tasks) != len(rows) || len(c.Excluded) != len(want) {
		t.Errorf("%d tasks, %d excluded: %q", len(c.Tasks), len(c.Excluded), slices.Sorted(maps.Keys(c.Excluded)))
	}
}

// TestReadSWEBenchForms: a file of tasks may have any of the forms that a file of predictions may have.
func TestReadSWEBenchForms(t *testing.T) {
	dir := t.TempDir()
	commit := repository(t, filepath.Join(dir, "owner__name"))
	a, b := lines(t, goRow("a", commit, nil)), lines(t, goRow("b", commit, nil))
	pretty := func(text string) string {
		var out bytes.Buffer
		if err := json.Indent(&out, []byte(text), "", "  "); err != nil {
			t.Fatal(err)
		}
		return out.String() + "\n"
	}
	unnamed := strings.Replace(a, `"instance_id":"a",`, "", 1)
	for name, text := range map[string]string{
		"lines": a + b, "a list": "[" + a + "," + b + "]", "a list over lines": pretty("[" + a + "," + b + "]"), "objects over lines": pretty(a) + pretty(b),
		"by id": `{"a":` + unnamed + `,"b":` + b + "}", "by id, over lines": pretty(`{"a":` + a + `,"b":` + b + "}"), "one": a, "one over lines": pretty(a),
	} {
		c, err := datasets.ReadSWEBench(t.Context(), saved(t, "t.json", text), in(dir), "")
		want := []string{"a", "b"}
		if strings.HasPrefix(name, "one") {
			want = want[:1]
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := slices.Sorted(maps.Keys(c.Private)); !slices.Equal(got, want) || len(c.Excluded) > 0 {
			t.Errorf("%s: tasks %q, excluded %q", name, got, c.Excluded)
		}
	}
}

func TestReadSWEBenchFaults(t *testing.T) {
	dir := t.TempDir()
	commit := repository(t, filepath.Join(dir, "owner__name"))
	good, other := lines(t, goRow("a", commit, nil)), lines(t, goRow("a", commit, row{"problem_statement": "It is h."}))
	for name, c := range map[string]struct {
		text, language string
		want           []string
	}{
		"many":          {good + "{\n" + other + `{"repo":"x"}` + "\n[1]\n" + `{"instance_id":"a/b"}` + "\n" + `{"instance_id":5}` + "\n", "", []string{":2: column", `:3: instance_id "a" is given in line 1 already, with other content`, ":4: field instance_id is missing", ":5: expected an object, found a list", ":6: the task name", ":7: field instance_id: expected a string, found 5"}},
		"no rows":       {"\n", "", []string{"it has no rows"}},
		"no such rows":  {good, "python", []string{`no row is of language "python"; there are rows of go`}},
		"not UTF-8":     {"{\"instance_id\":\"\xfe\"}", "", []string{":1: byte 0xfe at column 17"}},
		"lists":         {"[1]\n[2]\n", "", []string{":1: expected an object, found a list; nor is any other of its 2 entries a row"}},
		"a list cut":    {"[" + good + ",", "", []string{":2:1: reading JSON: unexpected end"}},
		"another key":   {`{"b":` + good + `}`, "", []string{`:1: field instance_id is "a" under the key "b"`}},
		"on one line":   {"[" + strings.TrimSpace(good) + "," + strings.TrimSpace(other) + ",5]\n", "", []string{`:1 (row 2): instance_id "a" is given in line 1 (row 1) already, with other content`, ":1 (row 3): expected an object"}},
		"no key":        {`{"":` + good + `}`, "", []string{`:1: the key is empty: expected an instance_id`}},
		"several cut":   {"{\n}\n{\n,", "", []string{":1: field instance_id is missing", ":4:1: reading JSON: invalid character ','"}},
		"a long line":   {good + strings.Repeat("x", 50<<20+1) + "\n" + other, "", []string{":2: the line has more than", ":3: instance_id"}},
		"repeated keys": {`{"instance_id":"a","patch":"","patch":"x"}`, "", []string{`:1: field "patch" is given twice`}},
	} {
		_, err := datasets.ReadSWEBench(context.Background(), saved(t, "t.jsonl", c.text), in(dir), c.language)
		says(t, name, err, c.want...)
	}
	_, err := datasets.ReadSWEBench(context.Background(), saved(t, "t.jsonl", good), in(filepath.Join(dir, "none")), "")
	says(t, "no repos", err, "the repositories: ", "none")
	_, err = datasets.ReadSWEBench(context.Background(), filepath.Join(dir, "none.jsonl"), in(dir), "")
	says(t, "no file", err, "none.jsonl")
}

// in says that the repositories are in a folder.
func in(dir string) datasets.Repositories { return datasets.Repositories{From: dir} }

// TestRepositoriesFromElsewhere: a bundle, a folder of bundles and a URL are fetched once, and then used for all tasks.
func TestRepositoriesFromElsewhere(t *testing.T) {
	found := filepath.Join(t.TempDir(), "name.git")
	commit := repository(t, found)
	bundles := t.TempDir()
	bundle := filepath.Join(bundles, "owner__name.bundle")
	if out, err := exec.Command("git", "-C", found, "bundle", "create", bundle, "--all").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.MkdirAll(filepath.Join(bundles, "hub", "owner"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(found, filepath.Join(bundles, "hub", "owner", "name.git")); err != nil {
		t.Fatal(err)
	}
	text := lines(t, goRow("a", commit, nil), goRow("b", commit, nil), goRow("c", strings.Repeat("1", 40), nil))
	for _, from := range []string{bundle, bundles, "file://" + bundles + "/hub/{repo}.git", "file://" + bundles + "/hub/{owner}/{name}.git"} {
		store := t.TempDir()
		c, err := datasets.ReadSWEBench(context.Background(), saved(t, "t.jsonl", text), datasets.Repositories{From: from, Store: store}, "")
		if err != nil {
			t.Fatal(err)
		}
		if c.Sources["a"] == "" || c.Sources["a"] != c.Sources["b"] || !strings.HasPrefix(c.Sources["a"], store) {
			t.Errorf("%s: %v, %v", from, c.Sources, c.Excluded)
		}
		if !strings.Contains(c.Excluded["c"], "no commit") {
			t.Errorf("%s: a commit that is not there: %q", from, c.Excluded["c"])
		}
	}
	for from, want := range map[string]string{
		"file://" + bundles + "/none/{repo}.git": "repository owner/name: fetching file://",
	} {
		c, err := datasets.ReadSWEBench(context.Background(), saved(t, "t.jsonl", text), datasets.Repositories{From: from, Store: t.TempDir()}, "")
		if err != nil || !strings.Contains(c.Excluded["a"], want) {
			t.Errorf("%s: %v, %v", from, c, err)
		}
	}
	for from, want := range map[string]string{
		"git://x/{repo}": "https", filepath.Join(bundles, "hub", "none"): "no such file", saved(t, "text", "x"): "git bundle",
	} {
		_, err := datasets.ReadSWEBench(context.Background(), saved(t, "t.jsonl", text), datasets.Repositories{From: from, Store: t.TempDir()}, "")
		says(t, from, err, want)
	}
	c, err := datasets.ReadSWEBench(context.Background(), saved(t, "t.jsonl", text), in(bundle), "")
	if err != nil || !strings.Contains(c.Excluded["a"], "give a folder") {
		t.Errorf("without a store: %v", err)
	}
}

func FuzzReadSWEBench(f *testing.F) {
	dir := f.TempDir()
	commit := repository(f, filepath.Join(dir, "owner__name"))
	f.Add([]byte(lines(f, goRow("a", commit, nil), goRow("b", "HEAD", row{"repo": "a/../b"}))))
	f.Add([]byte(`{"instance_id":"a","FAIL_TO_PASS":"[\"\\ud83d\"]","patch":"\udcff"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := datasets.ReadSWEBench(context.Background(), saved(t, "t.jsonl", string(data)), in(dir), "")
		if err != nil {
			return
		}
		for _, task := range c.Tasks {
			if (c.Excluded[task.ID] == "") != (c.Sources[task.ID] != "") {
				t.Errorf("task %q: excluded %q, source %q", task.ID, c.Excluded[task.ID], c.Sources[task.ID])
			}
			if c.Excluded[task.ID] == "" && task.Check() != nil {
				t.Errorf("task %q: %v", task.ID, task.Check())
			}
		}
	})
}
