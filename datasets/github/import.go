package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"evlab/datasets"
)

// Options say which pull requests are wanted.
type Options struct {
	Repositories []string  // owner/name
	Since, Until time.Time // merged at or after Since and before Until; zero is no bound
	Labels       []string  // the pull request or an issue that it closes has one of these; empty takes all
	Limit        int       // at most so many tasks of a repository; 0 is no limit
	// OnePerRepository takes of each repository the qualifying pull request that was merged first, and lists the others as
	// refused for that reason: a census of fresh tasks (Fresh23).
	OnePerRepository bool
	Name             string // of the cohort; "" makes one of the first repository
	Repos            string // folder of repositories, for changes that are too large for the API
	Token            string
	API              string                                     // address of the API; "" is GitHub's own
	Cache            string                                     // folder for answers; "" keeps nothing
	MaxWait          time.Duration                              // the longest wait for a rate limit; 0 is 75 minutes
	Sleep            func(context.Context, time.Duration) error // waits; nil is the clock
	Progress         func(string)                               // is told what goes on; may be nil
}

// Format is the format's name in a cohort.
const Format = "github"

var repositoryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$`)

// Check says what is wrong with the options, before anybody is asked.
func (o *Options) Check() error {
	for _, name := range o.Repositories {
		if !repositoryName.MatchString(name) {
			return fmt.Errorf("repository %.100q: expected owner/name, such as acme/ledger", name)
		}
	}
	if len(o.Repositories) == 0 {
		return errors.New("expected a repository, owner/name")
	}
	if !o.Since.IsZero() && !o.Until.IsZero() && !o.Since.Before(o.Until) {
		return fmt.Errorf("the window from %s to %s is empty", o.Since.Format(time.DateOnly), o.Until.Format(time.DateOnly))
	}
	if _, err := o.address(); err != nil {
		return err
	}
	return datasets.CheckCohortName(o.name())
}

// name is the cohort's.
func (o *Options) name() string {
	return cmp.Or(o.Name, strings.ReplaceAll(o.Repositories[0], "/", "__"))
}

// NoRepositoryError says that GitHub shows no repository of a name. It says the same of a private one to who may not read it.
type NoRepositoryError struct {
	Name  string
	Token bool // a token was given
}

func (e *NoRepositoryError) Error() string {
	return fmt.Sprintf("GitHub shows no repository %s (status 404): there is none of that name, or it is private", e.Name)
}

// Import makes tasks of merged pull requests, those of a repository in the order in which they were merged. The error is
// about GitHub or a repository as a whole.
func Import(ctx context.Context, o Options) (*datasets.Imported, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	c, err := newClient(&o)
	if err != nil {
		return nil, err
	}
	m := &datasets.Imported{Name: o.name(), Format: Format}
	for _, name := range o.Repositories {
		owner, repo, _ := strings.Cut(name, "/")
		w := &work{client: c, opts: &o, owner: owner, repo: repo, out: m}
		if err := w.repository(ctx); err != nil {
			return nil, fmt.Errorf("importing from %s: %w", name, err)
		}
	}
	return m, nil
}

// work is one repository being read.
type work struct {
	*client
	opts        *Options
	owner, repo string
	out         *datasets.Imported
	taken       string // the task that stands for the repository
}

func (w *work) name() string { return w.owner + "/" + w.repo }

// at is the place of a pull request.
func (w *work) at(number int) string { return fmt.Sprintf("%s#%d", w.name(), number) }

// repository goes through the merged pull requests of the window.
func (w *work) repository(ctx context.Context) error {
	pulls, err := w.merged(ctx)
	switch {
	case status(err) == http.StatusNotFound:
		return &NoRepositoryError{Name: w.name(), Token: w.token != ""}
	case err != nil:
		return err
	}
	taken := 0
	for i, pull := range pulls {
		if w.opts.Limit > 0 && taken >= w.opts.Limit && !w.opts.OnePerRepository {
			w.out.LeftOut += len(pulls) - i
			return nil
		}
		w.progress(fmt.Sprintf("%s: pull request %d of %d, #%d", w.name(), i+1, len(pulls), pull.GetNumber()))
		task, errs, err := w.task(ctx, pull)
		switch {
		case err != nil:
			return err
		case len(errs) == 0 && w.opts.OnePerRepository && w.taken != "":
			w.out.Refuse(w.at(pull.GetNumber()), task.ID, fmt.Errorf("it qualifies, and %s stands for its repository", w.taken))
			continue
		case len(errs) > 0: // the task is made no further than that, and what it lacks is no reason of its own
			w.out.Refuse(w.at(pull.GetNumber()), task.ID, errs...)
			continue
		}
		before := len(w.out.Tasks)
		w.out.Take(w.at(pull.GetNumber()), task)
		if len(w.out.Tasks) > before {
			taken++
			w.taken = task.ID
		}
	}
	return nil
}

// merged lists the pull requests that were merged in the window, by the date of their merge. GitHub lists closed ones by
// their last change, which comes after their merge, so that the list can be left where it is older than the window.
func (w *work) merged(ctx context.Context) ([]*github.PullRequest, error) {
	list := github.PullRequestListOptions{State: "closed", Sort: "updated", Direction: "desc", ListOptions: github.ListOptions{Page: 1, PerPage: perPage}}
	byNumber := map[int]*github.PullRequest{}
	for old := false; list.Page != 0 && !old; {
		var page []*github.PullRequest
		err := w.ask(ctx, fmt.Sprintf("the pull requests of %s, page %d", w.name(), list.Page), func() (resp *github.Response, err error) {
			page, resp, err = w.PullRequests.List(ctx, w.owner, w.repo, &list)
			if err == nil {
				err = onward(&list.Page, resp)
			}
			return resp, err
		})
		if err != nil {
			return nil, err
		}
		for _, pull := range page {
			merged := pull.GetMergedAt().Time
			old = old || !w.opts.Since.IsZero() && pull.GetUpdatedAt().Before(w.opts.Since) && !pull.GetUpdatedAt().IsZero()
			if merged.IsZero() || merged.Before(w.opts.Since) || !w.opts.Until.IsZero() && !merged.Before(w.opts.Until) {
				continue
			}
			byNumber[pull.GetNumber()] = pull // pages shift while they are read
		}
	}
	var pulls []*github.PullRequest
	for _, pull := range byNumber {
		pulls = append(pulls, pull)
	}
	slices.SortFunc(pulls, func(a, b *github.PullRequest) int {
		if d := a.GetMergedAt().Compare(b.GetMergedAt().Time); d != 0 {
			return d
		}
		return a.GetNumber() - b.GetNumber()
	})
	return pulls, nil
}

const perPage = 100

// maxPages bounds what is read of one list: a million entries.
const maxPages = 10_000

// onward turns to the next page, 0 after the last. A list whose pages lead back would be read for ever.
func onward(page *int, resp *github.Response) error {
	if next := resp.NextPage; next != 0 && (next <= *page || next > maxPages) {
		return fmt.Errorf("page %d of the list is followed by page %d: it is not read on", *page, next)
	}
	*page = resp.NextPage
	return nil
}

// labelled reports whether one of the wanted labels is there.
func (w *work) labelled(labels []*github.Label) bool {
	return slices.ContainsFunc(labels, func(l *github.Label) bool {
		return slices.ContainsFunc(w.opts.Labels, func(want string) bool { return strings.EqualFold(want, l.GetName()) })
	})
}
