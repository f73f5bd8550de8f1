package environments

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// TestPythonFindsPackagesInTheirFolder: tests of a repository in the src layout import what an installation would bring, and
// the recipe installs nothing. Which folder that is, the files say by which it is built.
func TestPythonFindsPackagesInTheirFolder(t *testing.T) {
	const toml = "[project]\nname = \"p\"\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"src layout":                 {map[string]string{"pyproject.toml": toml, "src/p/__init__.py": "", "tests/test_p.py": ""}, "src"},
		"a module alone":             {map[string]string{"setup.py": "", "src/p.py": ""}, "src"},
		"setup.py":                   {map[string]string{"setup.py": "setup(package_dir={'': 'lib'}, packages=find_packages('lib'))", "lib/p/__init__.py": ""}, "lib"},
		"setup.py, where":            {map[string]string{"setup.py": "setup(packages=find_packages(where=\"lib\", exclude=['tests']))", "lib/p/__init__.py": "", "tests/t.py": ""}, "lib"},
		"setup.cfg":                  {map[string]string{"setup.cfg": "[options]\npackage_dir =\n    =python/lib\n", "python/lib/p/__init__.py": ""}, "python/lib"},
		"setup.cfg, find":            {map[string]string{"setup.cfg": "[options.packages.find]\nwhere = lib\n", "lib/p/__init__.py": ""}, "lib"},
		"pyproject.toml":             {map[string]string{"pyproject.toml": toml + "[tool.setuptools.package-dir]\n\"\" = \"lib\"\n", "lib/p/__init__.py": ""}, "lib"},
		"pyproject.toml, where":      {map[string]string{"pyproject.toml": toml + "[tool.setuptools.packages.find]\nwhere = [\"lib\"]\n", "lib/p/__init__.py": ""}, "lib"},
		"at the root":                {map[string]string{"pyproject.toml": toml, "p/__init__.py": "", "tests/test_p.py": ""}, "."},
		"src is the package":         {map[string]string{"pyproject.toml": toml, "src/__init__.py": "", "src/a.py": ""}, "."},
		"nothing of Python's in src": {map[string]string{"pyproject.toml": toml, "p.py": "", "src/p.c": ""}, "."},
		"nothing is built":           {map[string]string{"src/a.py": "", "test_a.py": ""}, ""},
		"other folders":              {map[string]string{"setup.py": "setup(package_dir={'': '../x'}, packages=find_packages(exclude=['tests']))", "p.py": "", "tests/test_p.py": ""}, "."},
	} {
		t.Run(name, func(t *testing.T) {
			tree, user := warmPython(t, c.files)
			found, err := filepath.Glob(filepath.Join(user, "lib/*/site-packages/evlab.pth"))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(found) == 1 {
				data, err := os.ReadFile(found[0])
				if err != nil {
					t.Fatal(err)
				}
				root, err := filepath.EvalSymlinks(tree)
				if err != nil {
					t.Fatal(err)
				}
				got = strings.TrimSpace(string(data))
				if rest, ok := strings.CutPrefix(got, root); ok { // the tree itself, or a folder of it
					got = path.Clean("." + rest)
				}
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// warmPython makes a tree of files and has the recipe prepare it, as a task's image has it done.
func warmPython(t *testing.T, files map[string]string) (tree, user string) {
	t.Helper()
	e, err := Of("python")
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Warm) != 1 {
		t.Fatalf("warm: %q", e.Warm)
	}
	tree, user = t.TempDir(), t.TempDir()
	for file, text := range files {
		file = filepath.Join(tree, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(e.Warm[0][0], e.Warm[0][1:]...)
	cmd.Dir, cmd.Env = tree, append(os.Environ(), "PYTHONUSERBASE="+user)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return tree, user
}

// TestPythonKnowsItsRepository: programs ask the installation that is not there for their version, and pytest for plugins.
func TestPythonKnowsItsRepository(t *testing.T) {
	const ask = "import importlib.metadata as m, sys\nd = m.distribution(sys.argv[1])\n" +
		"print(d.version, sorted((e.group, e.name, e.value) for e in d.entry_points))"
	for name, c := range map[string]struct {
		files map[string]string
		asked string
		want  string
	}{
		"pyproject.toml": {map[string]string{"pyproject.toml": "[project]\nname = \"a-b\"\nversion = \"1.2\"\n[project.scripts]\nab = \"a.b:main\"\n[project.entry-points.pytest11]\nab = \"a.plugin\"\n"}, "a_b",
			"1.2 [('console_scripts', 'ab', 'a.b:main'), ('pytest11', 'ab', 'a.plugin')]"},
		"a version that a build computes": {map[string]string{"pyproject.toml": "[project]\nname = \"p\"\ndynamic = [\"version\"]\n", "src/p/__init__.py": "__version__: str = '3.1.dev0'\n"}, "p", "3.1.dev0 []"},
		"one that nobody knows":           {map[string]string{"pyproject.toml": "[project]\nname = \"p\"\n"}, "p", "0 []"},
		"poetry":                          {map[string]string{"pyproject.toml": "[tool.poetry]\nname = \"p\"\nversion = \"2\"\n[tool.poetry.plugins.g]\nx = \"p:x\"\n"}, "p", "2 [('g', 'x', 'p:x')]"},
		"setup.cfg":                       {map[string]string{"setup.cfg": "[metadata]\nname = p\nversion = attr: p.version\n[options.entry_points]\nconsole_scripts =\n  p = p:main\n  no\n", "setup.py": "setup(version='9')"}, "p", "9 [('console_scripts', 'p', 'p:main')]"},
		"setup.py":                        {map[string]string{"setup.py": "import setuptools\nsetuptools.setup(name='p', version=get(), entry_points={'g': ['x=p:x', 'y = p.y:z [extra]']})\n", "p/__init__.py": "__version__ = \"7\"\n"}, "p", "7 [('g', 'x', 'p:x'), ('g', 'y', 'p.y:z [extra]')]"},
		"texts of anybody's": {map[string]string{"pyproject.toml": "[project\n\x00", "setup.cfg": "[metadata]\nname = ../../etc\nversion = 1/../../..\n[options.entry_points]\n[x] = a\n",
			"setup.py": "setup(name='p', version='1\\n2', entry_points={'g]': ['a=b'], 'h': ['[z]\\nq = r', 7], 'i': 5})"}, "p", "0 []"},
	} {
		t.Run(name, func(t *testing.T) {
			_, user := warmPython(t, c.files)
			cmd := exec.Command("python3", "-c", ask, c.asked)
			cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "PYTHONUSERBASE="+user)
			if out, err := cmd.CombinedOutput(); strings.TrimSpace(string(out)) != c.want {
				t.Errorf("%v %s, want %s", err, out, c.want)
			}
		})
	}
	_, user := warmPython(t, map[string]string{"test_a.py": "", "a.py": ""})
	if found, err := filepath.Glob(filepath.Join(user, "*")); err != nil || len(found) > 0 {
		t.Errorf("a repository that is not built has an installation: %q %v", found, err)
	}
}

// TestPythonHasWhatABuildWrites: repositories leave the module that has their version to their build, and tests start the
// programs that an installation has, from any folder.
func TestPythonHasWhatABuildWrites(t *testing.T) {
	const main = "from p._version import version, __version_tuple__\ndef main():\n    print(version, __version_tuple__)\nclass A:\n    main = main\n"
	const scm = "[project]\nname = \"p\"\ndynamic = [\"version\"]\n[project.scripts]\np-says = \"p:main\"\nother = \"p:A.main\"\n\"../no\" = \"p:main\"\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"setuptools_scm":      {map[string]string{"pyproject.toml": scm + "[tool.setuptools_scm]\nwrite_to = \"p/_version.py\"\n", "p/__init__.py": main}, "0 (0,)"},
		"hatch-vcs, in src":   {map[string]string{"pyproject.toml": scm + "[tool.hatch.build.hooks.vcs]\nversion-file = \"src/p/_version.py\"\n", "src/p/__init__.py": main}, "0 (0,)"},
		"by dotted keys":      {map[string]string{"pyproject.toml": scm + "[tool.hatch]\nbuild.hooks.vcs.version-file = \"src/p/_version.py\"\n", "src/p/__init__.py": main}, "0 (0,)"},
		"setup.py":            {map[string]string{"setup.py": "setup(name='p', use_scm_version={'write_to': 'p/_version.py'}, entry_points={'console_scripts': ['p-says=p:main', 'other = p:A.main']})", "p/__init__.py": main}, "0 (0,)"},
		"a version is known":  {map[string]string{"setup.py": "setup(name='p', version='3.1', use_scm_version={'write_to': 'p/_version.py'}, entry_points={'console_scripts': 'p-says=p:main\\nother=p:A.main'})", "p/__init__.py": main}, "3.1 (3, 1)"},
		"the tree has it":     {map[string]string{"pyproject.toml": scm + "[tool.setuptools_scm]\nversion_file = \"p/_version.py\"\n", "p/__init__.py": main, "p/_version.py": "version, __version_tuple__ = 5, 6\n"}, "5 6"},
		"outside of the tree": {map[string]string{"pyproject.toml": scm + "[tool.setuptools_scm]\nwrite_to = \"../p/_version.py\"\n", "p/__init__.py": main}, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			_, user := warmPython(t, c.files)
			for _, program := range []string{"p-says", "other"} {
				cmd := exec.Command(filepath.Join(user, "bin", program))
				cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "PYTHONUSERBASE="+user)
				if out, err := cmd.CombinedOutput(); strings.TrimSpace(string(out)) != c.want && (c.want != "none" || err == nil) {
					t.Errorf("%s: %v %s, want %s", program, err, out, c.want)
				}
			}
			if found, err := filepath.Glob(filepath.Join(user, "*no")); err != nil || len(found) > 0 {
				t.Errorf("a program outside of their folder: %q %v", found, err)
			}
		})
	}
}
