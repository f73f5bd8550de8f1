package datasets_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"evlab/datasets"
	"evlab/repos"
)

const (
	first  = "date: 2024-03-05T10:00:00Z\nauthor: Ada <ada@example.org>\n\nFirst\n-- f.go --\npackage f\n-- f_test.go --\npackage f\n"
	second = "date: 2024-03-06T10:00:00Z\nauthor: Ada <ada@example.org>\nremove: f_test.go\n\nSecond\n"
)

// cohort is a complete folder of one task; changes replace files, an empty one takes a file out.
func cohort(t *testing.T, changes map[string]string) fstest.MapFS {
	t.Helper()
	c, err := repos.ParseCommit("first", []byte(first))
	if err != nil {
		t.Fatal(err)
	}
	heads, err := repos.BuildHistory(context.Background(), filepath.Join(t.TempDir(), "r"), []repos.Commit{c})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"cohort.json":                        `{"schema":"evlab-cohort-v1","name":"small","language":"go","exclude_observed":true,"tasks":["t1"]}`,
		"README.md":                          "about\n",
		"public/repos/lib/0001-first.txtar":  first,
		"public/repos/lib/0002-second.txtar": second,
		"public/tasks/t1.json":               `{"id":"t1","repo":"lib","base_commit":"` + heads[0] + `","language":"go","state":{"issue":"It is f.","boundary":"before_search"}}`,
		"public/simulated/t1.json":           `{"edits":[{"path":"f.go","before":"f","after":"g","needs":["x"]}]}`,
		"private/tasks/t1/tests.patch":       testPatch,
		"private/tasks/t1/reference.patch":   fix,
		"private/tasks/t1/tests.json":        `{"fail_to_pass":["m::TestG"],"pass_to_pass":[],"pass_to_pass_complete":true}`,
		"private/tasks/t1/certificate.json":  `{"schema":"serbench-mss-v1","state_id":"t1","groups":[{"id":"g","acceptable_ids":["f.go#F"],"necessity_weight":1}]}`,
	}
	for name, text := range changes {
		files[name] = text
	}
	m := fstest.MapFS{}
	for name, text := range files {
		if text != "" {
			m[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return m
}

func TestReadFolder(t *testing.T) {
	ctx := context.Background()
	scratch := t.TempDir()
	c, err := datasets.ReadFolder(ctx, cohort(t, nil), "a/b", scratch, true)
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "small" || !c.Trusted || !c.ExcludeObserved || !c.Certified || len(c.Tasks) != 1 || c.Tasks[0].State.Boundary != "before_search" {
		t.Errorf("got %+v", c)
	}
	p := c.Private["t1"]
	if string(p.Tests.Patch) != testPatch || string(p.Reference) != fix || !p.Tests.PassToPassComplete || p.Certificate == nil || p.Tests.FailToPass[0] != "m::TestG" {
		t.Errorf("private %+v", p)
	}
	if !strings.Contains(string(c.Simulated["t1"]), `"edits"`) {
		t.Errorf("simulated %s", c.Simulated["t1"])
	}
	m, err := repos.Snapshot(ctx, t.TempDir(), c.Sources["t1"], c.Tasks[0].BaseCommit)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := m.ReadFile(ctx, c.Tasks[0].BaseCommit, "f_test.go"); err != nil || string(b) != "package f\n" {
		t.Errorf("%q %v", b, err)
	}
	// The same again, by several at once: the same repository, untouched.
	before, err := os.Stat(c.Sources["t1"])
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			where := scratch
			if i%2 == 1 {
				where = other // nothing is built there yet
			}
			again, err := datasets.ReadFolder(ctx, cohort(t, nil), "x", where, false)
			if err != nil {
				t.Error(err)
				return
			}
			if again.PublicDigest != c.PublicDigest || again.PrivateDigest != c.PrivateDigest || again.Trusted {
				t.Errorf("got %+v", again.Cohort)
			}
		})
	}
	wg.Wait()
	after, err := os.Stat(c.Sources["t1"])
	if err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the repository was built again: %v", err)
	}
	left, err := os.ReadDir(filepath.Join(other, "small"))
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v %v", left, err)
	}
}

