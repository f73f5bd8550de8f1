package repos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Overlay prepares a candidate's tree for the hidden tests: every path that the test patch changes is as base plus
// test patch has it, whatever the candidate did there, and so is what would run with the tests or decide how they run
// (undone): a *_test.go that the candidate added, edited or removed, since a TestMain, an init or a test of the same name
// in the same package would run with the hidden ones; base's other tests and their data; what configures the runner. kept
// lists paths of the last two that the candidate may change, since the task's own repair does (RunnerPaths).
// Where the candidate put a file in place of a folder that these paths need, the folder wins. tree is Applied.Tree;
// an empty test patch owns nothing. An error that is ErrTestPatch is the task's fault, any other the machine's.
func (m *Mirror) Overlay(ctx context.Context, base, tree string, testPatch []byte, kept ...string) (Overlaid, error) {
	o, err := m.overlay(ctx, base, tree, testPatch, kept)
	if err != nil {
		return Overlaid{}, fmt.Errorf("laying the hidden tests over a candidate in %s: %w", m.dir, err)
	}
	return o, nil
}

func (m *Mirror) overlay(ctx context.Context, base, tree string, testPatch []byte, kept []string) (o Overlaid, err error) {
	// The test patch is applied to base alone: then its failure can't be the candidate's doing. Laying the result's
	// entries over the candidate is the same as restoring the paths and applying the patch there.
	tests, testChanges, err := m.apply(ctx, base, testPatch)
	if err != nil {
		return o, err
	}
	if tests.Outcome == OutcomeFailed {
		return o, fmt.Errorf("%w: %s", ErrTestPatch, tests.Reason)
	}
	baseTree, err := m.Tree(ctx, base)
	if err != nil {
		return o, err
	}
	candidateTree, err := m.Tree(ctx, tree)
	if err != nil {
		return o, err
	}
	if candidateTree != tree {
		return o, fmt.Errorf("%s is not a tree", tree)
	}
	owned := map[string]bool{}
	for _, c := range testChanges {
		owned[c.path] = true
	}
	for _, name := range parsePatch(testPatch).all() { // a copy's source, a file that a patch names and leaves as it is
		if checkPath(name) == nil {
			owned[name] = true
		}
	}
	changes, err := m.changes(ctx, baseTree, tree)
	if err != nil {
		return o, err
	}
	l, err := m.newLayer(ctx, tree, tests.Tree)
	if err != nil {
		return o, err
	}
	restored, err := m.undone(ctx, baseTree, tree, changes, kept)
	if err != nil {
		return o, err
	}
	for _, c := range changes {
		if owned[c.path] || restored[c.path] {
			l.neutralise(c.path)
		}
	}
	for p := range owned {
		restored[p] = true
	}
	for _, p := range sortedKeys(restored) {
		l.restore(p)
	}
	if err := m.dropLeaving(ctx, l); err != nil {
		return o, err
	}
	if o.Tree, err = m.write(ctx, l.files); err != nil {
		return o, err
	}
	o.Owned, o.Neutralised = sortedKeys(owned), sortedKeys(l.neutralised)
	return o, nil
}

// layer is a tree in the making: the candidate's files, and the tests' tree to take paths from.
type layer struct {
	files, tests map[string]entry
	folders      map[string]bool // folders of files, perhaps some that are empty by now
	neutralised  map[string]bool
}

func (m *Mirror) newLayer(ctx context.Context, candidate, tests string) (*layer, error) {
	l := &layer{neutralised: map[string]bool{}, folders: map[string]bool{}}
	for _, side := range []struct {
		tree string
		to   *map[string]entry
	}{{candidate, &l.files}, {tests, &l.tests}} {
		all, err := m.entries(ctx, side.tree)
		if err != nil {
			return nil, err
		}
		*side.to = make(map[string]entry, len(all))
		for _, e := range all {
			(*side.to)[e.path] = e
		}
	}
	for p := range l.files {
		l.addFolders(p)
	}
	return l, nil
}

func (l *layer) addFolders(p string) {
	for at := folder(p); at != "" && !l.folders[at]; at = folder(at) {
		l.folders[at] = true
	}
}

// folder is the folder that p is in, "" for the root.
func folder(p string) string { return p[:max(strings.LastIndexByte(p, '/'), 0)] }

func (l *layer) neutralise(p string) { l.neutralised[p] = true }

// restore makes p what it is in the tests' tree.
func (l *layer) restore(p string) {
	e, wanted := l.tests[p]
	if !wanted {
		delete(l.files, p)
		return
	}
	for at := folder(p); at != ""; at = folder(at) {
		if _, isFile := l.files[at]; !isFile {
			continue
		}
		delete(l.files, at)
		l.neutralise(at)
		l.folders[at] = true
		for q, other := range l.tests {
			if strings.HasPrefix(q, at+"/") {
				l.files[q] = other
				l.addFolders(q)
			}
		}
	}
	if l.folders[p] {
		for q := range l.files {
			if strings.HasPrefix(q, p+"/") {
				delete(l.files, q)
				l.neutralise(q)
			}
		}
		delete(l.folders, p)
	}
	l.files[p] = e
	l.addFolders(p)
}

// dropLeaving undoes candidate's symbolic links that leave the tree now that a link on their way was replaced.
func (m *Mirror) dropLeaving(ctx context.Context, l *layer) error {
	all := make([]entry, 0, len(l.files))
	for _, p := range sortedKeys(l.files) {
		all = append(all, l.files[p])
	}
	targets, err := m.targets(ctx, all)
	if err != nil {
		return err
	}
	for _, p := range sortedKeys(targets) {
		if leaves(p, targets) != "" && l.tests[p] != l.files[p] {
			l.neutralise(p)
			l.restore(p)
		}
	}
	return nil
}

// write makes a tree of entries whose objects are there already.
func (m *Mirror) write(ctx context.Context, files map[string]entry) (string, error) {
	var lines bytes.Buffer
	for _, p := range sortedKeys(files) {
		fmt.Fprintf(&lines, "%s %s 0\t%s\x00", files[p].mode, files[p].id, p)
	}
	tree, err := m.inIndex(ctx, func(g git) error {
		_, err := g.run(ctx, &lines, "update-index", "-z", "--index-info")
		return broken(err)
	})
	if err != nil {
		return "", errors.Join(errors.New("writing a tree"), err)
	}
	return tree, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
