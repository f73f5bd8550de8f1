package datasets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"evlab/repos"
)

// repoName is "owner/name" or "name", each one path element.
var repoName = regexp.MustCompile(`^([A-Za-z0-9_][A-Za-z0-9_.-]*/)?[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// places finds repositories in a folder.
type places struct {
	dir   string
	found map[string]*lookup // by repository name
}

// lookup is the answer for one repository.
type lookup struct {
	mirror *repos.Mirror
	err    error
}

// layouts are the places where a repository may be below the folder, in order. Each may be a bare repository, a work
// tree, or a linked work tree.
func layouts(repo string) []string {
	owner, name, ok := strings.Cut(repo, "/")
	if !ok {
		return []string{repo, repo + ".git", filepath.Join(repo, "repo"), filepath.Join(repo, "repo.git")}
	}
	plus, under := owner+"+"+name, owner+"__"+name
	return []string{
		filepath.Join(plus, "repo"), filepath.Join(plus, "repo.git"), under, under + ".git",
		filepath.Join(owner, name), filepath.Join(owner, name+".git"), plus, plus + ".git", name, name + ".git",
	}
}

// find gives the git directory that holds the commit.
func (p places) find(ctx context.Context, repo, commit string) (string, error) {
	if !repoName.MatchString(repo) || len(repo) > 256 {
		return "", fmt.Errorf("repo %.80q: expected owner/name", repo)
	}
	at := p.found[repo]
	if at == nil {
		at = &lookup{}
		at.mirror, at.err = p.open(ctx, repo)
		p.found[repo] = at
	}
	if at.err != nil {
		return "", at.err
	}
	if err := at.mirror.HasCommit(ctx, commit); err != nil {
		return "", fmt.Errorf("repository %s at %s: %w", repo, at.mirror.Dir(), err)
	}
	return at.mirror.Dir(), nil
}

// open tries the layouts; a folder that is no repository (owner+name above owner+name/repo) is passed over.
func (p places) open(ctx context.Context, repo string) (*repos.Mirror, error) {
	var tried []string
	var failure error
	for _, layout := range layouts(repo) {
		dir := filepath.Join(p.dir, layout)
		tried = append(tried, layout)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		m, err := repos.Open(ctx, dir)
		if err == nil {
			return m, nil
		}
		failure = errors.Join(failure, err)
	}
	if failure != nil {
		return nil, fmt.Errorf("repository %s: %w", repo, failure)
	}
	return nil, fmt.Errorf("repository %s is not in %s: none of %s is there", repo, p.dir, strings.Join(tried, ", "))
}

// FindRepository is the git directory below dir that holds the commit of a repository ("owner/name"), in any of the usual
// layouts: owner+name/repo, owner__name, owner/name, name, with or without .git.
func FindRepository(ctx context.Context, dir, repo, commit string) (string, error) {
	return places{dir: dir, found: map[string]*lookup{}}.find(ctx, repo, commit)
}
