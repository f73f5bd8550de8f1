package repos_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"evlab/repos"
)

// source is a repository with two commits, and its hooks and configuration would leave a mark if they were run.
func source(t *testing.T) (dir string, heads []string, mark string) {
	t.Helper()
	dir, heads = history(t, commit(1, "one\n", repos.File{Path: "a", Content: []byte("1")}), commit(2, "two\n", repos.File{Path: "a", Content: []byte("2")}))
	mark = filepath.Join(t.TempDir(), "mark")
	script := "#!/bin/sh\ntouch " + mark + "\nexec \"$@\"\n"
	hook := filepath.Join(t.TempDir(), "hook")
	if err := os.WriteFile(hook, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"post-checkout", "reference-transaction", "pre-receive", "post-merge"} {
		if err := os.MkdirAll(filepath.Join(dir, "hooks"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "hooks", name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, kv := range [][2]string{{"uploadpack.packObjectsHook", hook}, {"core.fsmonitor", hook}, {"core.alternateRefsCommand", hook}, {"core.sshCommand", hook}} {
		plain(t, dir, "config", kv[0], kv[1])
	}
	return dir, heads, mark
}

func plain(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir, "-c", "core.hooksPath=" + os.DevNull}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

// served serves the folder over http as git does, and counts the requests.
func served(t *testing.T, root string) (url string, requests *atomic.Int64) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	requests = new(atomic.Int64)
	handler := &cgi.Handler{Path: git, Args: []string{"http-backend"}, Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "PATH=" + os.Getenv("PATH")}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if strings.HasPrefix(r.URL.Path, "/private") {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/elsewhere") {
			http.Redirect(w, r, "file://"+root, http.StatusFound)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

func origin(t *testing.T, url string) repos.Origin {
	t.Helper()
	o, err := repos.URL(url)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestFetchOnceAndShare(t *testing.T) {
	dir, heads, mark := source(t)
	url, requests := served(t, filepath.Dir(dir))
	bundle := filepath.Join(t.TempDir(), "all.bundle")
	plain(t, dir, "bundle", "create", bundle, "--all")
	headOnly := filepath.Join(t.TempDir(), "head.bundle")
	plain(t, dir, "bundle", "create", headOnly, "HEAD")
	inFile := func(file string) repos.Origin {
		o, err := repos.Bundle(file)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	for name, o := range map[string]repos.Origin{
		"http": origin(t, url+"/"+filepath.Base(dir)), "file": origin(t, "file://"+dir), "bundle": inFile(bundle), "bundle of HEAD": inFile(headOnly),
	} {
		t.Run(name, func(t *testing.T) {
			store := filepath.Join(t.TempDir(), "store")
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					m, err := repos.Fetch(context.Background(), store, o, heads[0])
					if err != nil {
						t.Error(err)
						return
					}
					if got, err := m.ReadFile(context.Background(), heads[1], "a"); err != nil || string(got) != "2" {
						t.Errorf("%q, %v", got, err)
					}
				})
			}
			wg.Wait()
			before := requests.Load()
			m, err := repos.Fetch(context.Background(), store, o, heads[1])
			if err != nil || requests.Load() != before {
				t.Fatalf("%d requests for what is there, %v", requests.Load()-before, err)
			}
			if _, err := repos.Snapshot(context.Background(), filepath.Join(t.TempDir(), "s"), m.Dir(), heads[0]); err != nil {
				t.Errorf("a snapshot of it: %v", err)
			}
			var missing *repos.NotFoundError
			if _, err := repos.Fetch(context.Background(), store, o, strings.Repeat("1", 40)); !errors.As(err, &missing) {
				t.Errorf("a commit that is nowhere: %v", err)
			}
			left, _ := filepath.Glob(filepath.Join(store, "*"))
			hidden, _ := filepath.Glob(filepath.Join(store, ".*"))
			if len(left) != 2 || len(hidden) != 0 { // the mirror and its lock
				t.Errorf("the store has %q and %q", left, hidden)
			}
		})
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("something of the source was run")
	}
}

// TestFetchAgain: commits that came later, also such that no branch leads to, and what a killed fetch left.
func TestFetchAgain(t *testing.T) {
	ctx := context.Background()
	dir, heads, _ := source(t)
	url, _ := served(t, filepath.Dir(dir))
	o, store := origin(t, url+"/"+filepath.Base(dir)), t.TempDir()
	first, err := repos.Fetch(ctx, store, o, heads[0])
	if err != nil {
		t.Fatal(err)
	}
	tree := strings.TrimSpace(plain(t, dir, "rev-parse", heads[0]+"^{tree}"))
	later := strings.TrimSpace(plain(t, dir, "-c", "user.name=a", "-c", "user.email=a@x.org", "commit-tree", "-m", "three", "-p", heads[1], tree))
	plain(t, dir, "update-ref", "refs/heads/main", later)
	if m, err := repos.Fetch(ctx, store, o, later); err != nil || m.Dir() != first.Dir() {
		t.Errorf("a commit that came later: %v", err)
	}
	apart := strings.TrimSpace(plain(t, dir, "-c", "user.name=a", "-c", "user.email=a@x.org", "commit-tree", "-m", "four", "-p", later, tree))
	if _, err := repos.Fetch(ctx, store, o, apart); err != nil {
		t.Errorf("a commit that no branch leads to: %v", err)
	}
	if err := os.Rename(first.Dir(), filepath.Join(store, "."+filepath.Base(first.Dir())+".partial")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(store, "."+filepath.Base(first.Dir())+".partial", "HEAD")); err != nil {
		t.Fatal(err)
	}
	if m, err := repos.Fetch(ctx, store, o, heads[0]); err != nil || m.Dir() != first.Dir() {
		t.Errorf("after a killed fetch: %v", err)
	}
	if hidden, _ := filepath.Glob(filepath.Join(store, ".*")); len(hidden) != 0 {
		t.Errorf("left: %q", hidden)
	}
}

func TestFetchRefuses(t *testing.T) {
	ctx := context.Background()
	dir, heads, _ := source(t)
	url, _ := served(t, filepath.Dir(dir))
	for path, want := range map[string]string{"/private/x.git": "could not read Username", "/none.git": "not found", "/elsewhere/x.git": "not"} {
		store := t.TempDir()
		_, err := repos.Fetch(ctx, store, origin(t, url+path), heads[0])
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
		if left, _ := filepath.Glob(filepath.Join(store, "*.git")); len(left) > 0 {
			t.Errorf("%s left %q", path, left)
		}
	}
	thin := filepath.Join(t.TempDir(), "thin.bundle")
	plain(t, dir, "bundle", "create", thin, heads[0]+"..main")
	o, err := repos.Bundle(thin)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repos.Fetch(ctx, t.TempDir(), o, heads[1]); err == nil || !strings.Contains(err.Error(), "prerequisite") {
		t.Errorf("a bundle that needs more: %v", err)
	}
	cut := filepath.Join(t.TempDir(), "cut.bundle")
	whole := filepath.Join(t.TempDir(), "whole.bundle")
	plain(t, dir, "bundle", "create", whole, "--all")
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cut, data[:len(data)-30], 0o644); err != nil {
		t.Fatal(err)
	}
	if o, err = repos.Bundle(cut); err != nil {
		t.Fatal(err)
	}
	if _, err := repos.Fetch(ctx, t.TempDir(), o, heads[1]); err == nil {
		t.Error("a bundle that was cut off")
	}
	if _, err := repos.Bundle(filepath.Join(dir, "HEAD")); err == nil || !strings.Contains(err.Error(), "git bundle") {
		t.Errorf("no bundle: %v", err)
	}
}

func TestURLs(t *testing.T) {
	for raw, want := range map[string]string{
		"https://github.com/o/n.git": "", "ssh://git@github.com/o/n": "", "file:///srv/x.git": "", "http://127.0.0.1:80/x": "", "http://[::1]/x": "", "https://h:8443/x": "",
		"http://example.org/x":           "https",
		"git://example.org/x":            "expected https",
		"ext::sh -c x":                   "expected https",
		"https://token@github.com/o/n":   "name or password",
		"https://u:secret@github.com/o":  "name or password",
		"ssh://u:secret@github.com/o":    "name or password",
		"ssh://-oProxyCommand=x/o/n":     "host",
		"ssh://git@-oProxyCommand=x/o/n": "host",
		"ssh://h/-x":                     "path",
		"https://h/":                     "path",
		"https:///x":                     "host",
		"file://host/x":                  "file:///",
		"file://relative":                "file:///",
		"https://h/x?y=1":                "path",
		"https://h/%zz":                  "read",
		"x\x1b[2J://h/x":                 "read",
	} {
		_, err := repos.URL(raw)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", raw, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") || err != nil && strings.Contains(err.Error(), "token@") || err != nil && strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: the message shows what it should not: %v", raw, err)
		}
	}
}
