package datasets_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evlab/datasets"
)

// TestOneColumnUnderTwoNames: a row that has a column under two names says the same in both, or is refused with both names.
func TestOneColumnUnderTwoNames(t *testing.T) {
	table := row{"id": "a", "repo": "o/n", "base": sha, "patch": pyFix, "test": "pytest"}
	with := func(r row, changes row) row {
		out := row{}
		for k, v := range r {
			out[k] = v
		}
		for k, v := range changes {
			out[k] = v
		}
		return out
	}
	pro := row{"dockerhub_tag": "t"}
	for _, c := range []struct {
		name string
		row  row
		both []string // named in the reason; nil when the row is taken
	}{
		{"tests", pyRow("a", row{"fail_to_pass": []string{"other"}}), []string{"FAIL_TO_PASS", "fail_to_pass"}},
		{"passing tests", pyRow("a", row{"pass_to_pass": []string{}}), []string{"PASS_TO_PASS", "pass_to_pass"}},
		{"tests of Pro", pyRow("a", with(pro, row{"fail_to_pass": "['other']"})), []string{"FAIL_TO_PASS", "fail_to_pass"}},
		{"the same tests, written in another way and order", pyRow("a", row{"FAIL_TO_PASS": `["x", "y"]`, "fail_to_pass": []string{"y", "x", "y"}}), nil},
		{"a null and a blank", pyRow("a", row{"fail_to_pass": json.RawMessage("null"), "pass_to_pass": ""}), nil},
		{"small letters alone", pyRow("a", row{"FAIL_TO_PASS": nil, "PASS_TO_PASS": nil, "fail_to_pass": []string{"x"}}), nil},
		{"languages", pyRow("a", row{"language": "python", "repo_language": "go"}), []string{"language", "repo_language"}},
		{"spellings of a language", pyRow("a", row{"language": "python", "repo_language": "Python3"}), nil},
		{"ids", with(table, row{"instance_id": "b"}), []string{"id", "instance_id"}},
		{"the same id", with(table, row{"instance_id": "a"}), nil},
		{"repositories", with(table, row{"repository": "o/m"}), []string{"repo", "repository"}},
		{"a blank repository", with(table, row{"repo": "", "repository": "o/n"}), nil},
		{"commits", with(table, row{"base_commit": strings.Repeat("1", 40)}), []string{"base", "base_commit"}},
		{"statements", with(table, row{"issue": "x", "problem_statement": "y"}), []string{"issue", "problem_statement"}},
		{"a title beside the statement", with(table, row{"title": "x", "issue": "x, because of y"}), nil},
		{"commands", with(table, row{"test_cmd": "pytest -x"}), []string{"test", "test_cmd"}},
		{"repairs", with(table, row{"fix": strings.Replace(pyFix, "+a = 2", "+a = 3", 1)}), []string{"fix", "patch"}},
		{"a repair and its commit", with(table, row{"fix": strings.Repeat("1", 40)}), nil},
		{"a row number beside the id", pyRow("a", row{"id": 7}), nil},
	} {
		if c.row["problem_statement"] == nil && c.row["issue"] == nil {
			c.row["issue"] = "It is 1."
		}
		line, err := json.Marshal(c.row)
		if err != nil {
			t.Fatal(err)
		}
		m, err := datasets.ImportText("x.jsonl", string(line)+"\n", datasets.ImportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if c.both == nil {
			if len(m.Tasks) != 1 {
				t.Errorf("%s: refused: %v", c.name, m.Refused)
			}
			continue
		}
		if len(m.Refused) != 1 || !strings.Contains(m.Refused[0].Reasons[0], "fields "+c.both[0]+" and "+c.both[1]+" are one column and differ") {
			t.Errorf("%s: refused %v, taken %d", c.name, m.Refused, len(m.Tasks))
		}
	}
}

// TestATestInBothLists: a name that a dataset cut may mean two tests, so such lists are taken as they stand, wherever they are read.
func TestATestInBothLists(t *testing.T) {
	two := pyRow("a", row{"FAIL_TO_PASS": []string{"x", "y"}, "PASS_TO_PASS": []string{"x", "z"}, "language": "python"})
	line, err := json.Marshal(two)
	if err != nil {
		t.Fatal(err)
	}
	m, err := datasets.ImportText("x.jsonl", string(line)+"\n", datasets.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Tasks) != 1 || !slices.Contains(m.Tasks[0].Private.Tests.FailToPass, "x") || !slices.Contains(m.Tasks[0].Private.Tests.PassToPass, "x") {
		t.Errorf("import: %+v, refused %v", m.Tasks, m.Refused)
	}
	apart := pyRow("b", row{"fail_to_pass": []string{"other"}})
	other, err := json.Marshal(apart)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tasks.jsonl")
	if err := os.WriteFile(file, slices.Concat(line, []byte("\n"), other, []byte("\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := datasets.ReadSWEBench(t.Context(), file, datasets.Repositories{From: t.TempDir()}, "")
	if err != nil {
		t.Fatal(err)
	}
	if reason := c.Excluded["a"]; strings.Contains(reason, "pass-to-pass") {
		t.Errorf("a file of tasks: excluded %q", reason)
	}
	if !strings.Contains(c.Excluded["b"], "fields FAIL_TO_PASS and fail_to_pass are one column and differ") {
		t.Errorf("a file of tasks: excluded %q", c.Excluded["b"])
	}
}

// TestAFieldIsToldOnce: what a missing or unreadable field leaves empty is no reason of its own.
func TestAFieldIsToldOnce(t *testing.T) {
	for key, value := range map[string]any{"instance_id": 7, "repo": true, "base_commit": nil, "problem_statement": strings.Repeat("x", 5<<20), "FAIL_TO_PASS": "x"} {
		r := pyRow("a", row{key: value, "install_config": row{}}) // a format that needs none of them to be told by
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		m, err := datasets.ImportText("x.jsonl", string(line)+"\n", datasets.ImportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Refused) != 1 || len(m.Refused[0].Reasons) != 1 || !strings.HasPrefix(m.Refused[0].Reasons[0], "field "+key) {
			t.Errorf("%s: %v", key, m.Refused)
		}
	}
}

// TestFilesThatAreNoText are told as what they are, and not by their first line.
func TestFilesThatAreNoText(t *testing.T) {
	for want, text := range map[string]string{
		"it is written in UTF-16": "\xff\xfe{\x00", "it is compressed": "\x1f\x8b\x08", "it is a Git LFS pointer": "version https://git-lfs.github.com/spec/v1\n",
		"it is a Parquet file": "PAR1", "it is a page of HTML": "<html>",
	} {
		file := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, tasks := datasets.ListTasks(t.Context(), file, "")
		_, predictions := datasets.ListPredictions(file, nil)
		for _, err := range []error{tasks, predictions} {
			if err == nil || !strings.Contains(err.Error(), file+": "+want) {
				t.Errorf("%s: %v", want, err)
			}
		}
	}
}
