package sandbox

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// entry is one file of a snapshot, checked.
type entry struct {
	name   string // clean, slash-separated
	kind   byte   // tar.TypeReg, tar.TypeDir or tar.TypeSymlink
	mode   int64  // 0644 or 0755
	target string
	size   int64
}

// readSnapshot calls each for every entry of a snapshot's tar and refuses what no git tree holds: paths that leave the
// tree or lead through a link, links out of it, devices, doubles.
func readSnapshot(snapshot func(w io.Writer) error, each func(e entry, content io.Reader) error) error {
	r, w := io.Pipe()
	go func() { w.CloseWithError(snapshot(w)) }()
	defer r.Close()
	in := tar.NewReader(r)
	links, files := map[string]bool{}, map[string]bool{}
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, r) // the writer may still want to be rid of padding, or of an error
			return err
		}
		if err != nil {
			return fmt.Errorf("reading the snapshot: %w", err)
		}
		name := path.Clean(h.Name)
		if h.Typeflag == tar.TypeXGlobalHeader || name == "." {
			continue
		}
		e := entry{name: name, kind: h.Typeflag, mode: 0o644, size: h.Size}
		if err := checkPath(name); err != nil {
			return fmt.Errorf("reading the snapshot: %w", err)
		}
		for up := path.Dir(name); up != "."; up = path.Dir(up) {
			if links[up] || files[up] {
				return fmt.Errorf("reading the snapshot: %q lies beyond %q, which is no folder", name, up)
			}
		}
		if h.Typeflag != tar.TypeDir && (files[name] || links[name]) {
			return fmt.Errorf("reading the snapshot: %q is there twice", name)
		}
		switch h.Typeflag {
		case tar.TypeDir:
			e.mode, e.size = 0o755, 0
		case tar.TypeReg:
			files[name] = true
			if h.Mode&0o111 != 0 {
				e.mode = 0o755
			}
		case tar.TypeSymlink:
			links[name] = true
			e.target, e.size = h.Linkname, 0
			if err := checkLink(name, h.Linkname); err != nil {
				return fmt.Errorf("reading the snapshot: %w", err)
			}
		default:
			return fmt.Errorf("reading the snapshot: %q is neither file, folder nor link (tar type %q)", name, h.Typeflag)
		}
		if err := each(e, in); err != nil {
			return err
		}
	}
}

// folders gives what writes a folder below prefix, and those that it is in, as tar entries, each of them once.
func folders(w *tar.Writer, prefix string, user int) func(name string) error {
	made := map[string]bool{".": true}
	var write func(name string) error
	write = func(name string) error {
		if made[name] {
			return nil
		}
		made[name] = true
		if err := write(path.Dir(name)); err != nil {
			return err
		}
		return writeDir(w, path.Join(prefix, name), user, 0o755)
	}
	return write
}

// packSnapshot writes the snapshot as tar entries below prefix, owned by the commands' user.
func packSnapshot(w *tar.Writer, prefix string, user int, snapshot func(w io.Writer) error) error {
	if err := writeDir(w, prefix, user, 0o755); err != nil {
		return err
	}
	makeDirs := folders(w, prefix, user) // so that every folder has the owner, listed or not
	return readSnapshot(snapshot, func(e entry, content io.Reader) error {
		if e.kind == tar.TypeDir {
			return makeDirs(e.name)
		}
		if err := makeDirs(path.Dir(e.name)); err != nil {
			return err
		}
		h := &tar.Header{
			Typeflag: e.kind, Name: path.Join(prefix, e.name), Linkname: e.target, Mode: e.mode, Size: e.size,
			Uid: user, Gid: user, ModTime: imageTime,
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err := io.CopyN(w, content, e.size)
		return err
	})
}

// packModules writes a module cache as tar entries below prefix, root's and readable by all.
func packModules(w *tar.Writer, prefix, dir string) error {
	if err := writeDir(w, prefix, 0, 0o755); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil || rel == "." {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && rel == "cache/vcs":
			return fs.SkipDir // clones with history
		case d.IsDir():
			return writeDir(w, path.Join(prefix, rel), 0, 0o755)
		case !d.Type().IsRegular() || strings.HasSuffix(rel, ".lock"):
			return nil
		}
		return copyFile(w, file, path.Join(prefix, rel), 0, 0o644)
	})
}

// checkModules says early that the folder is none.
func checkModules(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder", dir)
	}
	return nil
}
