package planning

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"evlab/datasets"
	"evlab/environments"
	"evlab/environments/requirements"
	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox/wheel"
)

// anotherWay ends the sentences about tasks whose needs a recipe cannot meet.
const anotherWay = "let the task name an image (image or dockerfile)"

// wheels gives the recipe what a task needs of an index: wheels, and another Python than Debian's. takes is nil for a recipe
// that takes none. The error is the task's, in one sentence, unless ctx is done.
func (s *settler) wheels(ctx context.Context, task *experiments.FrozenTask, recipe *experiments.Environment, takes *experiments.Wheels, setting datasets.Setting) error {
	if len(setting.Requirements) == 0 && setting.Python == "" {
		return nil
	}
	if takes == nil {
		return fmt.Errorf("it names requirements or a Python, and the environment %s has no place for them; %s", recipe.Name, anotherWay)
	}
	index, err := s.indexFor(ctx, *recipe)
	if err != nil {
		return err
	}
	if !isVersion(index.Target().Python, setting.Python) {
		if index, err = s.anotherPython(ctx, recipe, takes, index.Target().Python, setting.Python); err != nil {
			return err
		}
	}
	var set requirements.Set
	if len(setting.Requirements) > 0 {
		mirror, err := repos.Open(ctx, s.folder.Mirror(task.Mirror))
		if err != nil {
			return err
		}
		set, err = requirements.Read(setting.Requirements, index.Target(), func(path string) ([]byte, error) {
			return mirror.ReadFile(ctx, task.BaseCommit, path)
		})
		if err != nil {
			return err
		}
	}
	pinned, err := index.Resolve(ctx, set)
	if err == nil && recipe.Base != "" {
		pinned, err = withPytest(ctx, index, set, pinned)
	}
	switch {
	case errors.Is(err, environments.ErrIndex):
		return fmt.Errorf("its packages could not be fetched: %w; see that pip's own settings (PIP_INDEX_URL, pip.conf) name an index that answers and start a new run, or %s", err, anotherWay)
	case err != nil:
		return fmt.Errorf("its packages are not to be had as wheels: %w; %s", err, anotherWay)
	}
	if len(pinned) > 0 { // else all markers are of other machines
		recipe.Wheels = &experiments.Wheels{Setup: takes.Setup, Python: index.Python(), Set: pinned}
	}
	return nil
}

// isVersion reports whether a version is the one that is wanted, which may leave its end open.
func isVersion(version, wanted string) bool {
	return wanted == "" || strings.HasPrefix(version+".", wanted+".")
}

// anotherPython puts an image with the wanted Python in the place of the recipe's packages.
func (s *settler) anotherPython(ctx context.Context, recipe *experiments.Environment, takes *experiments.Wheels, debians, wanted string) (*environments.Index, error) {
	fail := func(err error) (*environments.Index, error) {
		return nil, fmt.Errorf("it needs Python %s, and Debian's here is %s; %w; %s", wanted, debians, err, anotherWay)
	}
	if takes.Image == "" || !strings.HasPrefix(wanted, "3.") {
		return fail(errors.New("no other is known"))
	}
	pinned, err := s.pin(ctx, strings.ReplaceAll(takes.Image, "{python}", wanted))
	if err != nil {
		return fail(err)
	}
	known, ok := s.indexes[pinned]
	if !ok {
		known.index, known.err = environments.OpenImageIndex(ctx, s.folder.Modules(), pinned, runtime.GOARCH, s.pinner)
		s.remember(ctx, pinned, known)
	}
	if known.err != nil {
		return fail(known.err)
	}
	if has := known.index.Target().Python; !isVersion(has, wanted) {
		return fail(fmt.Errorf("image %s has %s", pinned, has))
	}
	recipe.Base, recipe.Packages, recipe.Setup = pinned, nil, nil
	return known.index, nil
}

// withPytest adds pytest to wheels without it, in a version that goes with them: an image of Python's has none, and Debian's
// is for Debian's Python.
func withPytest(ctx context.Context, index *environments.Index, set requirements.Set, pinned []experiments.Wheel) ([]experiments.Wheel, error) {
	also := requirements.Set{Wanted: []string{"pytest"}, Pre: set.Pre}
	has := map[string]bool{}
	for _, w := range pinned {
		named, err := wheel.ParseName(w.File)
		if err != nil {
			return nil, err
		}
		project := strings.ToLower(named.Project)
		has[project] = true
		also.Constraints = append(also.Constraints, project+"=="+named.Version)
	}
	if has["pytest"] {
		return pinned, nil
	}
	more, err := index.Resolve(ctx, also)
	if err != nil {
		return nil, fmt.Errorf("with pytest, which it does not name itself: %w", err)
	}
	for _, w := range more {
		if named, err := wheel.ParseName(w.File); err != nil || has[strings.ToLower(named.Project)] {
			continue
		}
		pinned = append(pinned, w)
	}
	slices.SortFunc(pinned, func(a, b experiments.Wheel) int { return strings.Compare(a.File, b.File) })
	return pinned, nil
}

// indexFor opens the index for a recipe's Python, once for each recipe. What keeps it from that is remembered, too.
func (s *settler) indexFor(ctx context.Context, recipe experiments.Environment) (*environments.Index, error) {
	if known, ok := s.indexes[recipe.Name]; ok {
		return known.index, known.err
	}
	var o openedIndex
	store := s.folder.Modules()
	packages, err := environments.Fetch(ctx, store, recipe.Packages, runtime.GOARCH)
	if err == nil {
		o.index, err = environments.OpenIndex(store, packages, runtime.GOARCH)
	}
	o.err = err
	s.remember(ctx, recipe.Name, o)
	return o.index, o.err
}

// remember keeps what came of opening an index, unless that was stopped.
func (s *settler) remember(ctx context.Context, name string, o openedIndex) {
	if ctx.Err() != nil {
		return
	}
	if s.indexes == nil {
		s.indexes = map[string]openedIndex{}
	}
	s.indexes[name] = o
}

type openedIndex struct {
	index *environments.Index
	err   error
}
