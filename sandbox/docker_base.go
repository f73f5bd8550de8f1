package sandbox

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/volume"
)

// layoutVersion changes whenever an image with the same parts would come out otherwise.
const layoutVersion = "4"

// base is what tasks' images begin with.
type base struct {
	ref    string
	volume string // mounted at contained.toolchain in every container that comes of it; "" for none
}

// ensureBase makes or finds the base of a recipe's images: the Go toolchain or a system's packages, a user, a build cache,
// and a supervisor, which a task's image brings anew, so that a new evlab need not import all that again. A given image
// is what it is.
func (d *docker) ensureBase(ctx context.Context, r Recipe) (base, error) {
	if r.Given != nil {
		return d.ensureGiven(ctx, r)
	}
	if r.System == nil {
		return d.ensureGo(ctx, r.GoVersion)
	}
	if r.System.Toolchain {
		return d.ensureBeside(ctx, r)
	}
	parts := []any{"evlab-debian", layoutVersion, debianVersion, d.facts.OS, d.facts.Arch, nobody, Environment(), r.System.id()}
	system, err := d.ensureImported(ctx, "evlab/debian:", "", parts, func(ctx context.Context, hash string, b base) error {
		return d.importSystem(ctx, r.System, hash, b.ref)
	})
	if err != nil || r.System.Wheels == nil {
		return system, err
	}
	parts = append([]any{"evlab-wheels", system.ref, r.System.Env}, r.System.Wheels.parts()...)
	return d.ensureImported(ctx, "evlab/wheels:", "", parts, func(ctx context.Context, hash string, b base) error {
		return d.setUp(ctx, building{hash: hash, from: system.ref, in: own("", r.System.Env), ref: b.ref, warm: r.System.Wheels.Setup, wheels: r.System})
	})
}

// ensureGo makes or finds the base of the Go toolchain alone.
func (d *docker) ensureGo(ctx context.Context, version string) (base, error) {
	tc, err := findToolchain(ctx, version, d.facts.OS, d.facts.Arch)
	if err != nil {
		return base{}, fault(FaultImage, "finding a Go toolchain for the base image: %w", err)
	}
	parts := []any{"evlab-go", layoutVersion, tc.version, d.facts.OS, d.facts.Arch, nobody, Environment(), warmImports}
	return d.ensureImported(ctx, "evlab/go:", "evlab-go-", parts, func(ctx context.Context, hash string, b base) error {
		return d.importGo(ctx, tc, hash, b)
	})
}

// ensureBeside makes or finds a base of packages over that of the Go toolchain, with the same volume. What its setup leaves
// in the build cache, such as the packages of the standard library that C changes, lies in the image: the compiler that
// they depend on is the image's own, and the volume's cache was made by this machine's toolchain, which may have none.
func (d *docker) ensureBeside(ctx context.Context, r Recipe) (base, error) {
	toolchain, err := d.ensureGo(ctx, r.GoVersion)
	if err != nil {
		return base{}, err
	}
	parts := []any{"evlab-beside", debianVersion, toolchain.ref, r.System.id()}
	b, err := d.ensureImported(ctx, "evlab/go-debian:", "", parts, func(ctx context.Context, hash string, b base) error {
		in := own(toolchain.volume, r.System.Env)
		return d.setUp(ctx, building{hash: hash, from: toolchain.ref, in: in, ref: b.ref, warm: r.System.Setup, packages: r.System.Packages})
	})
	b.volume = toolchain.volume
	return b, err
}

// ensureImported makes the base that the parts name, unless it is there with its volume.
func (d *docker) ensureImported(ctx context.Context, name, volume string, parts []any, make func(ctx context.Context, hash string, b base) error) (base, error) {
	data, err := json.Marshal(parts)
	if err != nil {
		return base{}, fault(FaultImage, "naming the base image: %w", err)
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:12])
	b := base{ref: name + hash}
	if volume != "" {
		b.volume = volume + hash
	}
	if found, err := d.hasBase(ctx, b); found || err != nil {
		return b, err
	}
	unlock, err := lock(ctx, d.options.lockFile("image-"+hash))
	if err != nil {
		return base{}, err
	}
	defer unlock()
	if found, err := d.hasBase(ctx, b); found || err != nil {
		return b, err
	}
	if err := checkDisk(d.options.State); err != nil {
		return base{}, err
	}
	return b, make(ctx, hash, b)
}

