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
	"github.com/docker/docker/api/types/image"
)

// layoutVersion changes whenever an image with the same parts would come out otherwise.
const layoutVersion = "2"

// ensureBase makes or finds the image that tasks' images begin with: the Go toolchain or a system's packages, a user, a
// build cache, and a supervisor, which a task's image brings anew, so that a new evlab need not import all that again.
func (d *docker) ensureBase(ctx context.Context, r Recipe) (string, error) {
	if r.System != nil {
		parts := []any{"evlab-debian", layoutVersion, d.facts.OS, d.facts.Arch, nobody, Environment(), r.System.id()}
		return d.ensureImported(ctx, "evlab/debian:", parts, func(ctx context.Context, hash, ref string) error {
			return d.importSystem(ctx, r.System, hash, ref)
		})
	}
	tc, err := findToolchain(ctx, r.GoVersion, d.facts.OS, d.facts.Arch)
	if err != nil {
		return "", fault(FaultImage, "finding a Go toolchain for the base image: %w", err)
	}
	parts := []any{"evlab-go", layoutVersion, tc.version, d.facts.OS, d.facts.Arch, nobody, Environment(), warmImports}
	return d.ensureImported(ctx, "evlab/go:", parts, func(ctx context.Context, hash, ref string) error {
		return d.importGo(ctx, tc, hash, ref)
	})
}

// ensureImported makes the image that the parts name, unless it is there.
func (d *docker) ensureImported(ctx context.Context, name string, parts []any, make func(ctx context.Context, hash, ref string) error) (string, error) {
	data, err := json.Marshal(parts)
	if err != nil {
		return "", fault(FaultImage, "naming the base image: %w", err)
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:12])
	ref := name + hash
	if found, err := d.hasImage(ctx, ref); found || err != nil {
		return ref, err
	}
	unlock, err := lock(ctx, d.options.lockFile("image-"+hash))
	if err != nil {
		return "", err
	}
	defer unlock()
	if found, err := d.hasImage(ctx, ref); found || err != nil {
		return ref, err
	}
	if err := checkDisk(d.options.State); err != nil {
		return "", err
	}
	return ref, make(ctx, hash, ref)
}

// importGo imports the toolchain with a cache of its standard library.
func (d *docker) importGo(ctx context.Context, tc toolchain, hash, ref string) error {
	cache, _, err := ensureStandard(ctx, d.options.State, tc.version, d.facts.OS, d.facts.Arch, warmImports)
	if err != nil {
		return fault(FaultImage, "importing the base image: %w", err)
	}
	return d.importBase(ctx, hash, ref, func(tw *tar.Writer) error {
		if err := tc.writeTo(tw, contained.goRoot[1:]); err != nil {
			return err
		}
		return packCache(tw, contained.cache[1:], cache)
	})
}

// importSystem imports packages, and runs the system's setup in what comes of them.
func (d *docker) importSystem(ctx context.Context, s *System, hash, ref string) error {
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
	binary, err := ensureProgram(ctx, d.options.State, supervisor, d.facts.OS, d.facts.Arch)
	if err != nil {
		return fault(FaultImage, "setting up the base image: %w", err)
	}
	return d.build(ctx, building{hash: hash, from: bare, ref: ref, supervisor: binary, warm: s.Setup, env: s.Env})
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
	for dec := json.NewDecoder(body); ; {
		var m struct{ Error string }
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return d.engineFault("importing the base image", err)
		}
		if m.Error != "" {
			return fault(FaultImage, "importing the base image: %s", m.Error)
		}
	}
}

// quoteLabel writes a value as a Dockerfile's double-quoted word.
func quoteLabel(v string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "\n", " ").Replace(v) + `"`
}

// writeBase writes the base image's file system as a tar.
func writeBase(w io.Writer, supervise string, fill func(w *tar.Writer) error) error {
	tw := tar.NewWriter(w)
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
	if err := copyFile(tw, supervise, contained.supervisor[1:], 0, 0o755); err != nil {
		return err
	}
	if err := fill(tw); err != nil {
		return err
	}
	return tw.Close()
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
