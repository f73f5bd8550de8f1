package sandbox

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"

	"evlab/sandbox/wheel"
)

// testWheel writes a wheel of one module, and of more.
func testWheel(t *testing.T, project string, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	all := map[string]string{project + "-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\n", project + ".py": "x = 1\n"}
	for name, text := range files {
		all[name] = text
	}
	for _, name := range sortedKeys(all) {
		in, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(in, all[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), project+"-1.0-py3-none-any.whl")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPackWheels(t *testing.T) {
	tool := testWheel(t, "tool", map[string]string{"tool-1.0.dist-info/entry_points.txt": "[console_scripts]\ntool = tool:main\n"})
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := packWheels(w, "usr/local", &System{Wheels: &Wheels{Files: []string{tool, testWheel(t, "other", nil)}, Python: "3.11"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	modes := map[string]int64{}
	for in := tar.NewReader(&b); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := modes[h.Name]; twice || h.Uid != 0 || !strings.HasPrefix(h.Name, "usr/local/") {
			t.Errorf("%+v", h)
		}
		modes[h.Name] = h.Mode
	}
	site := "usr/local/lib/python3.11/dist-packages/"
	if modes[site+"tool.py"] != 0o644 || modes[site+"other.py"] != 0o644 || modes["usr/local/bin/tool"] != 0o755 || modes[site] != 0o755 {
		t.Errorf("%v", modes)
	}
	bad := testWheel(t, "bad", map[string]string{"../../../../etc/passwd": "root::0:0::/:/bin/sh\n"})
	b.Reset()
	if err := packWheels(tar.NewWriter(&b), "usr/local", &System{Wheels: &Wheels{Files: []string{bad}, Python: "3.11"}}); !errors.Is(err, wheel.ErrWheel) || b.Len() > 0 {
		t.Errorf("a path that escapes: %v, %d bytes were written", err, b.Len())
	}
}

// ensureLayered makes a recipe's image. At the test's end it is gone, and then the base with its wheels and the one below.
func (b *bench) ensureLayered(t *testing.T, r, plain Recipe) {
	t.Helper()
	ctx, d := context.Background(), b.Sandbox.(*docker)
	t.Cleanup(func() {
		for _, r := range []Recipe{r, plain} {
			found, err := d.ensureBase(ctx, r)
			if err == nil {
				_, err = d.api.ImageRemove(ctx, found.ref, image.RemoveOptions{})
			}
			if err != nil {
				t.Error(err)
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	var err error
	if b.image, err = b.Ensure(ctx, r); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Remove(ctx, b.image); err != nil {
			t.Error(err)
		}
	})
}

// TestWheelsInAnImage: wheels lie in their place over a system's packages, and tasks with the same share them.
func TestWheelsInAnImage(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	tree := filepath.Join(t.TempDir(), "tree")
	for name, text := range map[string]string{
		"DEBIAN/control":       fmt.Sprintf("Package: evlab-sample\nVersion: %d\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: a sample\n", os.Getpid()),
		"usr/share/sample.txt": "sample\n",
	} {
		file := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	packages := t.TempDir()
	if out, err := exec.Command("dpkg-deb", "--build", "--root-owner-group", tree, filepath.Join(packages, "sample.deb")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	state := t.TempDir()
	b := &bench{kind: "docker", state: state, host: fmt.Sprintf("wheels-%d", os.Getpid())}
	b.Sandbox = openKind(t, "docker", state, b.host)
	d := b.Sandbox.(*docker)
	ctx := context.Background()
	r := probeRecipe(t)
	r.System = &System{Packages: packages, PackagesID: b.host}
	plain := r
	r.System = &System{Packages: packages, PackagesID: b.host, Wheels: &Wheels{Files: []string{testWheel(t, "tool", nil)}, ID: b.host, Python: "3.11"}}
	if plain.ID() == r.ID() {
		t.Error("wheels are no part of the recipe's name")
	}
	b.ensureLayered(t, r, plain)
	ran := b.run(t, b.step(t, "cat", "/usr/local/lib/python3.11/dist-packages/tool.py", "/usr/share/sample.txt", "data/old.txt"))
	ran.want(t, Completed, 0)
	for _, want := range []string{`tool.py -rw-r--r-- "x = 1\n"`, `"sample\n"`, `"old\n"`} {
		if !strings.Contains(ran.stdout, want) {
			t.Errorf("the image lacks %s: %s", want, ran.stdout)
		}
	}
	first, err := d.ensureBase(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	another := r
	another.SnapshotID += "-another"
	if second, err := d.ensureBase(ctx, another); err != nil || second != first || !strings.HasPrefix(first.ref, "evlab/wheels:") {
		t.Errorf("another tree has the base %+v (%v), the first one %+v", second, err, first)
	}
}

// TestSystemOfAnImage: an image in the place of packages has what evlab's bases have, and its Python's wheels where that
// looks for them.
func TestSystemOfAnImage(t *testing.T) {
	d := engineOf(t)
	pinned := importGiven(t, d, fmt.Sprintf("evlab-test-system:%d", os.Getpid()), "USER runner", "ENTRYPOINT [\"/none\"]", "ENV PATH=/nowhere")
	state := t.TempDir()
	b := &bench{kind: "docker", state: state, host: fmt.Sprintf("system-%d", os.Getpid())}
	b.Sandbox = openKind(t, "docker", state, b.host)
	ctx := context.Background()
	r := probeRecipe(t)
	r.System = &System{Image: pinned}
	plain := r
	r.System = &System{Image: pinned, Wheels: &Wheels{Files: []string{testWheel(t, "tool", nil)}, ID: b.host, Python: "3.9"}}
	debian := r
	debian.System = &System{Packages: "x", PackagesID: pinned, Wheels: r.System.Wheels}
	if plain.ID() == r.ID() || debian.ID() == r.ID() {
		t.Error("image and wheels are no part of the recipe's name")
	}
	b.ensureLayered(t, r, plain)
	ran := b.run(t, b.step(t, "cat", "/usr/local/lib/python3.9/site-packages/tool.py", "/etc/passwd", "data/old.txt"))
	ran.want(t, Completed, 0)
	for _, want := range []string{`tool.py -rw-r--r-- "x = 1\n"`, "nobody:x:65534", `"old\n"`} {
		if !strings.Contains(ran.stdout, want) {
			t.Errorf("the image lacks %s: %s", want, ran.stdout)
		}
	}
	if who := b.run(t, b.step(t, "whoami")); who.stdout != fmt.Sprintf("%d %d /src\n", nobody, nobody) {
		t.Errorf("commands run as %q", who.stdout)
	}
	both := r
	both.System = &System{Image: pinned, Packages: "x", PackagesID: "x"}
	if _, err := b.Ensure(ctx, both); err == nil {
		t.Error("packages and an image were taken together")
	}
}

// TestPinnerReadsImages: what an image sets and has, without any of it being run.
func TestPinnerReadsImages(t *testing.T) {
	d := engineOf(t)
	pinned := importGiven(t, d, fmt.Sprintf("evlab-test-files:%d", os.Getpid()), "ENV PYTHON_VERSION=3.9.18", "ENTRYPOINT [\"/none\"]")
	host := fmt.Sprintf("files-%d", os.Getpid())
	p, err := NewPinner(host)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx := context.Background()
	variables, err := p.Variables(ctx, pinned)
	if err != nil || !slices.Contains(variables, "PYTHON_VERSION=3.9.18") {
		t.Errorf("%q, %v", variables, err)
	}
	if _, err := p.Variables(ctx, "sha256:"+strings.Repeat("0", 64)); err == nil {
		t.Error("an image that nobody has has variables")
	}
	files, err := p.Files(ctx, pinned)
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for in := tar.NewReader(files); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		has[h.Name] = true
	}
	if !has["etc/passwd"] || !has["home/runner/"] {
		t.Errorf("%v", has)
	}
	ours := filters.NewArgs(filters.Arg("label", LabelHost+"="+host))
	if made, err := d.api.ContainerList(ctx, container.ListOptions{All: true, Filters: ours}); err != nil || len(made) != 1 || made[0].State != "created" {
		t.Errorf("while they are read: %+v, %v", made, err)
	}
	if err := files.Close(); err != nil {
		t.Error(err)
	}
	if made, err := d.api.ContainerList(ctx, container.ListOptions{All: true, Filters: ours}); err != nil || len(made) != 0 {
		t.Errorf("afterwards: %+v, %v", made, err)
	}
}
