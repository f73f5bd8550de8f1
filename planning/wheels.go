package planning

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"evlab/datasets"
	"evlab/environments"
	"evlab/environments/requirements"
	"evlab/experiments"
	"evlab/repos"
)

// anotherWay ends the sentences about tasks whose needs a recipe cannot meet.
const anotherWay = "let the task name an image (image or dockerfile)"

// wheels gives what a task needs of an index, as the recipe of its language takes it; nil when it needs nothing. takes is
// nil for a recipe that takes none. The error is the task's, in one sentence, unless ctx is done.
func (s *settler) wheels(ctx context.Context, task *experiments.FrozenTask, recipe experiments.Environment, takes *experiments.Wheels, setting datasets.Setting) (*experiments.Wheels, error) {
	if len(setting.Requirements) == 0 && setting.Python == "" {
		return nil, nil
	}
	if takes == nil {
		return nil, fmt.Errorf("it names requirements or a Python, and the environment %s has no place for them; %s", recipe.Name, anotherWay)
	}
	index, err := s.indexFor(ctx, recipe)
	if err != nil {
		return nil, err
	}
	target := index.Target()
	if setting.Python != "" && !strings.HasPrefix(target.Python+".", setting.Python+".") {
		return nil, fmt.Errorf("it needs Python %s, and Debian's here is %s; %s", setting.Python, target.Python, anotherWay)
	}
	if len(setting.Requirements) == 0 {
		return nil, nil
	}
	mirror, err := repos.Open(ctx, s.folder.Mirror(task.Mirror))
	if err != nil {
		return nil, err
	}
	set, err := requirements.Read(setting.Requirements, target, func(path string) ([]byte, error) {
		return mirror.ReadFile(ctx, task.BaseCommit, path)
	})
	if err != nil {
		return nil, err
	}
	pinned, err := index.Resolve(ctx, set)
	if err != nil {
		if errors.Is(err, environments.ErrIndex) {
			return nil, fmt.Errorf("its packages could not be fetched: %w; see that pip's own settings (PIP_INDEX_URL, pip.conf) name an index that answers and start a new run, or %s", err, anotherWay)
		}
		return nil, fmt.Errorf("its packages are not to be had as wheels: %w; %s", err, anotherWay)
	}
	if len(pinned) == 0 { // all markers are of other machines
		return nil, nil
	}
	return &experiments.Wheels{Setup: takes.Setup, Python: index.Python(), Set: pinned}, nil
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
	if o.err = err; ctx.Err() == nil {
		if s.indexes == nil {
			s.indexes = map[string]openedIndex{}
		}
		s.indexes[recipe.Name] = o
	}
	return o.index, o.err
}

type openedIndex struct {
	index *environments.Index
	err   error
}
