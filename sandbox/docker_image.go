package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"

	"evlab/sandbox/plan"
)

func (d *docker) Ensure(ctx context.Context, r Recipe) (Image, error) {
	if err := r.check(); err != nil {
		return Image{}, err
	}
	if err := checkModules(r.Modules); err != nil {
		return Image{}, fault(FaultOptions, "recipe of task %q: its module cache: %w", r.Task, err)
	}
	base, err := d.ensureBase(ctx, r)
	if err != nil {
		return Image{}, err
	}
	in := own(base.volume, r.System.env())
	if r.Given != nil {
		if in, err = d.surveyGiven(ctx, base.ref, r.Given.Workdir); err != nil {
			return Image{}, err
		}
	}
	source, err := programDigest(supervisor)
	if err != nil {
		return Image{}, fault(FaultImage, "reading the supervisor's source: %w", err)
	}
	// Each installation has images of its own: one that releases an image must not take it from another one's steps.
	sum := sha256.Sum256([]byte(r.ID() + "\n" + base.ref + "\n" + source + "\n" + d.options.Host))
	hash := fmt.Sprintf("%x", sum[:12])
	ref := "evlab/task:" + hash
	if i, found, err := d.findImage(ctx, ref); found || err != nil {
		return i, err
	}
	unlock, err := lock(ctx, d.options.lockFile("image-"+hash))
	if err != nil {
		return Image{}, err
	}
	defer unlock()
	if i, found, err := d.findImage(ctx, ref); found || err != nil {
		return i, err
	}
	if err := checkDisk(d.options.State); err != nil {
		return Image{}, err
	}
	labels := d.options.labels(r.Labels)
	if r.Task != "" {
		labels[LabelTask] = r.Task
	}
	binary, err := ensureProgram(ctx, d.options.State, supervisor, d.facts.OS, d.facts.Arch)
	if err != nil {
		return Image{}, fault(FaultImage, "making image %s: %w", ref, err)
	}
	err = d.build(ctx, building{
		hash: hash, from: base.ref, in: in, ref: ref, supervisor: binary, warm: r.Warm, tree: r.Snapshot, modules: r.Modules, labels: labels,
	})
	if err != nil {
		return Image{}, err
	}
	i, found, err := d.findImage(ctx, ref)
	if err == nil && !found {
		err = fault(FaultImage, "image %s is gone right after it was made", ref)
	}
	return i, err
}

func (d *docker) findImage(ctx context.Context, ref string) (Image, bool, error) {
	found, err := d.api.ImageInspect(ctx, ref)
	if errdefs.IsNotFound(err) {
		return Image{}, false, nil
	}
	if err != nil {
		return Image{}, false, d.engineFault("looking for image "+ref, err)
	}
	return Image{ID: found.ID, Ref: ref}, true, nil
}

// building is an image that is to be made from another one.
type building struct {
	hash       string
	supervisor string // file that takes the place of the one in from
	from, ref  string
	in         surroundings
	tree       func(w io.Writer) error // nil for none
	warm       [][]string              // commands run in the tree; nothing but the build cache stays of them
	modules    string                  // "" for none
	wheels     *System                 // whose wheels are laid; nil for none
	packages   string                  // folder of those that are laid; "" for none
	bare       bool                    // from has nothing of what evlab's bases have
	labels     map[string]string
}

func (d *docker) isMaking(hash string) bool {
	_, yes := d.making.Load(hash)
	return yes
}

// build makes the image in a container that is committed when all is done: until then nothing has its name.
func (d *docker) build(ctx context.Context, b building) (err error) {
	d.making.Store(b.hash, true)
	defer d.making.Delete(b.hash)
	host := sha256.Sum256([]byte(d.options.Host))
	name := fmt.Sprintf("evlab-image-%s-%x", b.hash[:12], host[:3])
	if err := d.removeContainer(ctx, name); err != nil {
		return err
	}
	const nonce = "image"
	config := &container.Config{
		Image: b.from, User: b.in.user, Env: []string{plan.NonceVariable + "=" + nonce, plan.Variable + "="},
		WorkingDir: "/", Entrypoint: []string{contained.supervisor, "step", contained.step}, Cmd: []string{},
		Labels:      d.options.labels(b.labels, b.in.labels(), map[string]string{labelImage: b.hash}),
		Healthcheck: &container.HealthConfig{Test: []string{"NONE"}}, // a given image may have one, which would run beside
	}
	if b.in.given { // no command is run, and what is removed need not be its own user's
		config.User = "0:0"
	}
	limits := Limits{
		Timeout: warmTime, Memory: min(6<<30, d.facts.Memory*3/4), Scratch: 2 << 30, Log: 4 << 20, Processes: 4096,
	}
	id, err := d.createContainer(ctx, config, d.hostConfig(limits, b.in), name)
	if err != nil {
		return d.engineFault("creating the container that becomes image "+b.ref, err)
	}
	defer func() {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		err = errors.Join(err, d.removeContainer(clean, id))
	}()
	if b.in.given {
		if err := d.findUser(ctx, id, &b.in); err != nil {
			return err
		}
		config.Labels[labelHome] = b.in.home
	}
	err = d.copyIn(ctx, id, "/", func(w *tar.Writer) error { return b.pack(ctx, w, limits) })
	if err != nil {
		return fmt.Errorf("filling image %s: %w", b.ref, err)
	}
	if len(b.warm) > 0 || b.in.given {
		if err := d.warm(ctx, id, nonce, b, limits); err != nil {
			return err
		}
	}
	if len(b.warm) > 0 && b.tree != nil { // the commands' tree is gone with whatever they left in it
		err := d.copyIn(ctx, id, "/", func(w *tar.Writer) error { return packSnapshot(w, contained.source[1:], nobody, b.tree) })
		if err != nil {
			return fmt.Errorf("filling image %s: %w", b.ref, err)
		}
	}
	_, err = d.api.ContainerCommit(ctx, id, container.CommitOptions{
		Reference: b.ref, Comment: "evlab", Config: &container.Config{
			User: b.in.user, WorkingDir: b.in.layout.source, Labels: config.Labels, Env: []string{plan.NonceVariable + "=", plan.Variable + "="},
			Entrypoint: []string{contained.supervisor}, Cmd: []string{"step", contained.step}, Healthcheck: config.Healthcheck,
		},
	})
	if err != nil {
		return d.engineFault("committing image "+b.ref, err)
	}
	return nil
}

