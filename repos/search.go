package repos

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Search lists the files of a tree that hold any of the words, by git's pathspecs, sorted as git sorts. It is for trees so
// large that reading all of their files would take minutes: git reads them on all cores, and no further than to the first
// word. Paths that no file system should see are left out.
func (m *Mirror) Search(ctx context.Context, treeish string, words []string, pathspecs ...string) (paths []string, err error) {
	tree, err := m.Tree(ctx, treeish)
	if err != nil || len(words) == 0 {
		return nil, err
	}
	args := []string{"grep", "-l", "-z", "-F", "--full-name", "--no-textconv"}
	for _, word := range words {
		args = append(args, "-e", word)
	}
	g := m.reader()
	g.env = append(g.env, "GIT_LITERAL_PATHSPECS=0")
	out, err := g.run(ctx, nil, append(append(args, tree, "--"), pathspecs...)...)
	var refused *failed
	if errors.As(err, &refused) && refused.status == 1 && refused.stderr == "" { // there is none
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: searching a tree: %w", m.dir, err)
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name = strings.TrimPrefix(name, tree+":"); name != "" && checkPath(name) == nil {
			paths = append(paths, name)
		}
	}
	return paths, nil
}
