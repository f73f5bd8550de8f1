package activities

import (
	"cmp"
	"context"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"evlab/environments"
	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox/testlog"
)

// goTree is what a tree says about how some of its Go tests are run.
type goTree struct {
	modules map[string]string   // folder -> module path, "" when its file does not say
	uses    []string            // folders that go.work at the root lists; nil without one
	tests   map[string]string   // folder that declares a test asked for -> name of its package, without _test
	asked   map[string][]string // top-level test asked for -> folders that declare it
	tags    []string            // build tags without which a test asked for is not compiled
	cgo     bool                // sources that need C are compiled
}

// maxGoFile bounds the files that are read for their declarations.
const maxGoFile = 4 << 20

var declared = regexp.MustCompile(`(?m)^func[ \t]+(\w+)`)

// readGoTree reads the module files of a tree, and of its test files where the tests are; cgo says that they are compiled
// with C.
func readGoTree(ctx context.Context, mirror *repos.Mirror, tree string, run []string, cgo bool) (*goTree, error) {
	found, err := mirror.Files(ctx, tree, func(p string, size int64) bool {
		name := path.Base(p)
		return size < maxGoFile && !environments.IgnoredGoFolder(path.Dir(p)) && (strings.HasSuffix(name, "_test.go") || name == "go.mod" || p == "go.work")
	})
	if err != nil {
		return nil, err
	}
	g := &goTree{cgo: cgo, modules: map[string]string{}, tests: map[string]string{}, asked: map[string][]string{}}
	for _, name := range run {
		_, top := goTop(name)
		g.asked[top] = nil
	}
	var left []repos.File
	for _, f := range found {
		dir, text := path.Dir(f.Path), string(f.Content)
		switch path.Base(f.Path) {
		case "go.mod":
			g.modules[dir] = repos.ModulePath(text)
			continue
		case "go.work":
			g.uses = []string{}
			for _, use := range repos.Directives(text, "use") {
				g.uses = append(g.uses, path.Clean(use[0]))
			}
			continue
		}
		if !g.compiled(f) {
			left = append(left, f)
			continue
		}
		g.take(f)
	}
	g.takeTagged(left)
	return g, nil
}

// moduleOf is the folder of the module that a folder is in.
func (g *goTree) moduleOf(dir string) (string, bool) {
	for {
		if _, ok := g.modules[dir]; ok {
			return dir, true
		}
		if dir == "." {
			return "", false
		}
		dir = path.Dir(dir)
	}
}

// moduleWith is the folder of the module that has a package. Several may be called so, since fixtures and examples have
// modules of any name: the one that declares a test asked for there comes first, then the one with the longest path that
// the package's begins with, then the one nearer the root.
func (g *goTree) moduleWith(pkg string) (string, bool) {
	var found []string
	for dir, name := range g.modules {
		if name != "" && (pkg == name || strings.HasPrefix(pkg, name+"/")) {
			found = append(found, dir)
		}
	}
	if len(found) == 0 {
		return "", false
	}
	return slices.MinFunc(found, func(a, b string) int {
		return cmp.Or(
			first(g.declares(a, pkg), g.declares(b, pkg)), cmp.Compare(len(g.modules[b]), len(g.modules[a])), nearer(a, b),
		)
	}), true
}

// declares reports whether a test asked for is declared where a module has a package.
func (g *goTree) declares(module, pkg string) bool {
	dir := path.Join(module, strings.TrimPrefix(pkg, g.modules[module]))
	own, ok := g.moduleOf(dir)
	return ok && own == module && g.tests[dir] != ""
}

// first puts what is so before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// nearer puts the folder that is nearer the root first.
func nearer(a, b string) int {
	depth := func(dir string) int {
		if dir == "." {
			return 0
		}
		return 1 + strings.Count(dir, "/")
	}
	return cmp.Or(cmp.Compare(depth(a), depth(b)), strings.Compare(a, b))
}

