package environments

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPythonFindsPackagesInTheirFolder: tests of a repository in the src layout import what an installation would bring, and
// the recipe installs nothing. Which folder that is, the files say by which it is built.
func TestPythonFindsPackagesInTheirFolder(t *testing.T) {
	e, err := Of("python")
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Warm) != 1 {
		t.Fatalf("warm: %q", e.Warm)
	}
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
		"at the root":                {map[string]string{"pyproject.toml": toml, "p/__init__.py": "", "tests/test_p.py": ""}, ""},
		"src is the package":         {map[string]string{"pyproject.toml": toml, "src/__init__.py": "", "src/a.py": ""}, ""},
		"nothing of Python's in src": {map[string]string{"pyproject.toml": toml, "p.py": "", "src/p.c": ""}, ""},
		"nothing is built":           {map[string]string{"src/a.py": "", "test_a.py": ""}, ""},
		"other folders":              {map[string]string{"setup.py": "setup(package_dir={'': '../x'}, packages=find_packages(exclude=['tests']))", "p.py": "", "tests/test_p.py": ""}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree, user := t.TempDir(), t.TempDir()
			for file, text := range c.files {
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
				got = strings.TrimPrefix(strings.TrimSpace(string(data)), root+"/")
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
