package repos_test

import (
	"testing"

	"evlab/repos"
)

// TestOverlayTellsPythonsTestsByWhoImportsThem: helpers, data and tests of other names than test_x.py and tests/ are the
// tests' own, and a program's modules that are called alike are the program's.
func TestOverlayTellsPythonsTestsByWhoImportsThem(t *testing.T) {
	m, base := mirror(t, file("f.go", "package f\n"),
		file("lib/__init__.py", "from . import core, \\\n    test_tools  # for users\n"), file("lib/core.py", "x = 1\n"), file("lib/test_tools.py", "a\n"), file("lib/test_own.py", "a\n"), file("lib/test_kit.py", "from lib import testkit\n"),
		file("lib/testkit.py", "a\n"), file("lib/tests.py", "a\n"), file("lib/testing.py", "a\n"), file("lib/late_tests.py", "a\n"), file("lib/lazy.py", "def f():\n    from .late_tests import (  # here\n        a,\n    )\n"),
		file("testutil.py", "a\n"), file("testing/support.py", "a\n"), file("testing/data/e1.txt", "a\n"), file("unit_tests/helpers.py", "a\n"), file("testsuite/support.py", "a\n"), file("testsuite/E10.txt", "a\n"),
		file("main.py", "import testsuite.support, selftest.run\n"), file("selftest/run.py", "a\n"), file("selftest/more.py", "a\n"), file("test-data/a.json", "a\n"), file("testlib/a.c", "a\n"),
		file("setup.py", "from run_tests import main\n"), file("run_tests.py", "a\n"), file("plugin/pytest_x.py", "a\n"), file("contest.py", "a\n"), file("named.py", "import_module('lib.by_name_test')\n"), file("lib/by_name_test.py", "a\n"))
	for p, undone := range map[string]bool{
		"lib/test_tools.py": false, "lib/late_tests.py": false, "lib/by_name_test.py": false, "selftest/run.py": false, "selftest/more.py": false, "lib/testing.py": false, "testlib/a.c": false,
		"plugin/pytest_x.py": false, "contest.py": false, "lib/testkit.py": true, "lib/tests.py": true, "testutil.py": true, "testing/support.py": true, "testing/data/e1.txt": true,
		"unit_tests/helpers.py": true, "testsuite/support.py": true, "testsuite/E10.txt": true, "test-data/a.json": true, "run_tests.py": true,
	} {
		var want []string
		if undone {
			want = []string{p}
		}
		undoes(t, "a change of "+p, m, base, edits(p, "a", "b"), want)
	}
	imports := edits("lib/core.py", "x = 1", "from .test_new import x")
	undoes(t, "a new module that the program imports", m, base, imports+adds("lib/test_new.py", "100644", "x = 2\n"), nil)
	undoes(t, "one that it does not", m, base, adds("lib/test_new.py", "100644", "x = 2\n"), []string{"lib/test_new.py"})
	undoes(t, "a test that it imports now", m, base, edits("lib/core.py", "x = 1", "from . import test_own")+edits("lib/test_own.py", "a", "b"), []string{"lib/test_own.py"})
	undoes(t, "a new test of the tests' folder", m, base, imports+adds("unit_tests/test_new.py", "100644", "x = 2\n"), []string{"unit_tests/test_new.py"})
	undoes(t, "such a module further down", m, base, adds("lib/testing/x.py", "100644", "x = 2\n"), nil)
}

// TestOverlayTellsAPackagesTestsFromWhatItOffers: what lies beside tests in a package's own test folder helps them; a folder
// of that name without any is the program's, and so is one that the program imports.
func TestOverlayTellsAPackagesTestsFromWhatItOffers(t *testing.T) {
	m, base := mirror(t, file("f.go", "package f\n"),
		file("own/test/__init__.py", "a\n"), file("own/test/harness.py", "a\n"), file("own/test/more.py", "from own.test import harness\n"), file("own/test/test_a.py", "from own.test.harness import x\n"), file("own/test/deep/help.py", "a\n"),
		file("offers/test/client.py", "a\n"), file("offers/test/tests/test_client.py", "a\n"), file("offers/testing/test_x.txt", "a\n"),
		file("used/testing/base.py", "a\n"), file("used/testing/test_base.py", "a\n"), file("used/core.py", "from .testing import base\n"))
	for p, undone := range map[string]bool{
		"own/test/__init__.py": true, "own/test/harness.py": true, "own/test/deep/help.py": true,
		"offers/test/client.py": false, "used/testing/base.py": false,
	} {
		var want []string
		if undone {
			want = []string{p}
		}
		undoes(t, "a change of "+p, m, base, edits(p, "a", "b"), want)
	}
	undoes(t, "a new helper", m, base, adds("own/test/new.py", "100644", "x = 2\n"), []string{"own/test/new.py"})
	undoes(t, "a new test that makes the folder one of tests", m, base, adds("offers/test/test_new.py", "100644", "x = 2\n")+edits("offers/test/client.py", "a", "b"), []string{"offers/test/test_new.py"})
}

// TestFoldersThatTheRepairChanges: a package that is called after tests and that the task's own repair changes is what the
// repository is there for.
func TestFoldersThatTheRepairChanges(t *testing.T) {
	m, base := mirror(t, file("f.go", "package f\n"), file("testkit/a.py", "a\n"), file("testkit/b.py", "b\n"))
	a := apply(t, m, base, edit+edits("testkit/b.py", "b", "c"))
	for _, c := range []struct {
		kept []string
		want int
	}{{repos.RunnerPaths([]byte(edits("testkit/a.py", "a", "b"))), 0}, {nil, 1}} {
		o, err := m.Overlay(t.Context(), base, a.Tree, nil, c.kept...)
		if err != nil || len(o.Neutralised) != c.want {
			t.Errorf("with %q kept: undone %q (%v)", c.kept, o.Neutralised, err)
		}
	}
}
