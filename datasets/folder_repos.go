package datasets

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"evlab/experiments"
	"evlab/repos"
)

// histories parses the commits of every repository of the folder, in the order of their numbers.
func (f *folder) histories() map[string][]repos.Commit {
	all := map[string][]repos.Commit{}
	numbers := map[string]string{} // repository/number -> file
	for _, file := range f.listed.under("public/repos/") {
		match := commitFile.FindStringSubmatch(path.Base(file))
		parts := strings.Split(file, "/")
		if match == nil || len(parts) != 4 {
			continue // a stray file, reported as such
		}
		name := parts[2]
		if err := experiments.CheckName("repository", name); err != nil {
			f.add(file, "%w", err)
			continue
		}
		number := name + "/" + match[1]
		if first := numbers[number]; first != "" {
			f.add(file, "commit %s is %s, too", match[1], first)
		}
		numbers[number] = file
		data, _ := f.listed.read(file)
		commit, err := repos.ParseCommit(file, data)
		f.join(err)
		all[name] = append(all[name], commit)
	}
	for _, t := range f.cohort.Tasks {
		if t.Repo != "" && all[t.Repo] == nil {
			f.add("public/tasks/"+t.ID+".json", "repo %q: public/repos has no commits of it", t.Repo)
		}
	}
	return all
}

// build makes the repositories that are not there yet and checks the base commits against them. The error is the
// machine's fault or a history that can't be built.
func (f *folder) build(ctx context.Context, scratch string, histories map[string][]repos.Commit) error {
	made := map[string]*repos.Mirror{}
	for _, t := range f.cohort.Tasks {
		m := made[t.Repo]
		if m == nil {
			digest := f.listed.digest("public/repos/" + t.Repo + "/")
			dir := filepath.Join(scratch, f.cohort.Name, t.Repo+"-"+digest.Short()+".git")
			var err error
			if m, err = buildOnce(ctx, dir, histories[t.Repo]); err != nil {
				return err
			}
			made[t.Repo] = m
		}
		err := m.HasCommit(ctx, t.BaseCommit)
		var missing *repos.NotFoundError
		switch {
		case errors.As(err, &missing):
			f.add("public/tasks/"+t.ID+".json", "base_commit %s is not in the history of public/repos/%s", t.BaseCommit, t.Repo)
		case err != nil:
			return err
		}
		f.cohort.Sources[t.ID] = m.Dir()
	}
	return nil
}

// buildOnce opens the repository at dir, building it first when nobody has. The folder's name has the digest of what
// it is built from and it appears complete or not at all, so one that is there is the right one.
func buildOnce(ctx context.Context, dir string, commits []repos.Commit) (*repos.Mirror, error) {
	if _, err := os.Stat(dir); err != nil {
		if _, err := repos.BuildHistory(ctx, dir, commits); err != nil {
			if _, statErr := os.Stat(filepath.Join(dir, "HEAD")); statErr != nil { // else another process was faster
				return nil, err
			}
		}
	}
	return repos.Open(ctx, dir)
}
