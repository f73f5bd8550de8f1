package activities

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"evlab/environments"
	"evlab/repos"
)

// vendoredModules are the folders of modules whose vendor folder has what their go.mod requires, as the go command holds
// one against the other. Such a module is tested with what is there, as it is anywhere else: its requirements may be
// changed there, or be on no server.
func vendoredModules(ctx context.Context, mirror *repos.Mirror, tree string) (map[string]bool, error) {
	found, err := mirror.Files(ctx, tree, func(p string, size int64) bool {
		in := path.Dir(p)
		if path.Base(p) == "modules.txt" && path.Base(in) == "vendor" {
			in = path.Dir(in)
		} else if path.Base(p) != "go.mod" {
			return false
		}
		return size < maxGoFile && !environments.IgnoredGoFolder(in)
	})
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, f := range found {
		texts[f.Path] = string(f.Content)
	}
	vendored := map[string]bool{}
	for p, list := range texts {
		if path.Base(p) == "go.mod" {
			continue
		}
		dir := path.Dir(path.Dir(p))
		if mod, ok := texts[path.Join(dir, "go.mod")]; ok && agrees(mod, list) {
			vendored[dir] = true
		}
	}
	return vendored, nil
}

// workspaceFlags are those of the go command in a repository's own workspace, which refuses -mod=mod. What it vendors counts
// if it vendored anything at base, and then the go command sees to it.
func workspaceFlags(ctx context.Context, mirror *repos.Mirror, tree string) (string, error) {
	_, err := mirror.ReadFile(ctx, tree, "vendor/modules.txt")
	switch {
	case err == nil:
		return "GOFLAGS=", nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		return "GOFLAGS=-mod=readonly", nil
	}
	return "", err
}

// agrees reports whether a vendor/modules.txt is that of a go.mod: it marks what is required, and nothing else, and knows
// what stands in for something else.
func agrees(mod, list string) bool {
	explicit, at := map[string]bool{}, ""
	var headings []string
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if module, ok := strings.CutPrefix(line, "# "); ok {
			headings = append(headings, module)
			at, _, _ = strings.Cut(module, " =>")
		} else if strings.HasPrefix(line, "## ") && strings.Contains(line, "explicit") {
			explicit[at] = true
		}
	}
	required := map[string]bool{}
	for _, module := range requirements(mod) {
		required[module] = true
	}
	for _, line := range repos.Directives(mod, "replace") {
		i := slices.Index(line, "=>")
		if i < 1 {
			return false
		}
		old, target := line[0]+" ", " => "+strings.Join(line[i+1:], " ")
		if !slices.ContainsFunc(headings, func(h string) bool { return strings.HasPrefix(h, old) && strings.HasSuffix(h, target) }) {
			return false
		}
	}
	for module := range required {
		if !explicit[module] {
			return false
		}
	}
	return len(required) > 0 && len(explicit) == len(required)
}
