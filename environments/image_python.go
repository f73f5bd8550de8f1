package environments

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Images are those of an engine, by names that are pinned to their content.
type Images interface {
	// Variables are those that an image sets. An image that is not there is fetched.
	Variables(ctx context.Context, image string) ([]string, error)
	// Files is a tar of all that is in an image.
	Files(ctx context.Context, image string) (io.ReadCloser, error)
}

var imageVersion = regexp.MustCompile(`^3\.\d+\.\d+$`)

// OpenImageIndex is OpenIndex for the Python of an image of the kind that Docker's official ones are: built in /usr/local,
// with a pip of its own, and with its version among the image's variables.
func OpenImageIndex(ctx context.Context, store, image, arch string, images Images) (*Index, error) {
	variables, err := images.Variables(ctx, image)
	if err != nil {
		return nil, err
	}
	version := ""
	for _, v := range variables {
		if value, ok := strings.CutPrefix(v, "PYTHON_VERSION="); ok {
			version = value
		}
	}
	if !imageVersion.MatchString(version) {
		return nil, fmt.Errorf("image %s: expected the version of its Python in the variable PYTHON_VERSION, such as 3.9.18, found %.40q", image, version)
	}
	x := &Index{store: store, from: image, arch: arch, version: version, local: true}
	x.unpack = func(ctx context.Context) (*pip, error) {
		return openPip(store, x.Python(), func(p *pip, root string) error {
			p.home = filepath.Join(root, "usr", "local")
			files, err := images.Files(ctx, image)
			if err != nil {
				return err
			}
			err = layPython(files, root)
			if err = errors.Join(err, files.Close()); err != nil {
				return fmt.Errorf("reading the Python of image %s: %w", image, err)
			}
			return nil
		})
	}
	return x, nil
}

// Bounds of what is read out of an image.
const (
	maxImageFiles = 200_000
	maxImageBytes = 8 << 30
)

// ofPython are the files of an image that its Python loads.
var ofPython = regexp.MustCompile(`^(?:(?:usr/)?lib(?:64)?|usr/local/lib)(?:/|$)|^usr/local/bin/python3`)

// layPython lays out what an image's Python needs. Links stay in the folder, whatever they name.
func layPython(in io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	files, size := 0, int64(0)
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		name := path.Clean(strings.TrimPrefix(h.Name, "./"))
		if !fs.ValidPath(name) || !ofPython.MatchString(name) {
			continue
		}
		if files, size = files+1, size+h.Size; files > maxImageFiles || size > maxImageBytes {
			return fmt.Errorf("it has more than %d files or %d GB", maxImageFiles, maxImageBytes>>30)
		}
		if err := layEntry(root, name, h, r); err != nil {
			return fmt.Errorf("%.200q: %w", name, err)
		}
	}
}

func layEntry(root *os.Root, name string, h *tar.Header, content io.Reader) error {
	if h.Typeflag == tar.TypeDir {
		return root.MkdirAll(name, 0o755)
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeReg:
		f, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, os.FileMode(h.Mode)&0o755|0o400)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, content)
		return errors.Join(err, f.Close())
	case tar.TypeLink:
		to := path.Clean(strings.TrimPrefix(h.Linkname, "./"))
		if !fs.ValidPath(to) || !ofPython.MatchString(to) {
			return nil
		}
		return root.Link(to, name)
	case tar.TypeSymlink:
		to := h.Linkname
		if path.IsAbs(to) {
			to = strings.Repeat("../", strings.Count(name, "/")) + strings.TrimLeft(to, "/")
		}
		if !fs.ValidPath(path.Join(path.Dir(name), to)) {
			return nil
		}
		return root.Symlink(to, name)
	}
	return nil // devices and the like
}
