package planning

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"

	"evlab/environments"
	"evlab/experiments"
	"evlab/repos"
)

// Go's base is the toolchain alone: it is there in seconds, needs no Debian and no network, and is all that most tests
// need. Repositories whose sources start programs or need C get what their additions say beside it. That is decided when
// the environment is settled, by base, hidden tests and the task's own repair, and never by a candidate: all that answer a
// task are tested in one environment. It is an input of the cells, so a task that ran without, since there was no Debian,
// is tested anew where there is.

// addTo gives a recipe those of its additions that the task asks for, also by a test command of its own, where they are to
// be had; else the task runs without them, which the run says.
func (s *settler) addTo(ctx context.Context, task *experiments.FrozenTask, recipe *experiments.Environment, additions []experiments.Addition, ownCommand bool, patches [][]byte) error {
	if task.Mirror == "" {
		return nil
	}
	mirror, err := repos.Open(ctx, s.folder.Mirror(task.Mirror))
	if err != nil {
		return err
	}
	asked, err := askedFor(ctx, mirror, task.BaseCommit, additions, ownCommand, patches)
	if err != nil || len(asked) == 0 {
		return err
	}
	added := *recipe
	for _, a := range asked {
		added.Beside = slices.Concat(added.Beside, a.Packages)
		added.Setup = slices.Concat(added.Setup, a.Setup)
		added.Env = slices.Concat(added.Env, a.Env)
	}
	slices.Sort(added.Beside)
	added.Beside = slices.Compact(added.Beside)
	switch err := s.toBeHad(ctx, added.Beside); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		s.lean.add(task.ID, firstLine(err.Error()))
	default:
		*recipe = added
	}
	return nil
}

// toBeHad fetches packages, and remembers of what it could not fetch why.
func (s *settler) toBeHad(ctx context.Context, packages []string) error {
	if kind := s.contract.Sandbox.Kind; kind != "docker" {
		return fmt.Errorf("that needs Docker, and this run's sandbox is %s", kind)
	}
	if s.debian == nil {
		s.debian = map[string]error{}
	}
	key := fmt.Sprint(packages)
	err, known := s.debian[key]
	if !known {
		_, err = environments.Fetch(ctx, s.folder.Modules(), packages, runtime.GOARCH)
		s.debian[key] = err
	}
	return err
}

// askedFor are the additions that a task's sources ask for: at base, in its hidden tests or in its own repair; and those
// with a shell, where it has a test command of its own.
func askedFor(ctx context.Context, mirror *repos.Mirror, base string, additions []experiments.Addition, ownCommand bool, patches [][]byte) (asked []experiments.Addition, err error) {
	words := environments.AdditionWords(additions)
	paths, err := mirror.Search(ctx, base, words, environments.AdditionPaths...)
	if err != nil {
		return nil, err
	}
	found := make([]bool, len(additions))
	for i, a := range additions {
		found[i] = ownCommand && hasShell(a.Packages)
	}
	look := func(treeish string, paths []string) error {
		if len(paths) == 0 || !slices.Contains(found, false) {
			return nil
		}
		wanted := make(map[string]bool, len(paths))
		for _, p := range paths {
			wanted[p] = true
		}
		files, err := mirror.Files(ctx, treeish, func(p string, size int64) bool { return wanted[p] && size <= maxUnitFile })
		for _, f := range files {
			for i, a := range additions {
				found[i] = found[i] || environments.Asks(a, f.Path, f.Content)
			}
		}
		return err
	}
	if err := look(base, paths); err != nil {
		return nil, err
	}
	patches = slices.DeleteFunc(slices.Clone(patches), func(patch []byte) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(patch, []byte(word)) })
	})
	if err := eachPatched(ctx, mirror, base, patches, look); err != nil {
		return nil, err
	}
	for i, a := range additions {
		if found[i] {
			asked = append(asked, a)
		}
	}
	return asked, nil
}

// eachPatched looks at what each of the patches that apply makes of base, and at which paths.
func eachPatched(ctx context.Context, mirror *repos.Mirror, base string, patches [][]byte, look func(tree string, paths []string) error) error {
	for _, patch := range patches {
		applied, err := mirror.Apply(ctx, base, patch)
		if err == nil && applied.Outcome == repos.OutcomeApplied {
			err = look(applied.Tree, applied.Paths)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
