package engine

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"

	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
)

// serverLog is the server's logger over slog. The server's own loggers end the process on Fatal, without a word when
// they write to a file; here the first fatal record is handed on and only the goroutine that wrote it ends.
type serverLog struct {
	out   *slog.Logger
	fatal func(text string)
}

var _ log.Logger = serverLog{}
var _ log.WithLogger = serverLog{}

func (l serverLog) write(level slog.Level, msg string, tags []tag.Tag) {
	ctx := context.Background()
	if !l.out.Enabled(ctx, level) {
		return
	}
	l.out.LogAttrs(ctx, level, msg, attributes(tags)...)
}

func attributes(tags []tag.Tag) []slog.Attr {
	attrs := make([]slog.Attr, 0, len(tags))
	for _, t := range tags {
		value := t.Value()
		if err, ok := value.(error); ok {
			value = err.Error()
		}
		attrs = append(attrs, slog.Any(t.Key(), value))
	}
	return attrs
}

func (l serverLog) Debug(msg string, tags ...tag.Tag)  { l.write(slog.LevelDebug, msg, tags) }
func (l serverLog) Info(msg string, tags ...tag.Tag)   { l.write(slog.LevelInfo, msg, tags) }
func (l serverLog) Warn(msg string, tags ...tag.Tag)   { l.write(slog.LevelWarn, msg, tags) }
func (l serverLog) Error(msg string, tags ...tag.Tag)  { l.write(slog.LevelError, msg, tags) }
func (l serverLog) DPanic(msg string, tags ...tag.Tag) { l.write(slog.LevelError, msg, tags) }

// Panic must not return, by the contract of the interface.
func (l serverLog) Panic(msg string, tags ...tag.Tag) {
	l.write(slog.LevelError, msg, tags)
	panic(msg)
}

// Fatal must not return either.
func (l serverLog) Fatal(msg string, tags ...tag.Tag) {
	l.write(slog.LevelError, msg, tags)
	text := msg
	for _, a := range attributes(tags) {
		text += fmt.Sprintf("; %s: %v", a.Key, a.Value)
	}
	l.fatal(text)
	runtime.Goexit()
}

// With returns a logger that puts the tags before those of every record.
func (l serverLog) With(tags ...tag.Tag) log.Logger {
	args := make([]any, 0, len(tags))
	for _, a := range attributes(tags) {
		args = append(args, a)
	}
	l.out = l.out.With(args...)
	return l
}
