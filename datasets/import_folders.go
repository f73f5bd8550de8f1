package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"evlab/evidence"
	"evlab/experiments"
)

// taskRepository reads the folder layout of SWE-bench's version 5: tasks/<id>/ with task.yaml, tests.json, gold.patch,
// test.patch, problem_statement.md and eval.sh.
func (im *importing) taskRepository(root *os.Root) error {
	im.out.Format = "taskrepo"
	fsys := root.FS()
	entries, err := fs.ReadDir(fsys, "tasks")
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, e := range entries {
		if im.opts.ctx.Err() != nil || im.full() {
			break
		}
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		// A link inside of the repository is followed, as one to a file is. A task behind any other one would be missed.
		at := path.Join("tasks", e.Name())
		switch info, err := fs.Stat(fsys, at); {
		case err != nil:
			if len(im.opts.Tasks) == 0 || slices.Contains(im.opts.Tasks, e.Name()) {
				im.out.Refuse(at, e.Name(), errors.New("it is a link that leads to nothing inside of the repository: put the task's folder in its place"))
			}
			continue
		case !info.IsDir():
			continue
		}
		im.taskFolder(fsys, e.Name(), &sums)
	}
	im.out.Sources = append(im.out.Sources, SourceFile{Name: "tasks", SHA256: experiments.DigestBytes([]byte(sums.String()))})
	return nil
}

// maxYAML bounds task.yaml, whose aliases could make much of little.
const maxYAML = 64 << 10

func (im *importing) taskFolder(fsys fs.FS, id string, sums *strings.Builder) {
	at := path.Join("tasks", id)
	f := &fields{object: object{}}
	read := func(name string, limit int64, optional bool) []byte {
		data, err := readAtMost(fsys, path.Join(at, name), limit)
		if errors.Is(err, fs.ErrNotExist) && optional {
			return nil
		}
		if err != nil {
			f.errs = append(f.errs, err)
		}
		fmt.Fprintf(sums, "%s\t%s/%s\n", experiments.DigestBytes(data), at, name)
		return data
	}
	var meta struct {
		InstanceID string   `yaml:"instance_id"`
		Repo       string   `yaml:"repo"`
		Version    string   `yaml:"version"`
		BaseCommit string   `yaml:"base_commit"`
		Split      string   `yaml:"split"`
		Image      string   `yaml:"image"`
		LogParser  string   `yaml:"log_parser"`
		EvalType   string   `yaml:"eval_type"`
		Language   string   `yaml:"language"`
		CreatedAt  string   `yaml:"created_at"`
		Datasets   []string `yaml:"datasets"`
	}
	if err := yaml.Unmarshal(read("task.yaml", maxYAML, false), &meta); err != nil {
		f.fault("task.yaml: %w", err)
	}
	if s := im.opts.Split; s != "" && meta.Split != s || s == "" && meta.Split == "deprecated" {
		im.out.LeftOut++
		return
	}
	var tests struct {
		FailToPass []string `json:"FAIL_TO_PASS"`
		PassToPass []string `json:"PASS_TO_PASS"`
	}
	if err := json.Unmarshal(read("tests.json", maxFolderFile, false), &tests); err != nil {
		f.fault("tests.json: %w", err)
	}
	for _, list := range [][]string{tests.FailToPass, tests.PassToPass} {
		for _, name := range list {
			if err := checkTestName(name); err != nil {
				f.fault("tests.json: %w", err)
				break
			}
		}
	}
	t := ImportedTask{Task: experiments.Task{
		ID: meta.InstanceID, Repo: meta.Repo, BaseCommit: meta.BaseCommit, Language: canonicalLanguage(meta.Language), CreatedAt: meta.CreatedAt,
		State: evidence.StateCard{Issue: string(read("problem_statement.md", maxFolderFile, false))},
	}}
	if t.ID == "" {
		t.ID = id
	} else if t.ID != id {
		f.fault("task.yaml: instance_id is %.120q in the folder %q", t.ID, id)
	}
	t.Private.Reference, t.Private.Tests.Patch = read("gold.patch", maxPatchField, false), read("test.patch", maxPatchField, false)
	t.Private.Tests.FailToPass, t.Private.Tests.PassToPass, t.Private.Tests.PassToPassComplete = tests.FailToPass, tests.PassToPass, true
	t.Setting = Setting{
		Rule: RuleSWEBench, Image: meta.Image, Workdir: "/testbed", Platform: "linux/amd64", Version: meta.Version, Grammar: swebenchParser(meta.LogParser, id, meta.Version),
		FailOnly: meta.EvalType == "fail_only", Script: string(read("eval.sh", maxTextField, true)),
	}
	if t.Setting.Image == "" {
		t.Setting.Image = swebenchImage("swebench", t.ID)
	}
	if t.Setting.Script == "" {
		t.Setting.addCommand(t.Repo, t.Private.Tests.Patch)
	}
	im.take(at, t, f.errs)
}

// cohort reads an evlab cohort folder: one that was imported before, or one with repositories of its own, which are built
// in the folder of repositories.
func (im *importing) cohort(root *os.Root) error {
	im.out.Format = "cohort"
	in, err := readImportedFolder(root.FS())
	if errors.Is(err, errOwnRepositories) {
		in, err = im.ownRepositories(root.FS())
	}
	if err != nil {
		return err
	}
	if im.opts.Name == "" {
		im.out.Name = in.Name
	}
	im.out.Sources = in.Sources
	for _, t := range in.Tasks {
		if im.full() {
			break
		}
		im.take("tasks/"+t.ID, t, nil)
	}
	return nil
}

// ownRepositories reads a cohort of FolderSchema, whose repositories are made of its own files.
func (im *importing) ownRepositories(fsys fs.FS) (*Imported, error) {
	if im.opts.Repos == "" {
		return nil, errors.New("the cohort has repositories of its own: say with --repos in which folder they are to be built")
	}
	scratch, err := os.MkdirTemp("", "evlab-cohort-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch) // what is needed of it was copied
	c, err := ReadFolder(im.opts.ctx, fsys, "cohort", scratch, false)
	if err != nil {
		return nil, err
	}
	m := &Imported{Name: c.Name, Sources: []SourceFile{{Name: "public", SHA256: c.PublicDigest}, {Name: "private", SHA256: c.PrivateDigest}}}
	for _, t := range c.Tasks {
		to := filepath.Join(im.opts.Repos, t.Repo+".git")
		if _, err := os.Stat(to); errors.Is(err, fs.ErrNotExist) {
			if err := copyFolder(c.Sources[t.ID], to); err != nil {
				return nil, err
			}
		} else if err != nil {
			return nil, err
		}
		m.Tasks = append(m.Tasks, ImportedTask{Task: t, Private: c.Private[t.ID], Setting: Setting{Rule: RuleEvlab}})
	}
	return m, nil
}

// copyFolder copies a folder, which appears whole or not at all.
func copyFolder(from, to string) error {
	tmp, err := partial(to)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) // after the rename there is nothing left of it
	whole := filepath.Join(tmp, "whole")
	if err := os.CopyFS(whole, os.DirFS(from)); err != nil {
		return err
	}
	return os.Rename(whole, to)
}