// pack writes all that goes into the container before the commands are run.
func (b building) pack(ctx context.Context, w *tar.Writer, limits Limits) error {
	if b.bare {
		if err := errors.Join(packBase(w), writeDir(w, contained.cache[1:], nobody, 0o755)); err != nil {
			return err
		}
	}
	if err := copyFile(w, b.supervisor, contained.supervisor[1:], 0, 0o755); err != nil {
		return err
	}
	if b.modules != "" {
		if err := packModules(w, contained.modules[1:], b.modules); err != nil {
			return err
		}
	}
	if b.packages != "" {
		if err := unpackDebian(ctx, w, b.packages); err != nil {
			return err
		}
	}
	if b.wheels != nil {
		if err := packWheels(w, "usr/local", b.wheels); err != nil {
			return err
		}
	}
	if b.tree != nil {
		if err := packSnapshot(w, b.in.layout.source[1:], b.in.uid, b.tree); err != nil {
			return err
		}
	}
	p := plan.Plan{
		Tree: b.in.layout.source, Dir: b.in.layout.source, Commands: b.warm, Env: b.in.env, Deadline: limits.Timeout, Log: limits.Log, Image: true,
	}
	switch {
	case b.in.given: // started for the sake of what it removes: the history of the base commit goes on after it
		p.Keep, p.Remove = true, []string{".git"}
	case len(b.warm) == 0:
		return nil
	default:
		p.Folders, p.Cache, p.Needs = []string{contained.scratch + "/home"}, contained.cache, needs(b.in.volume)
	}
	return packPlan(w, contained.step[1:], p, nil)
}

// warm runs the image's commands once, as the steps will run theirs, for the sake of the build cache.
func (d *docker) warm(ctx context.Context, id, nonce string, b building, limits Limits) error {
	if err := d.api.ContainerStart(ctx, id, container.StartOptions{}); err != nil {
		return d.engineFault("warming image "+b.ref, err)
	}
	var said bytes.Buffer
	out := &output{stdout: newOutputReader(nonce, limits.Log, nil), stderr: newOutputReader(nonce, limits.Log, &said)}
	end, err := d.follow(ctx, id, limits, out)
	if err != nil {
		return err
	}
	outcome, exit, err := end.judge()
	switch {
	case err != nil:
		return fault(FaultImage, "warming image %s: %w", b.ref, err)
	case outcome == Cancelled:
		return context.Cause(ctx)
	case outcome != Completed && outcome != Killed && outcome != Memory:
		return fault(FaultImage, "warming image %s with %q: %s (status %d): %.2000s", b.ref, b.warm, outcome, exit, said.Bytes())
	}
	return nil
}

// copyIn unpacks what pack writes in a folder of a container that is not running.
func (d *docker) copyIn(ctx context.Context, id, dir string, pack func(w *tar.Writer) error) error {
	r, w := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		tw := tar.NewWriter(w)
		err := pack(tw)
		if err == nil {
			err = tw.Close()
		}
		w.CloseWithError(err)
		packed <- err
	}()
	err := d.api.CopyToContainer(ctx, id, dir, r, container.CopyToContainerOptions{})
	r.Close()
	if perr := <-packed; perr != nil && !errors.Is(perr, io.ErrClosedPipe) {
		return fault(FaultImage, "packing: %w", perr)
	}
	if err != nil {
		return d.engineFault("copying into container "+id, err)
	}
	return nil
}

// needs are what a container with the volume must have: an engine makes a volume that is gone anew, and empty.
func needs(volume string) []string {
	if volume == "" {
		return nil
	}
	return []string{contained.toolchain + "/go/VERSION"}
}

// packPlan writes a step's folder: the plan, and the files that it names.
func packPlan(w *tar.Writer, prefix string, p plan.Plan, contents [][]byte) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := writeDir(w, prefix, 0, 0o755); err != nil {
		return err
	}
	for i, content := range contents {
		if err := writeFile(w, fmt.Sprintf("%s/%d", prefix, i), 0, 0o644, content); err != nil {
			return err
		}
	}
	return writeFile(w, prefix+"/"+plan.File, 0, 0o644, data)
}