// needed lists the folders of the modules that have the tests: by their packages, or where tests of such names are
// declared. Tests that are named without their package are the root module's where it declares all of them, since nobody
// who runs tests there sees those of other modules.
func (g *goTree) needed(run []string) []string {
	folders := map[string]bool{}
	var bare []string
	for _, name := range run {
		pkg, top := goTop(name)
		if pkg == "" {
			bare = append(bare, top)
		} else if dir, ok := g.moduleWith(pkg); ok {
			folders[dir] = true
		}
	}
	all := map[string]bool{}
	atRoot := len(bare) > 0 && g.uses == nil
	for _, top := range bare {
		here := false
		for _, dir := range g.asked[top] {
			if module, ok := g.moduleOf(dir); ok {
				all[module] = true
				here = here || module == "."
			}
		}
		atRoot = atRoot && here
	}
	if atRoot {
		all = map[string]bool{".": true}
	}
	taken := map[string]bool{} // no workspace has two modules of one name
	for dir := range folders {
		taken[g.modules[dir]] = true
	}
	for _, dir := range slices.SortedFunc(maps.Keys(all), nearer) {
		if name := g.modules[dir]; !folders[dir] && (name == "" || !taken[name]) {
			folders[dir], taken[name] = true, true
		}
	}
	return slices.Sorted(maps.Keys(folders))
}

