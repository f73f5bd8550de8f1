package github

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"
)

var (
	htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
	closing     = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:([A-Za-z0-9-]+/[A-Za-z0-9._-]+)?#|https?://[^\s/]+/([A-Za-z0-9-]+/[A-Za-z0-9._-]+)/issues/)(\d{1,10})\b`)
)

// closes lists the issues of the repository that a text says to close, in its order: the words that GitHub itself heeds,
// before #7, owner/name#7 or the issue's address. What stands in an HTML comment is a template's.
func closes(repository, text string) (numbers []int) {
	for _, m := range closing.FindAllStringSubmatch(htmlComment.ReplaceAllString(text, ""), -1) {
		if other := m[1] + m[2]; other != "" && !strings.EqualFold(other, repository) {
			continue
		}
		if n, err := strconv.Atoi(m[3]); err == nil && n > 0 && !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	const most = 20
	return numbers[:min(len(numbers), most)]
}

// issues is the text of the issues as an agent at the base commit may know it. reasons are why some were passed over.
func (w *work) issues(ctx context.Context, numbers []int, until time.Time) (text string, labels []*github.Label, reasons []string, err error) {
	var b strings.Builder
	for _, n := range numbers {
		var issue *github.Issue
		err := w.ask(ctx, fmt.Sprintf("issue %s", w.at(n)), func() (resp *github.Response, err error) {
			issue, resp, err = w.Issues.Get(ctx, w.owner, w.repo, n)
			return resp, err
		})
		switch s := status(err); {
		case s == http.StatusNotFound || s == http.StatusGone || s == http.StatusUnavailableForLegalReasons:
			reasons = append(reasons, fmt.Sprintf("#%d is not there (status %d)", n, s))
			continue
		case err != nil:
			return "", nil, nil, err
		case issue.IsPullRequest():
			reasons = append(reasons, fmt.Sprintf("#%d is a pull request", n))
			continue
		case strings.TrimSpace(issue.GetTitle()+issue.GetBody()) == "":
			reasons = append(reasons, fmt.Sprintf("#%d has no text", n))
			continue
		}
		labels = append(labels, issue.Labels...)
		fmt.Fprintf(&b, "%s\n%s\n", issue.GetTitle(), issue.GetBody())
		comments, err := w.comments(ctx, n, until)
		if err != nil {
			return "", nil, nil, err
		}
		for _, c := range comments {
			fmt.Fprintf(&b, "\n%s\n", c)
		}
	}
	return b.String(), labels, reasons, nil
}

// comments are those that were there at the base commit's date as they are now: later ones, and ones edited later, may say
// how the issue was solved.
func (w *work) comments(ctx context.Context, number int, until time.Time) (texts []string, err error) {
	list := github.IssueListCommentsOptions{ListOptions: github.ListOptions{Page: 1, PerPage: perPage}}
	for list.Page != 0 {
		err := w.ask(ctx, fmt.Sprintf("the comments of %s", w.at(number)), func() (*github.Response, error) {
			page, resp, err := w.Issues.ListComments(ctx, w.owner, w.repo, number, &list)
			if err == nil {
				err = onward(&list.Page, resp)
			}
			for _, c := range page {
				at := c.GetUpdatedAt().Time
				if at.Before(c.GetCreatedAt().Time) {
					at = c.GetCreatedAt().Time
				}
				if !at.IsZero() && !at.After(until) && strings.TrimSpace(c.GetBody()) != "" {
					texts = append(texts, c.GetBody())
				}
			}
			return resp, err
		})
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}
