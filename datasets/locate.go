package datasets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"evlab/experiments"
	"evlab/repos"
)

// repoName is "owner/name" or "name", each one path element.
var repoName = regexp.MustCompile(`^([A-Za-z0-9_][A-Za-z0-9_.-]*/)?[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// Repositories says where the repositories of tasks are.
type Repositories struct {
	// From is a folder of repositories or bundles, one git bundle, a URL (https, ssh, file) in which {repo} stands for
	// owner/name, {owner} and {name} for its parts, or experiments.GitHub.
	From string
	// Store is the folder that bundles and URLs are fetched into, once. Without one, From has to be a folder of repositories.
	Store string
}

// githubURL is where GitHub has a repository.
const githubURL = "https://github.com/{repo}.git"

// check reports why From can't be looked into at all.
func (r Repositories) check() error {
	if r.From == experiments.GitHub || experiments.IsURL(r.From) {
		_, err := repos.URL(r.url("owner/name"))
		return err
	}
	info, err := os.Stat(r.From)
	if err != nil {
		return fmt.Errorf("the repositories: %w", err)
	}
	if info.Mode().IsRegular() {
		_, err = repos.Bundle(r.From)
		return err
	}
	return nil
}

// url is where a repository is, by the template.
func (r Repositories) url(repo string) string {
	template := r.From
	if template == experiments.GitHub {
		template = githubURL
	}
	owner, name, ok := strings.Cut(repo, "/")
	if !ok {
		owner, name = "", repo
	}
	return strings.NewReplacer("{repo}", repo, "{owner}", owner, "{name}", name).Replace(template)
}

// places finds repositories, each once.
type places struct {
	Repositories
	found map[string]*lookup // by repository name
}

func (r Repositories) places() places { return places{r, map[string]*lookup{}} }

// lookup is the answer for one repository: a mirror that is here, or where to fetch one from.
type lookup struct {
	mirror *repos.Mirror
	origin *repos.Origin
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
		at.err = p.open(ctx, repo, at)
		p.found[repo] = at
	}
	if at.err != nil {
		return "", at.err
	}
	if at.origin != nil {
		m, err := repos.Fetch(ctx, p.Store, *at.origin, commit)
		var missing *repos.NotFoundError
		if err != nil && !errors.As(err, &missing) {
			at.err = fmt.Errorf("repository %s: %w", repo, err) // not asked again for each task
			return "", at.err
		}
		if err != nil {
			return "", fmt.Errorf("repository %s: %w", repo, err)
		}
		at.mirror = m
		return m.Dir(), nil
	}
	if err := at.mirror.HasCommit(ctx, commit); err != nil {
		return "", fmt.Errorf("repository %s at %s: %w", repo, at.mirror.Dir(), err)
	}
	return at.mirror.Dir(), nil
}

// open finds the repository itself.
func (p places) open(ctx context.Context, repo string, at *lookup) error {
	fetched := func(o repos.Origin, err error) error {
		if err == nil && p.Store == "" {
			err = errors.New("a bundle or a URL can't be taken here: give a folder of repositories")
		}
		if err != nil {
			return fmt.Errorf("repository %s: %w", repo, err)
		}
		at.origin = &o
		return nil
	}
	if p.From == experiments.GitHub || experiments.IsURL(p.From) {
		if p.From == experiments.GitHub && !strings.Contains(repo, "/") {
			return fmt.Errorf("repo %.80q: GitHub needs owner/name", repo)
		}
		return fetched(repos.URL(p.url(repo)))
	}
	if info, err := os.Stat(p.From); err == nil && info.Mode().IsRegular() {
		return fetched(repos.Bundle(p.From))
	}
	return p.inFolder(ctx, repo, at, fetched)
}

// inFolder tries the layouts; a folder that is no repository (owner+name above owner+name/repo) is passed over.
func (p places) inFolder(ctx context.Context, repo string, at *lookup, fetched func(repos.Origin, error) error) error {
	var tried []string
	var failure error
	for _, layout := range layouts(repo) {
		dir := filepath.Join(p.From, layout)
		tried = append(tried, layout)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		m, err := repos.Open(ctx, dir)
		if err == nil {
			at.mirror = m
			return nil
		}
		failure = errors.Join(failure, err)
	}
	for _, layout := range layouts(repo) {
		file := filepath.Join(p.From, layout+".bundle")
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && !strings.HasSuffix(layout, ".git") {
			return fetched(repos.Bundle(file))
		}
	}
	if failure != nil {
		return fmt.Errorf("repository %s: %w", repo, failure)
	}
	return &unfoundError{repo: repo, in: p.From, tried: tried}
}

// unfoundError says that a folder has not the repository.
type unfoundError struct {
	repo, in string
	tried    []string
}

func (e *unfoundError) Error() string {
	return fmt.Sprintf("repository %s is not in %s: none of %s is there, nor a .bundle of such a name", e.repo, e.in, strings.Join(e.tried, ", "))
}

// FindRepository is the git directory below dir that holds the commit of a repository ("owner/name"), in any of the usual
// layouts: owner+name/repo, owner__name, owner/name, name, with or without .git.
func FindRepository(ctx context.Context, dir, repo, commit string) (string, error) {
	return Repositories{From: dir}.places().find(ctx, repo, commit)
}
