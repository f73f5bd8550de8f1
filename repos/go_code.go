package repos

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// goCode is what the packages of a tree are to each other: whose they are, the program's or the tests'.
type goCode struct {
	folders map[string]*goFolder
	byPath  map[string][]string // import path -> folders; more than one where modules of one name are in the tree
	modules map[string]string   // folder -> module path
}

// goFolder is one folder of a tree with Go sources.
type goFolder struct {
	sources, tests       bool            // it has sources besides tests; it has tests of its own
	helps                bool            // its sources speak to the testing package
	imports, testImports map[string]bool // of its sources, of its tests
	embeds               []string        // patterns of what its sources embed, from the tree's root
	program              bool            // something of the program is in it, or imports it
}

// maxGoSource bounds what is read of one source.
const maxGoSource = 1 << 20

// goCode reads the Go sources of a tree. A vendored package is the program's if the program imports it.
func (m *Mirror) goCode(ctx context.Context, all []entry) (*goCode, error) {
	g := &goCode{folders: map[string]*goFolder{}, byPath: map[string][]string{}, modules: map[string]string{}}
	wanted := slices.DeleteFunc(slices.Clone(all), func(e entry) bool {
		return !regular(e.mode) || !strings.HasSuffix(e.path, ".go") && (path.Base(e.path) != "go.mod" || vendored(e.path) != "")
	})
	err := m.blobs(ctx, wanted, func(e entry, _ int64, content io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(content, maxGoSource))
		if path.Base(e.path) == "go.mod" {
			g.modules[folder(e.path)] = ModulePath(string(text))
		} else {
			g.add(e.path, text)
		}
		return err
	})
	for dir := range g.folders {
		if p := g.importPath(dir); p != "" {
			g.byPath[p] = append(g.byPath[p], dir)
		}
	}
	g.findProgram()
	return g, err
}

// vendored is the import path of a package by its folder in a vendor folder, or of a file there; "" for others.
func vendored(p string) string {
	i := strings.LastIndex("/"+p, "/vendor/")
	if i < 0 {
		return ""
	}
	return p[i+len("vendor/"):]
}

func (g *goCode) add(p string, text []byte) {
	dir := folder(p)
	f := g.folders[dir]
	if f == nil {
		f = &goFolder{imports: map[string]bool{}, testImports: map[string]bool{}}
		g.folders[dir] = f
	}
	into := f.imports
	if isGoTest(p) {
		f.tests, into = true, f.testImports
	} else {
		f.sources = true
		f.helps = f.helps || bytes.Contains(text, []byte(".Helper()"))
		for _, m := range goEmbed.FindAllSubmatch(text, -1) {
			for pattern := range strings.FieldsSeq(string(m[1])) {
				f.embeds = append(f.embeds, path.Join(dir, strings.TrimPrefix(strings.Trim(pattern, "\"`"), "all:")))
			}
		}
	}
	for _, name := range GoImports(text) {
		into[name] = true
		f.helps = f.helps || name == "testing" && !isGoTest(p)
	}
}

// GoImports are the packages that a source of Go imports, as far as it can be read.
func GoImports(text []byte) []string {
	file, _ := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if file == nil {
		return nil
	}
	return importsOf(file)
}

func importsOf(file *ast.File) (names []string) {
	for _, spec := range file.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// importPath is how the package of a folder is imported, "" where no module says so.
func (g *goCode) importPath(dir string) string {
	if p := vendored(dir); p != "" {
		return p
	}
	for at := dir; ; at = folder(at) {
		if name, ok := g.modules[at]; ok {
			if name == "" {
				return ""
			}
			return path.Join(name, strings.TrimPrefix(dir, at))
		}
		if at == "" {
			return ""
		}
	}
}

// foldersOf are the folders that an import may mean. Where no go.mod names a module, that is the longest end of its path.
func (g *goCode) foldersOf(name string) []string {
	if len(g.modules) > 0 {
		return g.byPath[name]
	}
	for {
		_, rest, more := strings.Cut(name, "/")
		if !more {
			return nil
		}
		if g.folders[rest] != nil {
			return []string{rest}
		}
		name = rest
	}
}

// suspect reports whether a folder may be there for tests: as what is vendored may, by its name, or because its sources speak to the testing
// package. A package of the latter kind is one that a library offers, where it is open to others and has tests of its own.
func (g *goCode) suspect(dir string) bool {
	if vendored(dir) != "" || namedForTests(dir) {
		return true
	}
	f := g.folders[dir]
	return f != nil && f.helps && dir != "" && (!f.tests || slices.Contains(strings.Split(dir, "/"), "internal"))
}

// namedForTests reports whether a folder of Go sources is named like one that is there for tests.
func namedForTests(dir string) bool {
	p := path.Join(dir, "x.go")
	return helpsGoTests(p) || supportsTests(p)
}

// findProgram marks what the program is made of: packages that nothing speaks against, and what they import.
func (g *goCode) findProgram() {
	var open []string
	for _, dir := range slices.Sorted(maps.Keys(g.folders)) {
		if g.folders[dir].sources && !g.suspect(dir) {
			open = append(open, dir)
		}
	}
	for len(open) > 0 {
		f := g.folders[open[0]]
		open = open[1:]
		if f.program {
			continue
		}
		f.program = true
		for name := range f.imports {
			open = append(open, g.foldersOf(name)...)
		}
	}
}

// isProgram reports whether the program has a folder's package, or imports it.
func (g *goCode) isProgram(dir string) bool { return g.folders[dir] != nil && g.folders[dir].program }

// goEmbed finds what a source embeds.
var goEmbed = regexp.MustCompile(`(?m)^//go:embed[ \t]+(.+)$`)

// embeds reports whether the program is made of a file that is no source.
func (g *goCode) embeds(p string) bool {
	for _, f := range g.folders {
		if f.program && slices.ContainsFunc(f.embeds, func(pattern string) bool {
			for at := p; at != ""; at = folder(at) {
				if match, err := path.Match(pattern, at); match && err == nil {
					return true
				}
			}
			return false
		}) {
			return true
		}
	}
	return false
}

// servesTests reports whether the tests of other folders, or what only tests use, import a folder's package.
func (g *goCode) servesTests(dir string) bool {
	for at, f := range g.folders {
		if at == dir {
			continue
		}
		lists := []map[string]bool{f.testImports}
		if !f.program {
			lists = append(lists, f.imports)
		}
		for _, list := range lists {
			for name := range list {
				if slices.Contains(g.foldersOf(name), dir) {
					return true
				}
			}
		}
	}
	return false
}

// hasModule reports whether a folder is a module's.
func (g *goCode) hasModule(dir string) bool { _, ok := g.modules[dir]; return ok }

// isModule reports whether a module of such a name is in the tree.
func (g *goCode) isModule(name string) bool {
	for _, own := range g.modules {
		if own == name {
			return true
		}
	}
	return false
}

// importers tells who imports packages of a module that is not the tree's own: tests, and the program.
func (g *goCode) importers(module string) (tests, program bool) {
	of := func(list map[string]bool) bool {
		for name := range list {
			if name == module || strings.HasPrefix(name, module+"/") {
				return true
			}
		}
		return false
	}
	for _, f := range g.folders {
		tests = tests || of(f.testImports) || !f.program && of(f.imports)
		program = program || f.program && of(f.imports)
	}
	return tests, program
}
