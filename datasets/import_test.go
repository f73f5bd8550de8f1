package datasets_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"evlab/datasets"
	"evlab/repos"
	"evlab/sandbox/testlog"
)

const (
	pyFix   = "diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n@@ -1 +1 @@\n-a = 1\r\n+a = 2\r\n"
	pyTests = "diff --git a/tests/test_f.py b/tests/test_f.py\n--- a/tests/test_f.py\n+++ b/tests/test_f.py\n@@ -1 +1 @@\n-a\n+b\n"
	// A changed file, one that is taken away, one that is moved, and what is no test module.
	djangoTests = "diff --git a/tests/a/test_b.py b/tests/a/test_b.py\n--- a/tests/a/test_b.py\n+++ b/tests/a/test_b.py\n@@ -1 +1 @@\n-a\n+++ b/x.py\n" +
		"diff --git a/tests/old.py b/tests/old.py\ndeleted file mode 100644\n--- a/tests/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n" +
		"diff --git a/tests/m.py b/tests/new name.py\nsimilarity index 100%\nrename from tests/m.py\nrename to tests/new name.py\n" +
		"diff --git a/tests/a/__init__.py b/tests/a/__init__.py\nnew file mode 100644\n--- /dev/null\n+++ b/tests/a/__init__.py\n@@ -0,0 +1 @@\n+a\n" +
		"diff --git a/tests/a/x.html b/tests/a/x.html\n--- a/tests/a/x.html\n+++ b/tests/a/x.html\n@@ -1 +1 @@\n-a\n+b\n"
	sha = "0123456789abcdef0123456789abcdef01234567"
)

// pyRow is a row of SWE-bench; changes replace fields, a nil takes one out.
func pyRow(id string, changes row) row {
	r := row{
		"instance_id": id, "repo": "owner/name", "base_commit": sha, "problem_statement": "It is 1.\r\n", "hints_text": "try 2", "patch": pyFix,
		"test_patch": pyTests, "FAIL_TO_PASS": `["tests/test_f.py::test_a"]`, "PASS_TO_PASS": `["tests/test_f.py::test_b[x", "tests/test_f.py::test_b[x"]`,
		"created_at": "2024-01-02T00:00:00Z", "version": "4.3", "environment_setup_commit": sha,
	}
	for k, v := range changes {
		if r[k] = v; v == nil {
			delete(r, k)
		}
	}
	return r
}

