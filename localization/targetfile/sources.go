package targetfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"evlab/datasets"
	"evlab/experiments"
	"evlab/repos"
	"evlab/tabular"
)

// Where says where the sources of base commits are. With neither, a cohort folder's own repositories are used.
type Where struct {
	Folder string // folder/<task>/<path>
	Repos  string // git repositories, as datasets finds them; tasks need repo and base_commit
}

// AddSources makes the repository's paths known to every task, and gives its edits the sources of the files that they
// change. It reports whether there are sources at all. Files that are missing, and patches that don't apply, are faults.
func AddSources(ctx context.Context, tasks []*Task, where Where, faults *tabular.Faults) (sourced bool, err error) {
	for _, t := range tasks {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		tree, err := open(ctx, t, where)
		if err != nil {
			t.fault(faults, "source", err)
			continue
		}
		if tree == nil {
			continue
		}
		sourced = true
		known, err := tree.paths(ctx)
		if err != nil {
			t.fault(faults, "source", err)
			continue
		}
		t.Paths.Add(known...)
		t.Paths.Whole = true
		if t.Edits == nil {
			continue
		}
		wanted := t.Edits.Sources()
		slices.Sort(wanted)
		for _, name := range wanted {
			content, err := tree.read(ctx, name)
			if err == nil {
				err = t.Edits.SetSource(name, content)
			}
			if err != nil {
				t.fault(faults, "source", err)
			}
		}
	}
	return sourced, nil
}

// tree is a task's repository at its base commit.
type tree interface {
	paths(ctx context.Context) ([]string, error)
	read(ctx context.Context, name string) ([]byte, error)
}

// open gives a task's tree, nil when nobody says where it is.
func open(ctx context.Context, t *Task, where Where) (tree, error) {
	if where.Folder != "" {
		if err := experiments.CheckName("task", t.Task); err != nil { // it becomes a path
			return nil, err
		}
		dir := filepath.Join(where.Folder, t.Task)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("there is no folder %s with its files", dir)
		}
		return folderTree(dir), nil
	}
	dir := t.Dir
	if where.Repos != "" {
		if t.Repository == "" || t.Commit == "" {
			return nil, errors.New("the row needs repo and base_commit for its source to be found")
		}
		var err error
		if dir, err = datasets.FindRepository(ctx, where.Repos, t.Repository, t.Commit); err != nil {
			return nil, err
		}
	}
	if dir == "" {
		return nil, nil
	}
	m, err := repos.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &commitTree{m, t.Commit}, nil
}

// maxSource bounds one file.
const maxSource = 64 << 20

// folderTree is a folder with a copy of the files. What is a link stays unread: a folder that users made may hold any.
type folderTree string

func (f folderTree) paths(context.Context) (list []string, err error) {
	err = filepath.WalkDir(string(f), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			rel, err := filepath.Rel(string(f), p)
			if err != nil {
				return err
			}
			list = append(list, filepath.ToSlash(rel))
		}
		return nil
	})
	return list, err
}

func (f folderTree) read(_ context.Context, name string) ([]byte, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer root.Close() // read only: a failing close loses nothing
	info, err := root.Lstat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s has no file %q, which the patch changes", f, name)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxSource:
		return nil, fmt.Errorf("%q in %s: expected a regular file of at most %d bytes", name, f, maxSource)
	}
	return root.ReadFile(filepath.FromSlash(name))
}

// commitTree is a commit of a git repository.
type commitTree struct {
	mirror *repos.Mirror
	commit string
}

func (c *commitTree) paths(ctx context.Context) (list []string, err error) {
	_, err = c.mirror.Files(ctx, c.commit, func(path string, _ int64) bool {
		list = append(list, path)
		return false // the names are enough
	})
	return list, err
}

func (c *commitTree) read(ctx context.Context, name string) ([]byte, error) {
	return c.mirror.ReadFile(ctx, c.commit, name)
}
