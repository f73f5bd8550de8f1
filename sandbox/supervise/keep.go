package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"evlab/sandbox/plan"
)

// keep stands in for an engine: it outlives evlab, keeps the step's output in files and writes its end. The lock that it
// holds says that it lives; a second keeper of the same step leaves at once.
func keep(dir string) int {
	unlock, ok := holdLock(filepath.Join(dir, plan.LockFile))
	if !ok {
		return 0
	}
	defer unlock()
	if exists(filepath.Join(dir, plan.ResultFile)) || exists(filepath.Join(dir, plan.BeganFile)) {
		return 0 // it has run before; that it did not end is for evlab to say
	}
	if err := keepStep(dir); err != nil {
		fmt.Fprintln(os.Stderr, "supervise:", err)
		return 1
	}
	return 0
}

func keepStep(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, plan.HostFile))
	if err != nil {
		return err
	}
	var h plan.Host
	if err := json.Unmarshal(data, &h); err != nil {
		return fmt.Errorf("reading %s: %w", plan.HostFile, err)
	}
	stdout, err := os.Create(filepath.Join(dir, plan.StdoutFile))
	if err != nil {
		return err
	}
	defer stdout.Close()
	stderr, err := os.Create(filepath.Join(dir, plan.StderrFile))
	if err != nil {
		return err
	}
	defer stderr.Close()
	began := time.Now()
	if err := writeWhole(filepath.Join(dir, plan.BeganFile), plan.Began{At: began, Keeper: os.Getpid()}); err != nil {
		return err
	}
	process, err := confine(dir, h, stdout, stderr)
	if err != nil {
		stderr.Write(plan.Frame(h.Nonce, plan.Record{Event: plan.Failed, Reason: "confining the step: " + err.Error()}))
		return writeWhole(filepath.Join(dir, plan.ResultFile), plan.HostResult{Began: began, Over: time.Now(), Exit: 125})
	}
	done := make(chan struct{})
	go forward(filepath.Join(dir, plan.RequestFile), process, done)
	exit := process.wait()
	close(done)
	return writeWhole(filepath.Join(dir, plan.ResultFile), plan.HostResult{Began: began, Over: time.Now(), Exit: exit})
}

// forward passes evlab's requests on. They come as a file, which outlives whoever asks and whoever is asked.
func forward(file string, process *confined, done <-chan struct{}) {
	last := ""
	for {
		select {
		case <-done:
			return
		case <-time.After(50 * time.Millisecond):
		}
		data, err := os.ReadFile(file)
		if request := strings.TrimSpace(string(data)); err == nil && request != last {
			last = request
			process.request(request)
		}
	}
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// writeWhole writes a file that is either absent or whole.
func writeWhole(file string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return os.Rename(f.Name(), file)
}
