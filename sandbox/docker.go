package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
)

// docker is the sandbox on a Docker engine.
type docker struct {
	options Options
	api     *client.Client
	slots   *slots
	facts   Facts
	at      func(point string) // for tests: called where a death must do no harm; nil else
	known   sync.Map           // image reference -> surroundings
	making  sync.Map           // recipe hashes of the images that this process is building
	ahead   time.Duration      // of the engine's clock before this machine's

	noLoopback6 atomic.Bool // the engine cannot give ::1
}

// diskFloor is the free disk in bytes below which nothing new is begun.
const diskFloor = 2 << 30

// OpenDocker connects to the Docker engine that the environment names (DOCKER_HOST and so on, else the local socket).
func OpenDocker(ctx context.Context, o Options) (Sandbox, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.State, 0o755); err != nil {
		return nil, fault(FaultOptions, "opening the sandbox: %w", err)
	}
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return nil, fault(FaultEngine, "opening the Docker engine: %w", err)
	}
	d := &docker{options: o, api: api}
	if err := d.meet(ctx); err != nil {
		api.Close()
		return nil, err
	}
	return d, nil
}

// meet learns what the engine is and sizes the slots by it.
func (d *docker) meet(ctx context.Context) error {
	info, err := d.api.Info(ctx)
	if err != nil {
		return d.engineFault("asking the Docker engine what it is", err)
	}
	if t, err := time.Parse(time.RFC3339Nano, info.SystemTime); err == nil {
		d.ahead = time.Until(t)
	}
	if d.ahead.Abs() < 2*time.Second {
		d.ahead = 0 // the question itself took that long
	}
	if err := unfit(info); err != nil {
		return &Fault{Class: FaultEngine, Err: err}
	}
	d.facts = Facts{
		Kind: "docker", Engine: "docker", Version: info.ServerVersion, OS: info.OSType, Arch: goArch(info.Architecture),
		Cgroup: info.CgroupVersion, Storage: info.Driver, Memory: info.MemTotal, CPUs: info.NCPU,
	}
	most := d.options.Slots
	memory := int64(0)
	if most <= 0 {
		most = max(1, info.NCPU)
		memory = info.MemTotal - info.MemTotal/8
	}
	d.slots = &slots{most: most, memory: memory}
	return nil
}

func (d *docker) Kind() string { return "docker" }
func (d *docker) Close() error { return d.api.Close() }

func (d *docker) Probe(ctx context.Context) (Facts, error) {
	if _, err := d.api.Ping(ctx); err != nil {
		return Facts{}, d.engineFault("asking the Docker engine for a sign of life", err)
	}
	f := d.facts
	f.FreeDisk = freeDisk(d.options.State)
	return f, nil
}

// checkDisk refuses to begin something when the disk is nearly full.
func checkDisk(dir string) error {
	if free := freeDisk(dir); free >= 0 && free < diskFloor {
		return fault(FaultDisk, "%d MiB of disk are free at %s, less than the floor of %d MiB", free>>20, dir, int64(diskFloor)>>20)
	}
	return nil
}

func (d *docker) Forget(ctx context.Context, id string, attempt int) error {
	name := stepName(id, attempt)
	c, err := d.api.ContainerInspect(ctx, name)
	if errdefs.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return d.engineFault("forgetting step "+id, err)
	}
	if c.Config == nil || c.Config.Labels[LabelHost] != d.options.Host {
		return fault(FaultOptions, "forgetting step %q: container %s belongs to another installation", id, name)
	}
	return d.removeContainer(ctx, c.ID)
}

// createContainer makes a container and says its id. An engine that was asked makes it even if nobody waits for the answer;
// therefore the end of ctx is not passed on: who asked must know what there is to remove.
func (d *docker) createContainer(ctx context.Context, config *container.Config, host *container.HostConfig, name string) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
	defer cancel()
	c, err := d.api.ContainerCreate(ctx, config, host, nil, nil, name)
	return c.ID, err
}

// removeContainer kills and removes; somebody else's removing it at the same time is success.
func (d *docker) removeContainer(ctx context.Context, id string) error {
	for try := 0; ; try++ {
		err := d.api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
		switch {
		case err == nil, errdefs.IsNotFound(err):
			return nil
		case errdefs.IsConflict(err): // being removed
			if _, err := d.api.ContainerInspect(ctx, id); errdefs.IsNotFound(err) {
				return nil
			}
		}
		if try == 20 || ctx.Err() != nil {
			return d.engineFault("removing container "+id, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (d *docker) Reap(ctx context.Context, keep func(stepID string) bool) (int, error) {
	list, err := d.api.ContainerList(ctx, container.ListOptions{
		All: true, Filters: filters.NewArgs(filters.Arg("label", LabelHost+"="+d.options.Host)),
	})
	if err != nil {
		return 0, d.engineFault("listing containers", err)
	}
	reaped := 0
	var errs []error
	for _, c := range list {
		id, isStep := c.Labels[LabelStep]
		if isStep && keep != nil && keep(id) {
			continue
		}
		if !isStep && d.isMaking(c.Labels[labelImage]) {
			continue
		}
		if err := d.removeContainer(ctx, c.ID); err != nil {
			errs = append(errs, err)
			continue
		}
		reaped++
	}
	return reaped, errors.Join(errs...)
}

func (d *docker) Remove(ctx context.Context, i Image) error {
	found, err := d.api.ImageInspect(ctx, i.Ref)
	if errdefs.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return d.engineFault("looking at image "+i.Ref, err)
	}
	if found.Config == nil || found.Config.Labels[labelImage] == "" {
		return fault(FaultOptions, "removing image %s: it is not one of evlab's", i.Ref)
	}
	_, err = d.api.ImageRemove(ctx, i.Ref, image.RemoveOptions{PruneChildren: false})
	if err != nil && !errdefs.IsNotFound(err) {
		return d.engineFault("removing image "+i.Ref, err)
	}
	return nil
}

// engineFault wraps an answer of the engine: no answer at all means that it is lost.
func (d *docker) engineFault(doing string, err error) error {
	if err == nil {
		return nil
	}
	var already *Fault
	if errors.As(err, &already) {
		return err
	}
	class := FaultEngine
	if client.IsErrConnectionFailed(err) || !isAnswer(err) {
		class = FaultEngineLost
	}
	return &Fault{Class: class, Err: fmt.Errorf("%s: %w", doing, err)}
}

// isAnswer says whether the error came from the engine and not from the way to it.
func isAnswer(err error) bool {
	return errdefs.IsNotFound(err) || errdefs.IsConflict(err) || errdefs.IsInvalidArgument(err) || errdefs.IsInternal(err) ||
		errdefs.IsPermissionDenied(err) || errdefs.IsUnauthorized(err) || errdefs.IsNotImplemented(err) || errdefs.IsUnavailable(err)
}

// lockFile is the name of a lock among the processes that share State.
func (o Options) lockFile(what string) string { return filepath.Join(o.State, what+".lock") }

func decimal(n int) string { return strconv.Itoa(n) }
