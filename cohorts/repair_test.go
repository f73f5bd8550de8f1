package cohorts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"evlab/evidence"
	"evlab/repos"
)

// slots keeps to two runs of the go command at once.
var slots = make(chan struct{}, 2)

// goCommand runs the go command in a folder without network and without modules of others.
func goCommand(dir string, args ...string) ([]byte, error) {
	slots <- struct{}{}
	defer func() { <-slots }()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0", "TZ=UTC")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, err
}

// checkout writes a tree into a new folder.
func (d *demoTask) checkout(t *testing.T, tree string) string {
	t.Helper()
	files, err := d.mirror.Files(context.Background(), tree, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(scratch, d.Repo+"-")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		file := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, f.Content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// ran remembers outcomes by tree and packages.
var ran sync.Map

// outcomes runs the tests of some packages of a tree ("./..." for all), once, and returns which top-level tests
// passed, by "import/path::TestName"; a test that ran and failed is there with false. A package that doesn't build has
// no tests. Equal packages of two trees are built and run once: -trimpath keeps the folder out of the build cache's key.
func (d *demoTask) outcomes(t *testing.T, tree string, packages ...string) map[string]bool {
	t.Helper()
	key := tree + " " + strings.Join(packages, " ")
	if known, ok := ran.Load(key); ok {
		return known.(map[string]bool)
	}
	out, err := goCommand(d.checkout(t, tree), append([]string{"test", "-trimpath", "-vet=off", "-json"}, packages...)...)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	passed := map[string]bool{}
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var e struct{ Action, Package, Test string }
		if in.Decode(&e) != nil {
			ran.Store(key, passed)
			return passed
		}
		if e.Test != "" && !strings.Contains(e.Test, "/") && (e.Action == "pass" || e.Action == "fail") {
			passed[e.Package+"::"+e.Test] = e.Action == "pass"
		}
	}
}

// tree is the base commit's tree.
func (d *demoTask) tree(t *testing.T) string {
	t.Helper()
	tree, err := d.mirror.Tree(context.Background(), d.BaseCommit)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// testPackages are the packages that have hidden tests.
func (d *demoTask) testPackages() []string {
	var packages []string
	for _, p := range repos.PatchPaths(d.tests.Patch) {
		if dir := "./" + path.Dir(p); !slices.Contains(packages, dir) {
			packages = append(packages, dir)
		}
	}
	return packages
}

// laid remembers what withTests made, by task and tree.
var laid sync.Map

// withTests is a tree with the hidden tests put in.
func (d *demoTask) withTests(t *testing.T, tree string) string {
	t.Helper()
	key := d.ID + " " + tree
	if known, ok := laid.Load(key); ok {
		return known.(string)
	}
	o, err := d.mirror.Overlay(context.Background(), d.BaseCommit, tree, d.tests.Patch)
	if err != nil {
		t.Fatalf("%s: %v", d.ID, err)
	}
	for _, p := range o.Owned {
		if !strings.HasSuffix(p, "_test.go") {
			t.Errorf("%s: the hidden tests own %s", d.ID, p)
		}
	}
	if len(o.Owned) == 0 || len(o.Neutralised) > 0 {
		t.Errorf("%s: the hidden tests own %v and undid %v", d.ID, o.Owned, o.Neutralised)
	}
	laid.Store(key, o.Tree)
	return o.Tree
}

// judge runs the hidden tests on a candidate's tree and returns some that had to pass and did not; nil when the task is
// resolved. The packages that have hidden tests come first: where they settle it, the rest is not run.
func (d *demoTask) judge(t *testing.T, tree string) []string {
	t.Helper()
	tested := d.withTests(t, tree)
	var failed []string
	for name, passed := range d.outcomes(t, tested, d.testPackages()...) {
		if !passed {
			failed = append(failed, name)
		}
	}
	if failed != nil {
		return failed
	}
	passed := d.outcomes(t, tested, "./...")
	for _, name := range slices.Concat(d.tests.FailToPass, d.tests.PassToPass) {
		if !passed[name] {
			failed = append(failed, name)
		}
	}
	return failed
}

// repaired is the tree of the reference repair.
func (d *demoTask) repaired(t *testing.T) string {
	t.Helper()
	a, err := d.mirror.Apply(context.Background(), d.BaseCommit, d.reference)
	if err != nil {
		t.Fatal(err)
	}
	if a.Outcome != repos.OutcomeApplied || len(a.Flags) > 0 {
		t.Fatalf("%s: the reference repair is %s: %s %v", d.ID, a.Outcome, a.Reason, a.Flags)
	}
	if slices.ContainsFunc(a.Paths, evidence.IsTestPath) {
		t.Errorf("%s: the reference repair edits tests: %v", d.ID, a.Paths)
	}
	return a.Tree
}

// TestDemoBasesBuild holds that every base commit builds and passes vet. That it passes its own tests is seen below:
// they are all listed as pass-to-pass.
func TestDemoBasesBuild(t *testing.T) {
	seen := map[string]bool{}
	for _, task := range load(t).tasks {
		if seen[task.BaseCommit] {
			continue
		}
		seen[task.BaseCommit] = true
		t.Run(task.Repo+"-"+baseOf[task.ID], func(t *testing.T) {
			t.Parallel()
			dir := task.checkout(t, task.BaseCommit)
			for _, verb := range []string{"build", "vet"} {
				if out, err := goCommand(dir, verb, "-trimpath", "./..."); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			}
			for _, f := range task.files {
				if f.Path == "go.mod" && (!strings.Contains(string(f.Content), "\ngo 1.22\n") || strings.Contains(string(f.Content), "require")) {
					t.Errorf("go.mod asks for more than go 1.22 and the standard library: %s", f.Content)
				}
			}
		})
	}
}

// TestDemoHiddenTests holds the tasks themselves: what has to fail before the repair does, and after it everything
// passes. The lists are complete: they hold every test that there is.
func TestDemoHiddenTests(t *testing.T) {
	for _, task := range load(t).tasks {
		t.Run(task.ID, func(t *testing.T) {
			t.Parallel()
			before := task.outcomes(t, task.withTests(t, task.tree(t)), "./...")
			for _, name := range task.tests.FailToPass {
				if passed, ran := before[name]; !ran || passed {
					t.Errorf("%s ran %v and passed %v before the repair", name, ran, passed)
				}
			}
			for _, name := range task.tests.PassToPass {
				if !before[name] {
					t.Errorf("%s does not pass before the repair", name)
				}
			}
			after := task.outcomes(t, task.withTests(t, task.repaired(t)), "./...")
			for name, passed := range after {
				listed := slices.Contains(task.tests.FailToPass, name) || slices.Contains(task.tests.PassToPass, name)
				if !passed || !listed {
					t.Errorf("%s: passed %v after the repair, listed %v", name, passed, listed)
				}
			}
			if n := len(task.tests.FailToPass) + len(task.tests.PassToPass); n != len(after) || len(task.tests.FailToPass) == 0 ||
				len(task.tests.PassToPass) == 0 || !task.tests.PassToPassComplete {
				t.Errorf("%d and %d tests are listed (complete %v), %d ran", len(task.tests.FailToPass), len(task.tests.PassToPass),
					task.tests.PassToPassComplete, len(after))
			}
		})
	}
}

// TestDemoPatchesAreExact applies both patches with git alone, one after the other, with no fuzz and no warning; and
// holds that they are what git diff writes.
func TestDemoPatchesAreExact(t *testing.T) {
	for _, task := range load(t).tasks {
		dir := filepath.Join(t.TempDir(), "work")
		git := func(in []byte, args ...string) []byte {
			t.Helper()
			cmd := exec.Command("git", args...)
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				cmd.Dir = dir
			}
			cmd.Stdin = bytes.NewReader(in)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil || stderr.Len() > 0 {
				t.Fatalf("%s: git %v: %v: %s", task.ID, args, err, stderr.Bytes())
			}
			return out
		}
		git(nil, "-c", "core.autocrlf=false", "clone", "--quiet", "--no-checkout", task.mirror.Dir(), dir)
		git(nil, "config", "core.autocrlf", "false")
		for _, patch := range [][]byte{task.tests.Patch, task.reference} {
			git(nil, "reset", "--quiet", "--hard", task.BaseCommit)
			git(patch, "apply", "--index", "--whitespace=error-all", "-")
			got := git(nil, "diff", "--cached", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/")
			if !bytes.Equal(got, patch) {
				t.Errorf("%s: git writes the patch as\n%s", task.ID, got)
			}
		}
		git(task.tests.Patch, "apply", "--index", "-") // on top of the repair
	}
}
