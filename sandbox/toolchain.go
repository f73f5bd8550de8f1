package sandbox

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// toolchain is a Go distribution on this machine's disk.
type toolchain struct {
	root    string // GOROOT
	version string // go1.26.8
}

// findToolchain finds a Go distribution for the platform: this machine's own when it fits, else the module that the Go
// proxy serves for the purpose (which the checksum database covers).
func findToolchain(ctx context.Context, version, goos, goarch string) (toolchain, error) {
	out, err := goCommand(ctx, "env", "-json", "GOROOT", "GOVERSION", "GOHOSTOS", "GOHOSTARCH")
	if err != nil {
		return toolchain{}, err
	}
	var env struct{ GOROOT, GOVERSION, GOHOSTOS, GOHOSTARCH string }
	if err := json.Unmarshal(out, &env); err != nil {
		return toolchain{}, fmt.Errorf("reading the answer of go env: %w", err)
	}
	if version == "" {
		version = env.GOVERSION
	}
	if version == env.GOVERSION && goos == env.GOHOSTOS && goarch == env.GOHOSTARCH {
		return toolchain{root: env.GOROOT, version: version}, nil
	}
	module := fmt.Sprintf("golang.org/toolchain@v0.0.1-%s.%s-%s", version, goos, goarch)
	out, err = goCommand(ctx, "mod", "download", "-json", module)
	if err != nil {
		return toolchain{}, fmt.Errorf("getting %s: %w", module, err)
	}
	var got struct{ Dir, Error string }
	if err := json.Unmarshal(out, &got); err != nil || got.Dir == "" {
		return toolchain{}, fmt.Errorf("getting %s: the go command named no folder (%s)", module, got.Error)
	}
	return toolchain{root: got.Dir, version: version}, nil
}

func goCommand(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return nil, fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(exit.Stderr)))
		}
		return nil, fmt.Errorf("go %s: %w (a Go toolchain must be on PATH)", strings.Join(args, " "), err)
	}
	return out, nil
}

// keeps says whether running tests needs the file. The toolchain's sources do matter, as `go tool` makes programs like nm
// of them when they are first asked for, and so do the standard library's tests, which tests of analysers read; the
// toolchain's own tests do not, nor do documents.
func (t toolchain) keeps(name string) bool {
	first, rest, _ := strings.Cut(name, "/")
	switch first {
	case "go.env", "VERSION", "LICENSE", "PATENTS":
		return true
	case "bin", "lib", "pkg":
		return true
	case "src":
		own := strings.HasSuffix(name, "_test.go") || path.Base(name) == "testdata"
		return !own || !strings.HasPrefix(rest, "cmd/")
	}
	return false
}

// writeTo writes the distribution as tar entries below prefix, root's and dated alike.
func (t toolchain) writeTo(w *tar.Writer, prefix string) error {
	return filepath.WalkDir(t.root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(t.root, file)
		if err != nil {
			return err
		}
		if rel == "." {
			return writeDir(w, prefix, 0, 0o755)
		}
		rel = filepath.ToSlash(rel)
		if !t.keeps(rel) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		name := path.Join(prefix, rel)
		if d.IsDir() {
			return writeDir(w, name, 0, 0o755)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := int64(0o644)
		if strings.HasPrefix(rel, "bin/") || strings.HasPrefix(rel, "pkg/tool/") || info.Mode()&0o111 != 0 {
			mode = 0o755 // files from a module download have lost the mark
		}
		return copyFile(w, file, name, 0, mode)
	})
}

// imageTime dates what goes into images.
var imageTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func writeDir(w *tar.Writer, name string, owner int, mode int64) error {
	return w.WriteHeader(&tar.Header{
		Typeflag: tar.TypeDir, Name: name + "/", Mode: mode, Uid: owner, Gid: owner, ModTime: imageTime,
	})
}

func writeLink(w *tar.Writer, name, target string) error {
	return w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target, Mode: 0o777, ModTime: imageTime})
}

func writeFile(w *tar.Writer, name string, owner int, mode int64, data []byte) error {
	err := w.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Mode: mode, Uid: owner, Gid: owner, ModTime: imageTime, Size: int64(len(data)),
	})
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

func copyFile(w *tar.Writer, from, name string, owner int, mode int64) error {
	return copyFileDated(w, from, name, owner, mode, imageTime)
}

func copyFileDated(w *tar.Writer, from, name string, owner int, mode int64, date time.Time) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	err = w.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Mode: mode, Uid: owner, Gid: owner, ModTime: date, Size: info.Size(),
	})
	if err == nil {
		_, err = io.CopyN(w, f, info.Size())
	}
	if err != nil {
		return fmt.Errorf("packing %s: %w", from, err)
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// localPlatform is what the host sandbox runs on.
func localPlatform() (goos, goarch string) { return runtime.GOOS, runtime.GOARCH }
