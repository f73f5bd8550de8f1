package activities

import (
	"slices"
	"testing"

	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox"
	"evlab/sandbox/testlog"
	"evlab/workflows"
)

// TestDoubtsThatTheOwnRepairMeetsToo: what is the same with the task's own repair says nothing of a candidate, and what is
// not is the candidate's doing.
func TestDoubtsThatTheOwnRepairMeetsToo(t *testing.T) {
	made := func(problem string, doubted bool, expected ...string) tried {
		done := tried{Doubted: doubted, Expected: expected}
		done.Tested.Command.Problem = problem
		for _, name := range []string{"a", "b"} {
			done.Results = append(done.Results, experiments.TestResult{Name: name, Outcome: experiments.PassedTest})
		}
		return done
	}
	wrote := func(done tried) tried {
		done.wrote("testdata/x.golden")
		return done
	}
	const changed = "the hidden tests' data testdata/x.golden was changed while they ran"
	run := trial{phase: workflows.FailToPass, names: []string{"a", "b"}, run: []string{"a", "b"}}
	for name, c := range map[string]struct {
		candidate, own tried
		passed         bool
		reason         string
	}{
		"nothing strange":                        {made("", false), made("", false), true, ""},
		"the control of both":                    {made("the control", true), made("the control", true), true, ""},
		"the candidate's alone":                  {made("the control", true), made("", false), false, "the control"},
		"the repair's alone":                     {made("", false), made("the control", true), true, ""},
		"another problem":                        {made("crashed", false), made("the control", true), false, "crashed"},
		"expected with both":                     {made("", false, "a"), made("", false, "a"), true, ""},
		"expected with the candidate alone":      {made("", false, "a", "b"), made("", false, "b"), false, "a: xfail"},
		"data written by both":                   {wrote(made("", false)), wrote(made("", false)), true, ""},
		"by the candidate alone":                 {wrote(made("", false)), made("", false), false, changed},
		"by the repair alone":                    {made("", false), wrote(made("", false)), true, ""},
		"data, and the control of the repair":    {wrote(made("", false)), made("the control", true), false, changed},
		"the control, and data of the repair":    {made("the control", true), wrote(made("", false)), false, "the control"},
		"both with the candidate":                {wrote(made("the control", true)), made("the control", true), false, "the control"},
		"both with both":                         {wrote(made("the control", true)), wrote(made("the control", true)), true, ""},
		"data, and a crash":                      {wrote(made("crashed", false)), wrote(made("", false)), false, "crashed"},
		"a repair whose report is not believed":  {made("", false, "a"), made("crashed", false), true, ""},
		"one whose control is not, as it may be": {made("", false, "a"), made("the control", true), false, "a: xfail"},
	} {
		done := c.candidate
		done.narrow(run)
		done.weigh(c.own)
		done.narrow(run)
		if done.Tested.Passed != c.passed || done.Tested.Reason != c.reason {
			t.Errorf("%s: %v %q, want %v %q", name, done.Tested.Passed, done.Tested.Reason, c.passed, c.reason)
		}
	}
	for name, c := range map[string]struct {
		own            tried
		doubts, passed bool
	}{
		"the repair's own control": {made("the control", true), true, true},
		"its expected failures":    {made("", false, "a"), true, true},
		"its tests' data":          {wrote(made("", false)), true, true},
		"nothing strange":          {made("", false), false, true},
		"no doubt, but a fault":    {made("crashed", false), false, false},
	} {
		c.own.narrow(run)
		if doubts := c.own.ownDoubts(run); doubts != c.doubts || c.own.Tested.Passed != c.passed {
			t.Errorf("%s: doubts %v, passed %v: %s", name, doubts, c.own.Tested.Passed, c.own.Tested.Reason)
		}
	}
	alone := func(names ...string) tried {
		done := made("", false)
		done.Alone, done.Results[0].Outcome = names, "failed"
		return done
	}
	for want, own := range map[string]tried{experiments.PassedTest: alone("a"), "failed": made("", false)} {
		done := alone("a")
		if done.weigh(own); done.Results[0].Outcome != want {
			t.Errorf("a name that the second report lacks: %s, want %s", done.Results[0].Outcome, want)
		}
	}
	var out tried
	rep := reportOf(t, testlog.Pytest, "=== short test summary info ===\nXFAIL a.py::a - later\nPASSED a.py::b\n=== 1 passed, 1 xfailed in 0.01s ===\n")
	out.read(rep, sandbox.Result{Outcome: sandbox.Completed}, trial{run: []string{"a.py::a", "a.py::b"}}, func(string) bool { return false })
	if len(out.Expected) != 1 || out.Expected[0] != "a.py::a" || out.Results[0].Outcome != experiments.PassedTest {
		t.Errorf("%q %+v", out.Expected, out.Results)
	}
}

// TestWhatMustStayWhileTestsRun: the sources of tests, and the data that came with the hidden ones; what else a tree has may
// be written. Of sources it is told before all data.
func TestWhatMustStayWhileTestsRun(t *testing.T) {
	d := repos.Delta{}
	for _, p := range []string{"a/testdata/x.golden", "a/testdata/other", "go.sum", "a/a.go", "a/a_test.go"} {
		d.Files = append(d.Files, repos.File{Path: p})
	}
	hidden := []string{"a/testdata/x.golden", "go.sum", "a/a_test.go"}
	if got := held(d, hidden); !slices.Equal(got, []string{"a/testdata/x.golden", "a/a_test.go"}) {
		t.Errorf("held are %q", got)
	}
	if got := held(sourcesFirst(d), hidden); !slices.Equal(got, []string{"a/a_test.go", "a/testdata/x.golden"}) {
		t.Errorf("held in the order of %q", got)
	}
	if got := d.Files[4].Path; got != "a/a.go" {
		t.Errorf("the last file is %q", got)
	}
}