// hasBase says whether image and volume are there.
func (d *docker) hasBase(ctx context.Context, b base) (bool, error) {
	if found, err := d.hasImage(ctx, b.ref); !found || b.volume == "" {
		return found, err
	}
	_, err := d.api.VolumeInspect(ctx, b.volume)
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, d.engineFault("looking for volume "+b.volume, err)
	}
	return true, nil
}

// importGo imports a base of the Go toolchain and a cache of its standard library. Both lie in a volume, and the image
// has links: what every test command reads most is read from the engine's own file system and not through layers, and an
// image is small to make. The image gets its name only when the volume is whole.
func (d *docker) importGo(ctx context.Context, tc toolchain, hash string, b base) error {
	cache, _, err := ensureStandard(ctx, d.options.State, tc.version, d.facts.OS, d.facts.Arch, warmImports)
	if err != nil {
		return fault(FaultImage, "importing the base image: %w", err)
	}
	bare := b.ref + "-bare"
	err = d.importBase(ctx, hash, bare, func(tw *tar.Writer) error {
		if err := writeLink(tw, contained.goRoot[1:], contained.toolchain+"/go"); err != nil {
			return err
		}
		if err := writeDir(tw, contained.toolchain[1:], 0, 0o755); err != nil {
			return err
		}
		return linkCacheTo(tw, contained.cache[1:], cache, contained.toolchain+"/standard")
	})
	if err != nil {
		return err
	}
	if err := d.fillVolume(ctx, hash, bare, b.volume, func(tw *tar.Writer) error {
		if err := tc.writeTo(tw, "go"); err != nil {
			return err
		}
		return packCache(tw, "standard", cache)
	}); err != nil {
		return err
	}
	if err := d.api.ImageTag(ctx, bare, b.ref); err != nil {
		return d.engineFault("naming image "+b.ref, err)
	}
	_, err = d.api.ImageRemove(ctx, bare, image.RemoveOptions{})
	return d.engineFault("removing the name "+bare, err)
}

// fillVolume makes the volume anew and unpacks what pack writes into it.
func (d *docker) fillVolume(ctx context.Context, hash, from, name string, pack func(w *tar.Writer) error) (err error) {
	if err := d.api.VolumeRemove(ctx, name, false); err != nil && !errdefs.IsNotFound(err) {
		return d.engineFault("removing the unfinished volume "+name, err)
	}
	labels := d.options.labels(map[string]string{labelImage: hash})
	if _, err := d.api.VolumeCreate(ctx, volume.CreateOptions{Name: name, Labels: labels}); err != nil {
		return d.engineFault("creating volume "+name, err)
	}
	config := &container.Config{Image: from, Entrypoint: []string{contained.supervisor}, Labels: labels}
	host := &container.HostConfig{NetworkMode: "none", Mounts: []mount.Mount{{Type: mount.TypeVolume, Source: name, Target: contained.toolchain}}}
	id, err := d.createContainer(ctx, config, host, "")
	if err != nil {
		return d.engineFault("creating the container that fills volume "+name, err)
	}
	defer func() {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		err = errors.Join(err, d.removeContainer(clean, id))
	}()
	return d.copyIn(ctx, id, contained.toolchain, pack)
}

// importSystem imports packages, or adds to an image what evlab's bases have, and runs the system's setup in what comes
// of them.
func (d *docker) importSystem(ctx context.Context, s *System, hash, ref string) error {
	if s.Image != "" {
		if err := d.pull(ctx, s.Image); err != nil {
			return err
		}
		return d.setUp(ctx, building{hash: hash, from: s.Image, in: own("", s.Env), ref: ref, warm: s.Setup, bare: true})
	}
	bare := ref
	if len(s.Setup) > 0 {
		bare += "-bare"
	}
	err := d.importBase(ctx, hash, bare, func(tw *tar.Writer) error {
		if err := unpackDebian(ctx, tw, s.Packages); err != nil {
			return err
		}
		return writeDir(tw, contained.cache[1:], nobody, 0o755)
	})
	if err != nil || bare == ref {
		return err
	}
	return d.setUp(ctx, building{hash: hash, from: bare, in: own("", s.Env), ref: ref, warm: s.Setup})
}

