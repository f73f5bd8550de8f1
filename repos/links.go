package repos

import (
	"context"
	"fmt"
	"io"
)

// leaving is a symbolic link that points out of its tree.
type leaving struct{ path, target, why string }

// maxTarget bounds a link's target; no file system takes a longer one.
const maxTarget = 4096

// leaving lists the symbolic links of a tree that leave it, in tree order.
func (m *Mirror) leaving(ctx context.Context, tree string) ([]leaving, error) {
	all, err := m.entries(ctx, tree)
	if err != nil {
		return nil, err
	}
	targets, err := m.targets(ctx, all)
	if err != nil {
		return nil, err
	}
	var out []leaving
	for _, e := range all {
		if e.mode != modeSymlink {
			continue
		}
		if why := leaves(e.path, targets); why != "" {
			out = append(out, leaving{path: e.path, target: targets[e.path], why: why})
		}
	}
	return out, nil
}

// targets maps every symbolic link of a listing to its target.
func (m *Mirror) targets(ctx context.Context, all []entry) (map[string]string, error) {
	var links []entry
	targets := map[string]string{}
	for _, e := range all {
		if e.mode == modeSymlink {
			links = append(links, e)
		}
	}
	err := m.blobs(ctx, links, func(e entry, size int64, content io.Reader) error {
		if size > maxTarget {
			targets[e.path] = "/" // no target at all: refused as an absolute one
			return nil
		}
		b, err := io.ReadAll(content)
		targets[e.path] = string(b)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading symbolic links: %w", err)
	}
	return targets, nil
}
