package repos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxPatch bounds a patch in bytes.
const maxPatch = 16 << 20

// FlagNewline is the flag of a patch whose last line had no end.
const FlagNewline = "final newline added"

// Apply applies a patch to the tree of base, whole or not at all, and gives the resulting tree. Bytes count: carriage
// returns are never touched, the only repair is a missing final newline. Symbolic links that leave the tree,
// submodules, and paths that are absolute, leave the tree or are inside a .git folder are refused by name. The error
// is the machine's fault only; what is wrong with the patch is in Applied.
func (m *Mirror) Apply(ctx context.Context, base string, patch []byte) (Applied, error) {
	a, changes, err := m.apply(ctx, base, patch)
	if err != nil {
		return Applied{}, fmt.Errorf("applying a patch in %s: %w", m.dir, err)
	}
	if a.Outcome != OutcomeApplied {
		return a, nil
	}
	flags, only, err := m.flags(ctx, base, changes)
	if err != nil {
		return Applied{}, fmt.Errorf("applying a patch in %s: %w", m.dir, err)
	}
	a.Flags, a.OnlyRunnerConfig = append(a.Flags, flags...), only
	return a, nil
}

// apply is Apply without the flags on what the patch touches; changes are those from base to the new tree.
func (m *Mirror) apply(ctx context.Context, base string, patch []byte) (a Applied, changes []change, err error) {
	baseTree, err := m.Tree(ctx, base)
	if err != nil {
		return a, nil, err
	}
	if known, ok := m.memory.patch(baseTree, patch); ok {
		return known.a, known.changes, nil
	}
	if a, changes, err = m.applyTo(ctx, baseTree, patch); err == nil {
		m.memory.keepPatch(baseTree, patch, application{a, changes})
	}
	return a, changes, err
}

func (m *Mirror) applyTo(ctx context.Context, baseTree string, patch []byte) (a Applied, changes []change, err error) {
	a.Paths = []string{}
	refuse := func(format string, args ...any) (Applied, []change, error) {
		a.Outcome, a.Tree, a.Paths, a.Reason = OutcomeFailed, "", []string{}, printable(fmt.Sprintf(format, args...))
		return a, nil, nil
	}
	if len(bytes.Trim(patch, " \t\r\n\v\f")) == 0 {
		a.Outcome, a.Tree, a.Reason = OutcomeEmpty, baseTree, "the patch is empty"
		return a, nil, nil
	}
	if len(patch) > maxPatch {
		return refuse("the patch has %d bytes; at most %d are taken", len(patch), maxPatch)
	}
	if !bytes.HasSuffix(patch, []byte("\n")) {
		patch = append(slices.Clip(patch), '\n')
		a.Flags = append(a.Flags, FlagNewline)
	}
	for _, name := range parsePatch(patch).all() {
		if err := checkPath(name); err != nil {
			return refuse("%v", err)
		}
	}
	tree, err := m.patched(ctx, baseTree, patch)
	var no *refusedError
	if errors.As(err, &no) {
		return refuse("%s", applyReason(no.failed.stderr))
	}
	if err != nil {
		return a, nil, err
	}
	if changes, err = m.changes(ctx, baseTree, tree); err != nil {
		return a, nil, err
	}
	if len(changes) == 0 {
		a.Outcome, a.Tree, a.Reason = OutcomeEmpty, baseTree, "the patch changes nothing"
		return a, nil, nil
	}
	a.Tree = tree
	reason, err := m.refusal(ctx, baseTree, tree, changes)
	if err != nil {
		return a, nil, err
	}
	if reason != "" {
		return refuse("%s", reason)
	}
	a.Outcome = OutcomeApplied
	for _, c := range changes {
		a.Paths = append(a.Paths, c.path)
	}
	slices.Sort(a.Paths)
	return a, changes, nil
}

// refusedError is git's refusal of a patch on a machine and a repository that work.
type refusedError struct{ failed *failed }

func (r *refusedError) Error() string { return r.failed.Error() }

