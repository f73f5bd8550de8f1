package github_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"evlab/datasets/github"
)

// answers are what a server says, whatever it is asked for by the ends of the addresses.
type answers struct {
	pulls, commits, files, compare, issue, comments, diff string
	link                                                  string
	status                                                int
	asked                                                 atomic.Int64
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := a.asked.Add(1)
	if a.link != "" {
		w.Header()["Link"] = []string{strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return -1
			}
			return r
		}, a.link)}
	}
	if a.status >= 300 && a.status < 600 && n%3 == 0 {
		w.WriteHeader(a.status)
	}
	body := a.pulls
	switch p := r.URL.Path; {
	case strings.Contains(r.Header.Get("Accept"), "diff"):
		body = a.diff
	case strings.HasSuffix(p, "/commits"):
		body = a.commits
	case strings.HasSuffix(p, "/files"):
		body = a.files
	case strings.Contains(p, "/compare/"):
		body = a.compare
	case strings.HasSuffix(p, "/comments"):
		body = a.comments
	case strings.Contains(p, "/issues/"):
		body = a.issue
	}
	w.Write([]byte(body))
}

// FuzzAnswers: whatever the API answers, an import ends, in an error or in tasks that can be asked and pull requests with a reason.
func FuzzAnswers(f *testing.F) {
	h := newHub(f)
	h.pull(7, "2026-02-01T00:00:00Z", nil)
	text := func(path string) string {
		data, err := json.Marshal(h.answers[path])
		if err != nil {
			f.Fatal(err)
		}
		return string(data)
	}
	p := "/repos/o/n/pulls"
	pulls, commits, files, issue, comments := text(p), text(p+"/7/commits"), text(p+"/7/files"), text("/repos/o/n/issues/107"), text("/repos/o/n/issues/107/comments")
	compare := text("/repos/o/n/compare/" + tipSHA + "..." + headSHA)
	f.Add(pulls, commits, files, compare, issue, comments, diff, "", 200)
	f.Add(pulls, commits, files, compare, issue, comments, diff, `<https://api.github.com/x?page=1>; rel="next"`, 200)
	f.Add(pulls, commits, files, compare, issue, comments, diff, `<https://api.github.com/x?page=2>; rel="next"`, 403)
	f.Add("[null,{}]", "[null]", "[null,{}]", "{}", "null", "[null]", "", "", 429)
	f.Add(pulls, commits, files, strings.ReplaceAll(compare, baseSHA, "--output=x"), issue, comments, diff, "", 301)
	a := &answers{}
	server := httptest.NewServer(a)
	f.Cleanup(server.Close)
	f.Fuzz(func(t *testing.T, pulls, commits, files, compare, issue, comments, diff, link string, status int) {
		a.pulls, a.commits, a.files, a.compare, a.issue, a.comments, a.diff, a.link, a.status = pulls, commits, files, compare, issue, comments, diff, link, status
		a.asked.Store(0)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		m, err := github.Import(ctx, github.Options{Repositories: []string{"o/n"}, API: server.URL, Limit: 3, Sleep: func(context.Context, time.Duration) error { return nil }})
		if ctx.Err() != nil {
			t.Fatalf("it did not end after %d requests: %v", a.asked.Load(), err)
		}
		if err != nil {
			return
		}
		for _, task := range m.Tasks {
			if err := task.Check(); err != nil || len(task.Private.Reference) == 0 || !strings.HasPrefix(task.ID, "o__n-") {
				t.Errorf("%+v: %v", task, err)
			}
		}
		for _, r := range m.Refused {
			if len(r.Reasons) == 0 {
				t.Errorf("refused without a reason: %+v", r)
			}
		}
	})
}

// TestPagesThatLeadBack: a list that never ends is an error and not a wait.
func TestPagesThatLeadBack(t *testing.T) {
	h := newHub(t)
	h.pull(7, "2026-02-01T00:00:00Z", nil)
	for _, next := range []string{"1", "1000000"} {
		h.headers = map[string]string{"Link": `<https://api.github.com/x?page=` + next + `>; rel="next"`}
		if m, err := github.Import(context.Background(), h.options(nil)); err == nil || !strings.Contains(err.Error(), "page 1 of the list is followed by page "+next) {
			t.Errorf("%v %+v", err, m)
		}
	}
}
