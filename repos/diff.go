package repos

import (
	"context"
	"fmt"
)

// maxDiff bounds what Diff gives.
const maxDiff = 64 << 20

// Diff is how one commit becomes another, as a git diff that Apply takes: whole object ids, binary content, renames found.
// Nothing of the repository's attributes or configuration has a say in it.
func (m *Mirror) Diff(ctx context.Context, from, to string) ([]byte, error) {
	for _, id := range []string{from, to} {
		if _, err := m.Tree(ctx, id); err != nil {
			return nil, fmt.Errorf("diff in %s: %w", m.dir, err)
		}
	}
	out := &head{limit: maxDiff + 1}
	err := m.reader().stream(ctx, nil, out, "diff-tree", "-r", "-p", "-M", "--binary", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv",
		"--src-prefix=a/", "--dst-prefix=b/", from, to, "--")
	if err != nil {
		return nil, fmt.Errorf("diff in %s: %w", m.dir, err)
	}
	if out.buf.Len() > maxDiff {
		return nil, fmt.Errorf("diff in %s: it has more than %d bytes", m.dir, maxDiff)
	}
	return out.buf.Bytes(), nil
}
