package activities

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"evlab/repos"
	"evlab/sandbox/testlog"
)

// pythonWithPytest is an interpreter of this machine that has pytest.
func pythonWithPytest(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import pytest").Run() == nil {
			return python
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no python3 of this machine has pytest")
	}
	t.Skip("no python3 of this machine has pytest")
	return ""
}

// TestPytestControlAgainstPrograms runs pytest over programs that make their tests pass by what they do to the runner, and
// over honest ones that come near to it.
func TestPytestControlAgainstPrograms(t *testing.T) {
	python := pythonWithPytest(t)
	for name, c := range map[string]struct {
		files map[string]string
		wrong string // which controls do not have their answer
	}{
		"nothing": {nil, ""},
		"unittest's assertions come to nothing": {map[string]string{"prog.py": "import unittest\nfor n in dir(unittest.TestCase):\n    if n.startswith('assert'): setattr(unittest.TestCase, n, lambda *a, **k: None)\n"},
			"name second"},
		"one that nobody claims with": {map[string]string{"prog.py": "import unittest\nunittest.TestCase.assertDictEqual = print\n"}, "second"},
		"tests of unittest's that never run": {map[string]string{"prog.py": "import unittest\nunittest.TestCase.run = lambda self, result: result.addSuccess(self)\n"},
			"second"},
		"raises nothing": {map[string]string{"prog.py": "import pytest, contextlib\n@contextlib.contextmanager\ndef raises(*a):\n    yield\npytest.raises = lambda *a: None\n"}, "name second"},
		"failures that come to nothing, but for marked tests": {map[string]string{"prog.py": "import _pytest.python as p\nwas = p.Function.runtest\ndef swallow(self):\n    try: was(self)\n    except Exception:\n        if list(self.iter_markers()): raise\np.Function.runtest = swallow\n"},
			"second"},
		"the same by the code of a function": {map[string]string{"prog.py": "import unittest\ndef nothing(self, first, second, msg=None): pass\nunittest.TestCase.assertEqual.__code__ = nothing.__code__\n"}, "name second"},
		"the same in a module that stands before pytest's": {map[string]string{"prog.py": "", "difflib.py": "import os, sys\n" +
			"exec(open(os.path.join(os.path.dirname(os.__file__), 'difflib.py')).read())\nimport _pytest.python as p\nwas = p.Function.runtest\n" +
			"def swallow(self):\n    try: was(self)\n    except Exception:\n        if list(self.iter_markers()): raise\np.Function.runtest = swallow\n"}, "second"},
		"a hook of the program's": {map[string]string{"prog.py": "import sys, _pytest.config as c\nclass Hook:\n    def pytest_pyfunc_call(self, pyfuncitem):\n        if not list(pyfuncitem.iter_markers()): return True\n" +
			"frame = sys._getframe()\nwhile not isinstance(frame.f_locals.get('config'), c.Config): frame = frame.f_back\nframe.f_locals['config'].pluginmanager.register(Hook())\n"}, "second"},
		"code without a file, by a module that pytest takes for one of Python's": {map[string]string{"prog.py": "", "difflib.py": "import os\nexec(open(os.path.join(os.path.dirname(os.__file__), 'difflib.py')).read())\n" +
			"exec(compile('''import _pytest.python as p\nwas = p.Function.runtest\ndef swallow(self):\n    try: was(self)\n    except Exception:\n        if list(self.iter_markers()): raise\np.Function.runtest = swallow\n''', '<string>', 'exec'))\n"}, "second"},
		"what Python itself has":          {map[string]string{"prog.py": "import builtins\nbuiltins.all = lambda x: True\n"}, "second"},
		"what Python's modules have":      {map[string]string{"prog.py": "import math\nmath.isclose = lambda *a, **k: True\n"}, "second"},
		"a function that follows lines":   {map[string]string{"prog.py": "import sys\ndef follow(frame, event, arg): return follow\nsys.settrace(follow)\n"}, "second"},
		"a name of Python's by a star":    {map[string]string{"prog.py": "all = lambda x: True\n", "test_b.py": "from prog import *\ndef test_z(): assert all([0])\n"}, "second"},
		"one that the tests ask for":      {map[string]string{"prog.py": "def open(x): return x\n", "test_b.py": "from prog import open\ndef test_z(): assert open(1)\n"}, ""},
		"a module's function of a test's": {map[string]string{"prog.py": "", "conftest.py": "import math\nmath.isclose = lambda *a, **k: True\n"}, ""},
		"a name of Python's more":         {map[string]string{"prog.py": "import builtins\ndef same(f): return f\nbuiltins.profile = same\n"}, ""},
		"another module in the tests' place": {map[string]string{"prog.py": "import sys, types\nf = sys._getframe()\nwhile f and f.f_globals['__name__'] != 'test_a': f = f.f_back\nif f:\n    m = types.ModuleType('test_a')\n" +
			"    m.__file__ = f.f_globals['__file__']\n    m.test_x = eval('lambda: None')\n    m.test_files = lambda: None\n    sys.modules['test_a'] = m\n"}, "second"},
		"another code in tests":                      {map[string]string{"prog.py": "import gc, types\ndef late():\n    for o in gc.get_objects():\n        if isinstance(o, types.FunctionType) and o.__name__ == 'test_later': o.__code__ = (lambda: None).__code__\n", "test_b.py": "import prog\ndef test_z(): prog.late()\ndef test_later(): assert 0\n"}, "second"},
		"another code by its class":                  {map[string]string{"prog.py": "def late(of):\n    for c in of.__mro__:\n        if 'test_later' in vars(c): c.test_later = print\n", "test_b.py": "import prog, unittest\nclass Base:\n    def test_a(self): prog.late(type(self))\n    def test_later(self): assert 0\nclass Both(Base, unittest.TestCase): pass\n"}, "second"},
		"a wrapper around tests":                     {map[string]string{"prog.py": "import functools, gc\ndef late(of):\n    was = of['test_later']\n    @functools.wraps(was)\n    def spare():\n        try: was()\n        except AssertionError: pass\n    for o in gc.get_objects():\n        if getattr(o, '_obj', None) is was: o._obj = spare\n", "test_b.py": "import prog, pytest\ndef test_z(): prog.late(globals())\n@pytest.mark.filterwarnings('error')\ndef test_later(): assert 0\n"}, "second"},
		"a module that says it were the tests' file": {map[string]string{"prog.py": "import sys\nsys.modules['test_b'] = sys.modules[__name__]\n__file__ = __file__.replace('prog', 'test_b')\ndef test_x(): pass\n", "test_b.py": "def test_x(): assert 0\n"}, "second"},
		"the tests' own ways to make and wrap tests": {map[string]string{"prog.py": "import functools\ndef known(f):\n    @functools.wraps(f)\n    def run(*a): return f(*a)\n    return run\n", "conftest.py": "def bare(f):\n    def run(*a): return f(*a)\n    return run\n",
			"test_b.py": "import functools, unittest\nfrom unittest import mock\nimport pytest\nfrom conftest import bare\nfrom prog import known\n\n@known\ndef test_known(): pass\n\n@bare\ndef test_bare(): pass\n\n@mock.patch('os.getcwd')\ndef test_mocked(_): assert _ is not None\n\n" +
				"@pytest.mark.parametrize('n', [1, 2])\ndef test_n(n): assert n\n\ntest_part = functools.partial(lambda n: None, 1)\nexec('def test_made(): pass')\n\nclass Base:\n    def test_a(self): assert 1\n    @staticmethod\n    def test_s(): assert 1\nclass Both(Base, unittest.TestCase):\n    def test_b(self):\n        def inner(): assert 1\n        inner()\n" +
				"for n in range(2): setattr(Both, 'test_%d' % n, lambda self: None)\nclass Test:\n    def test_c(self): assert 'a' in 'abc', 'message'\n    async def test_d(self): pass\n"}, ""},
		"a way of its own, without a file":      {map[string]string{"prog.py": "import _pytest.unittest as u\nexec(\"def addResult(self, *a): pass\\nu.TestCaseFunction.iter_parents = addResult\")\n"}, "second"},
		"tests of which each runs otherwise":    {map[string]string{"prog.py": "import gc, pytest\ndef late():\n    for o in gc.get_objects():\n        if isinstance(o, pytest.Function) and not list(o.iter_markers()): o.runtest = lambda: None\n", "test_b.py": "import prog\ndef test_z(): prog.late()\n"}, "second"},
		"a program's module with a test's name": {map[string]string{"prog.py": "import test_of_mine\n", "test_of_mine.py": "import unittest\ndef other(self, *a): pass\nunittest.TestCase.assertDictEqual = other\n"}, "second"},
		"the tests' own way to run a test":      {map[string]string{"prog.py": "", "conftest.py": "def pytest_collection_modifyitems(items):\n    for i in items:\n        was = i.runtest\n        def run(was=was): was()\n        i.runtest = run\n"}, ""},
		"the tests' own change of unittest":     {map[string]string{"prog.py": "", "conftest.py": "import unittest\ndef same(self, a, b, msg=None): assert a == b\nunittest.TestCase.assertEqual = same\n"}, ""},
		"the tests' own hooks":                  {map[string]string{"prog.py": "", "conftest.py": "import pytest\nclass Hook:\n    @pytest.hookimpl(hookwrapper=True)\n    def pytest_runtest_makereport(self, item):\n        yield\ndef pytest_configure(config):\n    config.pluginmanager.register(Hook())\n"}, ""},
		"a program with tests of its own":       {map[string]string{"prog.py": "import unittest, pytest, unittest.mock\nclass Case(unittest.TestCase):\n    def assertEqual(self, *a): pass\nfixture = pytest.fixture(lambda: 1)\n"}, ""},
		"strict settings":                       {map[string]string{"prog.py": "", "pytest.ini": "[pytest]\naddopts = -x -q --strict-markers --strict-config\nfilterwarnings = error\nxfail_strict = true\n"}, ""},
		"all warnings are errors in unittest":   {map[string]string{"prog.py": "", "setup.cfg": "[tool:pytest]\naddopts = -W error --tb=no --color=yes\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			control := newPytestControl(environment(t, "python"), trial{id: name, brought: []string{"prog.py", "difflib.py", "test_of_mine.py"}})
			files := append(control.files, repos.File{Path: "test_a.py", Content: []byte("import unittest\nfrom unittest import mock\nimport glob\nimport prog\n\ndef test_files(): assert not glob.glob('evlab*')\n\ndef test_x():\n    with mock.patch.object(unittest.TestCase, 'assertEqual'): pass\n\nclass Old(unittest.TestCase):\n    def test_y(self): self.assertEqual(1, 1)\n")})
			if c.files == nil {
				files = append(files, repos.File{Path: "prog.py"})
			}
			for p, text := range c.files {
				files = append(files, repos.File{Path: p, Content: []byte(text)})
			}
			for _, f := range files {
				if err := os.WriteFile(filepath.Join(dir, f.Path), f.Content, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(python, append([]string{"-m", "pytest", "-rA", "-p", "no:cacheprovider"}, control.args...)...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1", "PYTEST_ADDOPTS=")
			out, _ := cmd.CombinedOutput() // its report says whether tests failed
			var wrong []string
			if rep := reportOf(t, testlog.Pytest, string(out)); rep.Tests["test_a.py::test_files"] != testlog.Passed && c.wrong == "" {
				t.Errorf("the tests find the control among their files\n%s", out)
			}
			for _, is := range control.check(reportOf(t, testlog.Pytest, string(out)), []string{"test_a.py::test_x"}) {
				wrong = append(wrong, map[string]string{control.name: "name", control.beside[0]: "second"}[is])
			}
			if got := strings.Join(wrong, " "); got != c.wrong {
				t.Errorf("without their answers: %q, want %q\n%s", got, c.wrong, out)
			}
		})
	}
}
