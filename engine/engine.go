package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"go.temporal.io/sdk/client"
)

// Engine is a Temporal server to talk to. Its methods may be called from any goroutine until Close.
type Engine struct {
	options Options
	address string // host:port of the server's gRPC interface
	client  client.Client
	log     *logFile // nil without a state folder

	// Set when embedded.
	lock     *lock
	server   *server
	database string

	ui      *webUI
	uiError error

	closing   chan struct{} // closed by Close
	closeOnce sync.Once
	closed    error
}

// Start takes the state folder, starts a server in this process over the file there, and waits until it answers.
// Everything listens on the loopback interface only; there is no authentication, so any user of this machine can
// reach it. It takes about half a second. Cancelling the context gives up; it has no effect after Start has returned.
//
// Errors to tell apart: ErrInUse, ErrPortTaken, ErrDamaged (see MoveAside), ErrDiskFull.
func Start(ctx context.Context, o Options) (*Engine, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.State == "" {
		return nil, errors.New("a state folder is needed to start an embedded server: none was given")
	}
	o.Namespace = Namespace
	if err := awaitStop(ctx, o.State); err != nil {
		return nil, err
	}
	held, err := acquire(o.State)
	if err != nil {
		return nil, err
	}
	e := &Engine{options: o, lock: held, closing: make(chan struct{})}
	if err := e.start(ctx); err != nil {
		return nil, errors.Join(inWords(cmp.Or(e.database, o.State), err), e.Close())
	}
	o.Log.Info("embedded Temporal server is up", "address", e.address, "file", e.database)
	return e, nil
}

func (e *Engine) start(ctx context.Context) error {
	o := e.options
	schema, err := schemaFingerprint()
	if err != nil {
		return err
	}
	folder := folderOf(o.State, schema)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("making the server's folder: %w", err)
	}
	if e.log, err = openLog(filepath.Dir(folder), maxLog); err != nil {
		return err
	}
	if err := checkRoom(folder); err != nil {
		return err
	}
	if notice := schemaNotice(o.State, schema); notice != nil {
		o.OnNotice(notice.Error())
	}
	ports, err := reserve(o.Port, len(services))
	if err != nil {
		return err
	}
	file := filepath.Join(folder, databaseName)
	if err := prepareDatabase(ctx, file, schema); err != nil {
		return errors.Join(err, ports.release())
	}
	e.database = file
	database := sqlConfig(file)
	if err := createNamespace(database); err != nil {
		return errors.Join(err, ports.release())
	}
	e.server, err = startServer(ctx, database, ports, e.log.logger(slog.LevelError, "server"))
	if err != nil {
		return err
	}
	e.address = address(e.server.port)
	go e.watch()
	if err := e.connectEmbedded(ctx); err != nil {
		return err
	}
	if err := ensureAttributes(ctx, e.client, Namespace); err != nil {
		return err
	}
	e.startUI()
	return nil
}

// watch tells the user when the server fails after it has started.
func (e *Engine) watch() {
	select {
	case text := <-e.server.failed:
		e.options.OnNotice(fmt.Sprintf("the embedded Temporal server has failed (%s): stop evlab and start it again, "+
			"the run goes on where it was; more is in %s", text, e.log.path))
	case <-e.closing:
	}
}

// Client talks to the server in evlab's namespace. It is closed by Close.
func (e *Engine) Client() client.Client { return e.client }

// Address is the host and port of the server's gRPC interface.
func (e *Engine) Address() string { return e.address }

// Embedded reports whether the server runs in this process.
func (e *Engine) Embedded() bool { return e.lock != nil }
