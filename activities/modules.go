package activities

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox"
)

// moduleCache is a folder of prefetched modules and the digest of what it was fetched for; both are empty when a task
// needs none.
type moduleCache struct{ dir, id string }

// prefetch fetches, on the host and before any untrusted code runs, the modules that a task's trees need: base, base
// with the reference repair, and both with the hidden tests. It runs `go mod download`, which executes nothing of the
// repository. The folder is made once per set of module files.
func prefetch(ctx context.Context, store string, mirror *repos.Mirror, task *experiments.FrozenTask, h handOut) (moduleCache, error) {
	trees := []string{task.BaseCommit}
	for _, patch := range [][]byte{h.Reference, h.Tests.Patch} {
		if applied, err := mirror.Apply(ctx, task.BaseCommit, patch); err != nil {
			return moduleCache{}, err
		} else if applied.Outcome == "applied" {
			trees = append(trees, applied.Tree)
		}
	}
	var sets []map[string][]byte
	seen := map[experiments.Digest]bool{}
	for _, tree := range trees {
		files, err := mirror.Files(ctx, tree, func(p string, size int64) bool {
			base := path.Base(p)
			return (base == "go.mod" || base == "go.sum") && size < 4<<20 && !strings.Contains("/"+p, "/testdata/") && !strings.Contains("/"+p, "/vendor/")
		})
		if err != nil {
			return moduleCache{}, err
		}
		folders := map[string]map[string][]byte{}
		for _, f := range files {
			d := path.Dir(f.Path)
			if folders[d] == nil {
				folders[d] = map[string][]byte{}
			}
			folders[d][path.Base(f.Path)] = f.Content
		}
		for _, set := range folders {
			if !bytes.Contains(set["go.mod"], []byte("require")) {
				continue // a module without requirements needs nothing
			}
			if d, err := experiments.DigestJSON(set); err != nil {
				return moduleCache{}, err
			} else if !seen[d] {
				seen[d] = true
				sets = append(sets, set)
			}
		}
	}
	if len(sets) == 0 {
		return moduleCache{}, nil
	}
	keys := map[string]int{}
	for d := range seen {
		keys[string(d)] = 1
	}
	id, err := experiments.DigestJSON(keys)
	if err != nil {
		return moduleCache{}, err
	}
	dir := filepath.Join(store, string(id[:32]))
	if _, err := os.Stat(filepath.Join(dir, "whole")); err == nil {
		return moduleCache{filepath.Join(dir, "mod"), string(id)}, nil
	}
	for _, set := range sets {
		if err := download(ctx, filepath.Join(dir, "mod"), set); err != nil {
			return moduleCache{}, &sandbox.Fault{Class: "modules", Err: fmt.Errorf("fetching the modules of task %s: %w", task.ID, err)}
		}
	}
	if err := artifacts.WriteFile(filepath.Join(dir, "whole"), nil); err != nil {
		return moduleCache{}, err
	}
	return moduleCache{filepath.Join(dir, "mod"), string(id)}, nil
}

// download fetches what one go.mod lists into a module cache. The host's own Go settings say from where.
func download(ctx context.Context, cache string, set map[string][]byte) error {
	dir, err := os.MkdirTemp("", "evlab-modules-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, content := range set {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "all")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOMODCACHE="+cache, "GOFLAGS=-mod=mod -modcacherw", "GOTOOLCHAIN=local", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("go mod download: %s", oneLine(string(out))), err)
	}
	return nil
}
