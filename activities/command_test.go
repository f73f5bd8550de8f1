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

func TestSplitGoName(t *testing.T) {
	for name, want := range map[string][2]string{
		"x.org/m/p::TestA":      {"x.org/m/p", "TestA"},
		"x.org/m/p::TestA/b::c": {"x.org/m/p", "TestA/b::c"},
		"TestA/b::c":            {"", "TestA/b::c"},
		"TestA":                 {"", "TestA"},
		"x.org/m::ExampleT_m":   {"x.org/m", "ExampleT_m"},
	} {
		if pkg, test := splitGoName(name); pkg != want[0] || test != want[1] {
			t.Errorf("%s: %q and %q, want %q", name, pkg, test, want)
		}
	}
}

// TestGoTestCommand: tests are run where their modules are.
func TestGoTestCommand(t *testing.T) {
	test := func(pkg, name string) string {
		return "package " + pkg + "\n\nimport \"testing\"\n\nfunc " + name + "(t *testing.T) {}\n"
	}
	root := map[string]string{"go.mod": "module x.org/m\n", "p/p_test.go": test("p_test", "TestP"), "q/q_test.go": test("q", "TestQ")}
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
		{"bare names", root, []string{"TestP", "TestQ/a::b"}, "", []string{"./..."}, false, []string{"p", "q"}},
		{"a module in a folder", two, []string{"x.org/b/in::TestB"}, "b", []string{"x.org/b/in"}, false, []string{"b/in"}},
		{"the same by bare name", two, []string{"TestB"}, "b", []string{"./..."}, false, []string{"b/in"}},
		{"two modules", two, []string{"x.org/a::TestA", "x.org/b/in::TestB"}, "", []string{"x.org/a", "x.org/b/in"}, true, []string{"a", "b/in"}},
		{"two modules by bare name", two, []string{"TestA", "TestB"}, "", []string{"./a/...", "./b/..."}, true, []string{"a", "b/in"}},
		{"a workspace", work, []string{"x.org/b/in::TestB"}, "", []string{"x.org/b/in"}, false, []string{"b/in"}},
		{"a workspace by bare name", work, []string{"TestA", "TestB"}, "", []string{"./a/...", "./b/..."}, false, []string{"a", "b/in"}},
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
		if _, isWork := c.files["go.work"]; slices.Contains(got.env, "GOFLAGS=") != (isWork || made) {
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
		at := slices.IndexFunc(got.args, func(arg string) bool { return strings.HasPrefix(arg, "--junitxml=") })
		if args := got.args[at+1:]; at < 0 || !slices.Equal(args, c.want) {
			t.Errorf("%q: %q, want %q at the end", c.run, got.args, c.want)
		}
	}
}
