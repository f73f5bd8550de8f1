package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"evlab/sandbox/plan"
)

// status is how a command ended.
type status struct {
	exit, signal int
	leftover     bool // processes of it were still there
}

// run starts the plan's commands one after the other and waits until nothing of them is alive.
func run(p *plan.Plan, nonce string, requests <-chan string) plan.Record {
	end := plan.Record{Event: plan.Ended, Reason: plan.Exit}
	streams := []*stream{newStream(os.Stdout, nonce, p.Log), newStream(os.Stderr, nonce, p.Log)}
	var reason atomic.Value // the first reason to kill, if any
	kill := func(why string) {
		reason.CompareAndSwap(nil, why)
		killAll()
	}
	done := make(chan struct{})
	var watchers sync.WaitGroup
	watchers.Go(func() { obey(p, requests, done, kill) })
	gauge := newGauge(p)
	watchers.Go(func() { gauge.watch(done, kill) })
	for _, command := range p.Commands {
		if reason.Load() != nil {
			break
		}
		st, err := runCommand(p, command, streams, func() bool { return reason.Load() != nil }, func() { gauge.check(kill) })
		if err != nil {
			end.Event, end.Reason = plan.Failed, err.Error()
			break
		}
		end.Exit, end.Signal, end.Leftover = st.exit, st.signal, end.Leftover || st.leftover
	}
	gauge.look()
	close(done)
	watchers.Wait()
	if why := reason.Load(); why != nil && end.Event == plan.Ended {
		end.Reason = why.(string)
	}
	gauge.fill(&end)
	for _, s := range streams {
		s.flush()
	}
	os.Stdout.Write(plan.Frame(nonce, plan.Record{Event: plan.Ended}))
	return end
}

// obey kills when the deadline comes or a request does.
func obey(p *plan.Plan, requests <-chan string, done <-chan struct{}, kill func(why string)) {
	var deadline <-chan time.Time
	if p.Deadline > 0 {
		timer := time.NewTimer(p.Deadline)
		defer timer.Stop()
		deadline = timer.C
	}
	var again <-chan time.Time // a fork may race with one kill, so it is repeated until the step is over
	why := ""
	for {
		select {
		case <-done:
			return
		case <-deadline:
			why = plan.Deadline
		case r := <-requests:
			why = r
		case <-again:
		}
		kill(why)
		again = time.After(50 * time.Millisecond)
	}
}

// runCommand runs one command; all of it is dead when it returns. An error means that it was never started.
func runCommand(p *plan.Plan, command []string, streams []*stream, killed func() bool, atEnd func()) (status, error) {
	file, code, err := lookUp(command[0], p.Dir, p.Env)
	if err != nil {
		streams[1].take([]byte(err.Error() + "\n"))
		return status{exit: code}, nil
	}
	var writers [2]*os.File
	var copies sync.WaitGroup
	for i, s := range streams {
		r, w, err := os.Pipe()
		if err != nil {
			return status{}, fmt.Errorf("opening a pipe: %w", err)
		}
		writers[i] = w
		copies.Go(func() { s.copy(r); r.Close() })
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return status{}, fmt.Errorf("opening the null device: %w", err)
	}
	process, err := spawn(p, file, command, []*os.File{null, writers[0], writers[1]})
	null.Close()
	writers[0].Close()
	writers[1].Close()
	if err != nil {
		return status{}, fmt.Errorf("starting %q: %w", command[0], err)
	}
	if killed() { // the order to kill came before there was anything to kill
		killAll()
	}
	st := collect(process, atEnd)
	copies.Wait()
	return st, nil
}

// lookUp finds the program as a shell would: a name with a slash is taken from dir, another one from PATH. The code is
// the exit status for a program that cannot be run.
func lookUp(name, dir string, env []string) (file string, code int, err error) {
	candidates := []string{name}
	if !strings.ContainsAny(name, `/\`) {
		candidates = nil
		for _, v := range env {
			if list, ok := strings.CutPrefix(v, "PATH="); ok {
				candidates = nil
				for _, folder := range filepath.SplitList(list) {
					if filepath.IsAbs(folder) {
						candidates = append(candidates, filepath.Join(folder, name))
					}
				}
			}
		}
	}
	code = 127
	for _, c := range candidates {
		if !filepath.IsAbs(c) {
			c = filepath.Join(dir, c)
		}
		for _, c := range []string{c, c + executableSuffix} {
			info, err := os.Stat(c)
			switch {
			case errors.Is(err, fs.ErrPermission), err == nil && (info.IsDir() || executableSuffix == "" && info.Mode()&0o111 == 0):
				code = 126
			case err == nil:
				return c, 0, nil
			}
		}
	}
	return "", code, fmt.Errorf("%s: cannot be run (status %d)", name, code)
}
