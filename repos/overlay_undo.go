package repos

import (
	"bytes"
	"context"
	"io"
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
func (m *Mirror) undone(ctx context.Context, baseTree, tree string, changes []change, kept []string) (map[string]bool, error) {
	all, err := m.entries(ctx, baseTree)
	if err != nil {
		return nil, err
	}
	inBase := map[string]bool{} // files, and the folders that they are in
	for _, e := range all {
		for at := e.path; at != "" && !inBase[at]; at = folder(at) {
			inBase[at] = true
		}
	}
	undo := map[string]bool{}
	helpers := map[string]bool{} // folders that were looked at, with the answer
	python := &pythonTree{all: all}
	own := &pythonTree{} // the candidate's
	if own.all, err = m.entries(ctx, tree); err != nil {
		return nil, err
	}
	for _, c := range changes {
		if isGoTest(c.path) {
			undo[c.path] = true
			continue
		}
		if slices.Contains(kept, c.path) {
			continue
		}
		at := pythonTests(c.path)
		if configuresRunner(c.path) || supportsTests(c.path) && at == "" || !inBase[c.path] && isFoundByRunner(c.path) || isRunnersOwn(c.path, inBase) {
			undo[c.path] = true
			continue
		}
		if at != "" {
			theirs, err := m.pythonTestsOwn(ctx, python, own, c.path, at, kept)
			if err != nil {
				return nil, err
			}
			if theirs {
				undo[c.path] = true
				continue
			}
		}
		if changed := changedSettings(c.path); changed != nil {
			before, after, err := m.sides(ctx, c)
			if err != nil {
				return nil, err
			}
			if changed(before, after) {
				undo[c.path] = true
				if path.Base(c.path) == "go.mod" {
					undo[path.Join(path.Dir(c.path), "go.sum")] = true
				}
			}
			continue
		}
		if dir := folder(c.path); helpsGoTests(c.path) && inBase[dir] {
			only, known := helpers[dir]
			if !known {
				if only, err = m.onlyTestsImport(ctx, all, dir, kept); err != nil {
					return nil, err
				}
				helpers[dir] = only
			}
			if only {
				undo[c.path] = true
			}
		}
	}
	return undo, nil
}

// RunnerPaths lists, of the paths that a patch changes, those that decide how tests run, or may: what Overlay undoes in a
// candidate's patch, and what is flagged there.
func RunnerPaths(patch []byte) []string {
	return slices.DeleteFunc(PatchPaths(patch), func(p string) bool {
		return configKind(p) == "" && !supportsTests(p) && pythonTests(p) == "" && !isFoundByRunner(p) && !helpsGoTests(p)
	})
}

// onlyTestsImport reports whether a folder's package is imported by tests, or by other helpers of theirs, and by nothing
// else of the tree. A folder that the task's own repair changes is the program's.
func (m *Mirror) onlyTestsImport(ctx context.Context, all []entry, dir string, kept []string) (bool, error) {
	if slices.ContainsFunc(kept, func(p string) bool { return folder(p) == dir }) {
		return false, nil
	}
	sources := slices.DeleteFunc(slices.Clone(all), func(e entry) bool {
		return !strings.HasSuffix(e.path, ".go") || !regular(e.mode) || folder(e.path) == dir
	})
	byTests, byOthers := false, false
	imported := []byte("/" + dir + `"`)
	err := m.blobs(ctx, sources, func(e entry, _ int64, content io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(content, 1<<20))
		if bytes.Contains(text, imported) {
			byTests = byTests || isGoTest(e.path)
			byOthers = byOthers || !isGoTest(e.path) && !helpsGoTests(e.path)
		}
		return err
	})
	return byTests && !byOthers, err
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
