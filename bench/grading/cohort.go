package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// names of the modules: each is a repository with one task.
var names = []string{"ledger", "routes", "words"}

// source is a module's package. Its bug is one number; BUG and NOTE stand where patches differ.
const source = `// Package NAME sums.
package NAME

// Sum adds the numbers below n.
func Sum(n int) (sum int) {
	for i := range n {
		sum += i + BUG
	}
	return sum
}
`

// test does about half a second of work on a processor of 2020; compiling and linking take about as long.
const test = `package NAME

import (
	"crypto/sha256"
	"testing"
)

func TestSum(t *testing.T) {
	if got := Sum(5); got != 10 {
		t.Errorf("Sum(5) = %d, want 10", got)
	}
}

func TestWork(t *testing.T) {
	sum := sha256.Sum256(nil)
	for range 4_000_000 {
		sum = sha256.Sum256(sum[:])
	}
	if sum == sha256.Sum256(nil) {
		t.Error(sum)
	}
}
`

// cohort is the tasks with their repositories.
type cohort struct {
	dir, repos, file string
	tasks            []task
	patches          map[string]string // task and model -> patch of the round at hand
}

// task is a line of the tasks file.
type task struct {
	ID         string   `json:"instance_id"`
	Repo       string   `json:"repo"`
	Base       string   `json:"base_commit"`
	Statement  string   `json:"problem_statement"`
	Patch      string   `json:"patch"`
	TestPatch  string   `json:"test_patch"`
	FailToPass []string `json:"FAIL_TO_PASS"`
	PassToPass []string `json:"PASS_TO_PASS"`

	name string
}

// prediction is a line of a predictions file.
type prediction struct {
	Task  string `json:"instance_id"`
	Model string `json:"model_name_or_path"`
	Patch string `json:"model_patch"`
}

func makeCohort(ctx context.Context, dir string) (*cohort, error) {
	c := &cohort{dir: dir, repos: filepath.Join(dir, "repos"), file: filepath.Join(dir, "tasks.jsonl")}
	for _, name := range names {
		t, err := c.makeTask(ctx, name)
		if err != nil {
			return nil, err
		}
		c.tasks = append(c.tasks, t)
	}
	return c, writeLines(c.file, c.tasks)
}

func (c *cohort) makeTask(ctx context.Context, name string) (task, error) {
	repo := filepath.Join(c.repos, name)
	text := func(s, bug string) string { return strings.NewReplacer("NAME", name, "BUG", bug).Replace(s) }
	err := writeFiles(repo, map[string]string{
		"go.mod": "module example.org/" + name + "\n\ngo 1.24\n", name + ".go": text(source, "1"),
		"kept_test.go": "package " + name + "\n\nimport \"testing\"\n\nfunc TestKept(t *testing.T) {\n\tif Sum(0) != 0 {\n\t\tt.Error(Sum(0))\n\t}\n}\n",
	})
	if err != nil {
		return task{}, err
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "base"}} {
		if _, err := git(ctx, repo, args...); err != nil {
			return task{}, err
		}
	}
	base, err := git(ctx, repo, "rev-parse", "HEAD")
	if err != nil {
		return task{}, err
	}
	t := task{
		ID: "bench__" + name + "-1", Repo: name, Base: strings.TrimSpace(base), Statement: "Sum is wrong", name: name,
		FailToPass: []string{"example.org/" + name + "::TestSum"}, PassToPass: []string{"example.org/" + name + "::TestKept", "example.org/" + name + "::TestWork"},
	}
	// TestWork comes with the hidden tests and needs no repair: it is there to take time.
	if t.TestPatch, err = c.diff(ctx, t, map[string]string{name + "_test.go": text(test, "")}); err != nil {
		return task{}, err
	}
	t.Patch, err = c.diff(ctx, t, map[string]string{name + ".go": text(source, "0")})
	return t, err
}

// predict writes a predictions file of every model's patch for every task. No two patches of a task give the same tree,
// also not in different rounds; every fourth model leaves the bug.
func (c *cohort) predict(ctx context.Context, round, models int) (string, error) {
	var lines []prediction
	c.patches = map[string]string{}
	for m := range models {
		bug := "0"
		if m%4 == 3 {
			bug = "2"
		}
		for _, t := range c.tasks {
			text := strings.NewReplacer("NAME", t.name, "BUG", bug).Replace(source) + fmt.Sprintf("\n// Model is who wrote this.\nconst Model = \"%d of round %d\"\n", m, round)
			patch, err := c.diff(ctx, t, map[string]string{t.name + ".go": text})
			if err != nil {
				return "", err
			}
			p := prediction{Task: t.ID, Model: fmt.Sprintf("model-%d", m), Patch: patch}
			c.patches[p.Task+" "+p.Model] = patch
			lines = append(lines, p)
		}
	}
	file := filepath.Join(c.dir, fmt.Sprintf("predictions-%d.jsonl", round))
	return file, writeLines(file, lines)
}

// diff is the patch that writes files into a task's base.
func (c *cohort) diff(ctx context.Context, t task, files map[string]string) (string, error) {
	repo := filepath.Join(c.repos, t.name)
	if err := writeFiles(repo, files); err != nil {
		return "", err
	}
	if _, err := git(ctx, repo, "add", "-A"); err != nil {
		return "", err
	}
	patch, err := git(ctx, repo, "diff", "--cached", "HEAD")
	if err != nil {
		return "", err
	}
	_, err = git(ctx, repo, "reset", "-q", "--hard")
	return patch, err
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	return output(ctx, dir, "git", append([]string{"-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"}, args...)...)
}

func writeFiles(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func writeLines[T any](file string, lines []T) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}
