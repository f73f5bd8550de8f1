package github

import (
	"bytes"
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
	"evlab/evidence"
	"evlab/experiments"
	"evlab/repos"
)

// commitID is what may go to git as a commit: never an option, nor a name.
var commitID = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// task makes a task of one pull request. errs are why it is none; err is that GitHub could not be asked.
func (w *work) task(ctx context.Context, pull *github.PullRequest) (t datasets.ImportedTask, errs []error, err error) {
	number := pull.GetNumber()
	t.Task = experiments.Task{ID: fmt.Sprintf("%s__%s-%d", w.owner, w.repo, number), Repo: w.name(), CreatedAt: pull.GetCreatedAt().UTC().Format(time.RFC3339)}
	t.Setting.Rule = datasets.RuleEvlab
	t.Private.Tests.PassToPassComplete = true
	no := func(format string, args ...any) (datasets.ImportedTask, []error, error) {
		return t, []error{fmt.Errorf(format, args...)}, nil
	}
	messages, err := w.messages(ctx, number)
	if err != nil {
		return t, nil, err
	}
	numbers := closes(w.name(), pull.GetTitle()+"\n"+pull.GetBody()+"\n"+messages)
	if len(numbers) == 0 {
		return no("it closes no issue")
	}
	files, err := w.files(ctx, number)
	if err != nil {
		return t, nil, err
	}
	if reason := wants(files); reason != "" {
		return no("%s", reason)
	}
	base, head, when, err := w.base(ctx, pull)
	if err != nil {
		if s := status(err); s == http.StatusNotFound || s == http.StatusUnprocessableEntity {
			return no("its base and head can no longer be compared (%v)", plain(err))
		}
		return t, nil, err
	}
	if !commitID.MatchString(base) || !commitID.MatchString(head) {
		return no("its base %.60q and head %.60q are no commit ids", base, head)
	}
	t.BaseCommit = base
	issue, labels, reasons, err := w.issues(ctx, numbers, when)
	if err != nil {
		return t, nil, err
	}
	if issue == "" {
		return no("none of the issues that it says to close can be taken: %s", strings.Join(reasons, "; "))
	}
	if len(w.opts.Labels) > 0 && !w.labelled(pull.Labels) && !w.labelled(labels) {
		return no("neither it nor an issue that it closes has a wanted label")
	}
	t.State = evidence.StateCard{Issue: issue}
	patch, err := w.change(ctx, number, base, head)
	if err != nil {
		var large *tooLargeError
		if errors.As(err, &large) {
			return no("%v", large)
		}
		return t, nil, err
	}
	if left := missing(files, patch); left != "" {
		return no("its change is not whole: %s is not in it", left)
	}
	t.Private.Reference, t.Private.Tests.Patch = datasets.SplitPatch(patch, evidence.IsTestPath)
	if bytes.Contains(patch, []byte("\nBinary files ")) {
		errs = append(errs, errors.New("it changes a binary file, whose content GitHub does not give: fetch the repository and say with --repos where it is"))
	}
	return t, errs, nil
}

// messages are those of a pull request's commits; GitHub lists 250 of them.
func (w *work) messages(ctx context.Context, number int) (string, error) {
	var b strings.Builder
	list := github.ListOptions{Page: 1, PerPage: perPage}
	for list.Page != 0 {
		err := w.ask(ctx, fmt.Sprintf("the commits of %s", w.at(number)), func() (*github.Response, error) {
			commits, resp, err := w.PullRequests.ListCommits(ctx, w.owner, w.repo, number, &list)
			if err == nil {
				err = onward(&list.Page, resp)
			}
			for _, c := range commits {
				b.WriteString(c.GetCommit().GetMessage() + "\n")
			}
			return resp, err
		})
		if err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// files are the files of a pull request; GitHub lists 3,000 of them.
func (w *work) files(ctx context.Context, number int) (files []*github.CommitFile, err error) {
	list := github.ListOptions{Page: 1, PerPage: perPage}
	for list.Page != 0 {
		err := w.ask(ctx, fmt.Sprintf("the files of %s", w.at(number)), func() (*github.Response, error) {
			page, resp, err := w.PullRequests.ListFiles(ctx, w.owner, w.repo, number, &list)
			if err == nil {
				err = onward(&list.Page, resp)
				files = append(files, page...)
			}
			return resp, err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// wants says why files are none of a task's.
func wants(files []*github.CommitFile) string {
	tests, source := false, false
	for _, f := range files {
		if evidence.IsTestPath(f.GetFilename()) || f.GetPreviousFilename() != "" && evidence.IsTestPath(f.GetPreviousFilename()) {
			tests = true
		} else {
			source = true
		}
	}
	switch {
	case len(files) == 0:
		return "it changes no file"
	case !tests:
		return "there is no test in its change"
	case !source:
		return "it changes tests only"
	}
	return ""
}

// missing is a file that a change lacks, "" when it has all. A diff that was cut would be half a repair.
func missing(files []*github.CommitFile, patch []byte) string {
	paths := repos.PatchPaths(patch)
	for _, f := range files {
		if _, there := slices.BinarySearch(paths, f.GetFilename()); !there {
			return f.GetFilename()
		}
	}
	return ""
}

// base is the merge base of a pull request with its date: the commit that its change is against, wherever the base branch
// has gone since.
func (w *work) base(ctx context.Context, pull *github.PullRequest) (base, head string, when time.Time, err error) {
	head = pull.GetHead().GetSHA()
	var compared *github.CommitsComparison
	err = w.ask(ctx, fmt.Sprintf("the merge base of %s", w.at(pull.GetNumber())), func() (resp *github.Response, err error) {
		compared, resp, err = w.Repositories.CompareCommits(ctx, w.owner, w.repo, pull.GetBase().GetSHA(), head, &github.ListOptions{PerPage: 1})
		return resp, err
	})
	if err != nil {
		return "", "", when, err
	}
	mergeBase := compared.GetMergeBaseCommit()
	return mergeBase.GetSHA(), head, mergeBase.GetCommit().GetCommitter().GetDate().Time, nil
}

// tooLargeError says that GitHub does not give a change.
type tooLargeError struct{ reason string }

func (e *tooLargeError) Error() string { return e.reason }

// change is the difference from base to head. A repository that is at hand gives it whole, with binary files; else GitHub
// does, unless it is too large for it.
func (w *work) change(ctx context.Context, number int, base, head string) ([]byte, error) {
	var local error
	if w.opts.Repos != "" {
		dir, err := datasets.FindRepository(ctx, w.opts.Repos, w.name(), head)
		if err == nil {
			m, err := repos.Open(ctx, dir)
			if err != nil {
				return nil, err
			}
			return m.Diff(ctx, base, head)
		}
		local = err
	}
	var text string
	err := w.ask(ctx, fmt.Sprintf("the change of %s", w.at(number)), func() (resp *github.Response, err error) {
		text, resp, err = w.PullRequests.GetRaw(ctx, w.owner, w.repo, number, github.RawOptions{Type: github.Diff})
		return resp, err
	})
	if s := status(err); s == http.StatusNotAcceptable || s == http.StatusUnprocessableEntity || errors.Is(err, errTooLarge) {
		reason := "its change is too large for GitHub to give: fetch the repository and say with --repos where it is"
		if local != nil {
			reason += fmt.Sprintf(" (%v)", local)
		}
		return nil, &tooLargeError{reason}
	}
	return []byte(text), err
}
