package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
)

// answerTime bounds how long a server, embedded or remote, may take to answer the first call.
const answerTime = 5 * time.Second

// dialOptions are those of every client. Without a logger the SDK writes to standard error, for each activity.
func (e *Engine) dialOptions(target string) client.Options {
	out := slog.New(atLeast{e.options.Log.Handler(), slog.LevelWarn})
	if e.log != nil {
		out = e.log.logger(slog.LevelWarn, "sdk")
	}
	o := client.Options{
		HostPort:          target,
		Namespace:         e.options.Namespace,
		Identity:          e.options.Identity,
		Logger:            sdklog.NewStructuredLogger(out),
		ConnectionOptions: client.ConnectionOptions{GetSystemInfoTimeout: answerTime},
	}
	if e.Embedded() {
		o.ConnectionOptions.GrpcCompression = &client.GrpcCompressionNone{} // nothing is gained within one process
	}
	return o
}

// connectEmbedded waits until the services, which come up on their own, answer.
func (e *Engine) connectEmbedded(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*answerTime, errors.New("it does not answer"))
	defer cancel()
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		c, err := client.DialContext(ctx, e.dialOptions(e.address))
		if err == nil {
			e.client = c
			return nil
		}
		select {
		case text := <-e.server.failed:
			e.server.failed <- text // watch tells it too
			return fmt.Errorf("starting the embedded Temporal server: %s", text)
		case <-ctx.Done():
			return fmt.Errorf("starting the embedded Temporal server: %w (last: %w)", context.Cause(ctx), err)
		case <-time.After(wait):
		}
	}
}

// atLeast drops the records below a level.
type atLeast struct {
	slog.Handler
	level slog.Level
}

func (h atLeast) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= h.level && h.Handler.Enabled(ctx, level)
}

func (h atLeast) WithAttrs(attrs []slog.Attr) slog.Handler {
	return atLeast{h.Handler.WithAttrs(attrs), h.level}
}

func (h atLeast) WithGroup(name string) slog.Handler {
	return atLeast{h.Handler.WithGroup(name), h.level}
}
