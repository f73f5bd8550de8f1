package repos

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// archiveTime is every archived entry's modification time, so that equal trees give equal bytes.
var archiveTime = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)

// Archive writes the tree as a tar of regular files (mode 644 or 755) and symbolic links, owner 0, one fixed time, in
// tree order. Contents are the objects' bytes: export-ignore, export-subst and filters of the repository have no
// effect, and there is no .git. What LeftOut lists is not written.
func (m *Mirror) Archive(ctx context.Context, treeish string, w io.Writer) error {
	in, _, targets, err := m.split(ctx, treeish)
	if err != nil {
		return fmt.Errorf("archiving %s: %w", m.dir, err)
	}
	t := tar.NewWriter(w)
	err = m.blobs(ctx, in, func(e entry, size int64, content io.Reader) error {
		h := &tar.Header{Name: e.path, Typeflag: tar.TypeReg, Size: size, Mode: 0o644, ModTime: archiveTime, Format: tar.FormatPAX}
		switch e.mode {
		case modeExecutable:
			h.Mode = 0o755
		case modeSymlink:
			h.Typeflag, h.Size, h.Mode, h.Linkname = tar.TypeSymlink, 0, 0o777, targets[e.path]
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if e.mode == modeSymlink {
			return nil
		}
		_, err := io.Copy(t, content)
		return err
	})
	if err := errors.Join(err, t.Close()); err != nil {
		return fmt.Errorf("archiving %s: %w", m.dir, err)
	}
	return nil
}

// LeftOut lists what Archive leaves out of a tree, each "path: why": symbolic links that leave the tree, submodules,
// and paths that no file system should see.
func (m *Mirror) LeftOut(ctx context.Context, treeish string) ([]string, error) {
	_, out, _, err := m.split(ctx, treeish)
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", m.dir, err)
	}
	return out, nil
}

// split parts a tree into what is written and what is not; targets are the links' targets.
func (m *Mirror) split(ctx context.Context, treeish string) (in []entry, out []string, targets map[string]string, err error) {
	tree, err := m.Tree(ctx, treeish)
	if err != nil {
		return nil, nil, nil, err
	}
	all, err := m.entries(ctx, tree)
	if err != nil {
		return nil, nil, nil, err
	}
	if targets, err = m.targets(ctx, all); err != nil {
		return nil, nil, nil, err
	}
	for _, e := range all {
		why := ""
		if err := checkPath(e.path); err != nil {
			why = err.Error()
		} else if e.mode == modeGitlink {
			why = "a submodule (gitlink)"
		} else if e.mode == modeSymlink {
			why = leaves(e.path, targets)
		}
		if why != "" {
			out = append(out, printable(e.path+": "+why))
			continue
		}
		in = append(in, e)
	}
	return in, out, targets, nil
}
