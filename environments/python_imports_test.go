package environments

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestPythonSources: what a tree asks Debian for is what its modules and tests import from elsewhere, and the plugins that
// its settings name.
func TestPythonSources(t *testing.T) {
	e, err := Of("python")
	if err != nil {
		t.Fatal(err)
	}
	debian := map[string]bool{}
	for _, name := range []string{
		"yaml", "six", "mock", "numpy", "requests", "dateutil", "zope.interface", "typing-extensions", "all", "tk", "pytest-asyncio", "pytest-cov", "pytest-sugar", "pytest-xdist", "os", "p", "sphinx", "tomli", "tz", "bs4", "pyfakefs",
	} {
		debian["python3-"+name] = true
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing":                        {map[string]string{"p/__init__.py": "import os, sys\nfrom . import a\n", "tests/test_p.py": "import p\nimport _x\n"}, "never asked"},
		"a module and a test":            {map[string]string{"p/__init__.py": "import yaml\n", "tests/test_p.py": "import p, six.moves\n"}, "six yaml"},
		"by another case":                {map[string]string{"p.py": "from Yaml import x\n"}, "yaml"},
		"by another name":                {map[string]string{"p.py": "import tkinter\n"}, "tk"},
		"parts of a name":                {map[string]string{"p.py": "import typing_extensions\nfrom zope import interface\n"}, "typing-extensions zope.interface"},
		"the tree's part of a name":      {map[string]string{"zope/p/__init__.py": "import zope.p\nimport zope.interface\n"}, "zope.interface"},
		"what Debian lacks":              {map[string]string{"p.py": "import nowhere\n"}, ""},
		"the tree's own":                 {map[string]string{"src/yaml/__init__.py": "", "tests/six.py": "", "tests/sub/test_a.py": "import six\nimport yaml\n", "mock.py": "import mock\n"}, "never asked"},
		"another project's, vendored":    {map[string]string{"p/_vendor/six.py": "import yaml\n", "p/__init__.py": "import six\n"}, "six"},
		"beside what tests run":          {map[string]string{"docs/conf.py": "import sphinx\n", "examples/a.py": "import numpy\n", "setup.py": "import yaml\n", ".x/a.py": "import six\n", "tests/data/a.py": "import mock\n", "tests/bench_a.py": "import numpy\n"}, "never asked"},
		"perhaps":                        {map[string]string{"p.py": "try:\n    import yaml\nexcept ImportError:\n    yaml = None\n"}, "never asked"},
		"perhaps, and required":          {map[string]string{"p.py": "def f():\n    import dateutil\n", "setup.cfg": "[options]\ninstall_requires =\n    dateutil>=2\n"}, "dateutil"},
		"perhaps, and required by tests": {map[string]string{"p.py": "if x:\n    import tomli\n", "requirements/tests.txt": "Tomli==2\n"}, "tomli"},
		"perhaps, by its own name":       {map[string]string{"p.py": "def f():\n    import pytz\n", "requirements-dev.txt": "pytz\n"}, "tz"},
		"perhaps, by an index's name":    {map[string]string{"p.py": "try:\n    import yaml, bs4\n    from dateutil import tz\nexcept ImportError:\n    pass\n", "setup.py": "extras_require={'a': ['PyYAML', 'beautifulsoup4>=4', 'python-dateutil']}\n"}, "bs4 dateutil yaml"},
		"skipped without it":             {map[string]string{"tests/test_p.py": "np = pytest.importorskip(\n    'numpy')\npytest.importorskip(\"yaml\")\n", "tox.ini": "deps = numpy\n"}, "numpy"},
		"a plugin of another name":       {map[string]string{"p.py": "", "tox.ini": "deps = pyfakefs\n"}, "pyfakefs"},
		"perhaps, and installed by CI":   {map[string]string{"tests/test_p.py": "try:\n    import numpy, yaml, six, mock\nexcept ImportError:\n    pass\n", ".github/workflows/tests.yml": "# six\n- run: python -m pip install -U pytest \"numpy>=1\" \\\n    PyYAML && echo mock\n", "ci/notes.md": "pip install mock\n"}, "numpy yaml"},
		"perhaps, and in CI's list":      {map[string]string{"p.py": "def f():\n    import requests\n", ".circleci/requirements.txt": "requests\n"}, "requests"},
		"what CI itself needs":           {map[string]string{"p.py": "", ".travis.yml": "install: pip install codecov requests pytest-cov\n"}, "never asked"},
		"plugins":                        {map[string]string{"p.py": "", "tox.ini": "[testenv]\ndeps = pytest_asyncio\n  pytest-sugar\n  pytest-nowhere\n"}, "pytest-asyncio"},
		"a plugin that needs an option":  {map[string]string{"p.py": "", "tox.ini": "deps = pytest-cov pytest-xdist\n"}, "never asked"},
		"an option":                      {map[string]string{"p.py": "", "pyproject.toml": "addopts = \"--cov=p -q\"\n"}, "pytest-cov"},
		"no module":                      {map[string]string{"p.py": "import all\n"}, "never asked"},
	} {
		sources := NewPythonSources()
		var read []string
		for _, file := range slices.Sorted(maps.Keys(c.files)) {
			if sources.Look(file) {
				read = append(read, file)
			}
		}
		for _, file := range read {
			sources.Read(file, []byte(c.files[file]))
		}
		asked := false
		got, err := sources.Packages(*e.Imports, func() (map[string]bool, error) { asked = true; return debian, nil })
		want := strings.Fields(c.want)
		for i := range want {
			want[i] = "python3-" + want[i]
		}
		if c.want == "never asked" {
			want = nil
		}
		if err != nil || !slices.Equal(got, want) || asked == (c.want == "never asked") {
			t.Errorf("%s: %q, %v, asked %v; want %q", name, got, err, asked, want)
		}
	}
	sources := NewPythonSources()
	sources.Look("p.py")
	sources.Read("p.py", []byte("import yaml\n"))
	lost := errors.New("no Debian")
	if got, err := sources.Packages(*e.Imports, func() (map[string]bool, error) { return nil, lost }); !errors.Is(err, lost) || got != nil {
		t.Errorf("%q, %v", got, err)
	}
}
