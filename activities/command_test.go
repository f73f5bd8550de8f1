package activities

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evlab/environments"
	"evlab/experiments"
	"evlab/repos"
)

// repository commits files and gives a mirror and the commit.
func repository(t *testing.T, files map[string]string) (*repos.Mirror, string) {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("add", "-A")
	git("commit", "-qm", "base")
	m, err := repos.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return m, git("rev-parse", "HEAD")
}

func environment(t *testing.T, language string) experiments.Environment {
	t.Helper()
	e, err := environments.Of(language)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestGoTestCommand: tests are run where their modules are.
func TestGoTestCommand(t *testing.T) {
	test := func(pkg, name string) string {
		return "package " + pkg + "\n\nimport \"testing\"\n\nfunc " + name + "(t *testing.T) {}\n"
	}
	root := map[string]string{"go.mod": "module x.org/m\n", "p/p_test.go": test("p_test", "TestP"), "q/q_test.go": test("q", "TestQ"),
		"w/w_windows_test.go": test("w", "TestW"), "w/i_test.go": "//go:build ignore\n\n" + test("main", "TestW"), "q/w_test.go": test("q", "TestW") + "\nconst text = `\n//go:build ignore\n`\n"}
	twins := map[string]string{
		"go.mod": "module x.org/m\n", "m_test.go": test("m", "TestM"), "p/p_test.go": test("p", "TestP"), "sub/s_test.go": test("sub", "TestS"),
		"a/example/go.mod": "module x.org/m\n", "a/example/e_test.go": test("m", "TestM"), "a/sub/go.mod": "module x.org/m/sub\n", "z/go.mod": "module x.org/m\n",
	}
	copies := map[string]string{"a/b/go.mod": "module x.org/c\n", "a/b/a_test.go": test("c", "TestA"), "b/go.mod": "module x.org/c\n", "b/a_test.go": test("c", "TestA")}
	two := map[string]string{
		"a/go.mod": "module x.org/a // first\n", "a/a_test.go": test("a", "TestA"), "b/go.mod": "module \"x.org/b\"\n", "b/in/b_test.go": test("in", "TestB"),
		"b/testdata/c_test.go": test("c", "TestB"),
	}
	work := map[string]string{"go.work": "go 1.21\n\nuse (\n\t./a // one\n\t./b\n)\n"}
	for k, v := range two {
		work[k] = v
	}
	for _, c := range []struct {
		name     string
		files    map[string]string
		run      []string
		dir      string
		packages []string
		workFile bool
		control  []string // folders
	}{
		{"packages of the root module", root, []string{"x.org/m/p::TestP"}, "", []string{"x.org/m/p"}, false, []string{"p"}},
		{"bare names", root, []string{"TestP", "TestQ/a::b"}, "", []string{"./p", "./q"}, false, []string{"p", "q"}},
		{"a bare name that is declared nowhere", root, []string{"TestP", "TestZ"}, "", []string{"./..."}, false, []string{"p"}},
		{"bare names and others", root, []string{"TestP", "x.org/m/q::TestQ"}, "", []string{"./p", "x.org/m/q"}, false, []string{"p", "q"}},
		{"a module in a folder", two, []string{"x.org/b/in::TestB"}, "b", []string{"x.org/b/in"}, false, []string{"b/in"}},
		{"the same by bare name", two, []string{"TestB"}, "b", []string{"./in"}, false, []string{"b/in"}},
		{"two modules", two, []string{"x.org/a::TestA", "x.org/b/in::TestB"}, "", []string{"x.org/a", "x.org/b/in"}, true, []string{"a", "b/in"}},
		{"two modules by bare name", two, []string{"TestA", "TestB"}, "", []string{"./a", "./b/in"}, true, []string{"a", "b/in"}},
		{"a workspace", work, []string{"x.org/b/in::TestB"}, "", []string{"x.org/b/in"}, false, []string{"b/in"}},
		{"a workspace by bare name", work, []string{"TestA", "TestB"}, "", []string{"./a", "./b/in"}, false, []string{"a", "b/in"}},
		{"a module of the same name in a folder", twins, []string{"x.org/m/p::TestP", "x.org/m::TestM"}, "", []string{"x.org/m", "x.org/m/p"}, false, []string{".", "a/example", "p"}},
		{"the same by bare name", twins, []string{"TestP", "TestM"}, "", []string{".", "./p"}, false, []string{".", "a/example", "p"}},
		{"a module whose name is a package's", twins, []string{"x.org/m/sub::TestS"}, "", []string{"x.org/m/sub"}, false, []string{"sub"}},
		{"modules of one name, no test among them", twins, []string{"x.org/m/none::TestN"}, "", []string{"x.org/m/none"}, false, nil},
		{"modules of one name, without the root's", copies, []string{"TestA"}, "b", []string{"."}, false, []string{"a/b", "b"}},
		{"tests that the machine does not compile", root, []string{"TestW"}, "", []string{"./q"}, false, []string{"q"}},
		{"packages by the end of their path, by their folder and their file", root, []string{"p::TestP", "./q::TestQ", "q/q_test.go::TestQ", "m/q.TestQ/a"}, "", []string{"x.org/m/p", "x.org/m/q"}, false, []string{"p", "q"}},
		{"in another module by the end of its path", two, []string{"in.TestB"}, "b", []string{"x.org/b/in"}, false, []string{"b/in"}},
		{"a file at the root", twins, []string{"m_test.go::TestM"}, "", []string{"x.org/m"}, false, []string{".", "a/example"}},
		{"an end that two packages have", copies, []string{"c::TestA"}, "b", []string{"x.org/c"}, false, []string{"a/b", "b"}},
		{"a package of nobody's", root, []string{"x.org/other::TestZ"}, "", []string{"x.org/other"}, false, nil},
	} {
		m, commit := repository(t, c.files)
		got, err := newTestCommand(context.Background(), environment(t, "go"), m, trial{id: "t", run: c.run, tree: commit}, "go1.26.8")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		at := slices.Index(got.args, "-run")
		if at < 0 || !strings.Contains(got.args[at+1], got.control.name) || !slices.Equal(got.args[at+2:], c.packages) || got.dir != c.dir {
			t.Errorf("%s: in %q %q, want packages %q in %q", c.name, got.dir, got.args, c.packages, c.dir)
		}
		var folders []string
		made := false
		for _, f := range got.files {
			made = made || f.Path == "go.work"
			if path.Base(f.Path) != "overlay.json" {
				continue
			}
			var overlay struct{ Replace map[string]string }
			if err := json.Unmarshal(f.Content, &overlay); err != nil {
				t.Fatal(err)
			}
			for to, from := range overlay.Replace {
				folders = append(folders, path.Dir(path.Join(c.dir, to)))
				if !slices.ContainsFunc(got.files, func(f repos.File) bool { return f.Path == path.Join(c.dir, from) }) {
					t.Errorf("%s: the overlay names %s, which is not there", c.name, from)
				}
			}
			slices.Sort(folders)
		}
		if made != c.workFile || !slices.Equal(folders, c.control) {
			t.Errorf("%s: a workspace is made: %v, the control is in %q, want %v and %q", c.name, made, folders, c.workFile, c.control)
		}
		if _, isWork := c.files["go.work"]; slices.Contains(got.env, "GOFLAGS=-mod=readonly") != (isWork || made) {
			t.Errorf("%s: env %q", c.name, got.env)
		}
	}
}

// TestFilesCommand: of files that names begin with those are given that are there.
func TestFilesCommand(t *testing.T) {
	m, commit := repository(t, map[string]string{"tests/test_a.py": "", "tests/sub/test_b.py": ""})
	e := environment(t, "python")
	for _, c := range []struct{ run, want []string }{
		{[]string{"tests/test_a.py::test_x[a::b]", "tests/test_gone.py::test_y"}, []string{"tests/test_a.py"}},
		{[]string{"tests/test_gone.py::test_y"}, nil},
		{[]string{"-p::evil", "tests/test_a.py::test_x"}, nil},
		{[]string{"test_x (tests.test_a.T)"}, []string{"tests/test_a.py"}},
		{[]string{"test_x (test_b.T.test_x)", "tests.test_a.T.test_y"}, []string{"tests/sub/test_b.py", "tests/test_a.py"}},
		{[]string{"test_x (tests.test_a.T)", "test_x (tests.test_gone.T)"}, nil},
		{[]string{"test_x (tests.test_a.T)", "a test by its docstring"}, nil},
	} {
		got, err := newTestCommand(context.Background(), e, m, trial{id: "t", run: c.run, tree: commit}, "")
		if err != nil {
			t.Fatal(err)
		}
		if got.control == nil || len(got.files) != 1 || got.files[0].Path != got.control.args[1]+".py" {
			t.Fatalf("%q: control %+v in %v", c.run, got.control, got.files)
		}
		want := c.want
		if want == nil {
			want = []string{keepCollecting}
		}
		at := slices.IndexFunc(got.args, func(arg string) bool { return strings.HasPrefix(arg, "--junitxml=") })
		if args := got.args[at+1:]; at < 0 || !slices.Equal(args, want) {
			t.Errorf("%q: %q, want %q at the end", c.run, got.args, c.want)
		}
	}
}

// TestEveryFileOfPytest: a file that can't be imported keeps pytest from no other where no file was named.
func TestEveryFileOfPytest(t *testing.T) {
	m, commit := repository(t, map[string]string{"test_a.py": ""})
	got, err := newTestCommand(context.Background(), environment(t, "python"), m, trial{id: "t", run: []string{"test_a.py::test_x"}, tree: commit, all: true}, "")
	if err != nil || got.args[len(got.args)-1] != keepCollecting {
		t.Errorf("%q %v", got.args, err)
	}
}

// TestGoOfTheTimeBeforeModules: a tree without a go.mod is one module, by the name that its packages are imported by.
func TestGoOfTheTimeBeforeModules(t *testing.T) {
	test := "package p\n\nimport \"testing\"\n\nfunc TestP(t *testing.T) {}\n"
	for name, c := range map[string]struct {
		file, run, repo, want string
		beside                string // a go.mod elsewhere
	}{
		"as the tests are named":     {"a/p_test.go", "x.org/m/a::TestP", "o/n", "module x.org/m\n", ""},
		"at the root":                {"p_test.go", "x.org/m::TestP/sub", "o/n", "module x.org/m\n", ""},
		"as it is hosted":            {"a/p_test.go", "TestP", "o/n", "module github.com/o/n\n", ""},
		"names that mean other ones": {"a/p_test.go", "x.org/m/b::TestP", "o/n", "module github.com/o/n\n", ""},
		"hosted nowhere":             {"a/p_test.go", "TestP", "local", "module repository\n", ""},
		"beside a module of others":  {"a/p_test.go", "TestP", "o/n", "module github.com/o/n\n", "examples/go.mod"},
		"named, beside one":          {"p_test.go", "x.org/m::TestP", "o/n", "module x.org/m\n", "examples/go.mod"},
		"in a module":                {"a/p_test.go", "TestP", "o/n", "", "a/go.mod"},
		"in a module, as named":      {"a/p_test.go", "x.org/m/a::TestP", "o/n", "", "a/go.mod"},
	} {
		files := map[string]string{c.file: test}
		if c.beside != "" {
			files[c.beside] = "module x.org/m/" + path.Dir(c.beside) + "\n"
		}
		m, commit := repository(t, files)
		command, err := newTestCommand(context.Background(), environment(t, "go"), m, trial{id: "t", run: []string{c.run}, tree: commit, repo: c.repo}, "go1.26.8")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range command.files {
			if f.Path == "go.mod" {
				got = string(f.Content)
			}
		}
		if got != c.want {
			t.Errorf("%s: go.mod is %q, want %q", name, got, c.want)
		}
	}
	// A module that the candidate took away is not given back.
	m, base := repository(t, map[string]string{"go.mod": "module x.org/m\n", "p_test.go": test})
	applied, err := m.Apply(context.Background(), base, []byte("--- a/go.mod\n+++ /dev/null\n@@ -1 +0,0 @@\n-module x.org/m\n"))
	if err != nil || applied.Tree == "" {
		t.Fatal(applied, err)
	}
	command, err := newTestCommand(context.Background(), environment(t, "go"), m, trial{id: "t", run: []string{"TestP"}, tree: applied.Tree, base: base, repo: "o/n"}, "go1.26.8")
	if err != nil || slices.ContainsFunc(command.files, func(f repos.File) bool { return f.Path == "go.mod" }) {
		t.Errorf("a go.mod is made: %v", err)
	}
}

// TestGoTestsBehindTags: tests that only a build tag of the repository's own brings in are compiled with it.
func TestGoTestsBehindTags(t *testing.T) {
	test := func(head, name string) string {
		return head + "package p\n\nimport \"testing\"\n\nfunc " + name + "(t *testing.T) {}\n"
	}
	files := map[string]string{
		"go.mod": "module x.org/m\n", "p/plain_test.go": test("", "TestPlain"), "p/old_test.go": test("//go:build old\n\n", "TestPlain"),
		"p/i_test.go": test("// Licence.\n\n//go:build integration && linux\n\n", "TestI"), "q/both_test.go": test("//go:build (a && b) || windows\n\n", "TestBoth"),
		"q/w_test.go": test("//go:build windows\n\n", "TestW"), "q/ignored_test.go": test("//go:build ignore\n\n", "TestIgnored"), "q/not_test.go": test("//go:build !linux && extra\n\n", "TestNot"),
	}
	m, commit := repository(t, files)
	for name, c := range map[string]struct {
		run      []string
		tags     string
		packages []string
	}{
		"none":               {[]string{"TestPlain"}, "", []string{"./p"}},
		"one":                {[]string{"TestPlain", "TestI"}, "integration", []string{"./p"}},
		"two":                {[]string{"TestBoth"}, "a,b", []string{"./q"}},
		"of several":         {[]string{"TestBoth", "x.org/m/p::TestI"}, "a,b,integration", []string{"./q", "x.org/m/p"}},
		"of another machine": {[]string{"TestW"}, "", []string{"./..."}},
		"of nobody's":        {[]string{"TestIgnored"}, "", []string{"./..."}},
		"of no use":          {[]string{"TestNot"}, "", []string{"./..."}},
	} {
		command, err := newTestCommand(context.Background(), environment(t, "go"), m, trial{id: "t", run: c.run, tree: commit}, "go1.26.8")
		if err != nil {
			t.Fatal(err)
		}
		tags := ""
		if at := slices.Index(command.args, "-tags"); at > 0 {
			tags = command.args[at+1]
		}
		if at := slices.Index(command.args, "-run"); tags != c.tags || !slices.Equal(command.args[at+2:], c.packages) {
			t.Errorf("%s: %q, want tags %q and packages %q", name, command.args, c.tags, c.packages)
		}
	}
}
