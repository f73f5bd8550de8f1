package activities

import (
	"context"
	"path"
	"strings"

	"evlab/environments"
	"evlab/repos"
)

// Tests run with -mod=mod, since hidden tests may need what no candidate can have required. So a module whose go.sum a
// candidate took away is tested, too, and nobody else could build it.

// unsummed names a module with its version whose sum a candidate took out of a go.sum although its go.mod still requires it
// and its tree imports it: the go command refuses to build such a tree. It is "" where there is none, and where the modules
// are vendored.
func unsummed(ctx context.Context, mirror *repos.Mirror, base, tree string, delta repos.Delta) (string, error) {
	for _, name := range delta.Paths() {
		if path.Base(name) != "go.sum" {
			continue
		}
		before, err := textAt(ctx, mirror, base, name)
		if err != nil {
			return "", err
		}
		after, err := textAt(ctx, mirror, tree, name)
		if err != nil {
			return "", err
		}
		dir := path.Dir(name)
		required, err := requiredAt(ctx, mirror, tree, path.Join(dir, "go.mod"))
		if err != nil {
			return "", err
		}
		lost := lostSums(string(before), string(after), required)
		if len(lost) == 0 {
			continue
		}
		imported, vendored, err := importsBelow(ctx, mirror, tree, dir)
		if err != nil {
			return "", err
		}
		for _, line := range lost {
			if module, _, _ := strings.Cut(line, " "); !vendored && imports(imported, module) {
				return line, nil
			}
		}
	}
	return "", nil
}

// lostSums are those of the required modules, each with its version, whose content a go.sum had a sum of and has no more.
func lostSums(before, after string, required []string) (lost []string) {
	had, has := sums(before), sums(after)
	for _, line := range required {
		if had[line] && !has[line] {
			lost = append(lost, line)
		}
	}
	return lost
}

// sums are the modules with their versions whose content a go.sum has a sum of.
func sums(text string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 3 && !strings.HasSuffix(f[1], "/go.mod") {
			all[f[0]+" "+f[1]] = true
		}
	}
	return all
}

// importsBelow are the packages that the sources in a folder and below import, and whether modules are vendored there.
func importsBelow(ctx context.Context, mirror *repos.Mirror, tree, dir string) (imported map[string]bool, vendored bool, err error) {
	list := path.Join(dir, "vendor/modules.txt")
	found, err := mirror.Files(ctx, tree, func(p string, size int64) bool {
		return p == list || size < maxGoFile && strings.HasSuffix(p, ".go") && (dir == "." || strings.HasPrefix(p, dir+"/")) && !environments.IgnoredGoFolder(path.Dir(p))
	})
	imported = map[string]bool{}
	for _, f := range found {
		if f.Path == list {
			vendored = true
			continue
		}
		for _, name := range repos.GoImports(f.Content) {
			imported[name] = true
		}
	}
	return imported, vendored, err
}
