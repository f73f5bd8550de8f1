package github

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"evlab/artifacts"
)

// client is go-github with a memory and with patience.
type client struct {
	*github.Client
	http     *http.Client
	memory   *remembering
	base     *url.URL
	token    string
	maxWait  time.Duration
	now      func() time.Time
	sleep    func(context.Context, time.Duration) error
	progress func(string)
}

// address is the API's.
func (o *Options) address() (*url.URL, error) {
	base := cmp.Or(o.API, "https://api.github.com/")
	at, err := url.Parse(base)
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		return nil, fmt.Errorf("the address of the API, %.100q: expected https://HOST/", base)
	}
	if !strings.HasSuffix(at.Path, "/") {
		at.Path += "/"
	}
	return at, nil
}

func newClient(o *Options) (*client, error) {
	at, err := o.address()
	if err != nil {
		return nil, err
	}
	c := &client{token: o.Token, maxWait: o.MaxWait, now: time.Now, sleep: o.Sleep, progress: o.Progress}
	if c.maxWait == 0 {
		c.maxWait = 75 * time.Minute // a primary limit lasts an hour
	}
	if c.sleep == nil {
		c.sleep = sleep
	}
	if c.progress == nil {
		c.progress = func(string) {}
	}
	c.memory = &remembering{dir: o.Cache, host: at.Host, token: o.Token, next: http.DefaultTransport}
	c.http = &http.Client{Timeout: 2 * time.Minute, Transport: c.memory}
	c.base = at
	c.renew()
	return c, nil
}

// renew forgets what go-github remembers of limits: once one was waited out, it is GitHub that says whether it is over.
func (c *client) renew() {
	c.Client = github.NewClient(c.http)
	c.BaseURL, c.UserAgent = c.base, "evlab"
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// remembering keeps answers by address and asks for them again under the condition that they changed: GitHub does not
// count an answer that says "not changed" against the rate limit. It also gives the token, to the API's own host alone.
type remembering struct {
	dir   string // "" keeps nothing
	host  string
	token string
	next  http.RoundTripper
}

// remembered is one answer as it is kept.
type remembered struct {
	URL    string      `json:"url"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
}

// maxBody bounds one answer.
const maxBody = 64 << 20

var errTooLarge = errors.New("the answer is too large")

// kept are the headers of an answer that matter later.
var kept = []string{"Etag", "Last-Modified", "Link", "Content-Type"}

func (t *remembering) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if t.token != "" && req.URL.Host == t.host {
		req.Header.Set("Authorization", "Bearer "+t.token)
	}
	file := t.file(req)
	var old remembered
	known := file != "" && artifacts.ReadJSON(file, &old) == nil && old.URL == req.URL.String()
	if known {
		if tag := old.Header.Get("Etag"); tag != "" {
			req.Header.Set("If-None-Match", tag)
		} else if at := old.Header.Get("Last-Modified"); at != "" {
			req.Header.Set("If-Modified-Since", at)
		}
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if known && resp.StatusCode == http.StatusNotModified {
		resp.Body.Close() // it has none
		resp.StatusCode, resp.Status = http.StatusOK, "200 OK"
		for name, values := range old.Header {
			resp.Header[name] = values
		}
		resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(old.Body)), int64(len(old.Body))
		return resp, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	err = errors.Join(err, resp.Body.Close())
	if err == nil && len(body) > maxBody {
		err = fmt.Errorf("%w: more than %d bytes", errTooLarge, maxBody)
	}
	if err != nil {
		return nil, err
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if file == "" || resp.StatusCode != http.StatusOK || resp.Header.Get("Etag") == "" && resp.Header.Get("Last-Modified") == "" {
		return resp, nil
	}
	fresh := remembered{URL: req.URL.String(), Header: http.Header{}, Body: body}
	for _, name := range kept {
		if v := resp.Header.Values(name); len(v) > 0 {
			fresh.Header[name] = v
		}
	}
	data, err := json.Marshal(fresh)
	if err != nil {
		return nil, err
	}
	return resp, artifacts.WriteFile(file, data)
}

// file is where the answer to a request is kept: one for each address, form and reader.
func (t *remembering) file(req *http.Request) string {
	if t.dir == "" || req.Method != http.MethodGet {
		return ""
	}
	sum := sha256.Sum256([]byte(req.URL.String() + "\n" + req.Header.Get("Accept") + "\n" + t.token))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(t.dir, name[:2], name+".json")
}
