package sandbox

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// unpackDebian writes what the packages in dir contain as one file system, merged into /usr as Debian's own is. No
// package's script is run: what those would make (alternatives, caches) is not there.
func unpackDebian(ctx context.Context, w *tar.Writer, dir string) error {
	debs, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil {
		return err
	}
	if len(debs) == 0 {
		return fmt.Errorf("%s holds no package", dir)
	}
	// What the base has by itself is not written again.
	written := map[string]bool{".": true, "etc": true, "usr": true, "usr/local": true, "tmp": true, "etc/passwd": true, "etc/group": true, "etc/nsswitch.conf": true}
	for _, name := range mergedFolders {
		written[name] = true
		if err := writeDir(w, "usr/"+name, 0, 0o755); err != nil {
			return err
		}
		written["usr/"+name] = true
		if err := writeLink(w, name, "usr/"+name); err != nil {
			return err
		}
	}
	for _, deb := range debs {
		if err := unpackPackage(ctx, w, deb, written); err != nil {
			return fmt.Errorf("unpacking %s: %w", filepath.Base(deb), err)
		}
	}
	return nil
}

// mergedFolders are those that are links into /usr.
var mergedFolders = []string{"bin", "sbin", "lib", "lib32", "lib64"}

func unpackPackage(ctx context.Context, w *tar.Writer, deb string, written map[string]bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", deb)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := copySystem(w, out, written); err != nil {
		cancel()
		_ = cmd.Wait() // it was killed
		return err
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("dpkg-deb: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return nil
}

// copySystem copies a package's entries but for those that are written already.
func copySystem(w *tar.Writer, in io.Reader, written map[string]bool) error {
	r := tar.NewReader(in)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, in)
			return err
		}
		if err != nil {
			return err
		}
		name, err := systemPath(h.Name)
		if err != nil {
			return err
		}
		if written[name] || unneeded(name) {
			continue
		}
		written[name] = true
		entry := &tar.Header{
			Typeflag: h.Typeflag, Name: name, Linkname: h.Linkname, Mode: h.Mode & 0o755, Size: h.Size, ModTime: h.ModTime,
		}
		switch h.Typeflag {
		case tar.TypeReg:
		case tar.TypeDir:
			entry.Name += "/"
		case tar.TypeSymlink:
			entry.Mode = 0o777
			if !path.IsAbs(h.Linkname) { // its folder may have moved into /usr
				entry.Linkname = path.Join("/", path.Dir(path.Clean(h.Name)), h.Linkname)
			}
		case tar.TypeLink:
			if entry.Linkname, err = systemPath(h.Linkname); err != nil {
				return err
			}
		default:
			continue // devices and the like
		}
		if err := w.WriteHeader(entry); err != nil {
			return err
		}
		if _, err := io.CopyN(w, r, h.Size); err != nil {
			return err
		}
	}
}

// systemPath is a package's path in the merged file system.
func systemPath(name string) (string, error) {
	clean := path.Clean(strings.TrimPrefix(name, "./"))
	if clean == "." {
		return clean, nil
	}
	if err := checkPath(clean); err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(clean, "/")
	for _, merged := range mergedFolders {
		if first == merged {
			return "usr/" + clean, nil
		}
	}
	return clean, nil
}

// unneeded is what no test reads.
func unneeded(name string) bool {
	for _, prefix := range []string{"usr/share/doc/", "usr/share/man/", "usr/share/info/", "usr/share/lintian/"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
