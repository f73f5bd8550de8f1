package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"evlab/sandbox/plan"
)

// fixedTime dates every file that a step writes, so that nothing depends on when it ran.
var fixedTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// applyChanges takes out what the plan removes and writes its files. Everything goes through an os.Root: no symbolic
// link of the tree leads out of it, whatever the tree holds.
func applyChanges(p *plan.Plan, open func(name string) (io.ReadCloser, error)) error {
	if len(p.Remove) == 0 && len(p.Files) == 0 {
		return nil
	}
	root, err := os.OpenRoot(p.Tree)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range p.Remove {
		if err := removePath(root, name); err != nil {
			return err
		}
	}
	for _, change := range p.Files {
		if err := writeChange(root, change, open); err != nil {
			return err
		}
	}
	return nil
}

// altered is the first of the plan's held files that is not what was written, "" when all are. Nothing of the command is
// alive any more, so nothing changes while this looks.
func altered(p *plan.Plan, open func(name string) (io.ReadCloser, error)) string {
	root, err := os.OpenRoot(p.Tree)
	if err != nil {
		return p.Tree
	}
	defer root.Close()
	for _, change := range p.Files {
		if change.Held && change.Mode != "120000" && !holds(root, change, open) {
			return change.Path
		}
	}
	return ""
}

// holds reports whether a file has the content that the plan gave it.
func holds(root *os.Root, change plan.Change, open func(name string) (io.ReadCloser, error)) bool {
	if info, err := root.Lstat(change.Path); err != nil || !info.Mode().IsRegular() {
		return false // opening what is no file might wait for ever
	}
	is, err := root.Open(change.Path)
	if err != nil {
		return false
	}
	defer is.Close()
	was, err := open(change.Source)
	if err != nil {
		return false
	}
	defer was.Close()
	want, err := io.ReadAll(was)
	if err != nil {
		return false
	}
	got, err := io.ReadAll(io.LimitReader(is, int64(len(want))+1))
	return err == nil && bytes.Equal(got, want)
}

// removePath removes one file and the folders that this leaves empty. What is absent already is no error.
func removePath(root *os.Root, name string) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("removing %q: not a path inside the tree", name)
	}
	if linked, err := parentIsLink(root, name); linked || err != nil {
		return err // beyond a link there is nothing of this tree
	}
	if err := root.RemoveAll(name); err != nil {
		return fmt.Errorf("removing %q: %w", name, err)
	}
	for up := path.Dir(name); up != "."; up = path.Dir(up) {
		if root.Remove(up) != nil { // not empty, so it stays
			break
		}
	}
	return nil
}

// writeChange writes one file or link in place of whatever is there.
func writeChange(root *os.Root, change plan.Change, open func(name string) (io.ReadCloser, error)) error {
	name := change.Path
	if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name || name == "." {
		return fmt.Errorf("writing %q: not a path inside the tree", name)
	}
	if linked, err := parentIsLink(root, name); err != nil {
		return err
	} else if linked {
		return fmt.Errorf("writing %q: a parent folder is a symbolic link", name)
	}
	if up := path.Dir(name); up != "." {
		if err := root.MkdirAll(up, 0o755); err != nil {
			return fmt.Errorf("writing %q: %w", name, err)
		}
	}
	if err := root.RemoveAll(name); err != nil {
		return fmt.Errorf("writing %q: %w", name, err)
	}
	mode := fs.FileMode(0o644)
	switch change.Mode {
	case "120000":
		if err := root.Symlink(change.Target, name); err != nil {
			return fmt.Errorf("writing link %q: %w", name, err)
		}
		return nil
	case "100755":
		mode = 0o755
	case "100644":
	default:
		return fmt.Errorf("writing %q: mode %q is none of 100644, 100755, 120000", name, change.Mode)
	}
	from, err := open(change.Source)
	if err != nil {
		return fmt.Errorf("writing %q: %w", name, err)
	}
	defer from.Close()
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("writing %q: %w", name, err)
	}
	_, err = io.Copy(to, from)
	err = errors.Join(err, to.Chmod(mode), to.Close())
	if err == nil {
		err = root.Chtimes(name, fixedTime, fixedTime)
	}
	if err != nil {
		return fmt.Errorf("writing %q: %w", name, err)
	}
	return nil
}

// parentIsLink says whether a parent folder of name is a symbolic link.
func parentIsLink(root *os.Root, name string) (bool, error) {
	for up := path.Dir(name); up != "."; up = path.Dir(up) {
		info, err := root.Lstat(up)
		switch {
		case errors.Is(err, fs.ErrNotExist), err != nil && !errors.Is(err, fs.ErrPermission):
			continue // absent, or a parent of it is no folder: the write itself will say so
		case err != nil:
			return false, fmt.Errorf("looking at %q: %w", up, err)
		case info.Mode()&fs.ModeSymlink != 0:
			return true, nil
		}
	}
	return false, nil
}

// keepCache writes the mark by which the go command knows that its cache needs no trimming today. It matters for speed
// only, so a failure is not told.
func keepCache(cache string) {
	_ = os.WriteFile(filepath.Join(cache, "trim.txt"), []byte(strconv.FormatInt(time.Now().Unix(), 10)), 0o644)
}

// settleImage leaves of an image building step nothing but its build cache.
func settleImage(p *plan.Plan) error {
	root, err := os.OpenRoot(p.Tree)
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := root.RemoveAll(e.Name()); err != nil {
			return err
		}
	}
	if p.Cache == "" {
		return nil
	}
	return filepath.WalkDir(p.Cache, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() { // a link leads to what is whole already
			return err
		}
		info, err := d.Info()
		if err != nil || info.ModTime().Equal(plan.CacheDate) {
			return err
		}
		return os.Chtimes(name, plan.CacheDate, plan.CacheDate)
	})
}