// setUp makes a base out of another one.
func (d *docker) setUp(ctx context.Context, b building) (err error) {
	if b.supervisor, err = ensureProgram(ctx, d.options.State, supervisor, d.facts.OS, d.facts.Arch); err != nil {
		return fault(FaultImage, "setting up the base image: %w", err)
	}
	return d.build(ctx, b)
}

// importBase imports an image from nothing: what every base has, and what fill adds. It has no name before all is there.
func (d *docker) importBase(ctx context.Context, hash, ref string, fill func(w *tar.Writer) error) error {
	binary, err := ensureProgram(ctx, d.options.State, supervisor, d.facts.OS, d.facts.Arch)
	if err != nil {
		return fault(FaultImage, "importing the base image: %w", err)
	}
	r, w := io.Pipe()
	defer r.Close()
	go func() { w.CloseWithError(writeBase(w, binary, fill)) }()
	var changes []string
	labels := d.options.labels(map[string]string{labelImage: hash})
	for _, k := range sortedKeys(labels) {
		changes = append(changes, fmt.Sprintf("LABEL %s=%s", k, quoteLabel(labels[k])))
	}
	changes = append(changes, fmt.Sprintf("USER %d:%d", nobody, nobody), "WORKDIR "+contained.source)
	body, err := d.api.ImageImport(ctx, image.ImportSource{Source: r, SourceName: "-"}, ref, image.ImportOptions{
		Changes: changes, Message: "evlab base",
	})
	if err != nil {
		return d.engineFault("importing the base image", err)
	}
	defer body.Close()
	var refused refusal
	if err = messages(body); errors.As(err, &refused) {
		return fault(FaultImage, "importing the base image: %w", refused)
	}
	return d.engineFault("importing the base image", err)
}

// quoteLabel writes a value as a Dockerfile's double-quoted word.
func quoteLabel(v string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "\n", " ").Replace(v) + `"`
}

// writeBase writes the base image's file system as a tar.
func writeBase(w io.Writer, supervise string, fill func(w *tar.Writer) error) error {
	tw := tar.NewWriter(w)
	if err := packBase(tw); err != nil {
		return err
	}
	if err := copyFile(tw, supervise, contained.supervisor[1:], 0, 0o755); err != nil {
		return err
	}
	if err := fill(tw); err != nil {
		return err
	}
	return tw.Close()
}

// packBase writes the folders and lists that every base has.
func packBase(tw *tar.Writer) error {
	for _, dir := range []struct {
		name  string
		owner int
		mode  int64
	}{
		{"etc", 0, 0o755}, {"usr", 0, 0o755}, {"usr/local", 0, 0o755}, {contained.scratch[1:], 0, 0o1777},
		{contained.source[1:], nobody, 0o755}, {evlabDir[1:], 0, 0o755}, {contained.modules[1:], 0, 0o755},
		{contained.step[1:], 0, 0o755},
	} {
		if err := writeDir(tw, dir.name, dir.owner, dir.mode); err != nil {
			return err
		}
	}
	etc := map[string]string{
		"etc/passwd":        fmt.Sprintf("root:x:0:0:root:/:/none\nnobody:x:%d:%d:nobody:%s/home:/none\n", nobody, nobody, contained.scratch),
		"etc/group":         fmt.Sprintf("root:x:0:\nnogroup:x:%d:\n", nobody),
		"etc/nsswitch.conf": "hosts: files dns\n",
	}
	for _, name := range sortedKeys(etc) {
		if err := writeFile(tw, name, 0, 0o644, []byte(etc[name])); err != nil {
			return err
		}
	}
	return nil
}

// hasImage says whether the engine has an image of this name.
func (d *docker) hasImage(ctx context.Context, ref string) (bool, error) {
	_, err := d.api.ImageInspect(ctx, ref)
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, d.engineFault("looking for image "+ref, err)
	}
	return true, nil
}

// warmTime is how long the commands that warm an image may take together.
const warmTime = 20 * time.Minute
