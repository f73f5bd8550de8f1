package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"go.temporal.io/sdk/client"
)

// Dial joins a server that runs elsewhere, makes evlab's namespace and search attributes there when they are missing,
// and waits until they can be used. It does not take the state folder: processes that share a server are told apart by
// Options.Identity. ErrUnreachable is returned within about five seconds.
func Dial(ctx context.Context, hostport string, o Options) (*Engine, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(hostport)
	if err != nil || host == "" {
		return nil, fmt.Errorf("the server's address %q is not of the form host:port, as in temporal.example.org:7233", hostport)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return nil, fmt.Errorf("the server's address %q needs a port from 1 to 65535 after the colon", hostport)
	}
	e := &Engine{options: o, address: net.JoinHostPort(host, port), closing: make(chan struct{})}
	if err := e.dial(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	o.Log.Info("joined Temporal server", "address", e.address)
	return e, nil
}

func (e *Engine) dial(ctx context.Context) (err error) {
	if e.options.State != "" {
		folder := filepath.Join(e.options.State, "temporal")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return inWords(folder, fmt.Errorf("making the folder of the log: %w", err))
		}
		if e.log, err = openLog(folder, maxLog); err != nil {
			return err
		}
	}
	if e.client, err = e.reach(ctx); err != nil {
		return err
	}
	if err := ensureNamespace(ctx, e.client, e.options.Namespace); err != nil {
		return fmt.Errorf("preparing the Temporal server at %s: %w", e.address, err)
	}
	if err := ensureAttributes(ctx, e.client, e.options.Namespace); err != nil {
		return fmt.Errorf("preparing the Temporal server at %s: %w", e.address, err)
	}
	e.startUI()
	return nil
}

// reach connects within answerTime. The address is passed through as it is: resolving names inside the gRPC library
// reports a wrong one only as a deadline.
func (e *Engine) reach(ctx context.Context) (client.Client, error) {
	bounded, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	began := time.Now()
	c, err := client.DialContext(bounded, e.dialOptions("passthrough:///"+e.address))
	if err == nil {
		return c, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, &problem{kind: ErrUnreachable, cause: err, text: fmt.Sprintf("no Temporal server answers at %s (tried for %v: %s): "+
		"check the address and that the server is running, or leave the address out to use the embedded server",
		e.address, time.Since(began).Round(100*time.Millisecond), oneLine(e.why(err), 300))}
}

// why looks for a plainer reason than the client's: whether the port can be reached at all.
func (e *Engine) why(err error) string {
	conn, plain := net.DialTimeout("tcp", e.address, 200*time.Millisecond)
	if plain != nil {
		return plain.Error()
	}
	conn.Close()
	return "something listens there, but " + err.Error()
}
