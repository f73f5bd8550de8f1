package sandbox

import (
	"archive/tar"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/go-units"

	"evlab/sandbox/plan"
)

// extraMemory is what a container gets beyond the command's memory and its scratch: for the supervisor.
const extraMemory = 64 << 20

// sharedMemory is the size of /dev/shm, part of extraMemory.
const sharedMemory = 16 << 20

func (d *docker) hostConfig(l Limits, in surroundings) *container.HostConfig {
	memory := l.Memory + l.Scratch + extraMemory
	processes := int64(l.Processes)
	swappiness := int64(0)
	resources := container.Resources{
		Memory: memory, MemorySwap: memory, NanoCPUs: int64(min(l.CPUs, float64(d.facts.CPUs)) * 1e9), PidsLimit: &processes,
		Ulimits: []*units.Ulimit{
			{Name: "nofile", Soft: 4096, Hard: 4096}, {Name: "core"}, {Name: "fsize", Soft: l.Scratch + 1<<20, Hard: l.Scratch + 1<<20},
		},
	}
	if d.facts.Cgroup == "1" {
		resources.MemorySwappiness = &swappiness
	}
	var mounts []mount.Mount
	if in.volume != "" {
		mounts = []mount.Mount{{Type: mount.TypeVolume, Source: in.volume, Target: contained.toolchain, ReadOnly: true}}
	}
	return &container.HostConfig{
		Mounts: mounts, NetworkMode: "none", ExtraHosts: []string{hostName + ":127.0.0.1"}, CapDrop: []string{"ALL"}, CapAdd: in.capabilities(), SecurityOpt: []string{"no-new-privileges"}, Resources: resources,
		ShmSize: sharedMemory, Tmpfs: map[string]string{contained.scratch: fmt.Sprintf("rw,exec,nosuid,nodev,mode=1777,size=%d", l.Scratch)},
		// One file, so large that what a supervisor lets through never turns it over: an engine that follows a log over such
		// a turn may give a line twice.
		LogConfig: container.LogConfig{Type: "local", Config: map[string]string{
			"max-size": fmt.Sprintf("%d", 4*max(l.Log, 1<<20)), "max-file": "1", "compress": "false",
		}},
	}
}

// hostName is what a step's machine is called, and has an address under, as machines do: without a network an engine gives
// none to the name that it makes up, and programs that ask for their own address fail.
const hostName = "evlab"

func (d *docker) Run(ctx context.Context, s Step) (Result, error) {
	if err := s.check(); err != nil {
		return Result{}, err
	}
	return attend(ctx, d, d.slots, s, d.run)
}

func (d *docker) run(ctx context.Context, s Step, enter func() error) (Result, error) {
	var r Result
	c, err := d.place(ctx, s, &r, enter)
	if err == nil {
		err = enter() // a step that runs already takes its place, too
	}
	if err != nil {
		return r, err
	}
	nonce := variable(c, plan.NonceVariable)
	if nonce == "" {
		return r, fault(FaultEngine, "container %s of step %q was not made by evlab", c.Name, s.ID)
	}
	out, err := openOutput(s, nonce)
	if err != nil {
		return r, err
	}
	defer out.discard()
	end, err := d.follow(ctx, c.ID, s.Limits, out)
	reach(d.at, pointEnded)
	if err != nil {
		return r, err
	}
	if err := out.commit(); err != nil {
		return r, err
	}
	return r, r.conclude(end, out)
}

