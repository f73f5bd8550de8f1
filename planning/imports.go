package planning

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"evlab/environments"
	"evlab/experiments"
	"evlab/repos"
)

// What a task of Python imports from Debian's packages follows, as additions of Go's do, from its base, its hidden tests
// and its own repair, and never from a candidate. Where there is no Debian, it runs with Python and pytest alone.

// addImported gives a recipe the packages of what the task's sources import.
func (s *settler) addImported(ctx context.Context, task *experiments.FrozenTask, recipe *experiments.Environment, rule experiments.Imports, patches [][]byte) error {
	if task.Mirror == "" {
		return nil
	}
	mirror, err := repos.Open(ctx, s.folder.Mirror(task.Mirror))
	if err != nil {
		return err
	}
	sources := environments.NewPythonSources()
	read := func(treeish string, in func(path string) bool) error {
		files, err := mirror.Files(ctx, treeish, func(p string, size int64) bool {
			wanted := sources.Look(p)
			return wanted && size <= maxUnitFile && in(p)
		})
		for _, f := range files {
			sources.Read(f.Path, f.Content)
		}
		return err
	}
	if err := read(task.BaseCommit, func(string) bool { return true }); err != nil {
		return err
	}
	err = eachPatched(ctx, mirror, task.BaseCommit, patches, func(tree string, paths []string) error {
		return read(tree, func(p string) bool { return slices.Contains(paths, p) })
	})
	if err != nil {
		return err
	}
	packages, err := sources.Packages(rule, func() (map[string]bool, error) { return s.debianNames(ctx, rule) })
	all := recipe.Packages
	if err == nil && len(packages) > 0 {
		all = slices.Compact(slices.Sorted(slices.Values(slices.Concat(all, packages))))
		err = s.toBeHad(ctx, all)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		s.bare.add(task.ID, firstLine(err.Error()))
	case len(packages) > 0 && len(all) > len(recipe.Packages):
		recipe.Packages = all
	}
	return nil
}

// debianNames are asked for once, whatever comes of it.
func (s *settler) debianNames(ctx context.Context, rule experiments.Imports) (map[string]bool, error) {
	if s.names == nil && s.namesErr == nil {
		prefix, _, _ := strings.Cut(rule.Package, "{")
		s.names, s.namesErr = environments.Known(ctx, s.folder.Modules(), prefix, runtime.GOARCH)
	}
	return s.names, s.namesErr
}
