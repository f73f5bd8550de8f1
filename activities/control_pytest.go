package activities

import (
	"fmt"
	"strconv"
	"strings"

	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox/testlog"
)

// pytestControl is a plugin that adds the control to what was collected, and takes its own file away, so that no file is there
// that was not there before: some repositories' tests look at all their files, and pytest takes its settings from where the tests are.
// It stands among the tests of the last module, where the same hooks and fixtures serve it.
//
// There are two of it. The first claims what is not so, by each of the ways that tests have, and fails as expected if every
// claim is refused. A program may spare what is expected to fail, so the second looks at the runner itself, and fails as
// expected if all code of pytest's and unittest's is what it was before anything of the tree was loaded, and none of it, nor
// any hook, is of the program's files (pytest itself puts its old paths back, by legacypath). Tests may change the runner as
// they like: their files are not the candidate's. What the candidate brought (BROUGHT) is the program's, whatever it is
// called. Nothing of that may be loaded before the control: what a module that pytest took for one of Python's puts in place
// would be part of what things were before.
const pytestControl = `"""Tests with known answers, put here by evlab: they fail, and say so."""
import builtins
import os
import sys
import types
import unittest

import pytest

ROOT = os.path.realpath(os.getcwd())
KINDS = (types.FunctionType, classmethod, staticmethod, property, type)
RUNNER = ("_pytest", "pytest", "pluggy", "unittest")
BROUGHT = {%[3]s}


def code_of(value):
    if isinstance(value, property):
        value = value.fget
    code = getattr(getattr(value, "__func__", value), "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def runner():
    for key, value in list(vars(builtins).items()):
        if key != "_":
            yield builtins, key, value
    for name, module in list(sys.modules.items()):
        if not isinstance(module, types.ModuleType) or name.split(".")[0] not in RUNNER:
            continue
        owners = [v for v in vars(module).values() if isinstance(v, type) and v.__module__ == name]
        for owner in [module] + owners:
            for key, value in list(vars(owner).items()):
                if isinstance(value, KINDS):
                    yield owner, key, value


BEFORE = [(owner, key, value, code_of(value)) for owner, key, value in runner()]


def file_of(value):
    """The file of the tree that code is of, in parts; None where it is of no such file, or of one that was not the program's."""
    code = code_of(value)
    if not code or code.co_filename.startswith("<"):
        return None
    file = os.path.realpath(code.co_filename)
    if not file.startswith(ROOT + os.sep) or file == os.path.realpath(__file__):
        return None
    return file[len(ROOT) + 1:].split(os.sep)


def of_tests(parts):
    name = parts[-1]
    if name != "conftest.py" and "/".join(parts) in BROUGHT:
        return False
    return name == "conftest.py" or name.startswith("test_") or name.endswith("_test.py") or "tests" in parts or parts[0] == "test"


def of_program(value):
    parts = file_of(value)
    return bool(parts) and not of_tests(parts) and "site-packages" not in parts and "dist-packages" not in parts


def early():
    """Whether the program was loaded before this, as it can be in the place of a module that the runner needs."""
    for module in list(sys.modules.values()):
        file = os.path.realpath(getattr(module, "__file__", None) or os.sep)
        if file.startswith(ROOT + os.sep) and file[len(ROOT) + 1:].replace(os.sep, "/") in BROUGHT:
            return True
    return False


EARLY = early()
KNOWN = {(id(owner), key) for owner, key, _, _ in BEFORE}
OWNERS = {id(owner) for owner, _, _, _ in BEFORE if owner is not builtins}


def replaced():
    if EARLY:
        return True
    for owner, key, value, code in BEFORE:
        now = vars(owner).get(key)
        if now is value and code_of(now) is code or getattr(now, "__module__", "") == "_pytest.legacypath":
            continue
        if not file_of(now) or not of_tests(file_of(now)):
            return True
    for owner, key, value in runner():
        if of_program(value):
            return True
        if id(owner) in OWNERS and (id(owner), key) not in KNOWN and code_of(value) and code_of(value).co_filename.startswith("<"):
            return True  # code without a file, put in the way of the runner's
    return False


def run_otherwise(items):
    ways = [vars(item)["runtest"] for item in items if "runtest" in vars(item)]
    return any(not file_of(way) or not of_tests(file_of(way)) for way in ways)


def hooked(config):
    callers = [v for v in vars(config.hook).values() if hasattr(v, "get_hookimpls")]
    return any(of_program(impl.function) for caller in callers for impl in caller.get_hookimpls())


def claims():
    case = unittest.TestCase()
    yield AssertionError, lambda: case.assertTrue(1 == pytest.approx(2))
    yield AssertionError, lambda: case.assertEqual(1, 2)
    yield AssertionError, lambda: case.assertTrue(False)
    yield AssertionError, lambda: case.assertFalse(True)
    yield AssertionError, lambda: case.assertIn(1, [])
    yield AssertionError, lambda: case.assertRaises(ValueError, int)
    yield AssertionError, lambda: case.fail("known answer")
    yield pytest.fail.Exception, lambda: pytest.raises(ValueError, int)
    yield pytest.fail.Exception, lambda: pytest.fail("known answer")


@pytest.mark.xfail(reason="known answer", strict=True, raises=AssertionError)
def %[1]s():
    """Known answer."""
    for refusal, claim in claims():
        try:
            claim()
        except refusal:
            continue
        return
    assert 1 == 2


@pytest.mark.xfail(reason="known answer", strict=True, raises=AssertionError)
def %[2]s(request):
    """Known answer."""
    if replaced() or hooked(request.config) or run_otherwise(request.session.items):
        return
    assert 1 == 2


def pytest_configure(config):
    if not config.getoption("numprocesses", None):  # whose workers load it again
        try:
            os.unlink(__file__)
        except OSError:
            pass


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session, items):
    parent = items and items[-1].getparent(pytest.Module) or session
    for control in (%[1]s, %[2]s):
        try:
            items.append(pytest.Function.from_parent(parent, name=control.__name__, callobj=control))
        except Exception:
            pass
`

// newPytestControl is nil where the runner is another one.
func newPytestControl(e experiments.Environment, t trial) *control {
	if e.Report != testlog.Pytest {
		return nil
	}
	c := newControl(t, "test_evlab_", testlog.ExpectedFailure)
	second := c.name + "_runner"
	c.beside = []string{second}
	var brought []string
	for _, p := range t.brought {
		brought = append(brought, strconv.QuoteToASCII(p))
	}
	plugin := "evlab_" + strings.TrimPrefix(c.name, "test_evlab_")
	c.args = []string{"-p", plugin}
	c.files = []repos.File{{Path: plugin + ".py", Mode: "100644", Content: fmt.Appendf(nil, pytestControl, c.name, second, strings.Join(brought, ", "))}}
	return c
}
