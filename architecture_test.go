package evlab_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// The arrows that must never be, held with the facts of `go list`. docs/architecture.md says why each of them is there.
var forbidden = []struct {
	from   []string // packages of this module, with everything below them
	never  []string // import paths, with everything below them
	reason string
}{
	{
		[]string{"evlab/retrieval", "evlab/executors", "evlab/evidence"}, []string{"evlab/organizer", "evlab/localization", "evlab/datasets", "evlab/cohorts"},
		"what a deployable condition can see is what it can import",
	},
	{
		[]string{"evlab/contrasts", "evlab/evidence", "evlab/organizer", "evlab/retrieval", "evlab/sandbox", "evlab/repos", "evlab/report", "evlab/artifacts",
			"evlab/localization", "evlab/agreement"},
		[]string{"go.temporal.io"}, "the science runs without an engine",
	},
	{
		[]string{"evlab/experiments"},
		[]string{"go.temporal.io", "os/exec", "net", "evlab/artifacts", "evlab/organizer"}, "the vocabulary has no side effects",
	},
}

type listed struct {
	ImportPath string
	Deps       []string
	Imports    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Deps,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("go list names %d packages, expected the whole module", len(all))
	}
	return all
}

func under(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

func TestForbiddenArrows(t *testing.T) {
	all := packages(t)
	for _, rule := range forbidden {
		for _, from := range rule.from {
			found := false
			for _, p := range all {
				if !under(p.ImportPath, from) || p.ImportPath == "evlab/experiments/specfile" {
					continue
				}
				found = true
				for _, dep := range p.Deps {
					for _, never := range rule.never {
						if under(dep, never) {
							t.Errorf("%s reaches %s: %s", p.ImportPath, dep, rule.reason)
						}
					}
				}
			}
			if !found {
				t.Errorf("there is no package %s: the rule %q guards nothing", from, rule.reason)
			}
		}
	}
}

// TestWorkflowsAreNarrow: workflows import experiments and the Temporal SDK, and of the standard library nothing that
// does input or output or reads the clock.
func TestWorkflowsAreNarrow(t *testing.T) {
	allowed := map[string]bool{"errors": true, "time": true, "fmt": true, "evlab/experiments": true}
	for _, p := range packages(t) {
		if p.ImportPath != "evlab/workflows" {
			continue
		}
		for _, path := range p.Imports {
			if !allowed[path] && !under(path, "go.temporal.io/sdk") && !under(path, "go.temporal.io/api/enums") {
				t.Errorf("workflows imports %s", path)
			}
		}
		return
	}
	t.Error("there is no package evlab/workflows")
}

// TestOneDoorToTheServer: the Temporal server is a large dependency, and only engine (and who imports engine) reaches it.
func TestOneDoorToTheServer(t *testing.T) {
	for _, p := range packages(t) {
		for _, path := range p.Imports {
			if under(path, "go.temporal.io/server") && !under(p.ImportPath, "evlab/engine") {
				t.Errorf("%s imports %s; only engine may", p.ImportPath, path)
			}
			if under(path, "evlab/engine") && !under(p.ImportPath, "evlab/engine") && p.ImportPath != "evlab/runs" && p.ImportPath != "evlab/cmd/evlab" {
				t.Errorf("%s imports %s; only runs and cmd may", p.ImportPath, path)
			}
		}
	}
}
