package repos

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// maxContent bounds what one call brings into memory.
const maxContent = 1 << 30

// entry is one line of a recursive tree listing.
type entry struct {
	mode, id, path string
	size           int64 // of a blob; -1 for a gitlink
}

// entries lists a whole tree, given by its id, sorted by path as git sorts.
func (m *Mirror) entries(ctx context.Context, tree string) ([]entry, error) {
	if list, ok := m.memory.listing(tree); ok {
		return list, nil
	}
	list, err := m.list(ctx, "-r", tree)
	if err == nil {
		m.memory.keepListing(tree, list)
	}
	return list, err
}

func (m *Mirror) list(ctx context.Context, args ...string) ([]entry, error) {
	out, err := m.reader().run(ctx, nil, append([]string{"ls-tree", "-z", "-l", "--full-tree"}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("listing a tree: %w", err)
	}
	var list []entry
	for line := range strings.SplitSeq(string(out), "\x00") {
		if line == "" {
			continue
		}
		meta, path, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if len(f) != 4 {
			return nil, fmt.Errorf("listing a tree: unexpected line %q", line)
		}
		e := entry{mode: canonical(f[0]), id: f[2], path: path, size: -1}
		if f[1] == "blob" {
			if e.size, err = strconv.ParseInt(f[3], 10, 64); err != nil {
				return nil, fmt.Errorf("listing a tree: object %s of %q is missing or damaged", e.id, path)
			}
		}
		list = append(list, e)
	}
	return list, nil
}

// blobs calls each with the content of every entry in turn, one at a time.
func (m *Mirror) blobs(ctx context.Context, list []entry, each func(e entry, size int64, content io.Reader) error) (err error) {
	if len(list) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var want bytes.Buffer
	for _, e := range list {
		want.WriteString(e.id)
		want.WriteByte('\n')
	}
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := m.reader().stream(ctx, &want, w, "cat-file", "--batch")
		w.CloseWithError(errors.Join(err, io.ErrUnexpectedEOF))
		done <- err
	}()
	defer func() {
		if err != nil { // stop git, which may be waiting for us to read
			cancel()
			r.CloseWithError(err)
			<-done
			return
		}
		err = <-done
	}()
	in := bufio.NewReaderSize(r, 64<<10)
	for _, e := range list {
		head, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("reading %q: %w", e.path, err)
		}
		f := strings.Fields(head)
		if len(f) != 3 || f[1] != "blob" {
			return fmt.Errorf("reading %q: object %s: expected a blob, got %q", e.path, e.id, strings.TrimSpace(head))
		}
		size, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return fmt.Errorf("reading %q: %w", e.path, err)
		}
		content := io.LimitReader(in, size)
		if err := each(e, size, content); err != nil {
			return fmt.Errorf("reading %q: %w", e.path, err)
		}
		if _, err := io.Copy(io.Discard, content); err != nil {
			return fmt.Errorf("reading %q: %w", e.path, err)
		}
		if _, err := in.Discard(1); err != nil {
			return fmt.Errorf("reading %q: %w", e.path, err)
		}
	}
	return nil
}

// load is blobs into memory.
func (m *Mirror) load(ctx context.Context, list []entry) ([]File, error) {
	files := make([]File, 0, len(list))
	total := int64(0)
	err := m.blobs(ctx, list, func(e entry, size int64, content io.Reader) error {
		if total += size; total > maxContent {
			return fmt.Errorf("more than %d bytes asked for at once", maxContent)
		}
		data := make([]byte, size)
		if _, err := io.ReadFull(content, data); err != nil {
			return err
		}
		files = append(files, File{Path: e.path, Mode: e.mode, Content: data})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return files, nil
}

// Files reads the regular files and symbolic links of a tree that keep wants (nil: all), sorted by path as git sorts.
// Paths that no file system should see (checkPath) and submodules are left out.
func (m *Mirror) Files(ctx context.Context, treeish string, keep func(path string, size int64) bool) ([]File, error) {
	tree, err := m.Tree(ctx, treeish)
	if err != nil {
		return nil, err
	}
	all, err := m.entries(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.dir, err)
	}
	var wanted []entry
	for _, e := range all {
		if e.mode != modeGitlink && checkPath(e.path) == nil && (keep == nil || keep(e.path, e.size)) {
			wanted = append(wanted, e)
		}
	}
	files, err := m.load(ctx, wanted)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.dir, err)
	}
	return files, nil
}

// maxFile bounds ReadFile.
const maxFile = 64 << 20

// ReadFile reads one regular file of a tree. The error is an fs.ErrNotExist when the tree has no such path, and an
// fs.ErrInvalid when the path is not a regular file or has more than 64 MiB.
func (m *Mirror) ReadFile(ctx context.Context, treeish, path string) ([]byte, error) {
	if err := checkPath(path); err != nil {
		return nil, fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	}
	tree, err := m.Tree(ctx, treeish)
	if err != nil {
		return nil, err
	}
	list, err := m.list(ctx, tree, "--", path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.dir, err)
	}
	if len(list) != 1 || list[0].path != path {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	if e := list[0]; e.mode != modeFile && e.mode != modeExecutable || e.size > maxFile {
		return nil, fmt.Errorf("read %s: mode %s, %d bytes: expected a regular file of at most %d: %w", path, e.mode, e.size, maxFile, fs.ErrInvalid)
	}
	files, err := m.load(ctx, list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.dir, err)
	}
	return files[0].Content, nil
}
