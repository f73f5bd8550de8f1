package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"evlab/sandbox/plan"
)

// follow drains a started container's output and waits for its end, which it brings about at the limits of time and
// disk. The clock counts from the container's own start, however often evlab came and went meanwhile.
func (d *docker) follow(ctx context.Context, id string, l Limits, out *output) (ending, error) {
	lives, stop := context.WithCancel(ctx)
	defer stop()
	drained := make(chan error, 1)
	go func() { drained <- d.drain(lives, id, true, out) }()

	killed := make(chan Outcome, 1)
	peak := new(atomic.Int64)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		d.watch(lives, id, l, killed, peak)
	}()
	end, err := d.wait(lives, id)
	if err == nil {
		// The log's stream ends soon after its container. If it does not, or ended early, the log is read again below.
		select {
		case err := <-drained:
			drained <- err
		case <-time.After(10 * time.Second):
		case <-ctx.Done():
		}
	}
	stop()
	<-watched
	<-drained
	select {
	case end.killed = <-killed:
	default:
	}
	if cause := context.Cause(ctx); cause != nil {
		return ending{killed: Cancelled}, cause
	}
	if err != nil {
		return end, err
	}
	if !out.stderr.ended || !out.stdout.ended {
		if err := d.reread(ctx, id, out); err != nil {
			return end, err
		}
	}
	end.elapsed = end.over.Sub(end.began) >= l.Timeout
	end.started, end.ended, end.failed = out.stderr.record(plan.Started), out.stderr.record(plan.Ended), out.stderr.record(plan.Failed)
	end.peak = peak.Load()
	if end.ended != nil {
		end.peak = max(end.peak, end.ended.Peak)
	}
	return end, nil
}

// drain copies the container's log into out, from its beginning.
func (d *docker) drain(ctx context.Context, id string, follow bool, out *output) error {
	logs, err := d.api.ContainerLogs(ctx, id, container.LogsOptions{ShowStdout: true, ShowStderr: true, Follow: follow})
	if err != nil {
		return d.engineFault("reading the log of container "+id, err)
	}
	defer logs.Close()
	_, err = stdcopy.StdCopy(out.stdout, out.stderr, logs)
	return err
}

// reread starts the output over from the whole log of an ended container.
func (d *docker) reread(ctx context.Context, id string, out *output) error {
	if err := out.restart(); err != nil {
		return err
	}
	if err := d.drain(ctx, id, false, out); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fault(FaultEngineLost, "reading the log of the ended container %s: %w", id, err)
	}
	return nil
}

// wait waits until the container is not running and reads its end. A connection that breaks is tried again for a while.
func (d *docker) wait(ctx context.Context, id string) (ending, error) {
	var lost time.Time
	for {
		results, errs := d.api.ContainerWait(ctx, id, container.WaitConditionNotRunning)
		var err error
		select {
		case <-results:
		case err = <-errs:
		}
		var end ending
		if err == nil {
			if end, err = d.inspectEnd(ctx, id); err == nil {
				return end, nil
			}
		}
		switch {
		case ctx.Err() != nil:
			return ending{}, context.Cause(ctx)
		case errdefs.IsNotFound(err):
			return ending{}, fault(FaultEngineLost, "container %s is gone: %w", id, err)
		case errors.Is(err, errStillRunning):
			continue
		case lost.IsZero():
			lost = time.Now()
		case time.Since(lost) > reconnectTime:
			return ending{}, &Fault{Class: FaultEngineLost, Err: fmt.Errorf("waiting for container %s: %w", id, err)}
		}
		select {
		case <-ctx.Done():
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// reconnectTime is how long an engine may be away before a step counts as lost.
const reconnectTime = 8 * time.Second

var errStillRunning = errors.New("the container is still running")

func (d *docker) inspectEnd(ctx context.Context, id string) (ending, error) {
	c, err := d.api.ContainerInspect(ctx, id)
	if err != nil {
		return ending{}, err
	}
	if c.State == nil || c.State.Running {
		return ending{}, errStillRunning
	}
	began, err1 := time.Parse(time.RFC3339Nano, c.State.StartedAt)
	over, err2 := time.Parse(time.RFC3339Nano, c.State.FinishedAt)
	if err := errors.Join(err1, err2); err != nil {
		return ending{}, fault(FaultEngine, "reading the times of container %s: %w", id, err)
	}
	return ending{exit: c.State.ExitCode, oomKilled: c.State.OOMKilled, tail: c.State.Error, began: began, over: over}, nil
}

// watch ends the container at its limits: it asks the supervisor first, which then tells what it knows, and kills next.
func (d *docker) watch(ctx context.Context, id string, l Limits, killed chan<- Outcome, peak *atomic.Int64) {
	c, err := d.api.ContainerInspect(ctx, id)
	if err != nil || c.State == nil || !c.State.Running {
		return
	}
	began, err := time.Parse(time.RFC3339Nano, c.State.StartedAt)
	if err != nil {
		began = time.Now().Add(d.ahead)
	}
	deadline := time.NewTimer(time.Until(began.Add(l.Timeout - d.ahead)))
	defer deadline.Stop()
	look := time.NewTicker(3 * time.Second)
	defer look.Stop()
	for {
		why, signal := Outcome(""), ""
		select {
		case <-ctx.Done():
			return
		case <-deadline.C:
			why, signal = Deadline, "SIGUSR1"
		case <-look.C:
			d.lookAtMemory(ctx, id, peak)
			c, _, err := d.api.ContainerInspectWithRaw(ctx, id, true)
			if err == nil && c.ContainerJSONBase != nil && c.SizeRw != nil && *c.SizeRw > l.Scratch+layerSlack {
				why, signal = Disk, "SIGUSR2"
			}
		}
		if why == "" {
			continue
		}
		killed <- why
		_ = d.api.ContainerKill(ctx, id, signal)
		select {
		case <-ctx.Done():
			return
		case <-time.After(3 * time.Second):
		}
		for ctx.Err() == nil {
			_ = d.api.ContainerKill(ctx, id, "SIGKILL")
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
		return
	}
}

// layerSlack is what a step may write outside of scratch beyond Limits.Scratch: the build cache of its own packages.
const layerSlack = 64 << 20

// lookAtMemory notes the container's memory, for steps that are killed before their supervisor can tell.
func (d *docker) lookAtMemory(ctx context.Context, id string, peak *atomic.Int64) {
	stats, err := d.api.ContainerStatsOneShot(ctx, id)
	if err != nil {
		return
	}
	defer stats.Body.Close()
	var s container.StatsResponse
	if json.NewDecoder(io.LimitReader(stats.Body, 1<<20)).Decode(&s) == nil {
		peak.Store(max(peak.Load(), int64(s.MemoryStats.Usage), int64(s.MemoryStats.MaxUsage)))
	}
}
