package repos

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLaidOut bounds the content of a tree that is laid out in a folder.
const maxLaidOut = 1 << 30

// inFolder lays the tree out in a fresh folder, has work change it, and writes what is there afterwards as a tree among
// the candidates. Symbolic links and submodules keep out of it and stay as they are.
func (m *Mirror) inFolder(ctx context.Context, tree string, work func(dir string) (string, error)) (made, how string, err error) {
	tmp, err := os.MkdirTemp("", "evlab-loose-")
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	all, err := m.entries(ctx, tree)
	if err != nil {
		return "", "", broken(err)
	}
	files := map[string]entry{}
	var laid []entry
	for _, e := range all {
		files[e.path] = e
		if e.mode != modeFile && e.mode != modeExecutable || checkPath(e.path) != nil {
			continue
		}
		laid = append(laid, e)
	}
	dir := filepath.Join(tmp, "tree") // beside it is nothing of ours
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", "", err
	}
	defer root.Close() // a folder: nothing is lost
	total := int64(0)
	err = m.blobs(ctx, laid, func(e entry, size int64, content io.Reader) error {
		if total += size; total > maxLaidOut {
			return fmt.Errorf("the tree has more than %d bytes", maxLaidOut)
		}
		return lay(root, e, content)
	})
	if err != nil {
		return "", "", broken(err)
	}
	if how, err = work(dir); err != nil {
		return "", "", err
	}
	if err := m.collect(ctx, root, dir, laid, files); err != nil {
		return "", "", err
	}
	made, err = m.write(ctx, files)
	return made, how, err
}

func lay(root *os.Root, e entry, content io.Reader) error {
	name := filepath.FromSlash(e.path)
	if at := filepath.Dir(name); at != "." {
		if err := root.MkdirAll(at, 0o755); err != nil {
			return err
		}
	}
	mode := fs.FileMode(0o644)
	if e.mode == modeExecutable {
		mode = 0o755
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}

// collect brings files up to date with the folder: laid were there before. What the programs leave beside a file that they
// could not do whole (.rej, .orig) is no change.
func (m *Mirror) collect(ctx context.Context, root *os.Root, dir string, laid []entry, files map[string]entry) error {
	before := map[string]entry{}
	for _, e := range laid {
		before[e.path] = e
	}
	seen := map[string]bool{}
	var fresh []entry
	err := fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		old, was := before[p]
		switch left := strings.HasSuffix(p, ".rej") || strings.HasSuffix(p, ".orig"); {
		case d.IsDir(), left && !was:
			return nil
		case !d.Type().IsRegular():
			return unfit("%q became a %s", p, d.Type())
		}
		if err := fits(p, files); err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := entry{mode: modeFile, path: p, size: info.Size()}
		if info.Mode()&0o100 != 0 {
			e.mode = modeExecutable
		}
		seen[p] = true
		if was && old.size == e.size {
			if e.id, err = blobID(root, p, info.Size(), len(old.id)); err != nil {
				return err
			}
			if e.id == old.id {
				files[p] = e
				return nil
			}
		}
		fresh = append(fresh, e)
		return nil
	})
	if err != nil {
		return err
	}
	for p := range before {
		if !seen[p] {
			delete(files, p)
		}
	}
	return m.store(ctx, dir, fresh, files)
}

// unfit is a folder that can't be a tree: the patch's fault.
func unfit(format string, args ...any) error {
	return &failed{verb: "patch", stderr: fmt.Sprintf(format, args...)}
}

// fits reports why a file can't be at p: the name, or a link of base that is there or on the way, which was not laid out.
func fits(p string, files map[string]entry) error {
	if err := checkPath(p); err != nil {
		return unfit("%v", err)
	}
	if strings.Contains(p, "\n") {
		return unfit("path %q holds a line's end", p)
	}
	for at := p; at != ""; at = folder(at) {
		if e, there := files[at]; there && e.mode != modeFile && e.mode != modeExecutable {
			return unfit("%q is a link, and %q would be in its place", at, p)
		}
	}
	return nil
}

// store writes the files of dir as objects.
func (m *Mirror) store(ctx context.Context, dir string, fresh []entry, files map[string]entry) error {
	if len(fresh) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(m.dir, candidates), 0o755); err != nil {
		return err
	}
	var names bytes.Buffer
	for _, e := range fresh {
		names.WriteString(filepath.Join(dir, filepath.FromSlash(e.path)) + "\n")
	}
	out, err := m.writer("").run(ctx, &names, "hash-object", "-w", "--no-filters", "--stdin-paths")
	if err != nil {
		return broken(err)
	}
	ids := strings.Fields(string(out))
	if len(ids) != len(fresh) {
		return fmt.Errorf("git wrote %d objects of %d", len(ids), len(fresh))
	}
	for i, e := range fresh {
		e.id = ids[i]
		files[e.path] = e
	}
	return nil
}

// blobID is git's id of a file's content, in the format whose ids have so many digits.
func blobID(root *os.Root, p string, size int64, digits int) (string, error) {
	var h hash.Hash = sha1.New()
	if digits == 64 {
		h = sha256.New()
	}
	f, err := root.Open(p)
	if err != nil {
		return "", err
	}
	defer f.Close() // read only
	fmt.Fprintf(h, "blob %d\x00", size)
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
