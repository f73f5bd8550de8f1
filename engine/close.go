package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// stopTime bounds how long Close waits for the embedded server; it usually needs about a second.
	stopTime = 2 * time.Second

	checkpointTime = 300 * time.Millisecond
)

// Close ends what Start or Dial began, in the order client, UI, server, file, lock, log. Workers must have been stopped
// before. It takes at most about two seconds: a server that has not stopped by then is reported, and keeps the state
// folder locked until it has. Calling it again returns the first result.
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
	stopped := make(chan error, 1)
	go func() { stopped <- e.stopServer() }()
	select {
	case err := <-stopped:
		errs = append(errs, err)
	case <-time.After(stopTime):
		errs = append(errs, fmt.Errorf("the embedded Temporal server has not stopped within %v: the state folder %s stays locked "+
			"until it has, or until this process ends", stopTime, e.options.State))
	}
	return errors.Join(errs...)
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
