package github_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"evlab/datasets"
	"evlab/datasets/github"
	"evlab/repos"
)

type obj = map[string]any

// hub is a server that answers as GitHub's API does: pages with Link headers, entity tags with 304, and refusals.
type hub struct {
	*httptest.Server
	t        testing.TB
	mu       sync.Mutex
	answers  map[string]any    // path (and accept, for diffs) -> a list (in pages), an object or text
	statuses map[string]int    // path -> refusal
	queue    []refusal         // the next requests are refused with these
	requests map[string]int    // path?page -> how often
	changed  map[string]int    // 304s
	tokens   map[string]bool   // Authorization headers met
	headers  map[string]string // of every answer
}

type refusal struct {
	status  int
	headers map[string]string
	body    obj
}

func newHub(t testing.TB) *hub {
	h := &hub{t: t, answers: map[string]any{}, statuses: map[string]int{}, requests: map[string]int{}, changed: map[string]int{}, tokens: map[string]bool{}, headers: map[string]string{}}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := r.URL.Path
	if strings.Contains(r.Header.Get("Accept"), "diff") {
		key += " diff"
	}
	h.requests[key+"?"+r.URL.Query().Get("page")]++
	h.tokens[r.Header.Get("Authorization")] = true
	for name, value := range h.headers {
		w.Header().Set(name, value)
	}
	refuse := func(f refusal) {
		for name, value := range f.headers {
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(f.status)
		json.NewEncoder(w).Encode(f.body)
	}
	if len(h.queue) > 0 {
		f := h.queue[0]
		h.queue = h.queue[1:]
		refuse(f)
		return
	}
	if status := h.statuses[key]; status != 0 {
		refuse(refusal{status: status, body: obj{"message": http.StatusText(status)}})
		return
	}
	answer, ok := h.answers[key]
	if !ok {
		refuse(refusal{status: http.StatusNotFound, body: obj{"message": "Not Found", "documentation_url": "https://docs.github.com/rest"}})
		return
	}
	if list, isList := answer.([]obj); isList {
		answer = h.page(w, r, list)
	}
	var body []byte
	if text, isText := answer.(string); isText {
		body = []byte(text)
	} else {
		var err error
		if body, err = json.Marshal(answer); err != nil {
			h.t.Error(err)
		}
	}
	tag := `W/"` + strconv.Itoa(len(body)) + `"`
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		h.changed[key]++
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write(body)
}

// page cuts a list and links to the pages around it.
func (h *hub) page(w http.ResponseWriter, r *http.Request, list []obj) []obj {
	q := r.URL.Query()
	page, _ := strconv.Atoi(q.Get("page"))
	size, _ := strconv.Atoi(q.Get("per_page"))
	page, size = max(page, 1), max(size, 1)
	last := (len(list) + size - 1) / size
	var links []string
	link := func(rel string, n int) {
		u := *r.URL
		q.Set("page", strconv.Itoa(n))
		u.RawQuery = q.Encode()
		links = append(links, fmt.Sprintf(`<%s%s>; rel="%s"`, h.URL, u.String(), rel))
	}
	if page > 1 {
		link("prev", page-1)
		link("first", 1)
	}
	if page < last {
		link("next", page+1)
		link("last", last)
	}
	if len(links) > 0 {
		w.Header().Set("Link", strings.Join(links, ", "))
	}
	return append([]obj{}, list[min((page-1)*size, len(list)):min(page*size, len(list))]...)
}

const (
	baseSHA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	tipSHA  = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	headSHA = "cccccccccccccccccccccccccccccccccccccccc"
	diff    = "diff --git a/f.go b/f.go\n--- a/f.go\n+++ b/f.go\n@@ -1 +1 @@\n-package f\r\n+package g\r\n" +
		"diff --git a/old_test.go b/new_test.go\nsimilarity index 90%\nrename from old_test.go\nrename to new_test.go\n--- a/old_test.go\n+++ b/new_test.go\n@@ -1 +1 @@\n-package f\n+package g\n"
)

// pull puts a qualifying pull request on the server; change alters it.
func (h *hub) pull(number int, merged string, change func(pull obj)) {
	p := fmt.Sprintf("/repos/o/n/pulls/%d", number)
	pull := obj{"number": number, "title": "Make it g", "body": "This fixes #" + strconv.Itoa(number+100) + ".\n<!-- closes #1 -->", "state": "closed", "created_at": "2026-01-01T00:00:00Z",
		"merged_at": merged, "updated_at": merged, "base": obj{"sha": tipSHA, "ref": "main"}, "head": obj{"sha": headSHA}, "merge_commit_sha": tipSHA, "labels": []obj{}}
	h.answers[p+"/commits"] = []obj{{"sha": headSHA, "commit": obj{"message": "g"}}}
	h.answers[p+"/files"] = []obj{{"filename": "f.go", "status": "modified"}, {"filename": "new_test.go", "previous_filename": "old_test.go", "status": "renamed"}}
	h.answers[p+" diff"] = diff
	h.answers["/repos/o/n/compare/"+tipSHA+"..."+headSHA] = obj{"merge_base_commit": obj{"sha": baseSHA, "commit": obj{"committer": obj{"date": "2026-01-02T00:00:00Z"}}}, "commits": []obj{}, "files": []obj{}}
	h.issue(number+100, obj{})
	h.answers[fmt.Sprintf("/repos/o/n/issues/%d/comments", number+100)] = []obj{
		{"body": "early", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"},
		{"body": "edited LEAK", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-05T00:00:00Z"},
		{"body": "late LEAK", "created_at": "2026-01-03T00:00:00Z", "updated_at": "2026-01-03T00:00:00Z"},
	}
	if change != nil {
		change(pull)
	}
	list, _ := h.answers["/repos/o/n/pulls"].([]obj)
	h.answers["/repos/o/n/pulls"] = append(list, pull)
}

func (h *hub) issue(number int, change obj) {
	issue := obj{"number": number, "title": "It is f", "body": "and should be g\r\n", "labels": []obj{{"name": "Bug"}}, "created_at": "2025-12-01T00:00:00Z"}
	for k, v := range change {
		issue[k] = v
	}
	h.answers[fmt.Sprintf("/repos/o/n/issues/%d", number)] = issue
}

// options let nobody wait: what GitHub asks for is noted instead.
func (h *hub) options(waits *[]time.Duration) github.Options {
	return github.Options{Repositories: []string{"o/n"}, API: h.URL, Sleep: func(_ context.Context, d time.Duration) error {
		if waits != nil {
			*waits = append(*waits, d)
		}
		return nil
	}}
}

func run(t *testing.T, o github.Options) *datasets.Imported {
	t.Helper()
	m, err := github.Import(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ids(m *datasets.Imported) (out []string) {
	for _, t := range m.Tasks {
		out = append(out, t.ID)
	}
	return out
}

func TestImport(t *testing.T) {
	h := newHub(t)
	h.pull(7, "2026-02-01T00:00:00Z", nil)
	m := run(t, h.options(nil))
	if len(m.Tasks) != 1 || len(m.Refused) != 0 {
		t.Fatalf("%+v", m)
	}
	task := m.Tasks[0]
	if task.ID != "o__n-7" || task.Repo != "o/n" || task.BaseCommit != baseSHA || task.Language != "go" || task.At != "o/n#7" || m.Name != "o__n" {
		t.Errorf("%+v", task.Task)
	}
	if task.State.Issue != "It is f\nand should be g\r\n\n\nearly\n" {
		t.Errorf("issue %q", task.State.Issue)
	}
	if got := string(task.Private.Reference) + string(task.Private.Tests.Patch); got != diff || !slices.Equal(repos.PatchPaths(task.Private.Tests.Patch), []string{"new_test.go", "old_test.go"}) {
		t.Errorf("%q", got)
	}
}

// TestRefuses: every pull request of the window is accounted for.
func TestRefuses(t *testing.T) {
	h := newHub(t)
	at := "2026-02-01T00:00:00Z"
	want := map[int]string{}
	bad := func(number int, reason string, change func(obj)) {
		want[number] = reason
		h.pull(number, at, change)
	}
	h.pull(1, at, nil)
	bad(2, "it closes no issue", func(p obj) { p["body"] = "<!-- fixes #1 --> prefixes #5, closes other/repo#6, fix 7" })
	bad(3, "there is no test in its change", func(obj) { h.answers["/repos/o/n/pulls/3/files"] = []obj{{"filename": "latest.go"}} })
	bad(4, "it changes tests only", func(obj) { h.answers["/repos/o/n/pulls/4/files"] = []obj{{"filename": "a_test.go"}} })
	bad(5, "it changes no file", func(obj) { h.answers["/repos/o/n/pulls/5/files"] = []obj{} })
	bad(6, "#106 is a pull request", func(obj) { h.issue(106, obj{"pull_request": obj{"url": "x"}}) })
	bad(7, "#107 is not there (status 404)", func(obj) { delete(h.answers, "/repos/o/n/issues/107") })
	bad(8, "#108 is not there (status 410)", func(obj) { h.statuses["/repos/o/n/issues/108"] = 410 })
	bad(9, "#109 has no text", func(obj) { h.issue(109, obj{"title": " ", "body": nil}) })
	bad(10, "too large for GitHub", func(obj) { h.statuses["/repos/o/n/pulls/10 diff"] = 406 })
	bad(11, "it is not whole: f.go is not in it", func(obj) { h.answers["/repos/o/n/pulls/11 diff"] = diff[strings.Index(diff, "diff --git a/old"):] })
	bad(12, "binary file", func(obj) {
		h.answers["/repos/o/n/pulls/12 diff"] = diff + "diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n"
	})
	bad(13, "can no longer be compared", func(p obj) { p["head"] = obj{"sha": "dddd"} })
	h.pull(14, at, func(p obj) { p["merged_at"] = nil }) // closed and not merged: no candidate
	bad(15, "its language is not given", func(obj) {
		h.answers["/repos/o/n/pulls/15/files"] = []obj{{"filename": "f"}, {"filename": "test/x"}}
		h.answers["/repos/o/n/pulls/15 diff"] = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/test/x b/test/x\n--- a/test/x\n+++ b/test/x\n@@ -1 +1 @@\n-a\n+b\n"
	})
	m := run(t, h.options(nil))
	if !slices.Equal(ids(m), []string{"o__n-1"}) || len(m.Refused) != len(want) {
		t.Errorf("%v, %d refused", ids(m), len(m.Refused))
	}
	for _, r := range m.Refused {
		var number int
		if _, err := fmt.Sscanf(r.At, "o/n#%d", &number); err != nil || !strings.Contains(r.Error(), strings.TrimPrefix(want[number], "it is ")) {
			t.Errorf("%s: want %q", r.Error(), want[number])
		}
		if len(r.Reasons) != 1 {
			t.Errorf("%s: %d reasons are told of it, and it has one: %q", r.At, len(r.Reasons), r.Reasons)
		}
	}
}

func TestWindow(t *testing.T) {
	h := newHub(t)
	for i := range 250 { // the last changed come first
		n := 250 - i
		h.pull(n, time.Date(2026, 1, 1, n, 0, 0, 0, time.UTC).Format(time.RFC3339), nil)
	}
	o := h.options(nil)
	o.Since, o.Until = time.Date(2026, 1, 1, 98, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 101, 0, 0, 0, time.UTC)
	if got := ids(run(t, o)); !slices.Equal(got, []string{"o__n-98", "o__n-99", "o__n-100"}) {
		t.Errorf("%v", got)
	}
	if h.requests["/repos/o/n/pulls?2"] != 1 || h.requests["/repos/o/n/pulls?3"] != 0 {
		t.Errorf("pages: %v", h.requests)
	}
	o.Limit = 2
	if m := run(t, o); !slices.Equal(ids(m), []string{"o__n-98", "o__n-99"}) || m.LeftOut != 1 {
		t.Errorf("limit: %v", ids(m))
	}
	o.Limit, o.OnePerRepository = 0, true
	if m := run(t, o); !slices.Equal(ids(m), []string{"o__n-98"}) || len(m.Refused) != 2 || !strings.Contains(m.Refused[1].Error(), "it qualifies, and o__n-98 stands for its repository") {
		t.Errorf("census: %v %v", ids(m), m.Refused)
	}
	o.OnePerRepository, o.Labels = false, []string{"bug"}
	if got := ids(run(t, o)); len(got) != 3 {
		t.Errorf("the issue's label: %v", got)
	}
	o.Labels = []string{"feature"}
	if m := run(t, o); len(m.Tasks) != 0 || len(m.Refused) != 3 {
		t.Errorf("another label: %v", ids(m))
	}
}

// TestManyFiles: a pull request with 3,000 files is read to its last page.
func TestManyFiles(t *testing.T) {
	h := newHub(t)
	var files []obj
	var whole strings.Builder
	for i := range 3000 {
		name := fmt.Sprintf("pkg/f%04d.go", i)
		if i == 2999 {
			name = "pkg/last_test.go" // the only test is the last file
		}
		files = append(files, obj{"filename": name, "status": "modified"})
		fmt.Fprintf(&whole, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-a\n+b\n", name, name, name, name)
	}
	h.pull(7, "2026-02-01T00:00:00Z", func(obj) {
		h.answers["/repos/o/n/pulls/7/files"] = files
		h.answers["/repos/o/n/pulls/7 diff"] = whole.String()
	})
	m := run(t, h.options(nil))
	if len(m.Tasks) != 1 || h.requests["/repos/o/n/pulls/7/files?30"] != 1 || len(repos.PatchPaths(m.Tasks[0].Private.Reference)) != 2999 {
		t.Errorf("%d tasks, %v, requests %v", len(m.Tasks), m.Refused, h.requests["/repos/o/n/pulls/7/files?30"])
	}
	h.statuses["/repos/o/n/pulls/7 diff"] = http.StatusNotAcceptable // what GitHub really says to so many files
	if m := run(t, h.options(nil)); len(m.Refused) != 1 || !strings.Contains(m.Refused[0].Error(), "--repos") {
		t.Errorf("%+v", m)
	}
}

// TestLocalRepository: a repository that is at hand gives what GitHub does not.
func TestLocalRepository(t *testing.T) {
	dir := t.TempDir()
	commit := func(day int, text string) repos.Commit {
		return repos.Commit{Date: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC), Author: "A <a@example.org>", Message: "c\n",
			Files: []repos.File{{Path: "f.go", Content: []byte(text)}, {Path: "f_test.go", Content: []byte(text)}, {Path: "testdata/x", Content: []byte{0, byte(day)}}}}
	}
	heads, err := repos.BuildHistory(context.Background(), filepath.Join(dir, "o+n", "repo"), []repos.Commit{commit(1, "a\n"), commit(2, "b\n")})
	if err != nil {
		t.Fatal(err)
	}
	h := newHub(t)
	h.pull(7, "2026-02-01T00:00:00Z", func(p obj) {
		p["head"] = obj{"sha": heads[1]}
		h.answers["/repos/o/n/compare/"+tipSHA+"..."+heads[1]] = obj{"merge_base_commit": obj{"sha": heads[0], "commit": obj{"committer": obj{"date": "2026-01-02T00:00:00Z"}}}}
		h.answers["/repos/o/n/pulls/7/files"] = []obj{{"filename": "f.go"}, {"filename": "f_test.go"}, {"filename": "testdata/x"}}
	})
	h.statuses["/repos/o/n/pulls/7 diff"] = http.StatusNotAcceptable
	o := h.options(nil)
	o.Repos = dir
	m := run(t, o)
	if len(m.Tasks) != 1 || !strings.Contains(string(m.Tasks[0].Private.Tests.Patch), "GIT binary patch") || !slices.Equal(repos.PatchPaths(m.Tasks[0].Private.Reference), []string{"f.go"}) {
		t.Errorf("%+v", m)
	}
}

// TestWaits: each way in which GitHub says to wait is heeded, and the request made again.
func TestWaits(t *testing.T) {
	reset := time.Now().Add(90 * time.Second)
	for name, c := range map[string]struct {
		refusal  refusal
		min, max time.Duration
	}{
		"secondary limit with Retry-After": {refusal{403, map[string]string{"Retry-After": "7"}, obj{"message": "You have exceeded a secondary rate limit", "documentation_url": "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}}, 7 * time.Second, 9 * time.Second},
		"secondary limit without":          {refusal{403, nil, obj{"message": "You have exceeded a secondary rate limit", "documentation_url": "https://docs.github.com/#secondary-rate-limits"}}, time.Minute, 2 * time.Minute},
		"403 with Retry-After alone":       {refusal{403, map[string]string{"Retry-After": "7"}, obj{"message": "slow down"}}, 7 * time.Second, 9 * time.Second},
		"primary limit": {refusal{403, map[string]string{"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": strconv.FormatInt(reset.Unix(), 10)},
			obj{"message": "API rate limit exceeded"}}, 60 * time.Second, 92 * time.Second},
		"429 with Retry-After": {refusal{429, map[string]string{"Retry-After": "5"}, obj{"message": "Too Many Requests"}}, 5 * time.Second, 7 * time.Second},
		"502":                  {refusal{502, nil, obj{}}, time.Second, 5 * time.Second},
	} {
		h := newHub(t)
		h.pull(7, "2026-02-01T00:00:00Z", nil)
		h.queue = []refusal{c.refusal}
		var waits []time.Duration
		m := run(t, h.options(&waits))
		if len(m.Tasks) != 1 || len(waits) != 1 || waits[0] < c.min || waits[0] > c.max {
			t.Errorf("%s: %d tasks, waited %v", name, len(m.Tasks), waits)
		}
	}
	// An answer that uses up the limit is an answer; the wait comes with the next request.
	h := newHub(t)
	h.pull(7, "2026-02-01T00:00:00Z", nil)
	h.headers = map[string]string{"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": strconv.FormatInt(reset.Unix(), 10)}
	var waits []time.Duration
	if m := run(t, h.options(&waits)); len(m.Tasks) != 1 || len(waits) == 0 || waits[0] < time.Minute {
		t.Errorf("used up: %d tasks, waited %v", len(m.Tasks), waits)
	}
}

func TestGivesUp(t *testing.T) {
	forever := refusal{429, map[string]string{"Retry-After": "5"}, obj{"message": "Too Many Requests"}}
	for name, c := range map[string]struct {
		change func(h *hub, o *github.Options)
		want   string
	}{
		"it never ends":            {func(h *hub, _ *github.Options) { h.queue = slices.Repeat([]refusal{forever}, 100) }, "status 429: Too Many Requests"},
		"longer than the wait":     {func(h *hub, o *github.Options) { h.queue, o.MaxWait = []refusal{forever}, time.Second }, "GITHUB_TOKEN"},
		"nobody answers":           {func(_ *hub, o *github.Options) { o.API, o.MaxWait = "http://127.0.0.1:1", time.Second }, "tried 1 times, and the next wait"},
		"a wrong token":            {func(h *hub, o *github.Options) { h.queue = []refusal{{401, nil, obj{"message": "Bad credentials"}}} }, "the token is not accepted"},
		"no such repository":       {func(_ *hub, o *github.Options) { o.Repositories = []string{"o/none"} }, "no repository o/none (status 404): there is none of that name, or it is private"},
		"a wait, and nothing kept": {func(h *hub, o *github.Options) { h.queue, o.MaxWait = []refusal{forever}, time.Second }, "longer than 1s; try again then"},
		"a wait, and answers kept": {func(h *hub, o *github.Options) {
			h.queue, o.MaxWait, o.Cache = []refusal{forever}, time.Second, t.TempDir()
		}, "longer than 1s; what was read is kept; try again then"},
		"a name with a slash":  {func(_ *hub, o *github.Options) { o.Repositories = []string{"o/n/../x"} }, "expected owner/name"},
		"an empty window":      {func(_ *hub, o *github.Options) { o.Since, o.Until = time.Unix(2, 0), time.Unix(1, 0) }, "is empty"},
		"an address of a file": {func(_ *hub, o *github.Options) { o.API = "file:///etc/passwd" }, "expected https"},
		"not JSON":             {func(h *hub, _ *github.Options) { h.answers["/repos/o/n/pulls"] = "<html>" }, "invalid character"},
	} {
		h := newHub(t)
		h.pull(7, "2026-02-01T00:00:00Z", nil)
		o := h.options(nil)
		c.change(h, &o)
		if m, err := github.Import(context.Background(), o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v %+v", name, err, m)
		}
	}
	h := newHub(t)
	ctx, cancel := context.WithCancel(context.Background())
	h.queue = []refusal{forever}
	o := h.options(nil)
	o.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return context.Cause(ctx) }
	if _, err := github.Import(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestResume: what was read before an interruption costs nothing again, and what changed since is read anew.
func TestResume(t *testing.T) {
	h := newHub(t)
	for i := range 150 {
		h.pull(i+1, time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC).Format(time.RFC3339), nil)
	}
	o := h.options(nil)
	o.Cache, o.Limit, o.Token = t.TempDir(), 3, "the token"
	h.queue = nil
	first := run(t, o)
	clear(h.changed)
	second := run(t, o)
	if !slices.Equal(ids(first), ids(second)) || first.Tasks[0].State.Issue != second.Tasks[0].State.Issue {
		t.Errorf("%v, then %v", ids(first), ids(second))
	}
	for _, path := range []string{"/repos/o/n/pulls", "/repos/o/n/pulls/1/files", "/repos/o/n/pulls/1 diff", "/repos/o/n/issues/101"} {
		if h.changed[path] == 0 {
			t.Errorf("%s was sent again", path)
		}
	}
	if h.changed["/repos/o/n/pulls"] != 2 || h.requests["/repos/o/n/pulls?2"] != 2 {
		t.Errorf("pages: %v %v", h.changed["/repos/o/n/pulls"], h.requests["/repos/o/n/pulls?2"])
	}
	h.issue(101, obj{"body": "another body, of another length"})
	if third := run(t, o); !strings.Contains(third.Tasks[0].State.Issue, "another body") {
		t.Errorf("%q", third.Tasks[0].State.Issue)
	}
	if !h.tokens["Bearer the token"] || len(h.tokens) != 1 {
		t.Errorf("tokens %v", h.tokens)
	}
	err := filepath.WalkDir(o.Cache, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		if strings.Contains(string(data), o.Token) {
			t.Errorf("%s holds the token", p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTokenStaysHome: a server that sends its client elsewhere does not send the token along.
func TestTokenStaysHome(t *testing.T) {
	elsewhere := newHub(t)
	elsewhere.pull(7, "2026-02-01T00:00:00Z", nil)
	moved := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+r.URL.String(), http.StatusMovedPermanently)
	}))
	t.Cleanup(moved.Close)
	o := elsewhere.options(nil)
	o.API, o.Token = moved.URL, "the token"
	if m := run(t, o); len(m.Tasks) != 1 || elsewhere.tokens["Bearer the token"] {
		t.Errorf("%v, tokens %v", ids(m), elsewhere.tokens)
	}
}
