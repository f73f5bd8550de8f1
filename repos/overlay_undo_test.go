package repos_test

import (
	"context"
	"slices"
	"testing"

	"evlab/repos"
)

// TestOverlayUndoesWhatDecidesHowTestsRun: a candidate's change of the program stays, and what comes with it to change how
// the tests run goes, by name.
func TestOverlayUndoesWhatDecidesHowTestsRun(t *testing.T) {
	m, base := mirror(t,
		file("f.go", "package f\n"), file("conftest.py", "A = 1\n"), file("setup.cfg", "[metadata]\nname = f\n[tool:pytest]\naddopts = -q\n[flake8]\nx = 1\n"),
		file("pyproject.toml", "project.name = \"f\"\n"), file("tests/helper.py", "def ok(x): assert x\n"), file("tests/test_a.py", "def test_a(): pass\n"),
		file("test_top.py", "def test_top(): pass\n"), file("lib/go.mod", "module x.org/lib\n"), file("lib/go.sum", "x.org/y v1.0.0 h1:a\n"), file("pluggy/__init__.py", "\n"), file("new/go.mod", "go 1.23\n"))
	for name, c := range map[string]struct {
		patch string
		undo  []string
	}{
		"another conftest":                   {adds("sub/conftest.py", "100644", "x\n"), []string{"sub/conftest.py"}},
		"an edited conftest":                 {edits("conftest.py", "A = 1", "A = 2"), []string{"conftest.py"}},
		"pytest.ini":                         {adds("pytest.ini", "100644", "[pytest]\n"), []string{"pytest.ini"}},
		"tox.ini with options":               {adds("tox.ini", "100644", "[pytest]\naddopts = -p f.evil\n"), []string{"tox.ini"}},
		"tox.ini without":                    {adds("tox.ini", "100644", "[tox]\nenvlist = py3\n"), nil},
		"options in pyproject.toml":          {edits("pyproject.toml", "project.name = \"f\"", "tool.pytest.ini_options.addopts = \"-p f.evil\""), []string{"pyproject.toml"}},
		"another name in pyproject.toml":     {edits("pyproject.toml", "project.name = \"f\"", "project.name = \"g\""), nil},
		"options by another spelling":        {adds("sub/pyproject.toml", "100644", "[tool.\"pyt\\u0065st\".ini_options]\naddopts = \"-p f.evil\"\n"), []string{"sub/pyproject.toml"}},
		"options of other tools":             {adds("sub/pyproject.toml", "100644", "[tool.black]\nline-length = 100\n"), nil},
		"a dependency called so":             {adds("sub/pyproject.toml", "100644", "[project.optional-dependencies]\ntest = [\"pytest\"]\n"), nil},
		"compiled code of such a name":       {adds("pluggy.pyc", "100644", "x\n"), []string{"pluggy.pyc"}},
		"a plugin that is not installed":     {adds("evil.dist-info/entry_points.txt", "100644", "[pytest11]\ne = f.evil\n"), []string{"evil.dist-info/entry_points.txt"}},
		"sitecustomize":                      {adds("sitecustomize.py", "100644", "import os\n"), []string{"sitecustomize.py"}},
		"a module named pytest":              {adds("pytest.py", "100644", "print(1)\n"), []string{"pytest.py"}},
		"a package of pytest's":              {adds("_pytest/config.py", "100644", "print(1)\n"), []string{"_pytest/config.py"}},
		"a package that was there":           {adds("pluggy/more.py", "100644", "A = 1\n"), nil},
		"a module named so further down":     {adds("sub/pytest.py", "100644", "print(1)\n"), nil},
		"a file of such a name":              {adds("py.typed", "100644", "x\n"), nil},
		"a package of another language's":    {adds("packaging/build.go", "100644", "package packaging\n"), nil},
		"data in a folder called so":         {adds("py/notes.txt", "100644", "x\n"), nil},
		"the tests' helper":                  {edits("tests/helper.py", "def ok(x): assert x", "def ok(x): pass"), []string{"tests/helper.py"}},
		"a test that nobody named":           {edits("test_top.py", "def test_top(): pass", "def test_top(): skip"), []string{"test_top.py"}},
		"a removed test":                     {"diff --git a/tests/test_a.py b/tests/test_a.py\ndeleted file mode 100644\n--- a/tests/test_a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-def test_a(): pass\n", []string{"tests/test_a.py"}},
		"a test of its own":                  {adds("tests/test_mine.py", "100644", "def test_b(): pass\n"), []string{"tests/test_mine.py"}},
		"a package of the tests":             {adds("tests/__init__.py", "100644", "import f\n"), []string{"tests/__init__.py"}},
		"a workspace":                        {adds("go.work", "100644", "go 1.21\n"), []string{"go.work"}},
		"another module in a module's place": {edits("lib/go.mod", "module x.org/lib", "replace x.org/y => ../fake"), []string{"lib/go.mod"}},
		"loops of an older Go":               {edits("new/go.mod", "go 1.23", "go 1.21"), []string{"new/go.mod"}},
		"a newer Go":                         {edits("new/go.mod", "go 1.23", "go 1.24"), nil},
		"another requirement":                {edits("lib/go.mod", "module x.org/lib", "require x.org/y v1.0.0"), nil},
		"a runner of JavaScript":             {adds("jest.config.js", "100644", "x\n"), []string{"jest.config.js"}},
	} {
		undoes(t, name, m, base, c.patch, c.undo)
	}
}

// undoes applies a patch with a change of the program, and holds what Overlay undoes of it against want: the program's
// change is never among it, and nothing is that the task's own repair changes, too.
func undoes(t *testing.T, name string, m *repos.Mirror, base, patch string, want []string) {
	t.Helper()
	ctx := context.Background()
	a := apply(t, m, base, edit+patch)
	if a.Outcome != "applied" {
		t.Errorf("%s: %+v", name, a)
		return
	}
	o, err := m.Overlay(ctx, base, a.Tree, nil)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !slices.Equal(o.Neutralised, want) {
		t.Errorf("%s: undone %q, want %q", name, o.Neutralised, want)
	}
	if got := content(t, m, o.Tree); got["f.go"] != "package g\n" {
		t.Errorf("%s: the program itself was undone", name)
	}
	kept := repos.RunnerPaths([]byte(patch))
	if o, err = m.Overlay(ctx, base, a.Tree, nil, kept...); err != nil || len(o.Neutralised) > 0 {
		t.Errorf("%s: undone %q (%v) although the task's own repair changes the same", name, o.Neutralised, err)
	}
}

// TestKeptPathsAreNoWayIntoHiddenTests: what the test patch owns stays its own, whatever the task's repair changes.
func TestKeptPathsAreNoWayIntoHiddenTests(t *testing.T) {
	m, base := mirror(t, file("f.go", "package f\n"), file("conftest.py", "A = 1\n"), file("f_test.go", "package f\n"))
	a := apply(t, m, base, edit+edits("conftest.py", "A = 1", "A = 2")+edits("f_test.go", "package f", "package f // mine"))
	o, err := m.Overlay(context.Background(), base, a.Tree, []byte(edits("conftest.py", "A = 1", "A = 3")), "conftest.py", "f_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if got := content(t, m, o.Tree); got["conftest.py"] != "A = 3\n" || got["f_test.go"] != "package f\n" {
		t.Errorf("conftest.py is %q and f_test.go %q", got["conftest.py"], got["f_test.go"])
	}
}
