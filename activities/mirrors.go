package activities

import (
	"context"
	"slices"
	"sync"

	"evlab/repos"
)

// keptMirrors bounds how many repositories a process keeps open: more tasks than that are hardly under way at once.
const keptMirrors = 16

// mirrors keeps repositories open between steps. What one has read of a tree is then there for the next.
type mirrors struct {
	mu     sync.Mutex
	opened []opened // the one used last is the last
}

type opened struct {
	dir    string
	mirror *repos.Mirror
}

func (k *mirrors) open(ctx context.Context, dir string) (*repos.Mirror, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.IndexFunc(k.opened, func(o opened) bool { return o.dir == dir }); i >= 0 {
		found := k.opened[i]
		k.opened = append(slices.Delete(k.opened, i, i+1), found)
		return found.mirror, nil
	}
	mirror, err := repos.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if len(k.opened) == keptMirrors {
		k.opened = slices.Delete(k.opened, 0, 1)
	}
	k.opened = append(k.opened, opened{dir, mirror})
	return mirror, nil
}
