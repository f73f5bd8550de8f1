package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// stopTime bounds how long Close waits for the embedded server.
	stopTime = 2 * time.Second

	checkpointTime = 300 * time.Millisecond
)

// unfinished holds, by state folder, what Close did not wait for: a channel that is closed when the folder is free.
var unfinished sync.Map

// Close ends what Start or Dial began, in the order client, UI, server, file, lock, log. Workers must have been stopped
// before. It usually takes a second, which the server gives its callers to end, and never much more than two: a server
// on a busy machine that needs longer goes on stopping behind it, with the state folder locked until it has. That is no
// error, since ending the process in the middle of it loses nothing; a Start in this process waits for it. Calling
// Close again returns the first result.
func (e *Engine) Close() error {
	e.closeOnce.Do(func() {
		close(e.closing)
		e.closed = e.shutDown()
	})
	return e.closed
}

func (e *Engine) shutDown() error {
	if e.client != nil {
		e.client.Close()
	}
	var errs []error
	if e.ui != nil {
		errs = append(errs, e.ui.close())
	}
	stopped, free := make(chan error, 1), make(chan struct{})
	if e.lock != nil {
		unfinished.Store(e.options.State, free)
	}
	go func() {
		err := e.stopServer()
		if e.lock != nil {
			unfinished.CompareAndDelete(e.options.State, free)
		}
		close(free)
		stopped <- err
	}()
	select {
	case err := <-stopped:
		errs = append(errs, err)
	case <-time.After(stopTime):
		e.options.Log.Info("embedded Temporal server is still stopping", "after", stopTime)
	}
	return errors.Join(errs...)
}

// awaitStop waits for a server of this process that still holds the folder while it stops.
func awaitStop(ctx context.Context, state string) error {
	free, ok := unfinished.Load(state)
	if !ok {
		return nil
	}
	select {
	case <-free.(chan struct{}):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stopServer stops the server, then gives up what it needed.
func (e *Engine) stopServer() error {
	var errs []error
	if e.server != nil {
		if err := e.server.running.Stop(); err != nil {
			errs = append(errs, fmt.Errorf("stopping the embedded Temporal server: %w", err))
		}
	}
	if e.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), checkpointTime)
		defer cancel()
		// Failing is harmless: the next start plays the log into the file.
		if err := checkpoint(ctx, e.database); err != nil {
			e.options.Log.Debug("log of the server's file is left for the next start", "reason", err)
		}
	}
	if e.lock != nil {
		if err := e.lock.release(); err != nil {
			errs = append(errs, fmt.Errorf("unlocking the state folder: %w", err))
		}
	}
	if e.log != nil {
		errs = append(errs, e.log.Close())
	}
	return errors.Join(errs...)
}
