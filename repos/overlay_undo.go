package repos

import (
	"context"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// undone chooses the candidate's changes that the hidden tests run without, besides the paths of the test patch itself:
// what would run with the tests, or decide how they run, without being the program under test. Those are tests and their
// data, what configures the runner, and code that the runner would load in place of its own. Of these, kept lists the
// paths that are the candidate's to change all the same, since the task's own repair changes them.
//
// Without this rule a patch could make every test pass, or none run, by a few lines that touch nothing of the program.
func (m *Mirror) undone(ctx context.Context, baseTree, testsTree, tree string, changes []change, kept []string) (map[string]bool, error) {
	inBase, err := m.inTree(ctx, baseTree)
	if err != nil {
		return nil, err
	}
	undo, packaged := map[string]bool{}, withTests(maps.Keys(inBase))
	code := &goSides{m: m, tests: testsTree, candidate: tree, kept: kept}
	python := &pythonSides{m: m, base: baseTree, candidate: tree, kept: kept}
	for _, c := range changes {
		if isGoTest(c.path) {
			undo[c.path] = true
			continue
		}
		if slices.Contains(kept, c.path) {
			continue
		}
		if configuresRunner(c.path) || isRunnersOwn(c.path, inBase) || !inBase[c.path] && isFoundByRunner(c.path) {
			undo[c.path] = true
			continue
		}
		at := pythonTests(c.path)
		if dir := packagedTests(c.path); at == "" && packaged[dir] {
			at = dir
		}
		switch {
		case strings.HasSuffix(c.path, ".go"):
			if undo[c.path], err = code.isTests(ctx, c.path); err != nil {
				return nil, err
			}
			continue
		case at != "":
			if undo[c.path], err = python.isTests(ctx, c.path, at); err != nil {
				return nil, err
			}
		case supportsTests(c.path):
			undo[c.path] = true
		}
		if undo[c.path] {
			embedded, err := code.embeds(ctx, c.path)
			if err != nil {
				return nil, err
			}
			undo[c.path] = !embedded
		}
		if changed := changedSettings(c.path); changed != nil && !undo[c.path] {
			before, after, err := m.sides(ctx, c)
			if err != nil {
				return nil, err
			}
			if !changed(before, after) {
				continue
			}
			if path.Base(c.path) == "go.mod" {
				ok, err := code.mayReplace(ctx, folder(c.path), before, after)
				if err != nil {
					return nil, err
				}
				if ok && !sharesLoops(before, after) {
					continue
				}
				undo[path.Join(path.Dir(c.path), "go.sum")] = true
			}
			undo[c.path] = true
		}
	}
	maps.DeleteFunc(undo, func(_ string, yes bool) bool { return !yes })
	return undo, nil
}

// inTree has the files of a tree, and the folders that they are in.
func (m *Mirror) inTree(ctx context.Context, tree string) (map[string]bool, error) {
	all, err := m.entries(ctx, tree)
	if err != nil {
		return nil, err
	}
	in := map[string]bool{}
	for _, e := range all {
		for at := e.path; at != "" && !in[at]; at = folder(at) {
			in[at] = true
		}
	}
	return in, nil
}

// RunnerPaths lists, of the paths that a patch changes, those that decide how tests run, or may: what Overlay undoes in a
// candidate's patch, and what is flagged there. A source of Go may be a helper of tests, whatever its name.
func RunnerPaths(patch []byte) []string {
	return slices.DeleteFunc(PatchPaths(patch), func(p string) bool {
		return configKind(p, nil) == "" && !supportsTests(p) && pythonTests(p) == "" && packagedTests(p) == "" && !isFoundByRunner(p) && (isGoTest(p) || !strings.HasSuffix(p, ".go"))
	})
}

// sides reads both sides of a change; a side without a regular file is "".
func (m *Mirror) sides(ctx context.Context, c change) (before, after string, err error) {
	var sides [2]string
	for i, side := range []struct{ mode, id string }{{c.oldMode, c.oldID}, {c.newMode, c.newID}} {
		if !regular(side.mode) {
			continue
		}
		err := m.blobs(ctx, []entry{{id: side.id, path: c.path}}, func(_ entry, _ int64, content io.Reader) error {
			text, err := io.ReadAll(io.LimitReader(content, 1<<20))
			sides[i] = string(text)
			return err
		})
		if err != nil {
			return "", "", err
		}
	}
	return sides[0], sides[1], nil
}