func TestReadFolderDigests(t *testing.T) {
	read := func(changes map[string]string) *datasets.Cohort {
		c, err := datasets.ReadFolder(context.Background(), cohort(t, changes), "c", t.TempDir(), false)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	was := read(nil)
	for file, public := range map[string]bool{
		"public/simulated/t1.json": true, "public/repos/lib/0002-second.txtar": true,
		"private/tasks/t1/tests.patch": false, "private/tasks/t1/certificate.json": false,
	} {
		data, err := fs.ReadFile(cohort(t, nil), file)
		if err != nil {
			t.Fatal(err)
		}
		is := read(map[string]string{file: string(data) + "\n"})
		if (is.PublicDigest != was.PublicDigest) != public || (is.PrivateDigest != was.PrivateDigest) == public {
			t.Errorf("%s: public changed %v, private changed %v", file, is.PublicDigest != was.PublicDigest, is.PrivateDigest != was.PrivateDigest)
		}
	}
	if c := read(map[string]string{"private/tasks/t1/certificate.json": ""}); c.Certified || c.Private["t1"].Certificate != nil {
		t.Error("a cohort without certificates is certified")
	}
}

func TestReadFolderReportsEveryFault(t *testing.T) {
	const task = "public/tasks/t1.json"
	for name, c := range map[string]struct {
		changes map[string]string
		want    []string
	}{
		"several files": {
			map[string]string{task: `{"id":"t2","repo":"lib","base_commit":"x","language":"c","state":{"issue":""}}`, "private/tasks/t1/tests.patch": " ", "private/tasks/t1/reference.patch": "",
				"private/tasks/t1/tests.json": `{"fail_to_pass":["a","a"],"pass_to_pass":["a"]}`, "private/tasks/t1/certificate.json": "{}"},
			[]string{task + `: id "t2": expected "t1"`, "not a full commit id", "issue is empty", "tests.patch: it is missing or empty", "reference.patch: it is missing or empty",
				`fail_to_pass[1]: "a" is fail_to_pass[0], too`, `pass_to_pass[0]: "a" is`, "pass_to_pass_complete is missing", "certificate.json:1:1: the field schema is missing"},
		},
		"wrong types and unknown fields": {
			map[string]string{task: "{\"id\":5,\n\"repo\":\"lib\",\"base_commit\":null,\"language\":\"go\",\"Language\":\"go\",\"extra%d\":{\"a\":[1]},\n\"state\":{\"issue\":\"i\",\"queries\":[\"a\",2],\"issue\":\"j\"}}"},
			[]string{task + ":1:7: id: expected a string, found the number 5", "base_commit: expected a string, found null", `unknown field "Language"; expected id, repo`, `unknown field "extra%d"`,
				task + ":3:", "state.queries[1]: expected a string", "state.issue: the field is given twice"},
		},
		"no object":        {map[string]string{task: "[]"}, []string{task + ":1:1: expected an object, found a list"}},
		"broken JSON":      {map[string]string{task: "{\n\"id\" 5}"}, []string{task + ":2:6: reading JSON"}},
		"not UTF-8":        {map[string]string{task: "{\"id\":\"\xff\"}"}, []string{task + ":1:8: byte 0xff"}},
		"no task file":     {map[string]string{task: ""}, []string{task + ": it is missing"}},
		"no manifest":      {map[string]string{"cohort.json": ""}, []string{"cohort.json: it is missing"}},
		"another schema":   {map[string]string{"cohort.json": `{"schema":"v9","name":"../x","language":"c","tasks":[]}`}, []string{`expected "evlab-cohort-v1"`, "the cohort name", `expected "go"`, "at least one task"}},
		"task ids":         {map[string]string{"cohort.json": `{"schema":"evlab-cohort-v1","name":"n","language":"go","tasks":["t1","t1","../t"]}`}, []string{`"t1" is given twice`, `the task name "../t"`}},
		"stray files":      {map[string]string{"public/tasks/t9.json": "{}", "private/tasks/t1/hidden.patch": "x", "public/repos/lib/last.txtar": first}, []string{"public/tasks/t9.json: nothing refers", "hidden.patch: nothing refers", "last.txtar: nothing refers"}},
		"no repository":    {map[string]string{"public/repos/lib/0001-first.txtar": "", "public/repos/lib/0002-second.txtar": ""}, []string{`repo "lib": public/repos has no commits`}},
		"bad commits":      {map[string]string{"public/repos/lib/0002-second.txtar": "x", "public/repos/lib/0001-again.txtar": first}, []string{"0002-second.txtar:1: expected header lines", "commit 0001 is public/repos/lib/0001-again.txtar, too"}},
		"another base":     {map[string]string{"public/repos/lib/0001-first.txtar": strings.Replace(first, "First", "1st", 1)}, []string{task + ": base_commit", "is not in the history of public/repos/lib"}},
		"impossible":       {map[string]string{"public/repos/lib/0002-second.txtar": strings.Replace(second, "f_test.go", "none.go", 1)}, []string{`remove "none.go": the parent has no such file`}},
		"a bad script":     {map[string]string{"public/simulated/t1.json": `{"edits":[],"ask":"x"}`}, []string{"ask: expected an object, found the string"}},
		"a script of none": {map[string]string{"public/simulated/t1.json": `{"edits":[]}`}, []string{"edits: expected at least one edit"}},
		"too large":        {map[string]string{"private/tasks/t1/tests.patch": strings.Repeat("x", 16<<20+1)}, []string{"tests.patch: it has more than 16777216 bytes"}},
	} {
		scratch := t.TempDir()
		_, err := datasets.ReadFolder(context.Background(), cohort(t, c.changes), "thecohort", scratch, false)
		says(t, name, err, append(c.want, "reading cohort thecohort")...)
	}
}

func TestReadFolderFollowsNoLinks(t *testing.T) {
	dir := t.TempDir()
	for name, f := range cohort(t, nil) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := datasets.ReadFolder(context.Background(), os.DirFS(dir), dir, t.TempDir(), false); err != nil {
		t.Fatal(err)
	}
	patch := filepath.Join(dir, "private/tasks/t1/tests.patch")
	if err := os.Remove(patch); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", patch); err != nil {
		t.Fatal(err)
	}
	_, err := datasets.ReadFolder(context.Background(), os.DirFS(dir), dir, t.TempDir(), false)
	says(t, "a link", err, "private/tasks/t1/tests.patch: it is a L", "expected a regular file")
	_, err = datasets.ReadFolder(context.Background(), os.DirFS(filepath.Join(dir, "none")), "none", t.TempDir(), false)
	says(t, "no folder", err, "reading cohort none")
}
