package sandbox

import (
	"archive/tar"
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
)

// ensureGiven makes sure that a given image is there: it is pulled, or built from its Dockerfile.
func (d *docker) ensureGiven(ctx context.Context, r Recipe) (base, error) {
	if r.Given.Dockerfile != "" {
		parts := []any{"evlab-dockerfile", d.facts.OS, d.facts.Arch, r.Given.Dockerfile, r.SnapshotID}
		return d.ensureImported(ctx, "evlab/dockerfile:", "", parts, func(ctx context.Context, hash string, b base) error {
			return d.buildDockerfile(ctx, r, hash, b.ref)
		})
	}
	return base{ref: r.Given.Image}, d.pull(ctx, r.Given.Image)
}

// pull makes sure that an image is there as Pinner.Pin says it.
func (d *docker) pull(ctx context.Context, ref string) error {
	if found, err := d.hasImage(ctx, ref); found || err != nil {
		return err
	}
	if err := checkDisk(d.options.State); err != nil {
		return err
	}
	if err := pull(ctx, d.api, ref, d.facts.OS+"/"+d.facts.Arch); err != nil {
		return fault(FaultImage, "pulling image %s: %w", ref, err)
	}
	return nil
}

func pull(ctx context.Context, api *client.Client, ref, platform string) error {
	body, err := api.ImagePull(ctx, ref, image.PullOptions{Platform: platform})
	if err != nil {
		return err
	}
	defer body.Close()
	return messages(body)
}

// dockerfileName is what the Dockerfile is called in its context, so that it takes no place of a file of the repository's.
const dockerfileName = ".evlab.Dockerfile"

// buildDockerfile builds with the tree of the base commit as context. The build may use the network: it runs before any
// candidate is there, and its steps are the task's.
func (d *docker) buildDockerfile(ctx context.Context, r Recipe, hash, ref string) error {
	in, w := io.Pipe()
	defer in.Close()
	go func() {
		tw := tar.NewWriter(w)
		err := packSnapshot(tw, ".", 0, r.Snapshot)
		if err == nil {
			err = writeFile(tw, dockerfileName, 0, 0o644, []byte(r.Given.Dockerfile))
		}
		if err == nil {
			err = tw.Close()
		}
		w.CloseWithError(err)
	}()
	answer, err := d.api.ImageBuild(ctx, in, build.ImageBuildOptions{
		Tags: []string{ref}, Dockerfile: dockerfileName, Remove: true, ForceRemove: true, Labels: d.options.labels(map[string]string{labelImage: hash}),
	})
	if err == nil {
		defer answer.Body.Close()
		err = messages(answer.Body)
	}
	if err != nil {
		return fault(FaultImage, "building the Dockerfile of task %q: %w", r.Task, err)
	}
	return nil
}

// refusal is an engine's own word that a long work failed.
type refusal string

func (r refusal) Error() string { return string(r) }

// messages reads what an engine says of a long work. Its refusal comes among it, and what it said last goes with that.
func messages(body io.Reader) error {
	said := ""
	for dec := json.NewDecoder(body); ; {
		var m struct {
			Stream string `json:"stream"`
			Error  string `json:"error"`
		}
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if m.Error != "" {
			return refusal(strings.TrimSpace(said + m.Error))
		}
		said += m.Stream
		said = said[max(0, len(said)-1000):]
	}
}

// surveyGiven reads off a given image what its containers will be. Where the home of its user is, only a container tells.
func (d *docker) surveyGiven(ctx context.Context, ref, workdir string) (surroundings, error) {
	i, err := d.api.ImageInspect(ctx, ref)
	if errdefs.IsNotFound(err) {
		return surroundings{}, fault(FaultImage, "image %s is gone: %w", ref, err)
	}
	if err != nil {
		return surroundings{}, d.engineFault("looking at image "+ref, err)
	}
	if i.Config == nil || i.Os != d.facts.OS || i.Architecture != d.facts.Arch {
		return surroundings{}, fault(FaultImage, "image %s is for %s/%s, and the engine runs %s/%s", ref, i.Os, i.Architecture, d.facts.OS, d.facts.Arch)
	}
	if workdir == "" {
		workdir = i.Config.WorkingDir
	}
	if workdir = path.Clean(workdir); !path.IsAbs(workdir) || workdir == "/" {
		return surroundings{}, fault(FaultImage, "image %s has no working folder of its own: say where the repository goes (workdir)", ref)
	}
	for volume := range i.Config.Volumes {
		if v := path.Clean(volume); v == workdir || strings.HasPrefix(workdir, v+"/") || v == evlabDir {
			return surroundings{}, fault(FaultImage, "image %s declares the volume %s, and what is put there is not kept in an image", ref, volume)
		}
	}
	return givenSurroundings(workdir, i.Config.User, "", i.Config.Env), nil
}

// findUser fills in number and home of the image's user, by the container's own list of users.
func (d *docker) findUser(ctx context.Context, id string, in *surroundings) error {
	name, _, _ := strings.Cut(in.user, ":")
	if name == "" {
		name = "0"
	}
	list, err := d.readOut(ctx, id, "/etc/passwd")
	if err != nil {
		return err
	}
	found := false
	in.uid, in.home, found = userOf(list, name)
	if !found {
		return fault(FaultImage, "the image's user %q is not in its /etc/passwd", name)
	}
	return nil
}

// userOf finds a user by name or number in a list as /etc/passwd has it. Numbers need no entry: without one their home
// is in scratch, root's in /root.
func userOf(list, name string) (uid int, home string, found bool) {
	for line := range strings.Lines(list) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) < 7 || f[0] != name && f[2] != name {
			continue
		}
		if n, err := strconv.Atoi(f[2]); err == nil && n >= 0 && path.IsAbs(f[5]) {
			return n, f[5], true
		}
	}
	switch n, err := strconv.Atoi(name); {
	case name == "root" || err == nil && n == 0:
		return 0, "/root", true
	case err == nil && n > 0:
		return n, contained.scratch, true
	}
	return 0, "", false
}

// maxReadOut bounds a file that is read out of somebody else's image.
const maxReadOut = 1 << 20

// readOut reads a small file out of a container; what is absent, or no file, is empty.
func (d *docker) readOut(ctx context.Context, id, name string) (string, error) {
	body, _, err := d.api.CopyFromContainer(ctx, id, name)
	if errdefs.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", d.engineFault("reading "+name+" of an image", err)
	}
	defer body.Close()
	in := tar.NewReader(bufio.NewReader(body))
	h, err := in.Next()
	if err != nil {
		return "", fault(FaultImage, "reading %s of an image: %w", name, err)
	}
	if h.Typeflag != tar.TypeReg {
		return "", nil
	}
	data, err := io.ReadAll(io.LimitReader(in, maxReadOut))
	if err != nil {
		return "", fault(FaultImage, "reading %s of an image: %w", name, err)
	}
	return string(data), nil
}
