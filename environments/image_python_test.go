package environments

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"evlab/environments/requirements"
)

// imageOf is an engine with one image.
type imageOf struct {
	variables []string
	files     []tar.Header
	contents  map[string]string
	opened    int
	closed    bool
}

func (i *imageOf) Variables(context.Context, string) ([]string, error) { return i.variables, nil }

func (i *imageOf) Files(context.Context, string) (io.ReadCloser, error) {
	i.opened++
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range i.files {
		h.Size = int64(len(i.contents[h.Name]))
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := io.WriteString(w, i.contents[h.Name]); err != nil {
			return nil, err
		}
	}
	return i, errors.Join(w.Close(), func() error { i.contents["/"] = b.String(); return nil }())
}

func (i *imageOf) Read(p []byte) (int, error) {
	left := i.contents["/"]
	if left == "" {
		return 0, io.EOF
	}
	n := copy(p, left)
	i.contents["/"] = left[n:]
	return n, nil
}

func (i *imageOf) Close() error { i.closed = true; return nil }

// TestImageIndex: an image's Python asks for its wheels by a pip of its own, and what was resolved needs neither again.
func TestImageIndex(t *testing.T) {
	debian, served := openTest(t) // for its index
	served.files["tool-1.0-py3-none-any.whl"] = wheelOf(t, "tool", "1.0", nil, "older; python_version < '3.4'")
	version, minor := debian.version, debian.Python()
	loader := "#!/bin/sh\nunset PYTHONHOME\nexport PYTHONPATH=$(echo /usr/share/python-wheels/pip-*.whl)\ncase \"$2\" in */usr/local/lib:*) ;; *) exit 8;; esac\n" +
		"case \"$3\" in */usr/local/bin/python" + minor + ") ;; *) exit 7;; esac\nshift 3\nexec /usr/bin/python3 \"$@\"\n"
	image := &imageOf{
		variables: []string{"PATH=/bin", "PYTHON_VERSION=" + version},
		files: []tar.Header{
			{Name: "lib", Typeflag: tar.TypeSymlink, Linkname: "usr/lib"},
			{Name: "usr/lib/x-linux-gnu/", Typeflag: tar.TypeDir, Mode: 0o755},
			{Name: "usr/lib/x-linux-gnu/ld-2.so", Typeflag: tar.TypeReg, Mode: 0o755},
			{Name: "usr/lib/x-linux-gnu/ld-linux-x.so.2", Typeflag: tar.TypeSymlink, Linkname: "/lib/x-linux-gnu/ld-2.so"},
			{Name: "usr/local/lib/python" + minor + "/os.py", Typeflag: tar.TypeReg, Mode: 0o644},
			{Name: "usr/local/bin/python" + minor, Typeflag: tar.TypeReg, Mode: 0o755},
			{Name: "usr/local/bin/python3", Typeflag: tar.TypeSymlink, Linkname: "python" + minor},
			{Name: "etc/secret", Typeflag: tar.TypeReg, Mode: 0o644},
			{Name: "lib/out", Typeflag: tar.TypeSymlink, Linkname: "../../../../etc"},
			{Name: "usr/lib/device", Typeflag: tar.TypeBlock},
			{Name: "usr/lib/twin", Typeflag: tar.TypeLink, Linkname: "etc/secret"},
		},
		contents: map[string]string{"usr/lib/x-linux-gnu/ld-2.so": loader, "usr/local/bin/python" + minor: "#!/bin/false\n"},
	}
	store := t.TempDir()
	for range 2 {
		x, err := OpenImageIndex(context.Background(), store, "sha256:1", runtime.GOARCH, image)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if x.Target().Python != version || x.Python() != minor {
			t.Errorf("%+v, %s", x.Target(), x.Python())
		}
		got, err := x.Resolve(context.Background(), requirements.Set{Wanted: []string{"tool"}})
		if err != nil || !slices.Equal(names(got), []string{"tool-1.0-py3-none-any.whl"}) {
			t.Fatalf("%q, %v", names(got), err)
		}
		if x.pip == nil {
			continue
		}
		if left, _ := filepath.Glob(filepath.Join(x.pip.dir, "root", "*", "*")); slices.ContainsFunc(left, func(p string) bool { return strings.Contains(p, "secret") || strings.Contains(p, "out") }) {
			t.Errorf("more than the Python was laid out: %q", left)
		}
		if info, err := os.Lstat(filepath.Join(x.pip.dir, "root", "lib")); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%v, %v", info, err)
		}
	}
	if image.opened != 1 || !image.closed {
		t.Errorf("the image was read %d times; closed: %t", image.opened, image.closed)
	}
	for _, bad := range []string{"", "2.7.18", "3.9", "3.9.18; rm", "3.15.0b1"} {
		if _, err := OpenImageIndex(context.Background(), store, "sha256:2", runtime.GOARCH, &imageOf{variables: []string{"PYTHON_VERSION=" + bad}}); err == nil || !strings.Contains(err.Error(), "PYTHON_VERSION") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	empty := &imageOf{variables: []string{"PYTHON_VERSION=" + version}, contents: map[string]string{}}
	x, err := OpenImageIndex(context.Background(), store, "sha256:3", runtime.GOARCH, empty)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Resolve(context.Background(), requirements.Set{Wanted: []string{"tool"}}); err == nil || !strings.Contains(err.Error(), "loader") {
		t.Errorf("an image without a Python: %v", err)
	}
}
