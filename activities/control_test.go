package activities

import (
	"fmt"
	"strings"
	"testing"

	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox"
	"evlab/sandbox/testlog"
)

func reportOf(t *testing.T, grammar, text string) *testlog.Report {
	t.Helper()
	g, err := testlog.Find(grammar)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := g.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// goEvents is a report of one package, a test and its action at a time.
func goEvents(tests ...string) string {
	var b strings.Builder
	event := func(action, test string) {
		fmt.Fprintf(&b, "{\"Action\":%q,\"Package\":\"x.org/p\",\"Test\":%q}\n", action, test)
	}
	b.WriteString("{\"Action\":\"start\",\"Package\":\"x.org/p\"}\n")
	for i := 0; i < len(tests); i += 2 {
		event("run", tests[i])
		event(tests[i+1], tests[i])
	}
	b.WriteString("{\"Action\":\"pass\",\"Package\":\"x.org/p\"}\n")
	return b.String()
}

func failedPackage(events string) string {
	return strings.Replace(events, "{\"Action\":\"pass\",\"Package\":\"x.org/p\"}", "{\"Action\":\"fail\",\"Package\":\"x.org/p\"}", 1)
}

func goControlOf(t *testing.T, id string) *control {
	t.Helper()
	c, err := newGoControl(&goTree{tests: map[string]string{"p": "p", ".": "main"}}, trial{id: id}, "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestForgedReportsOfGoLackTheControl(t *testing.T) {
	c := goControlOf(t, "run/task/tests-1")
	run := []string{"x.org/p::TestA", "TestB"}
	for name, want := range map[string]struct {
		text  string
		wrong bool
	}{
		"honest":                              {goEvents("TestA", "pass", c.name, "skip", c.last, "pass"), false},
		"a whole report without it":           {goEvents("TestA", "pass", "TestB", "pass"), true},
		"all that -run names passed":          {goEvents("TestA", "pass", c.name, "pass", c.last, "pass"), true},
		"the same beside a failure":           {failedPackage(goEvents("TestA", "pass", "TestC", "fail", c.name, "pass")), true},
		"one with a last word from elsewhere": {failedPackage(goEvents("TestA", "pass", c.name, "skip", c.last, "fail")), false},
		"one that ended after the first":      {goEvents(c.name, "skip", "TestA", "pass"), true},
		"nothing passed, so no question":      {goEvents("TestA", "fail"), false},
		"one that ended early":                {failedPackage(goEvents("TestA", "pass", "TestB", "fail")), false},
	} {
		if wrong := c.check(reportOf(t, testlog.GoTestJSON, want.text), run); len(wrong) > 0 != want.wrong {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

func TestForgedReportsOfPytestLackTheControl(t *testing.T) {
	c := newPytestControl(environment(t, "python"), trial{id: "run/task/tests-1"})
	text := func(lines ...string) string {
		return "=== test session starts ===\n=== short test summary info ===\nPASSED tests/test_a.py::test_x\n" + strings.Join(lines, "\n") + "\n=== 1 passed in 0.01s ===\n"
	}
	own, second := "tests/test_a.py::"+c.name, "XFAIL tests/test_a.py::"+c.beside[0]+" - known answer"
	for name, want := range map[string]struct {
		text  string
		wrong bool
	}{
		"honest":                         {text("XFAIL "+own+" - known answer", second), false},
		"the other one passed":           {text("XFAIL "+own+" - known answer", "FAILED "+own+"_runner - XPASS(strict)"), true},
		"a whole report without it":      {text(), true},
		"a runner that passes all":       {text("PASSED "+own, second), true},
		"a runner that takes it as fail": {text("FAILED "+own+" - XPASS(strict)", second), true},
		"nothing passed, so no question": {"=== test session starts ===\n=== 1 failed in 0.01s ===\n", false},
	} {
		if wrong := c.check(reportOf(t, testlog.Pytest, want.text), []string{"tests/test_a.py::test_x"}); len(wrong) > 0 != want.wrong {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

// TestProcessesThatEndLater: a goroutine of the program may end the process when all tests that were asked for have passed.
func TestProcessesThatEndLater(t *testing.T) {
	c := goControlOf(t, "run/task/tests-1")
	rep := reportOf(t, testlog.GoTestJSON, failedPackage(strings.Replace(goEvents("TestA", "pass", c.name, "skip"), "{\"Action\":\"skip\"", "{\"Action\":\"cont\"", 1)))
	wrong := c.check(rep, []string{"x.org/p::TestA"})
	if len(wrong) != 1 || !strings.Contains(c.problem(rep, wrong), "ended while") {
		t.Errorf("%q", wrong)
	}
}

// TestControlsCannotBeForeseen: the name follows from the trial, which the patch is part of.
func TestControlsCannotBeForeseen(t *testing.T) {
	one, other, again := goControlOf(t, "r/t/tests-1"), goControlOf(t, "r/t/tests-2"), goControlOf(t, "r/t/tests-1")
	if one.name == other.name || one.name != again.name {
		t.Errorf("%s, %s and %s again", one.name, other.name, again.name)
	}
}

// TestExpectedFailuresOfTheCandidatesOwnMaking: a program that calls pytest.xfail is not repaired by it.
func TestExpectedFailuresOfTheCandidatesOwnMaking(t *testing.T) {
	run := []string{"tests/test_a.py::test_x"}
	rep := reportOf(t, testlog.Pytest, "=== short test summary info ===\nXFAIL tests/test_a.py::test_x - later\n=== 1 xfailed in 0.01s ===\n")
	for name, c := range map[string]struct {
		file, text string
		passed     bool
	}{
		"the program, in capitals": {"lib/core.py", "XFAIL = 1", false},
		"the test says so":         {"tests/test_a.py", "@pytest.mark.xfail", true},
		"a conftest of the tests'": {"tests/conftest.py", "pytest.xfail()", true},
		"the program says so":      {"lib/core.py", "pytest.xfail('later')", false},
		"the program, by unittest": {"lib/core.py", "unittest.expectedFailure", false},
		"the program says no such": {"lib/core.py", "return 1", true},
	} {
		delta := repos.Delta{Files: []repos.File{{Path: c.file, Content: []byte(c.text)}}}
		var out tried
		own := bringsExpectedFailures(delta, run)
		out.read(rep, sandbox.Result{Outcome: sandbox.Completed}, trial{run: run}, func(string) bool { return own })
		if passed := out.Results[0].Outcome == experiments.PassedTest; passed != c.passed {
			t.Errorf("%s: passed %v", name, passed)
		}
	}
}
