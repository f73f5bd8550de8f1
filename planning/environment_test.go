package planning

import (
	"context"
	"slices"
	"strings"
	"testing"

	"evlab/datasets"
	"evlab/environments"
	"evlab/experiments"
	"evlab/sandbox/testlog"
)

func TestTestsInAGivenImage(t *testing.T) {
	python, err := environments.Of("python")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		setting datasets.Setting
		known   *experiments.Environment
		command []string // its last words
		report  string
		fault   string
	}{
		"a command of one's own": {
			datasets.Setting{Rule: datasets.RuleEvlab, Tests: []string{"cd x", "run"}, Grammar: "tap"}, nil, []string{"sh", "-c", "cd x\nrun"}, "tap", "",
		},
		"a dataset's lines": {
			datasets.Setting{Rule: datasets.RuleLive, Prepare: []string{"make"}, Tests: []string{"pytest -rA"}, Print: []string{"cat log"}, Grammar: "live_pytest"}, &python,
			[]string{"bash", "-c", "make\npytest -rA\nevlab_status=$?\ncat log\nexit $evlab_status"}, "live_pytest", "",
		},
		"the recipe's command": {
			datasets.Setting{Rule: datasets.RuleEvlab}, &python, python.Command, testlog.Pytest, "",
		},
		"the recipe's command in an environment that is entered": {
			datasets.Setting{Rule: datasets.RuleSWEBench, Grammar: "parse_log_pytest_v2@v4"}, &python,
			append([]string{"bash", "-c", ". /opt/miniconda3/bin/activate\nconda activate testbed\nexec \"$@\"", "bash"}, python.Command...), testlog.Pytest, "",
		},
		"a command that nobody says":  {datasets.Setting{Rule: datasets.RuleSWEBench, Grammar: "parse_log_django"}, &python, nil, "", "parse_log_django"},
		"no command and no recipe":    {datasets.Setting{}, nil, nil, "", "nothing says how its tests are run"},
		"a script":                    {datasets.Setting{Script: "git checkout x"}, &python, nil, "", "script"},
		"a program reads the report":  {datasets.Setting{Tests: []string{"x"}, Parser: "def parse(): pass"}, nil, nil, "", "program"},
		"a report that nobody reads":  {datasets.Setting{Tests: []string{"x"}}, &python, nil, "", "field report"},
		"a program of one repository": {datasets.Setting{Rule: datasets.RuleMulti, Tests: []string{"x"}}, nil, nil, "", "for its repository alone"},
		"a grammar that there is not": {datasets.Setting{Tests: []string{"x"}, Grammar: "rot13"}, &python, nil, "", "rot13"},
	} {
		e, err := testsIn(c.setting, c.known)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: want an error with %q, got %v", name, c.fault, err)
			}
			continue
		}
		if err != nil || !slices.Equal(e.Command, c.command) || e.Report != c.report || len(e.Packages) > 0 {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}

// TestSettle: an image that is not to be had is no reason to do without a recipe, and a task without either is set aside.
func TestSettle(t *testing.T) {
	s := &settler{
		contract: &experiments.Contract{Sandbox: experiments.FrozenSandbox{Kind: "docker"}, Environments: map[string]experiments.Environment{}, Versions: map[string]string{"go": "go1.26"}},
		pinner:   nil, pinned: map[string]pin{"absent:1": {err: context.DeadlineExceeded}, "here:1": {image: "sha256:1"}},
	}
	settle := func(id, language string, setting datasets.Setting) *experiments.FrozenTask {
		t.Helper()
		task := &experiments.FrozenTask{ID: id}
		if err := s.settle(context.Background(), task, language, setting); err != nil {
			t.Fatal(err)
		}
		return task
	}
	plain, absent := settle("plain", "python", datasets.Setting{}), settle("absent", "python", datasets.Setting{Image: "absent:1"})
	if plain.Recipe != "python" || absent.Recipe != "python" || plain.Environment != absent.Environment {
		t.Errorf("%+v\n%+v", plain, absent)
	}
	if notes := s.notes(); len(notes) != 1 || !strings.Contains(notes[0], "absent") {
		t.Errorf("notes %q", notes)
	}
	here, there := settle("here", "python", datasets.Setting{Image: "here:1"}), settle("there", "python", datasets.Setting{Image: "here:1", Workdir: "/w"})
	if here.Environment == plain.Environment || here.Environment == there.Environment || here.Recipe == there.Recipe {
		t.Errorf("%+v\n%+v", here, there)
	}
	if e := s.contract.Environments[there.Recipe]; e.Image != "sha256:1" || e.Workdir != "/w" || len(e.Packages) > 0 {
		t.Errorf("%+v", e)
	}
	file := settle("file", "python", datasets.Setting{Dockerfile: "FROM x"})
	if e := s.contract.Environments[file.Recipe]; e.Dockerfile != "FROM x" || e.Image != "" {
		t.Errorf("%+v", e)
	}
	own := settle("own", "python", datasets.Setting{Rule: datasets.RuleEvlab, Tests: []string{"x"}, Grammar: "tap"})
	if e := s.contract.Environments[own.Recipe]; e.Report != "tap" || len(e.Packages) == 0 || own.Environment == plain.Environment {
		t.Errorf("%+v", e)
	}
	if task := settle("no shell", "go", datasets.Setting{Rule: datasets.RuleEvlab, Tests: []string{"x"}, Grammar: "tap"}); task.Recipe != "go" {
		t.Errorf("%+v", task)
	}
	for id, c := range map[string]struct {
		language string
		setting  datasets.Setting
	}{
		"no recipe":           {"cobol", datasets.Setting{}},
		"no recipe, no image": {"cobol", datasets.Setting{Image: "absent:1", Tests: []string{"x"}, Grammar: "tap"}},
		"a file that nobody can run the tests of": {"cobol", datasets.Setting{Dockerfile: "FROM x"}},
	} {
		if task := settle(id, c.language, c.setting); !strings.HasPrefix(task.Excluded, "no environment: ") || task.Recipe != "" {
			t.Errorf("%s: %+v", id, task)
		}
	}
	s.contract.Sandbox.Kind = "host"
	if task := settle("on the host", "go", datasets.Setting{Image: "here:1"}); task.Recipe != "go" || task.Excluded != "" {
		t.Errorf("%+v", task)
	}
	windows := settle("windows", "cobol", datasets.Setting{Image: "here:1", Platform: "windows/amd64"})
	if windows.Excluded == "" {
		t.Errorf("%+v", windows)
	}
}
