package activities

import (
	"context"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"

	"evlab/experiments"
	"evlab/repos"
)

// goTree is what a tree says about how some of its Go tests are run.
type goTree struct {
	modules map[string]string // folder -> module path, "" when its file does not say
	uses    []string          // folders that go.work at the root lists; nil without one
	tests   map[string]string // folder that declares a test asked for -> name of its package, without _test
}

// maxGoFile bounds the files that are read for their declarations.
const maxGoFile = 4 << 20

var declared = regexp.MustCompile(`(?m)^func[ \t]+(\w+)`)

// readGoTree reads the module files of a tree, and of its test files where the tests are.
func readGoTree(ctx context.Context, mirror *repos.Mirror, tree string, run []string) (*goTree, error) {
	found, err := mirror.Files(ctx, tree, func(p string, size int64) bool {
		name := path.Base(p)
		return size < maxGoFile && !ignoredGoFolder(path.Dir(p)) && (strings.HasSuffix(name, "_test.go") || name == "go.mod" || p == "go.work")
	})
	if err != nil {
		return nil, err
	}
	tops := map[string]bool{}
	for _, name := range run {
		_, test := splitGoName(name)
		top, _, _ := strings.Cut(test, "/")
		tops[top] = true
	}
	g := &goTree{modules: map[string]string{}, tests: map[string]string{}}
	for _, f := range found {
		dir, text := path.Dir(f.Path), string(f.Content)
		switch path.Base(f.Path) {
		case "go.mod":
			g.modules[dir] = strings.Join(directives(text, "module"), "")
			continue
		case "go.work":
			g.uses = []string{}
			for _, folder := range directives(text, "use") {
				g.uses = append(g.uses, path.Clean(folder))
			}
			continue
		}
		if _, known := g.tests[dir]; known || strings.Contains(text, "//go:build ignore") {
			continue
		}
		if !slices.ContainsFunc(declared.FindAllStringSubmatch(text, -1), func(m []string) bool { return tops[m[1]] }) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Content, parser.PackageClauseOnly)
		if err != nil {
			continue // it does not compile, which the go command says better
		}
		g.tests[dir] = strings.TrimSuffix(file.Name.Name, "_test")
	}
	return g, nil
}

// ignoredGoFolder reports whether the go command's patterns pass a folder over.
func ignoredGoFolder(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if part == "testdata" || part == "vendor" || len(part) > 1 && (part[0] == '_' || part[0] == '.') {
			return true
		}
	}
	return false
}

// directives are the first arguments of a directive in a go.mod or go.work, alone or in a block.
func directives(text, verb string) (values []string) {
	block := false
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case block && f[0] == ")":
			block = false
		case block:
			values = append(values, strings.Trim(f[0], "\"`"))
		case f[0] == verb && len(f) > 1 && f[1] == "(":
			block = true
		case f[0] == verb && len(f) > 1:
			values = append(values, strings.Trim(f[1], "\"`"))
		}
	}
	return values
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

// moduleWith is the folder of the module that has a package: the one with the longest path that the package's begins with.
func (g *goTree) moduleWith(pkg string) (string, bool) {
	best, found := "", false
	for dir, name := range g.modules {
		if name != "" && (pkg == name || strings.HasPrefix(pkg, name+"/")) && (!found || len(name) > len(g.modules[best])) {
			best, found = dir, true
		}
	}
	return best, found
}

// needed lists the folders of the modules that have the tests: by their packages, or where tests of such names are
// declared.
func (g *goTree) needed(run []string) []string {
	folders := map[string]bool{}
	bare := false
	for _, name := range run {
		pkg, _ := splitGoName(name)
		if pkg == "" {
			bare = true
		} else if dir, ok := g.moduleWith(pkg); ok {
			folders[dir] = true
		}
	}
	if bare {
		for dir := range g.tests {
			if module, ok := g.moduleOf(dir); ok {
				folders[module] = true
			}
		}
	}
	var list []string
	for dir := range folders {
		list = append(list, dir)
	}
	slices.Sort(list)
	return list
}

// goTestCommand is a go test command for the tests: in the module that has them; in the workspace, where the repository
// is one; and where several modules have them, in a workspace of these that is made for it.
func goTestCommand(ctx context.Context, e experiments.Environment, mirror *repos.Mirror, t trial, version string) (c testCommand, err error) {
	g, err := readGoTree(ctx, mirror, t.tree, t.run)
	if err != nil {
		return c, err
	}
	needed, everywhere := g.needed(t.run), []string{"./..."}
	switch {
	case g.uses != nil:
		c.env = append(c.env, "GOFLAGS=") // a workspace refuses -mod=mod
		everywhere = nil
		for _, dir := range g.uses {
			if len(needed) == 0 || slices.Contains(needed, dir) {
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
		c.env = append(c.env, "GOFLAGS=")
	}
	if t.all {
		c.args = append(slices.Clone(e.Command), everywhere...)
		return c, nil
	}
	if c.control, err = newGoControl(g, t, c.dir); err != nil {
		return c, err
	}
	c.files = append(c.files, c.control.files...)
	c.args = slices.Concat(e.Command, c.control.args, goSelection(slices.Concat(t.run, c.control.names(t.run)), everywhere))
	return c, nil
}
