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

// TestAdditions: a task of Go has beside the toolchain what its base, its hidden tests or its own repair ask for, which is
// an input of its cells; what is not to be had it runs without, which is said.
func TestAdditions(t *testing.T) {
	folder, err := artifacts.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	goes, err := environments.Of("go")
	if err != nil || len(goes.Additions) != 2 {
		t.Fatalf("%+v, %v", goes, err)
	}
	programs, c := goes.Additions[0].Packages, goes.Additions[1].Packages
	both := slices.Sorted(slices.Values(slices.Concat(programs, c)))
	s := &settler{
		contract: &experiments.Contract{Sandbox: experiments.FrozenSandbox{Kind: "docker"}, Environments: map[string]experiments.Environment{}, Versions: map[string]string{"go": "go1.26"}},
		folder:   folder,
		debian:   map[string]error{fmt.Sprint(programs): nil, fmt.Sprint(c): errors.New("no Debian\nat all"), fmt.Sprint(both): nil},
	}
	var setting datasets.Setting
	settle := func(id string, files map[string]string, patches ...[]byte) (*experiments.FrozenTask, experiments.Environment) {
		t.Helper()
		files["go.mod"] = "module x.org/m\n"
		mirror, commit := repository(t, folder.Mirrors(), files)
		task := &experiments.FrozenTask{ID: id, BaseCommit: commit, Mirror: mirror.Dir()}
		if err := s.settle(context.Background(), task, "go", setting, patches...); err != nil || task.Excluded != "" {
			t.Fatal(err, task.Excluded)
		}
		return task, s.contract.Environments[task.Recipe]
	}
	source := func(imports string) string { return "package m\n\nimport \"" + imports + "\"\n" }
	adds := func(file, imports string) []byte {
		return []byte("--- /dev/null\n+++ b/" + file + "\n@@ -0,0 +1,3 @@\n+package m\n+\n+import \"" + imports + "\"\n")
	}
	lean, e := settle("lean", map[string]string{"a.go": source("os"), "vendor/x/a.go": source("os/exec"), "x/testdata/a.go": source("C")}, nil, adds("b.go", "strings"))
	if lean.Recipe != "go" || len(e.Beside) > 0 || e.Cgo() || !e.OnToolchain() {
		t.Errorf("%+v", e)
	}
	starts, e := settle("starts", map[string]string{"a.go": source("os"), "x/a_test.go": source("os/exec")})
	if !slices.Equal(e.Beside, programs) || e.Cgo() || !e.OnToolchain() || starts.Environment == lean.Environment || len(e.Packages)+len(e.Additions) > 0 {
		t.Errorf("%+v", e)
	}
	if _, e := settle("its hidden tests start", map[string]string{"a.go": source("os")}, adds("a_test.go", "os/exec"), nil); !slices.Equal(e.Beside, programs) {
		t.Errorf("%+v", e)
	}
	whole, e := settle("both", map[string]string{"a.go": source("os/exec")}, nil, adds("c.go", "C"))
	if !slices.Equal(e.Beside, both) || !e.Cgo() || len(e.Setup) == 0 || whole.Environment == starts.Environment {
		t.Errorf("%+v", e)
	}
	setting = datasets.Setting{Rule: datasets.RuleEvlab, Tests: []string{"x"}, Grammar: "tap"}
	if _, e := settle("a command", map[string]string{"a.go": source("os")}); !slices.Equal(e.Beside, programs) || !slices.Equal(e.Command, []string{"sh", "-c", "x"}) || e.Report != "tap" {
		t.Errorf("%+v", e)
	}
	setting = datasets.Setting{}
	if notes := s.notes(); len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	without, e := settle("with C", map[string]string{"a.go": source("C")})
	if without.Recipe != "go" || len(e.Beside) > 0 || without.Environment != lean.Environment {
		t.Errorf("%+v", e)
	}
	s.contract.Sandbox.Kind = "host"
	if task, e := settle("on the host", map[string]string{"a.go": source("os/exec")}); task.Recipe != "go" || len(e.Beside) > 0 {
		t.Errorf("%+v", e)
	}
	if notes := s.notes(); len(notes) != 1 || !strings.Contains(notes[0], "with C and 1 more") || !strings.Contains(notes[0], "no Debian.") {
		t.Errorf("notes %q", notes)
	}
}
