package repos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Mirror is a bare repository that trees are read from. Its objects are never changed: what Apply and Overlay make
// goes to a second object folder beside them, which the Mirror's own methods see and plain git does not. All methods
// are safe for concurrent use, also by several processes.
type Mirror struct {
	dir    string
	memory *memory
}

// candidates is the object folder of what was computed from patches, inside the mirror's folder.
const candidates = "candidates"

// Open opens the git directory dir, or the repository whose work tree dir is.
func Open(ctx context.Context, dir string) (*Mirror, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening repository %s: %w", dir, err)
	}
	if info, err := os.Stat(abs); err != nil {
		return nil, fmt.Errorf("opening repository: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("opening repository %s: it is a file, expected a git directory", dir)
	}
	gitDir := abs
	if _, err := os.Lstat(filepath.Join(abs, ".git")); err == nil {
		gitDir = filepath.Join(abs, ".git")
	}
	// A .git file (a linked work tree, a submodule) is resolved by git, from the folder it is in.
	cmd := git{env: []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(abs)}}
	found, err := cmd.word(ctx, "-C", abs, "--git-dir="+gitDir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return nil, fmt.Errorf("opening repository %s: expected a git directory: %w", dir, err)
	}
	return &Mirror{dir: filepath.Clean(found), memory: newMemory()}, nil
}

// Dir is the mirror's git directory, absolute.
func (m *Mirror) Dir() string { return m.dir }

// reader is git that sees the candidates, too.
func (m *Mirror) reader() git {
	g := git{dir: m.dir}
	if more := filepath.Join(m.dir, candidates); isDir(more) {
		g.env = []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + alternate(more)}
	}
	return g
}

// writer is git that sees the same and writes new objects into the candidates.
func (m *Mirror) writer(index string) git {
	return git{dir: m.dir, env: []string{
		"GIT_OBJECT_DIRECTORY=" + filepath.Join(m.dir, candidates),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + alternate(filepath.Join(m.dir, "objects")),
		"GIT_INDEX_FILE=" + index,
	}}
}

func isDir(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}

// alternate quotes a folder for a colon-separated list.
func alternate(dir string) string {
	if strings.ContainsAny(dir, ":;\"\n") {
		return quotePath(dir)
	}
	return dir
}

// Tree is the tree id of a commit; a tree id gives itself. treeish must be a full object id.
func (m *Mirror) Tree(ctx context.Context, treeish string) (string, error) {
	if !objectID(treeish) {
		return "", fmt.Errorf("%s: revision %.60q is not a full object id", m.dir, treeish)
	}
	if id, ok := m.memory.tree(treeish); ok {
		return id, nil
	}
	id, err := m.reader().word(ctx, "rev-parse", "--quiet", "--verify", treeish+"^{tree}")
	var refused *failed
	if errors.As(err, &refused) {
		return "", fmt.Errorf("%s: %w", m.dir, &NotFoundError{ID: treeish})
	}
	if err != nil {
		return "", fmt.Errorf("%s: reading the tree of %s: %w", m.dir, treeish, err)
	}
	m.memory.keepTree(treeish, id)
	return id, nil
}

// NotFoundError says that a repository has no commit or tree of that id.
type NotFoundError struct{ ID string }

func (e *NotFoundError) Error() string { return "it has no commit or tree " + e.ID }
