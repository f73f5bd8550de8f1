package activities

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox"
)

// moduleCache is a folder of prefetched modules and the digest of what it was fetched for; both are empty when a task
// needs none.
type moduleCache struct{ dir, id string }

// moduleSet are the module files of one tree, by path, and the folders to fetch for.
type moduleSet struct {
	Files   map[string][]byte
	Folders []string
	Work    bool // the tree is a workspace
	Several bool // several modules have the tests, so that what one of them vendors is not used
}

// prefetch fetches, on the host and before any untrusted code runs, the modules that a task's trees need: base, base
// with the reference repair, and both with the hidden tests. It runs `go mod download`, which executes nothing of the
// repository, for the modules that have the tests, in their places: one may stand in for another. The folder is made once
// per set of module files.
func prefetch(ctx context.Context, store string, mirror *repos.Mirror, task *experiments.FrozenTask, h handOut, cgo bool) (moduleCache, error) {
	trees := []string{task.BaseCommit}
	for _, patch := range [][]byte{h.Reference, h.Tests.Patch} {
		if applied, err := mirror.Apply(ctx, task.BaseCommit, patch); err != nil {
			return moduleCache{}, err
		} else if applied.Outcome == "applied" {
			trees = append(trees, applied.Tree)
		}
	}
	vendored, err := vendoredModules(ctx, mirror, task.BaseCommit)
	if err != nil {
		return moduleCache{}, err
	}
	var sets []moduleSet
	keys := map[string]int{}
	for _, tree := range trees {
		set, err := modulesOf(ctx, mirror, tree, slices.Concat(h.Tests.FailToPass, h.Tests.PassToPass), cgo)
		if err != nil {
			return moduleCache{}, err
		}
		if set.Folders = slices.DeleteFunc(set.Folders, func(dir string) bool { return vendored[dir] && !set.Work && !set.Several }); len(set.Folders) == 0 {
			continue
		}
		d, err := experiments.DigestJSON(set)
		if err != nil {
			return moduleCache{}, err
		}
		if keys[string(d)] == 0 {
			keys[string(d)] = 1
			sets = append(sets, set)
		}
	}
	if len(sets) == 0 {
		return moduleCache{}, nil
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

// modulesOf reads the module files of a tree. A module without requirements needs nothing fetched.
func modulesOf(ctx context.Context, mirror *repos.Mirror, tree string, tests []string, cgo bool) (set moduleSet, err error) {
	g, err := readGoTree(ctx, mirror, tree, tests, cgo)
	if err != nil {
		return set, err
	}
	folders := g.needed(tests)
	set.Several = len(folders) > 1
	if _, ok := g.modules["."]; ok && !slices.Contains(folders, ".") {
		folders = append(folders, ".")
	}
	if set.Work = g.uses != nil; set.Work {
		folders = g.uses
	}
	found, err := mirror.Files(ctx, tree, func(p string, size int64) bool {
		name := path.Base(p)
		return size < maxGoFile && (name == "go.mod" || name == "go.sum" || p == "go.work" || p == "go.work.sum") && !strings.Contains("/"+p, "/vendor/")
	})
	if err != nil {
		return set, err
	}
	set.Files = map[string][]byte{}
	for _, f := range found {
		set.Files[f.Path] = f.Content
	}
	for _, dir := range folders {
		if bytes.Contains(set.Files[path.Join(dir, "go.mod")], []byte("require")) {
			set.Folders = append(set.Folders, dir)
		}
	}
	return set, nil
}

// workspace names the modules of a workspace, none where the tree is no workspace.
func (s moduleSet) workspace() (names []string) {
	for _, use := range repos.Directives(string(s.Files["go.work"]), "use") {
		if name := repos.ModulePath(string(s.Files[path.Join(use[0], "go.mod")])); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// withoutRequirements takes requirements of these modules out of a go.mod: tests find them in the workspace, whatever the
// version. It may be one that was never released, so that nothing can be fetched; where it was, the go command wants its
// go.mod as soon as it looks through all that is required.
func withoutRequirements(mod []byte, names []string) []byte {
	if len(names) == 0 {
		return mod
	}
	var out []byte
	for line := range bytes.Lines(mod) {
		f := strings.Fields(string(line))
		if len(f) > 0 && f[0] == "require" {
			f = f[1:]
		}
		if len(f) < 2 || !strings.HasPrefix(f[1], "v") || !slices.Contains(names, strings.Trim(f[0], "\"`")) {
			out = append(out, line...)
		}
	}
	return out
}

// download fetches what the module files list into a module cache. The host's own Go settings say from where; what the host
// has fetched before is taken from its cache, which is a proxy's folder as it stands, and needs no network.
func download(ctx context.Context, cache string, set moduleSet) error {
	proxies, err := hostProxies(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "evlab-modules-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := set.write(dir, nil); err != nil {
		return err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	flags, work, folders := "-mod=mod -modcacherw", "off", set.Folders
	if set.Work { // one command for all of its modules, and it refuses -mod=mod
		flags, work, folders = "-modcacherw", "", []string{"."}
	}
	fetch := func(folder string) error {
		cmd := exec.CommandContext(ctx, "go", "mod", "download", "all")
		cmd.Dir = filepath.Join(dir, filepath.FromSlash(folder))
		cmd.Env = append(os.Environ(), "GOMODCACHE="+cache, "GOFLAGS="+flags, "GOTOOLCHAIN=local", "GOWORK="+work, "GOPROXY="+proxies)
		if out, err := cmd.CombinedOutput(); err != nil {
			return errors.Join(fmt.Errorf("go mod download in %s: %s", folder, oneLine(string(out))), err)
		}
		return nil
	}
	for _, folder := range folders {
		err := fetch(folder)
		if own := set.workspace(); err != nil && len(own) > 0 {
			if err := set.write(dir, own); err != nil {
				return err
			}
			err = fetch(folder)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write puts the module files into a folder, without their requirements of the modules named.
func (s moduleSet) write(dir string, names []string) error {
	for name, content := range s.Files {
		if path.Base(name) == "go.mod" {
			content = withoutRequirements(content, names)
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// hostProxies is the host's GOPROXY with its own cache before it.
func hostProxies(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOMODCACHE", "GOPROXY")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("asking for the host's Go settings: %w", err)
	}
	cache, proxies, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(string(out), "\r", "")), "\n")
	at := filepath.ToSlash(filepath.Join(cache, "cache", "download"))
	if info, err := os.Stat(at); err != nil || !info.IsDir() || strings.ContainsAny(at, ",|") {
		return proxies, nil
	}
	own := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(at, "/")}
	return own.String() + "," + proxies, nil
}