// patterns are what a go test command in a folder is told to test for names without their packages: the folders that
// declare them, as far as modules have these. What other packages do is nobody's concern: one that ends its process, or
// takes an hour, would be held against the tests asked for. Where a test is declared nowhere, it is everything.
func (g *goTree) patterns(run, modules []string, from string, everywhere []string) []string {
	var folders []string
	for _, name := range run {
		pkg, top := goTop(name)
		if pkg != "" {
			continue
		}
		found := false
		for _, dir := range g.asked[top] {
			if module, ok := g.moduleOf(dir); ok && slices.Contains(modules, module) {
				found = true
				folders = append(folders, dir)
			}
		}
		if !found {
			return everywhere
		}
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	for i, dir := range folders {
		if from != "" && dir != from {
			dir = strings.TrimPrefix(dir, from+"/")
		} else if dir == from {
			dir = "."
		}
		folders[i] = "./" + dir
		if dir == "." {
			folders[i] = "."
		}
	}
	return folders
}

// outside are folders of tests asked for that are declared in no module: the tree is of the time before modules, or only its
// examples or tools have one.
func (g *goTree) outside(run []string) (folders []string) {
	if len(g.modules) == 0 {
		return []string{"."}
	}
	for _, name := range run {
		pkg, top := goTop(name)
		if _, ok := g.moduleWith(pkg); ok {
			continue
		}
		in := func(dir string) bool { _, ok := g.moduleOf(dir); return ok }
		if !slices.ContainsFunc(g.asked[top], in) {
			folders = append(folders, g.asked[top]...)
		}
	}
	return folders
}

// lacksModule reports whether tests asked for are in no module, and it is not the candidate that took theirs away.
func (g *goTree) lacksModule(ctx context.Context, mirror *repos.Mirror, t trial) (bool, error) {
	folders := g.outside(t.run)
	if g.uses != nil || len(folders) == 0 || t.base == "" {
		return g.uses == nil && len(folders) > 0, nil
	}
	base, err := readGoTree(ctx, mirror, t.base, t.run, g.cgo)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(folders, func(dir string) bool { _, ok := base.moduleOf(dir); return ok }), nil
}

// nameOf is what a tree whose root is no module is imported as: as the tests asked for are named, or by where it is hosted.
// Repositories of the time before modules are tested as one module, which does for those that need no other.
func (g *goTree) nameOf(t trial) string {
	for _, name := range t.run {
		pkg, top := goTop(name)
		if pkg == "" {
			continue
		}
		for _, dir := range g.asked[top] {
			if dir == "." {
				return pkg
			}
			if root, ok := strings.CutSuffix(pkg, "/"+dir); ok {
				return root
			}
		}
	}
	if strings.Contains(t.repo, "/") && !strings.ContainsAny(t.repo, " :\t\"'`()") {
		return path.Join("github.com", strings.TrimSuffix(t.repo, ".git"))
	}
	return "repository"
}

// named are the names of tests as the go command is told them. Where a list names the package by a part of its path, that is
// the one so called in which the tree declares the test, and the bare name where there are several: the report tells which of
// the tests was meant.
func (g *goTree) named(run []string) (names []string) {
	for _, name := range run {
		pkg, test := testlog.SplitGo(name)
		_, top := goTop(name)
		meant := map[string]bool{}
		if _, whole := g.moduleWith(pkg); !whole {
			for _, dir := range g.asked[top] {
				if full := g.importPath(dir); testlog.OfGoScope(full, pkg) {
					meant[full] = true
				}
			}
		}
		switch {
		case pkg == "" || len(meant) > 1:
		case len(meant) == 1:
			test = testlog.Key(slices.Collect(maps.Keys(meant))[0], test)
		default:
			test = testlog.Key(pkg, test)
		}
		names = append(names, test)
	}
	return names
}

// importPath is how the package of a folder is imported, as far as its module says.
func (g *goTree) importPath(dir string) string {
	module, _ := g.moduleOf(dir)
	return path.Join(g.modules[module], strings.TrimPrefix(dir, module))
}

// goTestCommand is a go test command for the tests: in the module that has them; in the workspace, where the repository
// is one; and where several modules have them, in a workspace of these that is made for it.
func goTestCommand(ctx context.Context, e experiments.Environment, mirror *repos.Mirror, t trial, version string) (c testCommand, err error) {
	g, err := readGoTree(ctx, mirror, t.tree, t.run, e.Cgo())
	if err != nil {
		return c, err
	}
	if lacks, err := g.lacksModule(ctx, mirror, t); err != nil {
		return c, err
	} else if lacks {
		name := g.nameOf(t)
		c.files = append(c.files, repos.File{Path: "go.mod", Mode: "100644", Content: []byte("module " + name + "\n")})
		g.modules["."] = name
	}
	t.run = g.named(t.run)
	needed, everywhere := g.needed(t.run), []string{"./..."}
	from := needed
	switch {
	case g.uses != nil:
		flags, err := workspaceFlags(ctx, mirror, cmp.Or(t.base, t.tree))
		if err != nil {
			return c, err
		}
		c.env = append(c.env, flags)
		everywhere, from = nil, nil
		for _, dir := range g.uses {
			if len(needed) == 0 || slices.Contains(needed, dir) {
				from = append(from, dir)
				everywhere = append(everywhere, "./"+path.Join(dir, "..."))
			}
		}
		if len(everywhere) == 0 {
			everywhere = []string{"./..."}
		}
	case len(needed) == 1 && needed[0] != ".":
		c.dir = needed[0]
	case len(needed) > 1:
		text := "go " + strings.TrimPrefix(version, "go") + "\n\nuse (\n"
		everywhere = nil
		for _, dir := range needed {
			text += "\t./" + dir + "\n"
			everywhere = append(everywhere, "./"+path.Join(dir, "..."))
		}
		c.files = append(c.files, repos.File{Path: "go.work", Mode: "100644", Content: []byte(text + ")\n")})
		c.env = append(c.env, "GOFLAGS=-mod=readonly") // what is vendored is that of one module
	}
	if len(c.env) == 0 {
		vendored, err := vendoredModules(ctx, mirror, cmp.Or(t.base, t.tree))
		if err != nil {
			return c, err
		}
		if vendored[path.Clean(c.dir)] {
			c.env = append(c.env, "GOFLAGS=-mod=vendor")
		} else if mod, err := forTests(ctx, mirror, t, path.Clean(c.dir)); err != nil {
			return c, err
		} else if mod != nil {
			c.files = append(c.files, *mod)
		}
	}
	var tags []string
	if len(g.tags) > 0 {
		tags = []string{"-tags", strings.Join(g.tags, ",")}
	}
	if t.all {
		c.args = slices.Concat(e.Command, tags, everywhere)
		return c, nil
	}
	everywhere = g.patterns(t.run, from, c.dir, everywhere)
	if c.control, err = newGoControl(g, t, c.dir); err != nil {
		return c, err
	}
	c.control.args = append(tags, c.control.args...) // some packages are there with them only
	c.files = append(c.files, c.control.files...)
	c.args = slices.Concat(e.Command, c.control.args, goSelection(slices.Concat(t.run, c.control.names(t.run)), everywhere))
	return c, nil
}
