//go:build unix

package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAnImportOfGitHubThatComesToNothing says what was wrong with the name, or what is kept and how to go on.
func TestAnImportOfGitHubThatComesToNothing(t *testing.T) {
	var interrupt context.CancelFunc
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/repos/acme/slow/") {
			interrupt()
			<-r.Context().Done()
			return
		}
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"message": "Not Found"}`)
	}))
	defer hub.Close()
	data := t.TempDir()
	for name, c := range map[string]struct {
		env, args []string
		code      int
		want      []string
	}{
		"no slash":                      {nil, []string{"acme"}, exitUsage, []string{`repository "acme": expected owner/name, such as acme/ledger`}},
		"an address":                    {nil, []string{"https://github.com/acme/ledger"}, exitUsage, []string{"expected owner/name"}},
		"a wrong API":                   {nil, []string{"acme/ledger", "--api", "api"}, exitUsage, []string{"expected https://HOST/"}},
		"not there":                     {nil, []string{"acme/none"}, exitPrecondition, []string{"no repository acme/none (status 404)", "hint: is the name right? For a private repository give a token"}},
		"not readable":                  {[]string{"GITHUB_TOKEN=t"}, []string{"acme/none"}, exitPrecondition, []string{"hint: is the name right? The token in GITHUB_TOKEN has to be one that may read"}},
		"interrupted":                   {nil, []string{"acme/slow"}, exitInterrupted, []string{"error: interrupted; no cohort was written", "kept in " + data, "hint: the same command goes on with them"}},
		"interrupted, without a memory": {nil, []string{"acme/slow", "--no-cache"}, exitInterrupted, []string{"hint: the same command begins anew"}},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		interrupt = cancel
		env := append([]string{"EVLAB_DATA=" + data, "GITHUB_API_URL=" + hub.URL}, c.env...)
		code, stderr := runIn(t, ctx, io.Discard, env, append([]string{"import", "github"}, c.args...)...)
		cancel()
		for _, want := range c.want {
			if code != c.code || !strings.Contains(stderr, want) {
				t.Errorf("%s: code %d, expected %d and %q in:\n%s", name, code, c.code, want, stderr)
			}
		}
	}
}
