// Command supervise is the main process of a sandboxed step: it brings the tree to the state that the plan asks for, runs
// the command, and tells how it ended once nothing of it is left alive.
//
// The one decision: it is compiled by the machine's own Go toolchain from this source whenever an image is built, so a
// sandbox needs no shell, no coreutils and no registry. It may import the standard library and plan, nothing else.
//
//	supervise step DIR      run the plan in DIR as the first process of a sandbox
//	supervise host DIR      run `supervise step DIR` apart from evlab, keeping its output and its end in DIR
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"evlab/sandbox/plan"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: supervise step|host DIR")
		os.Exit(2)
	}
	mode, dir := os.Args[1], os.Args[2]
	switch mode {
	case "step":
		deafen(dir) // does not return where signals can be held back: comes again as "watch"
		fallthrough
	case "watch":
		os.Exit(watch(dir))
	case "command":
		become(os.Args[2], os.Args[3:])
	case "host":
		os.Exit(keep(dir))
	case "enter":
		enter(dir)
	default:
		fmt.Fprintf(os.Stderr, "supervise: no mode %q\n", mode)
		os.Exit(2)
	}
}

// watch runs the plan in dir and returns the exit status: the command's own, or 125 when it was not started.
func watch(dir string) int {
	nonce := os.Getenv(plan.NonceVariable)
	failed := func(err error) int {
		os.Stderr.Write(plan.Frame(nonce, plan.Record{Event: plan.Failed, Reason: err.Error()}))
		return 125
	}
	if err := harden(); err != nil {
		return failed(err)
	}
	p, open, err := readPlan(dir)
	if err != nil {
		return failed(err)
	}
	requests, err := stopRequests(p.Loose)
	if err != nil {
		return failed(err)
	}
	for _, name := range p.Needs {
		if _, err := os.Stat(name); err != nil {
			return failed(fmt.Errorf("what every step needs is not in the sandbox: %w", err))
		}
	}
	for _, folder := range p.Folders {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return failed(err)
		}
	}
	if err := applyChanges(p, open); err != nil {
		return failed(fmt.Errorf("bringing the tree to the step's state: %w", err))
	}
	if p.Cache != "" {
		keepCache(p.Cache)
	}
	os.Stderr.Write(plan.Frame(nonce, plan.Record{Event: plan.Started}))
	end := run(p, nonce, requests)
	if end.Event == plan.Ended {
		end.Altered = altered(p, open)
	}
	if p.Image && !p.Keep && end.Event == plan.Ended {
		if err := settleImage(p); err != nil {
			end.Event, end.Reason = plan.Failed, "settling the image: "+err.Error()
		}
	}
	os.Stderr.Write(plan.Frame(nonce, end))
	if end.Event != plan.Ended {
		return 125
	}
	return end.Exit
}

// readPlan reads the plan from the environment, where it is when it is small, or from the step's folder. open gives the
// files that it names.
func readPlan(dir string) (p *plan.Plan, open func(name string) (io.ReadCloser, error), err error) {
	if text := os.Getenv(plan.Variable); text != "" {
		unpacked, contents, err := plan.Unpack(text)
		if err != nil {
			return nil, nil, err
		}
		p, open = &unpacked, fromMemory(contents)
	} else {
		data, err := os.ReadFile(filepath.Join(dir, plan.File))
		if err != nil {
			return nil, nil, fmt.Errorf("reading the plan: %w", err)
		}
		if err := json.Unmarshal(data, &p); err != nil {
			return nil, nil, fmt.Errorf("reading the plan: %w", err)
		}
		open = fromFolder(dir)
	}
	for _, c := range p.Commands {
		if len(c) == 0 || c[0] == "" {
			return nil, nil, fmt.Errorf("reading the plan: an empty command")
		}
	}
	return p, open, nil
}

func fromFolder(dir string) func(name string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(dir, name)) }
}

func fromMemory(contents [][]byte) func(name string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(contents) {
			return nil, fmt.Errorf("the plan has no content %q", name)
		}
		return io.NopCloser(bytes.NewReader(contents[i])), nil
	}
}
