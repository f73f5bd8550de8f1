package planning

import (
	"context"
	"slices"
	"strings"
	"testing"

	"evlab/artifacts"
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
			[]string{"bash", "-c", "exec 9>&1 1>&2\nmake\npytest -rA\nevlab_status=$?\nexec 1>&9 9>&- 2>&1\ncat log\nexit $evlab_status"}, "live_pytest", "",
		},
		"a dataset's line of pytest": {
			datasets.Setting{Rule: datasets.RuleLive, Tests: []string{"pytest -rA"}, Grammar: "live_pytest"}, &python,
			[]string{"bash", "-c", "exec 9>&1 1>&2\nexec 1>&9 9>&-\npytest -rA"}, "live_pytest", "",
		},
		"a line of pytest that a further name of its parser reads": {
			datasets.Setting{Rule: datasets.RuleRebench, Tests: []string{"pytest -rA"}, Grammar: "parse_log_dvc@rebench"}, &python,
			[]string{"bash", "-c", "exec 9>&1 1>&2\nexec 1>&9 9>&-\npytest -rA"}, "parse_log_dvc@rebench", "",
		},
		"what another runner prints on both streams": {
			datasets.Setting{Rule: datasets.RuleRebench, Tests: []string{"make", "go test -v"}, Grammar: "parse_log_gotest"}, nil,
			[]string{"bash", "-c", "exec 9>&1 1>&2\nexec 1>&9 9>&- 2>&1\nmake\ngo test -v"}, "parse_log_gotest", "",
		},
		"Django, with its labels": {
			datasets.Setting{Rule: datasets.RuleSWEBench, Prepare: []string{"export A=b"}, Tests: []string{"./runtests.py"}, TestFiles: []string{"a.b", "it's"}, Grammar: "parse_log_django"}, &python,
			[]string{"bash", "-c", "exec 9>&1 1>&2\n. /opt/miniconda3/bin/activate\nconda activate testbed\nexport A=b\nexec 1>&9 9>&- 2>&1\n./runtests.py 'a.b' 'it'\\''s'"}, "parse_log_django", "",
		},
		"pytest with names of its dataset's own": {
			datasets.Setting{Rule: datasets.RuleSWEBench, Tests: []string{"pytest -rA"}, TestFiles: []string{"a.py"}, Grammar: "parse_log_matplotlib"}, &python,
			[]string{"bash", "-c", "exec 9>&1 1>&2\n. /opt/miniconda3/bin/activate\nconda activate testbed\nexec 1>&9 9>&-\npytest -rA 'a.py'"}, "parse_log_matplotlib", "",
		},
		"pytest, which is evlab's own then": {
			datasets.Setting{Rule: datasets.RuleSmith, Tests: []string{"pytest --disable-warnings --color=no --tb=no --verbose"}, Grammar: "parse_log_pytest"}, &python,
			append([]string{"bash", "-c", ". /opt/miniconda3/bin/activate\nconda activate testbed\nexec \"$@\"", "bash"}, python.Command...), testlog.Pytest, "",
		},
		"pytest with options that choose tests": {
			datasets.Setting{Rule: datasets.RuleSmith, Tests: []string{"pytest -rA -k x"}, Grammar: "parse_log_pytest"}, &python,
			[]string{"bash", "-c", "exec 9>&1 1>&2\n. /opt/miniconda3/bin/activate\nconda activate testbed\nexec 1>&9 9>&-\npytest -rA -k x"}, "parse_log_pytest", "",
		},
		"a script": {
			datasets.Setting{Rule: datasets.RuleSWEBench, Script: evalScript("go test -v ./..."), Grammar: "parse_log_gotest"}, nil,
			[]string{"bash", "-c", "exec 9>&1 1>&2\nset -uxo pipefail\ncd /testbed\n:\n:\nmake build\nexec 1>&9 9>&- 2>&1\nset +x\nevlab_status=0\ntrap 'evlab_status=$?' ERR\ngo test -v ./...\nexit $evlab_status"},
			"parse_log_gotest", "",
		},
		"a script of pytest": {
			datasets.Setting{Rule: datasets.RuleSWEBench, Script: evalScript("pytest --no-header -rA --tb=no -p no:cacheprovider tests/test_a.py"), Grammar: "parse_log_flask"}, &python,
			append([]string{"bash", "-c", "exec 9>&1 1>&2\nset -uxo pipefail\ncd /testbed\n:\n:\nmake build\nexec 1>&9 9>&-\nexec \"$@\"", "bash"}, python.Command...), testlog.Pytest, "",
		},
		"a script of tox, which runs pytest": {
			datasets.Setting{Rule: datasets.RuleSWEBench, Script: evalScript("tox --current-env -epy39 -v -- tests/test_a.py"), Grammar: "parse_log_sphinx"}, &python,
			append([]string{"bash", "-c", "exec 9>&1 1>&2\nset -uxo pipefail\ncd /testbed\n:\n:\nmake build\nexec 1>&9 9>&-\nexec \"$@\"", "bash"}, python.Command...), testlog.Pytest, "",
		},
		"Pro": {
			datasets.Setting{Rule: datasets.RulePro, Prepare: []string{"git checkout x -- a"}, Script: "run \"$1\"", Parser: "import sys", TestFiles: []string{"a b", "c"}}, nil,
			[]string{"bash", "-c", "run \"$1\"", "run_script.sh", "a b,c"}, testlog.Parsed, "",
		},
		"Live of many languages": {
			datasets.Setting{Rule: datasets.RuleLive, Tests: []string{"make test > log"}, Print: []string{"cat log"}, Parser: "def parser(log): return {}"}, nil,
			[]string{"bash", "-c", "exec 9>&1 1>&2\nmake test > log\nevlab_status=$?\nexec 1>&9 9>&- 2>&1\ncat log\nexit $evlab_status"}, testlog.Parsed, "",
		},
		"Multi-SWE-bench": {
			datasets.Setting{Rule: datasets.RuleMulti, Tests: []string{datasets.MultiScript}, Grammar: "multi_gotest"}, nil,
			[]string{"bash", "-c", "exec 9>&1 1>&2\n[ ! -e /home/fix.patch ] || : >/home/fix.patch || exit 1\ngit() { :; }\npatch() { :; }\nexport -f git patch\nexec 1>&9 9>&- 2>&1\n. /home/fix-run.sh"},
			"multi_gotest", "",
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
		"a script without marks":      {datasets.Setting{Script: "git checkout x\npytest"}, &python, nil, "", "marks"},
		"a script without a grammar":  {datasets.Setting{Script: evalScript("x")}, &python, nil, "", "field report"},
		"failures alone":              {datasets.Setting{Tests: []string{"x"}, Grammar: "tap", FailOnly: true}, &python, nil, "", "failures alone"},
		"Pro without its files":       {datasets.Setting{Rule: datasets.RulePro, TestFiles: []string{"a"}}, &python, nil, "", "--scripts"},
		"a program and no command":    {datasets.Setting{Parser: "def parser(log): pass"}, &python, nil, "", "no test command"},
		"a command beyond all bounds": {datasets.Setting{Tests: []string{strings.Repeat("x", 200<<10)}, Grammar: "tap"}, &python, nil, "", "bytes"},
		"a command with a NUL":        {datasets.Setting{Tests: []string{"x\x00"}, Grammar: "tap"}, &python, nil, "", "NUL"},
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
		if err != nil || !slices.Equal(e.Command, c.command) || e.Report != c.report || len(e.Packages) > 0 || (e.Reader != nil) != (c.setting.Parser != "") {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
		if e.Reader != nil && (len(e.Reader.Packages) == 0 || (e.Reader.Takes == experiments.ReaderTakesFiles) != (c.setting.Rule == datasets.RulePro)) {
			t.Errorf("%s: read by %+v", name, e.Reader)
		}
	}
}

// evalScript is a script of a dataset's whose tests are the given lines.
func evalScript(tests string) string {
	return "#!/bin/bash\nset -uxo pipefail\ncd /testbed\ngit checkout 0123 tests/a.py\ngit apply -v - <<'EOF_1'\n+: '>>>>> Start Test Output'\n+it's\nEOF_1\nmake build\n" +
		": '>>>>> Start Test Output'\n" + tests + "\n: '>>>>> End Test Output'\ngit checkout 0123 tests/a.py\n"
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
	store, err := artifacts.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.folder = &artifacts.Folder{HandOut: store}
	live := datasets.Setting{Image: "here:1", Rule: datasets.RuleLive, Tests: []string{"x"}, Parser: "one"}
	one := settle("read by a program", "cobol", live)
	live.Parser = "another"
	another := settle("read by another", "cobol", live)
	if r := s.contract.Environments[one.Recipe].Reader; r == nil || one.Environment == another.Environment {
		t.Errorf("%+v\n%+v", one, another)
	} else if text, err := store.Get(context.Background(), r.Program); err != nil || string(text) != "one" {
		t.Errorf("%q, %v", text, err)
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