// place makes sure that the step's container is there and was started, once. It is made before there is a slot for it, so
// that slots are for commands and not for the engine's own work.
func (d *docker) place(ctx context.Context, s Step, r *Result, enter func() error) (container.InspectResponse, error) {
	name := s.name()
	for try := 0; ; try++ {
		c, err := d.api.ContainerInspect(ctx, name)
		switch {
		case errdefs.IsNotFound(err):
			if try > 5 {
				return c, fault(FaultEngineLost, "container %s of step %q vanishes as soon as it is made", name, s.ID)
			}
			if try > 0 { // an engine that is still at a dead process's request holds the name, but shows nothing yet
				time.Sleep(100 * time.Millisecond)
			}
			if err := d.prepare(ctx, s); err != nil {
				return c, err
			}
			continue
		case err != nil:
			return c, d.engineFault("looking for step "+s.ID, err)
		case c.Config == nil || c.State == nil || c.Config.Labels[LabelHost] != d.options.Host || c.Config.Labels[LabelStep] != s.ID:
			return c, fault(FaultOptions, "container %s is not step %q of this installation", name, s.ID)
		case c.Config.Labels[labelSpec] != s.digest(), c.State.Dead, c.State.Status == "removing":
			// Another command under the same id, or a half-removed container: its end says nothing about this step.
			if err := d.removeContainer(ctx, c.ID); err != nil {
				return c, err
			}
			continue
		}
		if c.State.Status != "created" {
			r.Reattached = r.Starts == 0
			return c, nil
		}
		reach(d.at, pointCreated)
		if variable(c, plan.Variable) == "" {
			if err := d.fill(ctx, c.ID, s); err != nil {
				return c, err
			}
		}
		if err := enter(); err != nil {
			return c, err
		}
		if err := d.api.ContainerStart(ctx, c.ID, container.StartOptions{}); err != nil {
			if errdefs.IsNotFound(err) && try < 5 {
				continue
			}
			if d.refusesLoopback6(err) && try < 5 {
				if err := d.removeContainer(ctx, c.ID); err != nil {
					return c, err
				}
				continue
			}
			return c, d.engineFault("starting step "+s.ID, err)
		}
		r.Starts = 1
		reach(d.at, pointStarted)
		return c, nil
	}
}

// prepare removes what other attempts of the step left and creates its container.
func (d *docker) prepare(ctx context.Context, s Step) error {
	if err := checkDisk(d.options.State); err != nil {
		return err
	}
	others, err := d.api.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(
		filters.Arg("label", LabelHost+"="+d.options.Host), filters.Arg("label", LabelStep+"="+s.ID),
	)})
	if err != nil {
		return d.engineFault("looking for other attempts of step "+s.ID, err)
	}
	for _, c := range others {
		if err := d.removeContainer(ctx, c.ID); err != nil {
			return err
		}
	}
	labels := d.options.labels(s.Labels, map[string]string{LabelStep: s.ID, LabelAttempt: decimal(s.Attempt), labelSpec: s.digest()})
	in, err := d.surroundingsOf(ctx, s)
	if err != nil {
		return err
	}
	env := []string{plan.NonceVariable + "=" + rand.Text()}
	p, contents := in.plan(s)
	if sizeOf(contents) <= maxTried {
		packed, err := plan.Pack(p, contents)
		if err != nil {
			return fault(FaultOptions, "step %q: %w", s.ID, err)
		}
		if len(packed) <= plan.MaxPacked { // else fill copies it in, which costs the engine some work
			env = append(env, plan.Variable+"="+packed)
		}
	}
	config := &container.Config{
		Image: s.Image.Ref, User: in.user, Env: env, Hostname: hostName,
		WorkingDir: "/", Entrypoint: []string{contained.supervisor, "step", contained.step}, Cmd: []string{}, Labels: labels, StopSignal: "SIGPWR",
	}
	host := d.hostConfig(s.Limits, in)
	host.Sysctls = d.loopback6()
	_, err = d.createContainer(ctx, config, host, s.name())
	switch {
	case err == nil, errdefs.IsConflict(err): // another process was quicker: its container is the step's
		return nil
	case d.refusesLoopback6(err): // asked for anew, it is made without
		return nil
	case errdefs.IsNotFound(err):
		return fault(FaultImage, "image %s of step %q is not there: %w", s.Image.Ref, s.ID, err)
	}
	return d.engineFault("creating step "+s.ID, err)
}

// maxTried bounds the contents that packing is tried with: it holds them in memory several times over.
const maxTried = 8 << 20

func sizeOf(contents [][]byte) (n int) {
	for _, c := range contents {
		n += len(c)
	}
	return n
}

// fill puts the plan and the changed files into the created container. Doing it twice does no harm.
func (d *docker) fill(ctx context.Context, id string, s Step) error {
	in, err := d.surroundingsOf(ctx, s)
	if err != nil {
		return err
	}
	p, contents := in.plan(s)
	return d.copyIn(ctx, id, "/", func(w *tar.Writer) error { return packPlan(w, contained.step[1:], p, contents) })
}

// variable reads one variable from the container's configuration.
func variable(c container.InspectResponse, name string) string {
	for _, v := range c.Config.Env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

func faultIs(err error, class string) bool {
	var f *Fault
	return errors.As(err, &f) && f.Class == class
}