func imported(t testing.TB, source string, opts datasets.ImportOptions) *datasets.Imported {
	t.Helper()
	m, err := datasets.Import(context.Background(), source, opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// families are one row of each kind of dataset, with what must come of it.
var families = []struct {
	name   string
	row    row
	check  func(t *datasets.ImportedTask) error
	format string
}{
	{"SWE-bench", pyRow("owner__name-1", nil), func(t *datasets.ImportedTask) error {
		return all(t.Language == "python", t.Setting.Rule == datasets.RuleSWEBench, t.Setting.Grammar == "parse_log_pytest", t.Setting.Workdir == "/testbed",
			t.Setting.Image == "swebench/sweb.eval.x86_64.owner_1776_name-1:latest", t.State.Issue == "It is 1.\r\n", string(t.Private.Reference) == pyFix,
			slices.Equal(t.Private.Tests.PassToPass, []string{"tests/test_f.py::test_b[x"}), t.Setting.Version == "4.3")
	}, "swebench"},
	{"SWE-bench, Django and mixed case", pyRow("Django__django-1", row{"repo": "django/django", "test_patch": djangoTests}), func(t *datasets.ImportedTask) error {
		return all(t.Setting.Grammar == "parse_log_django", t.Setting.Image == "swebench/sweb.eval.x86_64.django_1776_django-1:latest",
			slices.Equal(t.Setting.Tests, []string{"./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1"}),
			slices.Equal(t.Setting.TestFiles, []string{"a.test_b", "new name"}), strings.Contains(t.Setting.Prepare[0], "PYTHONPATH"))
	}, "swebench"},
	{"SWE-bench, an old Django", pyRow("Django__django-1", row{"repo": "django/django", "version": "1.9", "test_patch": djangoTests}), func(t *datasets.ImportedTask) error {
		return all(slices.Equal(t.Setting.Tests, []string{"./tests/runtests.py --verbosity 2"}))
	}, "swebench"},
	{"SWE-bench, sympy", pyRow("sympy__sympy-1", row{"repo": "sympy/sympy"}), func(t *datasets.ImportedTask) error {
		return all(t.Setting.Grammar == "parse_log_sympy", slices.Equal(t.Setting.Tests, []string{"bin/test -C --verbose"}),
			slices.Equal(t.Setting.TestFiles, []string{"tests/test_f.py"}))
	}, "swebench"},
	{"SWE-bench, sympy with data alone", pyRow("sympy__sympy-1", row{"repo": "sympy/sympy", "test_patch": strings.ReplaceAll(pyTests, ".py", ".txt")}), func(t *datasets.ImportedTask) error {
		return all(len(t.Setting.Tests) == 0)
	}, "swebench"},
	{"SWE-bench, lists and no pass-to-pass", pyRow("a", row{"FAIL_TO_PASS": []string{"x"}, "PASS_TO_PASS": nil}), func(t *datasets.ImportedTask) error {
		return all(len(t.Private.Tests.PassToPass) == 0)
	}, "swebench"},
	{"SWE-bench of version 5", pyRow("a", row{"image": "example.org/i:1", "eval_script": "#!/bin/bash\n", "log_parser": "parse_log_gotest", "eval_type": "fail_only"}), func(t *datasets.ImportedTask) error {
		return all(t.Setting.Image == "example.org/i:1", t.Setting.Script == "#!/bin/bash\n", t.Setting.Grammar == "parse_log_gotest", t.Setting.FailOnly)
	}, "swebench-v5"},
	{"Live, Python", pyRow("a", row{"pull_number": "7", "test_cmds": []string{"pytest -rA"}, "log_parser": "pytest", "FAIL_TO_PASS": []string{"x"}}), func(t *datasets.ImportedTask) error {
		return all(t.Setting.Rule == datasets.RuleLive, t.Setting.Grammar == "live_pytest", t.Setting.Image == "starryzhang/sweb.eval.x86_64.a")
	}, "live"},
	{"Live, Windows", pyRow("o__n-7", row{"test_cmds": []string{"a", "b"}, "print_cmds": []string{"cat x"}, "rebuild_cmds": []string{"make"}, "log_parser": "def parser(log): pass",
		"docker_image": "starryzhang/sweb.eval.win.o_1776_n-7", "language": "C#"}), func(t *datasets.ImportedTask) error {
		return all(t.Setting.Platform == "windows/amd64", t.Setting.Workdir == `C:\testbed`, t.Setting.Parser == "def parser(log): pass", t.Setting.Grammar == "",
			slices.Equal(t.Setting.Print, []string{"cat x"}), slices.Equal(t.Setting.Prepare, []string{"make"}))
	}, "live-multilang"},
	{"a parser that goes by the task's number", pyRow("jekyll__jekyll-8761", row{"image": "i:1", "eval_script": "x", "log_parser": "parse_log_jekyll"}), func(t *datasets.ImportedTask) error {
		return all(t.Setting.Grammar == "parse_log_cucumber")
	}, "swebench-v5"},
	{"a parser that goes by the version", pyRow("GoogleChrome__lighthouse-1", row{"image": "i:1", "eval_script": "x", "log_parser": "parse_log_lighthouse", "version": "2.8"}), func(t *datasets.ImportedTask) error {
		return all(t.Setting.Grammar == "parse_log_lighthouse@json")
	}, "swebench-v5"},
	{"Multi-SWE-bench", row{"org": "Org", "repo": "Re", "number": 7, "state": "closed", "title": "T", "body": nil, "base": row{"label": "l", "ref": "main", "sha": sha},
		"resolved_issues": []row{{"number": 3, "title": "Broken", "body": nil}, {"number": 4, "title": "Also", "body": "b"}}, "fix_patch": strings.ReplaceAll(pyFix, "f.py", "f.go"), "test_patch": "x", "lang": "go",
		"f2p_tests": row{"TestB": row{"run": "NONE"}}, "n2p_tests": row{"TestA": row{}}, "s2p_tests": row{}, "p2p_tests": row{"TestC": row{}}, "fixed_tests": row{"TestZ": row{}}},
		func(t *datasets.ImportedTask) error {
			return all(t.ID == "Org__Re-7", t.Setting.Image == "mswebench/org_m_re:pr-7", t.Setting.Workdir == "/home/Re", t.State.Issue == "Broken\n\nAlso\nb\n",
				slices.Equal(t.Private.Tests.FailToPass, []string{"TestB", "TestA"}), slices.Equal(t.Private.Tests.PassToPass, []string{"TestC"}), t.Setting.Grammar == "")
		}, "multi-swe-bench"},
	{"Pro", pyRow("instance_Own__Name-"+sha+"-vnan", row{"FAIL_TO_PASS": nil, "PASS_TO_PASS": nil, "repo": "Own/Name", "fail_to_pass": `['t.py::a | it\'s "x"', "b\x41\u00e9"]`, "pass_to_pass": "[]",
		"selected_test_files_to_run": `["t.py"]`, "before_repo_set_cmd": "git reset\ngit checkout x -- t.py", "dockerhub_tag": nil, "requirements": "R", "interface": "", "repo_language": "python"}),
		func(t *datasets.ImportedTask) error {
			return all(t.Setting.Image == "jefzda/sweap-images:own.name-Own__Name-"+sha, slices.Equal(t.Private.Tests.FailToPass, []string{`t.py::a | it's "x"`, "bAé"}),
				slices.Equal(t.Setting.Prepare, []string{"git checkout x -- t.py"}), t.State.Issue == "It is 1.\r\n\n\nR", slices.Equal(t.Setting.TestFiles, []string{"t.py"}))
		}, "pro"},
	{"rebench v1", pyRow("o__n-1", row{"install_config": row{"python": 3.9, "test_cmd": "pytest", "log_parser": "parse_log_pytest", "reqs_path": nil}, "meta": row{"x": []any{1, "a"}}}), func(t *datasets.ImportedTask) error {
		return all(t.Setting.Rule == datasets.RuleSWEBench, t.Setting.Image == "swerebench/sweb.eval.x86_64.o_1776_n-1:latest", slices.Equal(t.Setting.Tests, []string{"pytest"}),
			slices.Equal(t.Setting.TestFiles, []string{"tests/test_f.py"}))
	}, "rebench"},
	{"Multi-SWE-bench, a repository whose logs are read", row{"org": "Cli", "repo": "cli", "number": 7, "title": "T", "body": "B", "base": row{"sha": sha}, "fix_patch": pyFix, "test_patch": "x", "lang": "go", "f2p_tests": row{"TestB": row{}}},
		func(t *datasets.ImportedTask) error {
			return all(t.Setting.Grammar == "multi_gotest_each", t.Setting.Rule == datasets.RuleMulti, slices.Equal(t.Setting.Tests, []string{"bash /home/fix-run.sh"}))
		}, "multi-swe-bench"},
	{"Multi-SWE-bench, Python", row{"org": "django", "repo": "django", "number": "7", "title": "T", "body": "B", "base": row{"sha": sha}, "fix_patch": pyFix, "test_patch": "x", "language": "python", "f2p_tests": row{"a (b.C)": row{}}},
		func(t *datasets.ImportedTask) error {
			return all(t.Setting.Grammar == "parse_log_django", t.Setting.Workdir == "/testbed", t.Setting.Image == "mswebench/django_m_django:pr-7")
		}, "multi-swe-bench"},
	{"Multi-SWE-bench, a part of a history", row{"org": "cli", "repo": "cli", "number": 7, "title": "T", "body": "B", "base": row{"sha": sha}, "fix_patch": pyFix, "test_patch": "x", "lang": "go", "f2p_tests": row{"TestB": row{}}, "number_interval": "cli_9_to_3"},
		func(t *datasets.ImportedTask) error { return all(t.Setting.Grammar == "") }, "multi-swe-bench"},
	{"rebench V2 with a parser of SWE-bench's", pyRow("o__n-1", row{"image_name": "docker.io/x:1", "install_config": row{"test_cmd": []string{"a"}, "log_parser": "parse_log_phpunit"}}),
		func(t *datasets.ImportedTask) error { return all(t.Setting.Grammar == "parse_log_phpunit@rebench") }, "rebench"},
	{"rebench V2", pyRow("o__n-1", row{"created_at": 1704153600000, "image_name": "docker.io/x:1", "language": "C++", "install_config": row{"test_cmd": []string{"a", "b"}, "log_parser": "parse_log_cpp_v3"}}),
		func(t *datasets.ImportedTask) error {
			return all(t.Setting.Rule == datasets.RuleRebench, t.Setting.Workdir == "/name", t.CreatedAt == "1704153600000", t.Language == "cpp", len(t.Setting.Tests) == 2)
		}, "rebench"},
	{"SWE-smith", pyRow("o__n.01234567.lm__x", row{"test_patch": nil, "image_name": "swesmith.x86_64.o__n.01234567", "repo": "swesmith/o__n.01234567"}), func(t *datasets.ImportedTask) error {
		return all(string(t.Private.Reference) == "diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n@@ -1 +1 @@\n+a = 1\r\n-a = 2\r\n", t.Setting.Rule == datasets.RuleSmith)
	}, "smith"},
	{"a plain table, the least of it", row{"repo": "o/n", "base": sha, "fix": pyFix, "id": "one"}, func(t *datasets.ImportedTask) error {
		return all(t.ID == "one", !t.State.Asks(), t.Language == "python")
	}, "table"},
	{"a plain table with a diff", row{"repository": "o/n", "base": sha, "fix": pyFix, "id": "one", "issue": "It is 1", "test_command": "make test"}, func(t *datasets.ImportedTask) error {
		return all(t.ID == "one", string(t.Private.Reference) == pyFix, slices.Equal(t.Setting.Tests, []string{"make test"}), t.Setting.Rule == datasets.RuleEvlab)
	}, "table"},
	{"a state with its certificate", row{"state_id": "s1", "repository": "o/n", "base_commit": sha, "language": "go", "boundary": "before_edit", "issue": "It is 1", "observed": []string{"u1"}, "candidates": []row{{"id": "u2"}},
		"certificate": row{"schema": "serbench-mss-v1", "state_id": "s1", "groups": []row{{"id": "g", "acceptable_ids": []string{"u2"}, "necessity_weight": 1}}}}, func(t *datasets.ImportedTask) error {
		return all(t.ID == "s1", t.Private.Certificate != nil, t.State.Boundary == "before_edit", slices.Equal(t.State.Observed, []string{"u1"}))
	}, "serbench"},
	{"a row inside of a training gym's request", row{"responses_create_params": row{"metadata": row{"instance_dict": mustJSON(pyRow("a", nil))}}}, func(t *datasets.ImportedTask) error {
		return all(t.ID == "a")
	}, "swebench"},
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func all(conditions ...bool) error {
	for i, ok := range conditions {
		if !ok {
			return fmt.Errorf("condition %d does not hold", i+1)
		}
	}
	return nil
}

func TestImportFamilies(t *testing.T) {
	for _, c := range families {
		m := imported(t, saved(t, "d.jsonl", lines(t, c.row)), datasets.ImportOptions{})
		if len(m.Tasks) != 1 || len(m.Refused) != 0 || m.Format != c.format {
			t.Errorf("%s: format %s, %d tasks, refused %+v", c.name, m.Format, len(m.Tasks), m.Refused)
			continue
		}
		if err := c.check(&m.Tasks[0]); err != nil {
			t.Errorf("%s: %v: %+v", c.name, err, m.Tasks[0])
		}
		if g := m.Tasks[0].Setting.Grammar; g != "" {
			if _, err := testlog.Find(g); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// TestImportRefuses: each hostile or unusable row is listed with its reason, and the rows around it are taken.
func TestImportRefuses(t *testing.T) {
	for reason, r := range map[string]row{
		"the task name \"a/b\"":               pyRow("a/b", nil),
		"the task name \"../../x\"":           pyRow("../../x", nil),
		"the task name \"a\\x00b\"":           pyRow("a\x00b", nil),
		"the task has no name":                pyRow("", nil),
		"the task name \".\"":                 pyRow(".", nil),
		"the task name \"-rf\"":               pyRow("-rf", nil),
		"the task name \"a\\nb\"":             pyRow("a\nb", nil),
		"the task name \"\\x1b[31m\"":         pyRow("\x1b[31m", nil),
		"the task name \"a\\u202eb\"":         pyRow("a\u202eb", nil),
		"the task name \"" + "x":              pyRow(strings.Repeat("x", 300), nil),
		"expected owner/name":                 pyRow("a1", row{"repo": "../../etc"}),
		"not a full commit id":                pyRow("a2", row{"base_commit": "HEAD~1"}),
		"field patch: expected a string":      pyRow("a3", row{"patch": []string{"x"}}),
		"it has no reference repair":          pyRow("a4", row{"patch": ""}),
		"changes no file":                     pyRow("a5", row{"patch": "not a diff"}),
		"NUL byte":                            pyRow("a6", row{"patch": pyFix + "\x00"}),
		"issue is empty":                      pyRow("a7", row{"problem_statement": " "}),
		"issue has":                           pyRow("a8", row{"problem_statement": strings.Repeat("x", 3<<20)}),
		"field problem_statement has":         pyRow("a9", row{"problem_statement": strings.Repeat("x", 10<<20)}),
		"names no fail-to-pass":               pyRow("b1", row{"FAIL_TO_PASS": "[]"}),
		"a bracket at byte 0":                 pyRow("b2", row{"FAIL_TO_PASS": "__import__('os').system('id')"}),
		"a quote at byte 1":                   pyRow("b3", row{"FAIL_TO_PASS": "[open('x')]"}),
		"control character":                   pyRow("b4", row{"FAIL_TO_PASS": []string{"a\nb"}}),
		"field FAIL_TO_PASS is missing":       pyRow("b5", row{"FAIL_TO_PASS": nil}),
		"its language is not given":           pyRow("b6", row{"patch": strings.ReplaceAll(pyFix, "f.py", "f"), "test_patch": ""}),
		"those of no dataset":                 {"a": 1},
		"field org is missing":                {"org": nil, "number": 1, "fix_patch": "x", "repo": "r"},
		"binary section":                      pyRow("b7", row{"test_patch": nil, "image_name": "x", "patch": "diff --git a/x b/x\nGIT binary patch\nliteral 0\n"}),
		"state \"s\" has no certificate":      {"state_id": "s", "repo": "o/n", "base_commit": sha, "issue": "x", "language": "go"},
		"expected a commit id or a diff":      {"repo": "o/n", "base": sha, "fix": "$(rm -rf /)", "id": "c1", "issue": "x", "language": "go"},
		"say with --repos":                    {"repo": "o/n", "base": sha, "fix": sha, "id": "c2", "issue": "x", "language": "go"},
		"install_config: field test_cmd":      pyRow("b8", row{"install_config": row{"test_cmd": "[1"}}),
		"field fail_to_pass: expected a JSON": pyRow("b9", row{"dockerhub_tag": "x", "fail_to_pass": "['a' 'b"}),
	} {
		m := imported(t, saved(t, "d.jsonl", lines(t, pyRow("first", nil), r, pyRow("last", nil))), datasets.ImportOptions{})
		if len(m.Tasks) != 2 || len(m.Refused) != 1 || m.Refused[0].At != "d.jsonl:2" {
			t.Errorf("%s: %d tasks, refused %.500v", reason, len(m.Tasks), m.Refused)
			continue
		}
		if got := m.Refused[0].Error(); !strings.Contains(got, reason) || len(got) > 2000 || strings.ContainsAny(got, "\n\x00") {
			t.Errorf("refused with %.300q, want %q", got, reason)
		}
	}
	text := lines(t, pyRow("a", nil)) + "{\n" + strings.Repeat("[", 20_000) + "\n" + `{"instance_id":"b","instance_id":"c"}` + "\n\xff\n" + lines(t, pyRow("a", nil), pyRow("a", row{"patch": pyFix + "\n"}), pyRow("d", nil))
	m := imported(t, saved(t, "d.jsonl", text), datasets.ImportOptions{})
	if len(m.Tasks) != 2 || m.Repeated != 1 || len(m.Refused) != 5 {
		t.Errorf("%d tasks, %d repeated, refused %.1000v", len(m.Tasks), m.Repeated, m.Refused)
	}
}

func TestImportForms(t *testing.T) {
	two := []row{pyRow("a", nil), pyRow("b", row{"language": "Python3"})}
	list, err := json.MarshalIndent(two, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"data/test-00000-of-00001.jsonl": lines(t, two...), "data/dev-00000-of-00001.jsonl": lines(t, pyRow("c", nil)), "dataset_info.json": "{}", ".git/x.json": "{", "README.md": "x"} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, source string
		opts         datasets.ImportOptions
		ids          string
	}{
		{"JSONL with CR LF and a mark", saved(t, "a.jsonl", "\xef\xbb\xbf"+strings.ReplaceAll(lines(t, two...), "\n", "\r\n")), datasets.ImportOptions{}, "a b"},
		{"a JSON list", saved(t, "a.json", string(list)), datasets.ImportOptions{}, "a b"},
		{"a folder", dir, datasets.ImportOptions{}, "c a b"},
		{"a split", dir, datasets.ImportOptions{Split: "test"}, "a b"},
		{"a limit", dir, datasets.ImportOptions{Limit: 2}, "c a"},
		{"a task", dir, datasets.ImportOptions{Tasks: []string{"b"}}, "b"},
		{"a language", dir, datasets.ImportOptions{Language: "py"}, "c a b"},
		{"CSV", saved(t, "a.csv", "repository,base,fix,id,issue,test\no/n,"+sha+",\"--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-a\n+b\n\",one,It is 1,make\n"), datasets.ImportOptions{}, "one"},
	} {
		m := imported(t, c.source, c.opts)
		var ids []string
		for _, task := range m.Tasks {
			ids = append(ids, task.ID)
		}
		if got := strings.Join(ids, " "); got != c.ids || len(m.Refused) > 0 {
			t.Errorf("%s: %s, want %s; refused %+v", c.name, got, c.ids, m.Refused)
		}
	}
	repository := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(repository, "tasks", "a"), 0o755), os.WriteFile(filepath.Join(repository, "tasks", "a", "task.yaml"), nil, 0o644),
		os.Mkdir(filepath.Join(repository, "none"), 0o755), os.WriteFile(filepath.Join(repository, "none", "sweb.yaml"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		source string
		opts   datasets.ImportOptions
	}{
		"it is one task of a repository":     {filepath.Join(repository, "tasks", "a"), datasets.ImportOptions{}},
		"it holds the tasks of a repository": {filepath.Join(repository, "tasks"), datasets.ImportOptions{}},
		"it holds the tasks of a":            {filepath.Join(repository, "tasks"), datasets.ImportOptions{Format: "taskrepo"}},
		"it has no folder tasks":             {filepath.Join(repository, "none"), datasets.ImportOptions{}},
		"it has no .parquet":                 {t.TempDir(), datasets.ImportOptions{}},
		"of split \"train\"":                 {dir, datasets.ImportOptions{Split: "train"}},
		"none of its 2 rows":                 {saved(t, "a.jsonl", lines(t, two...)), datasets.ImportOptions{Language: "rust"}},
		"expected one of":                    {dir, datasets.ImportOptions{Format: "swebenhc"}},
		"no such file":                       {filepath.Join(dir, "none"), datasets.ImportOptions{}},
		"compressed":                         {saved(t, "a.jsonl.gz", "\x1f\x8b\x08"), datasets.ImportOptions{}},
		"PAR1":                               {saved(t, "a.parquet", "PAR2"), datasets.ImportOptions{}},
		"the cohort name":                    {dir, datasets.ImportOptions{Name: "../x"}},
		"reading Parquet":                    {saved(t, "a.parquet", "PAR1"+strings.Repeat("\xff", 60)+"PAR1"), datasets.ImportOptions{}},
		"Git LFS pointer and not":            {saved(t, "a.jsonl", "version https://git-lfs.github.com/spec/v1\n"), datasets.ImportOptions{}},
		"it is empty; expected":              {saved(t, "a.jsonl", ""), datasets.ImportOptions{}},
		"is no format of rows":               {saved(t, "a.jsonl", "{}"), datasets.ImportOptions{Format: "taskrepo"}},
		"is no row of format swebench, which has instance_id, patch and base_commit; its fields are none": {saved(t, "a.jsonl", "{}"), datasets.ImportOptions{Format: "swebench"}},
	} {
		m, err := datasets.Import(context.Background(), c.source, c.opts)
		if err == nil && len(m.Refused) > 0 {
			err = m.Refused[0]
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestImportOfRowsByID: a file may be one object of rows by their ids, whether they say these themselves or not.
func TestImportOfRowsByID(t *testing.T) {
	a, b := lines(t, pyRow("a", nil)), lines(t, pyRow("b", nil))
	unnamed := strings.Replace(a, `"instance_id":"a",`, "", 1)
	if unnamed == a {
		t.Fatal("the row has its id still")
	}
	for name, text := range map[string]string{
		"in one line": `{"a":` + strings.TrimSpace(unnamed) + `,"b":` + strings.TrimSpace(b) + "}", "over several": "{\n\"a\":" + unnamed + ",\"b\":" + b + "}\n",
	} {
		m := imported(t, saved(t, "d.json", text), datasets.ImportOptions{})
		if len(m.Tasks) != 2 || m.Tasks[0].ID != "a" || m.Tasks[1].ID != "b" || len(m.Refused) > 0 {
			t.Errorf("%s: %d tasks, refused %+v", name, len(m.Tasks), m.Refused)
		}
	}
	m := imported(t, saved(t, "d.json", `{"a":{"x":1},"b":`+strings.TrimSpace(b)+"}"), datasets.ImportOptions{})
	if len(m.Tasks) != 1 || len(m.Refused) != 1 || !strings.Contains(m.Refused[0].At, `"a"`) || !strings.Contains(m.Refused[0].Reasons[0], "its fields are those of no dataset") {
		t.Errorf("%d tasks, refused %+v", len(m.Tasks), m.Refused)
	}
}

// TestWriteAndRead: what was written is read back the same, drift is seen, and nothing is written outside.
func TestWriteAndRead(t *testing.T) {
	dir := t.TempDir()
	mirrors := filepath.Join(dir, "mirrors")
	commit := repository(t, filepath.Join(mirrors, "owner+name", "repo"))
	m := imported(t, saved(t, "d.jsonl", lines(t, pyRow("a", row{"base_commit": commit}), pyRow("b", nil), pyRow("../c", nil), families[len(families)-2].row)), datasets.ImportOptions{Name: "mine"})
	out := filepath.Join(dir, "out", "mine")
	public, private, err := m.Write(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Write(out); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("written twice: %v", err)
	}
	var files []string
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if rel, relErr := filepath.Rel(dir, p); err == nil && relErr == nil && !d.IsDir() && !strings.HasPrefix(rel, "mirrors") {
			files = append(files, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"cohort.json", "private/tasks/a/reference.patch", "private/tasks/a/setting.json", "private/tasks/a/tests.json", "private/tasks/a/tests.patch",
		"private/tasks/b/reference.patch", "private/tasks/b/setting.json", "private/tasks/b/tests.json", "private/tasks/b/tests.patch",
		"private/tasks/s1/certificate.json", "private/tasks/s1/setting.json", "private/tasks/s1/tests.json",
		"public/tasks/a.json", "public/tasks/b.json", "public/tasks/s1.json", "refused.jsonl"}
	for i := range want {
		want[i] = "out/mine/" + want[i]
	}
	if !slices.Equal(files, want) {
		t.Errorf("files %q", files)
	}
	if !datasets.IsImported(out) || datasets.IsImported(dir) {
		t.Error("it is not told for what it is")
	}
	c, err := datasets.ReadImported(context.Background(), out, in(mirrors))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Tasks) != 3 || c.Sources["a"] == "" || !strings.Contains(c.Excluded["b"], "it has no commit") || c.Excluded["s1"] == "" || string(c.Private["a"].Reference) != pyFix || c.Settings["a"].Image == "" {
		t.Errorf("%+v", c)
	}
	if again := imported(t, out, datasets.ImportOptions{}); len(again.Tasks) != 3 || again.Name != "mine" || again.Format != "cohort" {
		t.Errorf("imported again: %+v", again)
	} else if p, q, err := again.Write(filepath.Join(dir, "again")); err != nil || p != public || q != private {
		t.Errorf("written again: %s %s %v, was %s %s", p, q, err, public, private)
	}
	if _, err := datasets.ReadImported(context.Background(), out, in(filepath.Join(dir, "none"))); err == nil || !strings.Contains(err.Error(), "elsewhere") {
		t.Errorf("without repositories: %v", err)
	}
	file := filepath.Join(out, "private/tasks/a/tests.patch")
	if err := os.WriteFile(file, []byte(pyTests+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := datasets.ReadImported(context.Background(), out, in(mirrors)); !errors.Is(err, datasets.ErrDrift) || !strings.Contains(err.Error(), "private") {
		t.Errorf("changed: %v", err)
	}
	if err := errors.Join(os.Remove(file), os.Symlink("/etc/passwd", file)); err != nil {
		t.Fatal(err)
	}
	if _, err := datasets.ReadImported(context.Background(), out, in(mirrors)); err == nil {
		t.Error("a link out of the folder was followed")
	}
}

// TestImportCohort: a cohort with repositories of its own becomes one whose repositories are elsewhere.
func TestImportCohort(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	if _, err := datasets.Import(context.Background(), "../cohorts/demo", datasets.ImportOptions{}); err == nil || !strings.Contains(err.Error(), "--repos") {
		t.Errorf("without a folder for its repositories: %v", err)
	}
	m := imported(t, "../cohorts/demo", datasets.ImportOptions{Repos: dir, Limit: 3})
	if _, _, err := m.Write(out); err != nil {
		t.Fatal(err)
	}
	c, err := datasets.ReadImported(context.Background(), out, in(dir))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Tasks) != 3 || len(c.Sources) != 3 || len(c.Excluded) != 0 || !c.Certified || c.Name != "demo" {
		t.Errorf("%d tasks, excluded %v", len(c.Tasks), c.Excluded)
	}
}

func TestTaskRepository(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	put("sweb.yaml", "datasets: [x]\n")
	for _, id := range []string{"good", "deprecated", "lost", "other", "bomb"} {
		put("tasks/"+id+"/task.yaml", "instance_id: "+id+"\nrepo: o/n\nbase_commit: "+sha+"\nsplit: test\nimage: i:1\nlog_parser: parse_log_pytest\nversion: '1'\n")
		put("tasks/"+id+"/tests.json", `{"FAIL_TO_PASS":["t.py::a"],"PASS_TO_PASS":[]}`)
		put("tasks/"+id+"/problem_statement.md", "It is 1\r\n")
		put("tasks/"+id+"/gold.patch", pyFix)
		put("tasks/"+id+"/test.patch", pyTests)
	}
	put("tasks/deprecated/task.yaml", "split: deprecated\n")
	put("tasks/other/task.yaml", "instance_id: ../../x\nrepo: o/n\nbase_commit: "+sha+"\n")
	put("tasks/bomb/task.yaml", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n")
	if err := errors.Join(os.Remove(filepath.Join(dir, "tasks/lost/gold.patch")), os.Symlink("/etc/passwd", filepath.Join(dir, "tasks/lost/gold.patch"))); err != nil {
		t.Fatal(err)
	}
	m := imported(t, dir, datasets.ImportOptions{})
	if len(m.Tasks) != 1 || m.Tasks[0].ID != "good" || m.LeftOut != 1 || len(m.Refused) != 3 || string(m.Tasks[0].Private.Reference) != pyFix || m.Tasks[0].State.Issue != "It is 1\r\n" {
		t.Errorf("%+v", m)
	}
}

// TestLinksAmongTasks: a task's folder that is a link is a task like others where the link stays inside, and else refused.
func TestLinksAmongTasks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"task.yaml":  "instance_id: linked\nrepo: o/n\nbase_commit: " + sha + "\nimage: i:1\nlog_parser: parse_log_pytest\nversion: '1'\n",
		"tests.json": `{"FAIL_TO_PASS":["t.py::a"],"PASS_TO_PASS":[]}`, "problem_statement.md": "It is 1\n", "gold.patch": pyFix, "test.patch": pyTests,
	} {
		file := filepath.Join(dir, "kept", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	tasks := filepath.Join(dir, "tasks")
	if err := errors.Join(os.Mkdir(tasks, 0o755), os.Symlink("../kept", filepath.Join(tasks, "linked")), os.Symlink("../kept/task.yaml", filepath.Join(tasks, "file")),
		os.Symlink("nowhere", filepath.Join(tasks, "lost")), os.Symlink(t.TempDir(), filepath.Join(tasks, "outside"))); err != nil {
		t.Fatal(err)
	}
	m := imported(t, dir, datasets.ImportOptions{})
	if len(m.Tasks) != 1 || m.Tasks[0].ID != "linked" || len(m.Refused) != 2 {
		t.Fatalf("%+v", m)
	}
	for i, at := range []string{"tasks/lost", "tasks/outside"} {
		if r := m.Refused[i]; r.At != at || len(r.Reasons) != 1 || !strings.Contains(r.Reasons[0], "to nothing inside of the repository") {
			t.Errorf("%+v", r)
		}
	}
}

// TestScriptsOfOthers: a folder of scripts that is not there, or that the rows have no use for, is told once.
func TestScriptsOfOthers(t *testing.T) {
	line, err := json.Marshal(pyRow("a", row{"language": "python"}))
	if err != nil {
		t.Fatal(err)
	}
	file := saved(t, "t.jsonl", string(line)+"\n")
	for scripts, want := range map[string]string{filepath.Join(filepath.Dir(file), "gone"): "is no folder", filepath.Dir(file): "they are of SWE-bench Pro"} {
		if _, err := datasets.Import(t.Context(), file, datasets.ImportOptions{Scripts: scripts}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestLinksAmongFiles: a folder of downloads holds links to files that are kept beside it, so it is the folder above that is read.
func TestLinksAmongFiles(t *testing.T) {
	line, err := json.Marshal(pyRow("a", row{"language": "python"}))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	blobs, snapshot := filepath.Join(dir, "blobs"), filepath.Join(dir, "snapshots", "1")
	if err := errors.Join(os.Mkdir(blobs, 0o755), os.MkdirAll(snapshot, 0o755), os.WriteFile(filepath.Join(blobs, "abc"), append(line, '\n'), 0o644),
		os.Symlink("../../blobs/abc", filepath.Join(snapshot, "test.jsonl")), os.Symlink("../../blobs", filepath.Join(snapshot, "folder.jsonl"))); err != nil {
		t.Fatal(err)
	}
	if m := imported(t, dir, datasets.ImportOptions{}); len(m.Tasks) != 1 || len(m.Refused) != 0 {
		t.Errorf("%+v", m)
	}
	if _, err := datasets.Import(t.Context(), snapshot, datasets.ImportOptions{}); err == nil || !strings.Contains(err.Error(), "test.jsonl: it is a link that leads to nothing inside of the folder") &&
		!strings.Contains(err.Error(), "folder.jsonl: it is a link") {
		t.Error(err)
	}
}

// TestTableOfCommits: a fix that is a commit is read from its repository and divided by its paths.
func TestTableOfCommits(t *testing.T) {
	dir := t.TempDir()
	at := func(day int, files ...repos.File) repos.Commit {
		return repos.Commit{Date: time.Date(2024, 1, day, 0, 0, 0, 0, time.UTC), Author: "A <a@example.org>", Message: "c\n", Files: files}
	}
	heads, err := repos.BuildHistory(context.Background(), filepath.Join(dir, "o__n"), []repos.Commit{
		at(1, repos.File{Path: "f.go", Content: []byte("package f\n")}, repos.File{Path: "b", Content: []byte{0, 1, 2}}),
		at(2, repos.File{Path: "f.go", Content: []byte("package g\n")}, repos.File{Path: "f_test.go", Content: []byte("package g\n")}, repos.File{Path: "b", Content: []byte{0, 3}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	m := imported(t, saved(t, "t.csv", "repo,base,fix,issue\no/n,"+heads[0]+","+heads[1]+",It is f\no/n,"+heads[0]+","+sha+",It is f\n"), datasets.ImportOptions{Repos: dir})
	if len(m.Tasks) != 1 || len(m.Refused) != 1 || !strings.Contains(m.Refused[0].Error(), "no commit") {
		t.Fatalf("%+v", m)
	}
	task := m.Tasks[0]
	if task.ID != "o__n-"+heads[1][:12] || task.Language != "go" || !slices.Equal(repos.PatchPaths(task.Private.Reference), []string{"b", "f.go"}) || !slices.Equal(repos.PatchPaths(task.Private.Tests.Patch), []string{"f_test.go"}) {
		t.Errorf("%+v", task)
	}
	c, err := m.Cohort(context.Background(), in(dir))
	if err != nil || !strings.Contains(c.Excluded[task.ID], "evlab cohort validate") {
		t.Errorf("%v %+v", err, c.Excluded)
	}
	mirror, err := repos.Open(context.Background(), filepath.Join(dir, "o__n"))
	if err != nil {
		t.Fatal(err)
	}
	applied, err := mirror.Apply(context.Background(), heads[0], append(bytes.Clone(task.Private.Reference), task.Private.Tests.Patch...))
	if err != nil || applied.Outcome != repos.OutcomeApplied {
		t.Fatalf("%+v %v", applied, err)
	}
	if want, err := mirror.Tree(context.Background(), heads[1]); err != nil || applied.Tree != want {
		t.Errorf("tree %s, want %s: %v", applied.Tree, want, err)
	}
}

// TestReversePatch: what git applies after the patch gives back the tree from before it.
func TestReversePatch(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	at := func(day int, files ...repos.File) repos.Commit {
		return repos.Commit{Date: time.Date(2024, 1, day, 0, 0, 0, 0, time.UTC), Author: "A <a@example.org>", Message: "c\n", Files: files}
	}
	long := strings.Repeat("same\n", 30)
	heads, err := repos.BuildHistory(ctx, filepath.Join(dir, "r"), []repos.Commit{
		at(1, repos.File{Path: "a b.txt", Content: []byte("1\n2\n3\n--- x\n+++ y\n")}, repos.File{Path: "gone", Content: []byte("x")}, repos.File{Path: "old", Content: []byte(long)}, repos.File{Path: "crlf", Content: []byte("a\r\nb\r\n")}),
		at(2, repos.File{Path: "a b.txt", Content: []byte("1\n2b\n3\n--- z\n+++ y\n4")}, repos.File{Path: "fresh", Content: []byte("y\n")}, repos.File{Path: "crlf", Content: []byte("a\r\nc\r\n")}),
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := repos.Open(ctx, filepath.Join(dir, "r"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]string{{heads[0], heads[1]}, {heads[1], heads[0]}} {
		patch, err := m.Diff(ctx, pair[0], pair[1])
		if err != nil {
			t.Fatal(err)
		}
		back, err := datasets.ReversePatch(patch)
		if err != nil {
			t.Fatalf("%v\n%s", err, patch)
		}
		a, err := m.Apply(ctx, pair[1], back)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := m.Tree(ctx, pair[0]); err != nil || a.Tree != want {
			t.Errorf("%+v, want %s (%v)\n%s\n%s", a, want, err, patch, back)
		}
		if again, err := datasets.ReversePatch(back); err != nil || !bytes.Equal(again, patch) {
			t.Errorf("turned around twice: %v\n%s\n%s", err, patch, again)
		}
	}
}

// FuzzImport: whatever rows say, what is taken of them can be a task, has a file of its own, and is the same when the cohort is read
// back. A cohort is written, which waits for the disk, for few of the inputs.
func FuzzImport(f *testing.F) {
	for _, c := range families {
		f.Add(lines(f, c.row), uint8(0))
	}
	f.Add("repo,base,fix\no/n,"+sha+",x\n", uint8(1))
	f.Add(lines(f, pyRow("../x", nil), pyRow("a", row{"patch": "@@ -1,9 +1 @@\n"})), uint8(1))
	f.Add(lines(f, pyRow("a", nil), pyRow("A", nil)), uint8(0))
	f.Fuzz(func(t *testing.T, text string, write uint8) {
		m, err := datasets.ImportText("d.jsonl", text, datasets.ImportOptions{})
		if err != nil {
			return
		}
		files := map[string]bool{}
		for _, task := range m.Tasks {
			if err := task.Check(); err != nil {
				t.Errorf("taken: %v", err)
			}
			if file := strings.ToLower(task.ID); files[file] || strings.ContainsAny(file, "/\\\x00") {
				t.Errorf("%q is the file of two tasks, or none", file)
			} else {
				files[file] = true
			}
		}
		for _, r := range m.Refused {
			if len(r.Reasons) == 0 || r.At == "" {
				t.Errorf("refused without a word: %+v", r)
			}
		}
		if write%32 != 0 || len(m.Tasks) == 0 {
			return
		}
		dir := filepath.Join(t.TempDir(), "out")
		if _, _, err := m.Write(dir); err != nil {
			t.Fatal(err)
		}
		if got := imported(t, dir, datasets.ImportOptions{}); len(got.Tasks) != len(m.Tasks) {
			t.Errorf("%d tasks, read back %d", len(m.Tasks), len(got.Tasks))
		}
	})
}

func FuzzReversePatch(f *testing.F) {
	f.Add([]byte(pyFix + pyTests))
	f.Add([]byte("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\nold mode 1\nnew mode 2\n@@ -1,2 +3 @@ f\n a\n-b\n\\ No newline\n"))
	f.Fuzz(func(t *testing.T, patch []byte) {
		datasets.ReversePatch(patch)
		source, tests := datasets.SplitPatch(patch, func(p string) bool { return strings.Contains(p, "test") })
		if len(source)+len(tests) > len(patch) {
			t.Error("the parts are more than the whole")
		}
	})
}

// TestFormatMarks: each format of rows says what it is told by.
func TestFormatMarks(t *testing.T) {
	for _, name := range datasets.RowFormats() {
		if datasets.FormatMarks[name] == "" {
			t.Errorf("format %s: nothing says which fields its rows have", name)
		}
	}
}
