package github

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/google/go-github/v62/github"
)

// maxTries bounds how often one request is made when GitHub asks to wait, or is out of order.
const maxTries = 8

// ask makes one request, waiting as GitHub asks for it: until a primary rate limit is set back, as long as Retry-After
// says for a secondary one, and a little longer each time for faults of its servers. Another error is the request's own.
func (c *client) ask(ctx context.Context, what string, request func() (*github.Response, error)) error {
	for try := 1; ; try++ {
		resp, err := request()
		if err == nil {
			return nil
		}
		p := c.waitFor(resp, err, try)
		if !p.helps || try == maxTries {
			return fmt.Errorf("asking GitHub for %s: %w", what, plain(err))
		}
		length := p.length.Round(time.Second)
		switch {
		case p.length > c.maxWait && p.asked:
			return fmt.Errorf("asking GitHub for %s: it asks to wait %s, which is longer than %s%s; try again then%s: %w", what, length, c.maxWait, c.keeps(), c.advice(), plain(err))
		case p.length > c.maxWait:
			return fmt.Errorf("asking GitHub for %s: %w; tried %d times, and the next wait, of %s, would be longer than %s%s", what, plain(err), try, length, c.maxWait, c.keeps())
		case p.length <= time.Second:
		case p.asked:
			c.progress(fmt.Sprintf("GitHub asks to wait %s (%s)", length, what))
		default:
			c.progress(fmt.Sprintf("%s; trying again in %s (%s)", plain(err), length, what))
		}
		if err := c.sleep(ctx, p.length); err != nil {
			return err
		}
		c.renew()
	}
}

// keeps says of what was read that it need not be read again.
func (c *client) keeps() string {
	if c.memory.dir == "" {
		return ""
	}
	return "; what was read is kept"
}

// advice is what lifts a limit.
func (c *client) advice() string {
	if c.token == "" {
		return "; a token in GITHUB_TOKEN allows 5,000 requests an hour instead of 60"
	}
	return ""
}

// pause is what an error says of asking again.
type pause struct {
	length time.Duration
	helps  bool // asking again may be answered
	asked  bool // GitHub itself asks to wait, and not the network or one of its servers that is out of order
}

// waitFor says how long to wait before a request is made again, and whether that can help at all.
func (c *client) waitFor(resp *github.Response, err error, try int) pause {
	var primary *github.RateLimitError
	var secondary *github.AbuseRateLimitError
	var accepted *github.AcceptedError
	var refused *github.ErrorResponse
	var network net.Error
	ask := func(length time.Duration) pause { return pause{length: length, helps: true, asked: true} }
	backoff := time.Second << min(try, 6)
	switch {
	case errors.As(err, &primary):
		return ask(max(primary.Rate.Reset.Sub(c.now()), 0) + time.Second)
	case errors.As(err, &secondary):
		if secondary.RetryAfter != nil {
			return ask(max(*secondary.RetryAfter, 0) + time.Second)
		}
		return ask(max(backoff, time.Minute)) // what GitHub's documentation asks for where it says nothing
	case errors.As(err, &accepted):
		return ask(backoff)
	case errors.As(err, &refused) && refused.Response != nil:
		r := refused.Response
		after := retryAfter(r.Header)
		switch {
		case r.StatusCode == http.StatusTooManyRequests, r.StatusCode == http.StatusForbidden && after > 0:
			if after == 0 {
				after = untilReset(r.Header, c.now())
			}
			return ask(max(after, backoff))
		case r.StatusCode >= 500:
			return pause{length: max(after, backoff), helps: true}
		}
		return pause{}
	case errors.As(err, &network), resp == nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, errTooLarge):
		return pause{length: backoff, helps: true}
	}
	return pause{}
}

func retryAfter(h http.Header) time.Duration {
	if n, err := strconv.Atoi(h.Get("Retry-After")); err == nil && n >= 0 {
		return time.Duration(n)*time.Second + time.Second
	}
	return 0
}

func untilReset(h http.Header, now time.Time) time.Duration {
	if n, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil && h.Get("X-RateLimit-Remaining") == "0" {
		return max(time.Unix(n, 0).Sub(now), 0) + time.Second
	}
	return 0
}

// status is the status of GitHub's answer, 0 when there was none.
func status(err error) int {
	var refused *github.ErrorResponse
	if errors.As(err, &refused) && refused.Response != nil {
		return refused.Response.StatusCode
	}
	return 0
}

// plain is an error without the address that go-github puts in front, which may be long.
func plain(err error) error {
	var refused *github.ErrorResponse
	if errors.As(err, &refused) && refused.Response != nil {
		return &answered{refused.Response.StatusCode, refused.Message, err}
	}
	return err
}

type answered struct {
	status  int
	message string
	err     error
}

func (a *answered) Error() string {
	if a.status == http.StatusUnauthorized {
		return "status 401: the token is not accepted"
	}
	message := a.message
	if len(message) > 200 {
		message = message[:200] + "..."
	}
	return fmt.Sprintf("status %d: %s", a.status, message)
}

func (a *answered) Unwrap() error { return a.err }