// patched is the tree after patch; the error is a *refusedError when it is the patch's fault.
func (m *Mirror) patched(ctx context.Context, tree string, patch []byte) (string, error) {
	return m.inIndex(ctx, func(g git) error {
		if _, err := g.run(ctx, nil, "read-tree", tree); err != nil {
			return broken(err)
		}
		// The trial writes nothing: where the probe works and the patch does not, it is the patch; what fails after
		// it is not.
		if _, err := g.run(ctx, bytes.NewReader(patch), "apply", "--cached", "--check", "-p1", "-"); err != nil {
			var no *failed
			if !errors.As(err, &no) {
				return err
			}
			if fault := m.probe(ctx, g, tree, patch); fault != nil {
				return errors.Join(fault, err)
			}
			return &refusedError{no}
		}
		_, err := g.run(ctx, bytes.NewReader(patch), "apply", "--cached", "-p1", "-")
		return broken(err)
	})
}

// inIndex lets fill work on a temporary index and writes it as a tree among the candidates.
func (m *Mirror) inIndex(ctx context.Context, fill func(git) error) (tree string, err error) {
	if err := os.MkdirAll(filepath.Join(m.dir, candidates), 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp("", "evlab-index-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	g := m.writer(filepath.Join(tmp, "index"))
	if err := fill(g); err != nil {
		return "", err
	}
	tree, err = g.word(ctx, "write-tree")
	return tree, broken(err)
}

// broken makes git's refusal a fault of the machine: it was asked for something that has to work.
func broken(err error) error {
	var f *failed
	if errors.As(err, &f) {
		return errors.New(f.Error())
	}
	return err
}

// probePatch applies to every tree that has no such file.
const probePatch = "--- /dev/null\n+++ b/.evlab-probe\n@@ -0,0 +1 @@\n+1\n"

// probe finds the machine's fault behind a refusal: git has one status for a bad patch, a full table of files and a
// damaged repository, and its messages hold names that the patch chose. So the same is tried with a patch of ours, and
// the files that the patch names are read.
func (m *Mirror) probe(ctx context.Context, g git, tree string, patch []byte) error {
	if _, err := g.run(ctx, strings.NewReader(probePatch), "apply", "--cached", "--check", "-p1", "-"); err != nil {
		return broken(err)
	}
	all, err := m.entries(ctx, tree)
	if err != nil {
		return broken(err)
	}
	names := parsePatch(patch).all()
	slices.Sort(names)
	named := slices.DeleteFunc(all, func(e entry) bool {
		_, found := slices.BinarySearch(names, e.path)
		return !found || e.mode == modeGitlink
	})
	return broken(m.blobs(ctx, named, func(entry, int64, io.Reader) error { return nil }))
}

// applyReason is git's explanation without its prefixes.
func applyReason(stderr string) string {
	s := firstLines(stderr, 3)
	s = strings.ReplaceAll(s, "error: ", "")
	s = strings.ReplaceAll(s, ` (allow with "--allow-empty")`, "") // advice to who calls git
	return strings.TrimPrefix(s, "fatal: ")
}

// refusal names the first entry of the new tree that the patch has no business making, "" when there is none.
func (m *Mirror) refusal(ctx context.Context, from, to string, changes []change) (string, error) {
	for _, c := range changes {
		if err := checkPath(c.path); err != nil && c.status != 'D' {
			return err.Error(), nil
		}
		if c.newMode == modeGitlink {
			return fmt.Sprintf("path %q is a submodule (gitlink)", c.path), nil
		}
	}
	now, err := m.leaving(ctx, to)
	if err != nil || len(now) == 0 {
		return "", err
	}
	before, err := m.leaving(ctx, from)
	if err != nil {
		return "", err
	}
	changed := map[string]bool{}
	for _, c := range changes {
		changed[c.path] = true
	}
	for _, l := range now {
		// A link that left the tree already is not the patch's doing, unless the patch touches it.
		if old := slices.ContainsFunc(before, func(b leaving) bool { return b.path == l.path }); !old || changed[l.path] {
			return fmt.Sprintf("symbolic link %q -> %q: %s", l.path, l.target, l.why), nil
		}
	}
	return "", nil
}
