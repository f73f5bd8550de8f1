package repos

import (
	"crypto/sha256"
	"slices"
	"sync"
)

// memory is what a Mirror has read or computed of objects: a name that is a digest stands for the same for ever. It saves
// the starting of git, of which each candidate needs dozens otherwise. A Mirror without one works, and asks each time.
type memory struct {
	mu       sync.Mutex
	trees    map[string]string  // full object id -> its tree
	listings map[string][]entry // tree -> all its entries
	held     int                // entries in listings
	applied  map[[sha256.Size]byte]application
}

// application is what apply gave for a tree and a patch.
type application struct {
	a       Applied
	changes []change
}

// Bounds of a memory. What would pass one makes room by dropping everything of its kind.
const (
	keptEntries = 60_000 // of some 150 bytes
	keptTrees   = 4096
	keptApplied = 64
)

func newMemory() *memory {
	return &memory{trees: map[string]string{}, listings: map[string][]entry{}, applied: map[[sha256.Size]byte]application{}}
}

func (k *memory) tree(id string) (string, bool) {
	if k == nil {
		return "", false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	tree, ok := k.trees[id]
	return tree, ok
}

func (k *memory) keepTree(id, tree string) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.trees) >= keptTrees {
		clear(k.trees)
	}
	k.trees[id] = tree
}

// listing gives a copy: its readers sort and filter in place.
func (k *memory) listing(tree string) ([]entry, bool) {
	if k == nil {
		return nil, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	list, ok := k.listings[tree]
	return slices.Clone(list), ok
}

func (k *memory) keepListing(tree string, list []entry) {
	if k == nil || len(list) > keptEntries/2 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, again := k.listings[tree]; again {
		return
	}
	if k.held+len(list) > keptEntries {
		clear(k.listings)
		k.held = 0
	}
	k.listings[tree] = slices.Clone(list)
	k.held += len(list)
}

func patchKey(tree string, patch []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write([]byte(tree))
	h.Write([]byte{0})
	h.Write(patch)
	return [sha256.Size]byte(h.Sum(nil))
}

func (k *memory) patch(tree string, patch []byte) (application, bool) {
	if k == nil {
		return application{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	p, ok := k.applied[patchKey(tree, patch)]
	return p.clone(), ok
}

func (k *memory) keepPatch(tree string, patch []byte, p application) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.applied) >= keptApplied {
		clear(k.applied)
	}
	k.applied[patchKey(tree, patch)] = p.clone()
}

func (p application) clone() application {
	p.a.Paths, p.a.Flags, p.changes = slices.Clone(p.a.Paths), slices.Clone(p.a.Flags), slices.Clone(p.changes)
	return p
}
