package planning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"evlab/artifacts"
	"evlab/datasets"
	"evlab/environments"
	"evlab/experiments"
)

// TestImports: a task of Python has the packages of Debian's that its base, its hidden tests or its own repair import, which
// is an input of its cells; a task that says what it requires has that alone, and what is not to be had it runs without,
// which is said.
func TestImports(t *testing.T) {
	folder, err := artifacts.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	python, err := environments.Of("python")
	if err != nil {
		t.Fatal(err)
	}
	with := func(more ...string) []string {
		return slices.Sorted(slices.Values(slices.Concat(python.Packages, more)))
	}
	s := &settler{
		contract: &experiments.Contract{Sandbox: experiments.FrozenSandbox{Kind: "docker"}, Environments: map[string]experiments.Environment{}},
		folder:   folder,
		names:    map[string]bool{"python3-six": true, "python3-yaml": true, "python3-numpy": true, "python3-pytest": true},
		debian: map[string]error{
			fmt.Sprint(with("python3-yaml")): nil, fmt.Sprint(with("python3-six")): nil, fmt.Sprint(with("python3-six", "python3-yaml")): nil,
			fmt.Sprint(with("python3-numpy")): errors.New("no room\nat all"),
		},
	}
	settle := func(id string, files map[string]string, patches ...[]byte) (*experiments.FrozenTask, experiments.Environment) {
		t.Helper()
		mirror, commit := repository(t, folder.Mirrors(), files)
		task := &experiments.FrozenTask{ID: id, BaseCommit: commit, Mirror: mirror.Dir()}
		if err := s.settle(context.Background(), task, "python", datasets.Setting{}, patches...); err != nil || task.Excluded != "" {
			t.Fatal(err, task.Excluded)
		}
		return task, s.contract.Environments[task.Recipe]
	}
	adds := func(file, line string) []byte {
		return []byte("--- /dev/null\n+++ b/" + file + "\n@@ -0,0 +1 @@\n+" + line + "\n")
	}
	alone, e := settle("alone", map[string]string{"p.py": "import os\n", "test_p.py": "import p, pytest\n"}, nil, adds("q.py", "import json"))
	if alone.Recipe != "python" || !slices.Equal(e.Packages, python.Packages) || e.Imports != nil {
		t.Errorf("%+v", e)
	}
	base, e := settle("its base", map[string]string{"p.py": "import yaml\n"})
	if !slices.Equal(e.Packages, with("python3-yaml")) || base.Environment == alone.Environment || base.Recipe == "python" {
		t.Errorf("%+v", e)
	}
	if _, e := settle("its hidden tests", map[string]string{"p.py": ""}, adds("test_p.py", "import six"), nil); !slices.Equal(e.Packages, with("python3-six")) {
		t.Errorf("%+v", e)
	}
	if _, e := settle("its repair, too", map[string]string{"p.py": "import six\n"}, nil, adds("q.py", "import yaml")); !slices.Equal(e.Packages, with("python3-six", "python3-yaml")) {
		t.Errorf("%+v", e)
	}
	if notes := s.notes(); len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	without, e := settle("what there is no room for", map[string]string{"p.py": "import numpy\n"})
	if without.Environment != alone.Environment || !slices.Equal(e.Packages, python.Packages) {
		t.Errorf("%+v", e)
	}
	if notes := s.notes(); len(notes) != 1 || !strings.Contains(notes[0], "what there is no room for") || !strings.Contains(notes[0], "no room") || strings.Contains(notes[0], "\n") {
		t.Errorf("notes %q", notes)
	}
}
