package activities

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

	"evlab/environments"
	"evlab/repos"
)

// The go command compiles a package together with its own tests, so a program can name what only these declare, and empty the
// table that they go through. Nobody can build such a program without them.

// goPackage is one package of a folder: what its sources and its own tests declare, and what its sources take from the package
// or from Go itself.
type goPackage struct {
	declared, tests map[string]bool
	named           map[string]string // name -> a source that has it
	predeclared     map[string]bool   // what its own tests use of Go's names
}

// ordinary are names of Go's that programs have functions and types of their own by.
var ordinary = []string{"min", "max", "clear", "any", "print", "println", "copy", "close", "delete", "new", "comparable"}

// shadows are the names of Go's that a package's sources declare anew and its own tests use: what these say by true, nil or
// len is the program's then.
func (p *goPackage) shadows() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(p.predeclared)) {
		if p.declared[name] && !slices.Contains(ordinary, name) {
			names = append(names, name)
		}
	}
	return names
}

// leans says how a candidate's program and the tests of its package depend on each other: it takes what they alone declare, or
// declares what they take for Go's. It is "" where base with these tests does so, too, or there is nothing.
func leans(ctx context.Context, mirror *repos.Mirror, base, tree string, delta repos.Delta, cgo bool) (problem string, err error) {
	folders := map[string]bool{}
	for _, p := range delta.Paths() {
		if strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go") {
			folders[path.Dir(p)] = true
		}
	}
	if len(folders) == 0 {
		return "", nil
	}
	after, err := goPackages(ctx, mirror, tree, folders, cgo)
	if err != nil {
		return "", err
	}
	var before map[string]*goPackage
	was := func(key string) (*goPackage, error) {
		if before == nil {
			before, err = goPackages(ctx, mirror, base, folders, cgo)
		}
		return before[key], err
	}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		p := after[key]
		for _, name := range p.borrowed(p.tests) {
			if old, err := was(key); err != nil {
				return "", err
			} else if old == nil || !slices.Contains(old.borrowed(p.tests), name) {
				return "the program does not build without its tests: " + name + " in " + p.named[name] + " is declared by them alone", nil
			}
		}
		for _, name := range p.shadows() {
			if old, err := was(key); err != nil {
				return "", err
			} else if old == nil || !old.declared[name] {
				return "the program declares " + name + " anew in " + key + ", which its tests take for Go's", nil
			}
		}
	}
	return "", nil
}

// borrowed are the names that a package's sources take from tests that declare these.
func (p *goPackage) borrowed(tests map[string]bool) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(p.named)) {
		if tests[name] && !p.declared[name] {
			names = append(names, name)
		}
	}
	return names
}

// goPackages reads the packages in some folders of a tree, by folder and name. Tests that are a package of their own are none
// of it.
func goPackages(ctx context.Context, mirror *repos.Mirror, tree string, folders map[string]bool, cgo bool) (map[string]*goPackage, error) {
	found, err := mirror.Files(ctx, tree, func(p string, size int64) bool {
		return size < maxGoFile && strings.HasSuffix(p, ".go") && folders[path.Dir(p)]
	})
	if err != nil {
		return nil, err
	}
	packages := map[string]*goPackage{}
	for _, f := range found {
		if f.Mode == "120000" || !environments.Compiled(f.Path, f.Content, cgo) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Content, 0)
		if err != nil {
			continue // it does not compile, which the go command says better
		}
		key := path.Join(path.Dir(f.Path), file.Name.Name)
		p := packages[key]
		if p == nil {
			p = &goPackage{declared: map[string]bool{}, tests: map[string]bool{}, named: map[string]string{}, predeclared: map[string]bool{}}
			packages[key] = p
		}
		if strings.HasSuffix(f.Path, "_test.go") {
			declares(file, p.tests)
			for _, id := range file.Unresolved {
				if types.Universe.Lookup(id.Name) != nil {
					p.predeclared[id.Name] = true
				}
			}
			continue
		}
		declares(file, p.declared)
		imported := importedNames(file)
		for _, id := range file.Unresolved {
			if imported[id.Name] == "" && types.Universe.Lookup(id.Name) == nil {
				p.named[id.Name] = f.Path
			}
		}
	}
	return packages, nil
}

// declares notes what a source declares for its package.
func declares(file *ast.File, names map[string]bool) {
	for name := range file.Scope.Objects {
		names[name] = true
	}
}
