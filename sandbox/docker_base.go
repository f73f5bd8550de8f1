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
const layoutVersion = "1"

// warmImports are what tests commonly reach for: the base image's build cache holds them and all below them.
var warmImports = []string{
	"archive/zip", "bufio", "bytes", "compress/gzip", "context", "crypto/sha256", "crypto/tls", "database/sql", "embed",
	"encoding/base64", "encoding/binary", "encoding/csv", "encoding/gob", "encoding/hex", "encoding/json", "encoding/xml", "errors",
	"flag", "fmt", "go/ast", "go/format", "go/parser", "go/types", "hash/crc32", "hash/fnv", "html/template", "io", "iter",
	"log/slog", "maps", "math/big", "math/rand", "math/rand/v2", "mime/multipart", "net/http/httptest", "net/url", "os/exec",
	"os/signal", "reflect", "regexp", "runtime/debug", "slices", "sort", "strconv", "strings", "sync/atomic", "testing/fstest",
	"testing/iotest", "testing/quick", "text/tabwriter", "text/template", "time", "unicode/utf8",
}

// ensureBase makes or finds the image that tasks' images begin with: toolchain, a user, a warm build cache, and a
// supervisor, which serves for making it only: a task's image brings its own, so that a new evlab need not warm anew.
func (d *docker) ensureBase(ctx context.Context, version string) (string, error) {
	tc, err := findToolchain(ctx, version, d.facts.OS, d.facts.Arch)
	if err != nil {
		return "", fault(FaultImage, "finding a Go toolchain for the base image: %w", err)
	}
	parts, err := json.Marshal([]any{
		"evlab-go", layoutVersion, tc.version, d.facts.OS, d.facts.Arch, nobody, Environment(), warmImports,
	})
	if err != nil {
		return "", fault(FaultImage, "naming the base image: %w", err)
	}
	sum := sha256.Sum256(parts)
	hash := hex.EncodeToString(sum[:12])
	ref, bare := "evlab/go:"+hash, "evlab/go:"+hash+"-bare"
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
	found, err := d.hasImage(ctx, bare)
	if err != nil {
		return "", err
	}
	if !found {
		if err := d.importBare(ctx, tc, hash, bare); err != nil {
			return "", err
		}
	}
	sample := func(w io.Writer) error { return warmSample(w, tc.version, warmImports) }
	err = d.build(ctx, building{
		hash: hash, from: bare, ref: ref, warm: [][]string{{"go", "test", "-count=1", "./..."}}, warmTree: sample,
	})
	if err != nil {
		return "", err
	}
	return ref, nil
}

// warmSample is a tree whose test compiles the packages.
func warmSample(w io.Writer, version string, packages []string) error {
	var imports strings.Builder
	for _, name := range packages {
		fmt.Fprintf(&imports, "\t_ %q\n", name)
	}
	lines := strings.SplitN(strings.TrimPrefix(version, "go"), ".", 3)
	if len(lines) < 2 {
		return fmt.Errorf("%q is not a Go version", version)
	}
	tw := tar.NewWriter(w)
	for name, text := range map[string]string{
		"go.mod":       "module warm\n\ngo " + lines[0] + "." + lines[1] + "\n",
		"warm.go":      "package warm\n\nimport (\n" + imports.String() + ")\n",
		"warm_test.go": "package warm\n\nimport \"testing\"\n\nfunc TestWarm(t *testing.T) {}\n",
	} {
		if err := writeFile(tw, name, 0, 0o644, []byte(text)); err != nil {
			return err
		}
	}
	return tw.Close()
}

// importBare imports the toolchain and the supervisor as an image from nothing.
func (d *docker) importBare(ctx context.Context, tc toolchain, hash, ref string) error {
	binary, err := ensureSupervisor(ctx, d.options.State, d.facts.OS, d.facts.Arch)
	if err != nil {
		return fault(FaultImage, "importing the base image: %w", err)
	}
	r, w := io.Pipe()
	defer r.Close()
	go func() { w.CloseWithError(writeBase(w, tc, binary)) }()
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
func writeBase(w io.Writer, tc toolchain, supervise string) error {
	tw := tar.NewWriter(w)
	for _, dir := range []struct {
		name  string
		owner int
		mode  int64
	}{
		{"etc", 0, 0o755}, {"usr", 0, 0o755}, {"usr/local", 0, 0o755}, {contained.goRoot[1:], 0, 0o755}, {contained.scratch[1:], 0, 0o1777},
		{contained.source[1:], nobody, 0o755}, {evlabDir[1:], 0, 0o755}, {contained.cache[1:], nobody, 0o755}, {contained.modules[1:], 0, 0o755},
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
	if err := tc.writeTo(tw, contained.goRoot[1:]); err != nil {
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
