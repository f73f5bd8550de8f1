// Command evlab runs paired experiments on coding agents and reports their differences with intervals.
//
// This folder is the command line: flags, wiring and the terminal. The decision that shapes it: every command is a
// constructor that takes the app (streams, environment, global flags) and returns a cobra command, and run is the whole
// program as a function of its arguments, streams and environment, so that tests call what users call. What may not be
// here: logic that deserves a unit test of its own, and flags in package variables.
//
// The manual is `evlab help`; exit codes are in exit.go and in `evlab help exit-codes`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
)

func main() { os.Exit(start()) }

// start runs the program in its real surroundings. The first interrupt cancels the context, the second ends the process
// as if nobody had listened. So does a terminal that closes, except that it may say so more than once: shell and system
// both do.
func start() int {
	interrupts, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(interrupts, stop)
	ctx, cancel := context.WithCancel(interrupts)
	defer cancel()
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		closed := make(chan os.Signal, 1)
		signal.Notify(closed, syscall.SIGHUP)
		go func() {
			<-closed
			stop()
			cancel()
		}()
	}
	return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
}

// aMoment is how long a command that only reads has to end by itself.
const aMoment = 200 * time.Millisecond

// run is the program: it returns the exit code of exit.go's table. A command that only reads (readsNote) is left where it is
// a moment after ctx was cancelled: it may be waiting for a pipe that nobody writes to, or in the middle of a long calculation.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	out := &checkedWriter{w: stdout}
	a := newApp(stdin, out, stderr, env)
	root := newRoot(a)
	root.SetArgs(args)
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				fmt.Fprintf(stderr, "error: evlab has a fault: %v\n%s", p, debug.Stack())
				ended <- errFault
			}
		}()
		ended <- root.ExecuteContext(ctx)
	}()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		leave := make(<-chan time.Time)
		if a.reads.Load() {
			leave = time.After(aMoment)
		}
		select {
		case err = <-ended:
		case <-leave:
			apart := newApp(stdin, stdout, stderr, env)
			apart.json = wantsJSON(args)
			return apart.fail(interrupted)
		}
	}
	if own := (*failure)(nil); out.err != nil && !errors.As(err, &own) {
		err = &failure{Code: exitUnexpected, Msg: fmt.Sprintf("writing the result: %v", out.err), Hint: a.again, Err: out.err}
	}
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFault):
		return exitUnexpected // it is told
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		if own := (*failure)(nil); !errors.As(err, &own) || own.Code != exitInterrupted { // else it says itself how to go on
			err = interrupted
		}
	}
	if !a.began { // a fault in the flags is reported in the form that they ask for, wherever among them it was found
		a.json = a.json || wantsJSON(args)
	}
	return a.fail(err)
}

// outlivesReaders keeps the process from ending where it stands when nobody reads what it writes any more: a run has
// containers to take away, and its result is in its folder. Programs that it starts are not concerned, as they would be by
// a signal that is ignored.
func outlivesReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

var (
	errFault    = errors.New("evlab has a fault")
	interrupted = &failure{Code: exitInterrupted, Msg: "interrupted"}
)
