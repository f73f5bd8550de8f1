package repos

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// change is one path on which two trees differ.
type change struct {
	oldMode, newMode string // 000000 when the path is not there
	oldID, newID     string
	status           byte // A, M, D or T
	path             string
}

// changes compares two trees path by path; a rename is a removal and an addition.
func (m *Mirror) changes(ctx context.Context, from, to string) ([]change, error) {
	out, err := m.reader().run(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", from, to, "--")
	if err != nil {
		return nil, fmt.Errorf("comparing trees: %w", err)
	}
	var list []change
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) != 5 || len(f[4]) != 1 {
			return nil, fmt.Errorf("comparing trees: unexpected line %q", fields[i])
		}
		c := change{oldMode: canonical(f[0]), newMode: canonical(f[1]), oldID: f[2], newID: f[3], status: f[4][0], path: fields[i+1]}
		if c.oldMode == c.newMode && c.oldID == c.newID {
			continue // an index has no group-writable files: writing the tree anew changed the mode, nobody else did
		}
		list = append(list, c)
	}
	return list, nil
}

// canonical is the mode as git writes it today; old repositories have 100664.
func canonical(mode string) string {
	if strings.HasPrefix(mode, "1006") {
		return modeFile
	}
	return mode
}

// maxDelta bounds a delta's content in bytes.
const maxDelta = 256 << 20

// Delta is what turns the tree of from into the tree of to, files with their whole content, both lists in tree order.
// Submodules are left out, as they are everywhere. It is an error if to has a symbolic link that leaves the tree and
// that from has not, or if the content exceeds 256 MiB.
func (m *Mirror) Delta(ctx context.Context, from, to string) (Delta, error) {
	d, err := m.delta(ctx, from, to)
	if err != nil {
		return Delta{}, fmt.Errorf("reading a delta from %s: %w", m.dir, err)
	}
	return d, nil
}

func (m *Mirror) delta(ctx context.Context, from, to string) (d Delta, err error) {
	if from, err = m.Tree(ctx, from); err != nil {
		return d, err
	}
	if to, err = m.Tree(ctx, to); err != nil {
		return d, err
	}
	changes, err := m.changes(ctx, from, to)
	if err != nil {
		return d, err
	}
	if reason, err := m.refusal(ctx, from, to, changes); err != nil || reason != "" {
		if err == nil {
			err = fmt.Errorf("refused: %s", reason)
		}
		return d, err
	}
	var wanted []entry
	for _, c := range changes {
		switch {
		case c.status == 'D':
			if c.oldMode != modeGitlink {
				d.Remove = append(d.Remove, c.path)
			}
		default:
			if c.status == 'T' && c.oldMode != modeGitlink {
				d.Remove = append(d.Remove, c.path) // a file that takes a link's place must not be written through it
			}
			wanted = append(wanted, entry{mode: c.newMode, id: c.newID, path: c.path})
		}
	}
	total := int64(0)
	err = m.blobs(ctx, wanted, func(e entry, size int64, content io.Reader) error {
		if total += size; total > maxDelta {
			return fmt.Errorf("the delta has more than %d bytes", maxDelta)
		}
		data := make([]byte, size)
		_, err := io.ReadFull(content, data)
		d.Files = append(d.Files, File{Path: e.path, Mode: e.mode, Content: data})
		return err
	})
	return d, err
}
