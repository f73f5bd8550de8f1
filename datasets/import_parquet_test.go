package datasets_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"evlab/datasets"
	"evlab/tabular"
)

// nestedRow is a row of SWE-rebench as its Parquet files have it: lists and structures of their own.
type nestedRow struct {
	InstanceID string   `parquet:"instance_id"`
	Repo       string   `parquet:"repo"`
	BaseCommit string   `parquet:"base_commit"`
	Problem    string   `parquet:"problem_statement"`
	Patch      string   `parquet:"patch"`
	TestPatch  string   `parquet:"test_patch"`
	FailToPass []string `parquet:"FAIL_TO_PASS,list"`
	PassToPass []string `parquet:"PASS_TO_PASS,list"`
	CreatedAt  int64    `parquet:"created_at"`
	Image      *string  `parquet:"image_name,optional"`
	Config     struct {
		Tests  []string `parquet:"test_cmd,list"`
		Parser string   `parquet:"log_parser"`
		Reqs   *string  `parquet:"reqs_path,optional"`
	} `parquet:"install_config"`
}

func TestImportParquet(t *testing.T) {
	dir := t.TempDir()
	flat := filepath.Join(dir, "data", "test-00000-of-00001.parquet")
	if err := os.Mkdir(filepath.Dir(flat), 0o755); err != nil {
		t.Fatal(err)
	}
	names := []string{"instance_id", "repo", "base_commit", "problem_statement", "patch", "test_patch", "FAIL_TO_PASS", "PASS_TO_PASS", "version", "hints_text"}
	var columns []tabular.Column
	for _, name := range names {
		columns = append(columns, tabular.Column{Name: name, Type: tabular.Texts})
	}
	w, err := tabular.Create(flat, columns...)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b/c", "d"} {
		r := pyRow(id, nil)
		var cells []any
		for _, name := range names {
			cells = append(cells, r[name])
		}
		if id == "d" {
			cells[4] = nil // a null
		}
		if err := w.Append(cells...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	m := imported(t, dir, datasets.ImportOptions{})
	if len(m.Tasks) != 1 || m.Format != "swebench" || string(m.Tasks[0].Private.Reference) != pyFix || len(m.Refused) != 2 || m.Refused[0].At != "data/test-00000-of-00001.parquet: row 2" {
		t.Errorf("%+v", m)
	}

	nested := filepath.Join(dir, "nested.parquet")
	r := nestedRow{InstanceID: "o__n-1", Repo: "o/n", BaseCommit: sha, Problem: "It is 1", Patch: pyFix, TestPatch: pyTests, FailToPass: []string{"t.py::a [1.2 ms]"}, CreatedAt: 1704153600000}
	image := "docker.io/x:1"
	r.Image, r.Config.Tests, r.Config.Parser = &image, []string{"one", "two"}, "parse_log_pytest"
	if err := parquet.WriteFile(nested, []nestedRow{r}); err != nil {
		t.Fatal(err)
	}
	m = imported(t, nested, datasets.ImportOptions{})
	if len(m.Tasks) != 1 || m.Format != "rebench" {
		t.Fatalf("%+v", m)
	}
	task := m.Tasks[0]
	if task.Setting.Image != image || !slices.Equal(task.Setting.Tests, []string{"one", "two"}) || task.CreatedAt != "1704153600000" || task.Setting.Workdir != "/n" || !slices.Equal(task.Private.Tests.FailToPass, r.FailToPass) {
		t.Errorf("%+v", task)
	}

	// A file that was cut, and one whose content was damaged, end in an error or in refused rows, and never in a panic.
	whole, err := os.ReadFile(nested)
	if err != nil {
		t.Fatal(err)
	}
	for at := 4; at < len(whole); at += 41 {
		damaged := slices.Clone(whole)
		damaged[at] ^= 0xff
		for _, data := range [][]byte{damaged, whole[:at]} {
			file := filepath.Join(dir, "damaged.parquet")
			if err := os.WriteFile(file, data, 0o644); err != nil {
				t.Fatal(err)
			}
			if m, err := datasets.Import(context.Background(), file, datasets.ImportOptions{}); err == nil && len(m.Tasks) > 1 {
				t.Errorf("byte %d: %d tasks of one", at, len(m.Tasks))
			}
		}
	}
}
