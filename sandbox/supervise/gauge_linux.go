package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"evlab/sandbox/plan"
)

// gauge watches what a step uses: by the counters of its control group where there is one, else by looking.
type gauge struct {
	p          *plan.Plan
	full       atomic.Bool
	peak       atomic.Int64
	base       int64 // bytes of the tree at the start
	oom, forks int64 // counters at the start
	counted    bool
}

func newGauge(p *plan.Plan) *gauge {
	g := &gauge{p: p}
	g.oom, g.forks, g.counted = counters()
	if p.Limits.Tree > 0 {
		g.base = treeSize(p.Tree)
	}
	return g
}

// watch looks twenty times a second, and at the tree's size once a second.
func (g *gauge) watch(done <-chan struct{}, kill func(why string)) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		g.check(kill)
		limits := g.p.Limits
		if limits.Tree > 0 && n%20 == 0 && treeSize(g.p.Tree)-g.base > limits.Tree {
			kill(plan.Disk)
		}
	}
}

// check looks, and kills what uses more than it may.
func (g *gauge) check(kill func(why string)) {
	g.look()
	limits := g.p.Limits
	if limits.Memory == 0 && limits.Processes == 0 {
		return
	}
	memory, tasks := usage()
	g.peak.Store(max(g.peak.Load(), memory))
	if limits.Memory > 0 && memory > limits.Memory {
		kill(plan.Memory)
	}
	if limits.Processes > 0 && tasks > limits.Processes {
		kill(plan.Processes)
	}
}

// look notes whether the scratch file system is full.
func (g *gauge) look() {
	if g.p.Scratch == "" {
		return
	}
	var st syscall.Statfs_t
	if syscall.Statfs(g.p.Scratch, &st) == nil && st.Bavail == 0 {
		g.full.Store(true)
	}
}

// fill puts what was seen into the record.
func (g *gauge) fill(r *plan.Record) {
	oom, forks, counted := counters()
	r.Counted = counted && g.counted
	if r.Counted {
		r.OOM, r.Forks = oom-g.oom, forks-g.forks
	}
	if limits := g.p.Limits; limits.Memory > 0 && limits.Processes > 0 {
		r.Counted = true // by the gauge's own looking
	}
	r.Full = g.full.Load()
	r.Peak = g.peak.Load()
	for _, name := range []string{"/sys/fs/cgroup/memory/memory.max_usage_in_bytes", "/sys/fs/cgroup/memory.peak"} {
		if data, err := os.ReadFile(name); err == nil && g.p.Limits.Memory == 0 {
			r.Peak, _ = strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		}
	}
}

// counters reads how often the kernel killed for memory and refused a fork in this control group (version 1, then 2).
// A sandbox without a group of its own would read the machine's, so only the first process of a namespace asks.
func counters() (oom, forks int64, ok bool) {
	if os.Getpid() != 1 {
		return 0, 0, false
	}
	oom, ok1 := counter("oom_kill", "/sys/fs/cgroup/memory/memory.oom_control", "/sys/fs/cgroup/memory.events")
	forks, ok2 := counter("max", "/sys/fs/cgroup/pids/pids.events", "/sys/fs/cgroup/pids.events")
	return oom, forks, ok1 && ok2
}

func counter(key string, files ...string) (int64, bool) {
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); len(f) == 2 && f[0] == key {
				n, err := strconv.ParseInt(f[1], 10, 64)
				return n, err == nil
			}
		}
	}
	return 0, false
}

// usage adds up the resident memory in bytes and the threads of the processes below the supervisor.
func usage() (memory int64, tasks int) {
	for _, pid := range descendants() {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			continue
		}
		end := bytes.LastIndexByte(data, ')')
		f := strings.Fields(string(data[end+1:]))
		if end < 0 || len(f) < 22 {
			continue
		}
		threads, _ := strconv.Atoi(f[17])
		pages, _ := strconv.ParseInt(f[21], 10, 64)
		tasks += threads
		memory += pages * int64(os.Getpagesize())
	}
	return memory, tasks
}

func treeSize(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return nil
	})
	return bytes
}
