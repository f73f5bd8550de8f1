package repos

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"slices"
	"strings"

	"evlab/evidence"
)

// helpsTests reports whether a source of the program's package, no test by its name, is there for tests: it speaks to the
// testing package or a library of assertions, and of what it declares nothing is open to other packages or named by another
// source. So it is said of the tree without the candidate, and only of files that are there.
func (s *goSides) helpsTests(ctx context.Context, p string) (bool, error) {
	all, err := s.m.entries(ctx, s.tests)
	if err != nil {
		return false, err
	}
	own, others := all[:0:0], all[:0:0]
	for _, e := range all {
		switch {
		case folder(e.path) != folder(p) || !regular(e.mode) || !strings.HasSuffix(e.path, ".go") || isGoTest(e.path):
		case e.path == p:
			own = append(own, e)
		default:
			others = append(others, e)
		}
	}
	var declared map[string]bool
	err = s.m.sources(ctx, own, func(file *ast.File) { declared = helperNames(file) })
	if err != nil || len(declared) == 0 {
		return false, err
	}
	used := false
	err = s.m.sources(ctx, others, func(file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			used = used || ok && declared[id.Name]
			return true
		})
	})
	return !used, err
}

// sources reads sources of Go, as far as they can be read.
func (m *Mirror) sources(ctx context.Context, all []entry, each func(file *ast.File)) error {
	return m.blobs(ctx, all, func(_ entry, _ int64, content io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(content, maxGoSource))
		if file, _ := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution); file != nil {
			each(file)
		}
		return err
	})
}

// helperNames are what a source declares for its package, if it speaks to what tests are made with and nobody else can have a
// use for it; else none.
func helperNames(file *ast.File) map[string]bool {
	if !slices.ContainsFunc(importsOf(file), func(name string) bool { return name == "testing" || IsTestLibrary(name) }) {
		return nil
	}
	names, types := map[string]bool{}, map[string]bool{}
	for _, d := range file.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names[spec.Name.Name], types[spec.Name.Name] = true, true
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					names[id.Name] = true
				}
			}
		}
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		switch {
		case !ok:
		case f.Recv == nil:
			names[f.Name.Name] = true
		case len(f.Recv.List) == 0 || !types[evidence.Receiver(f.Recv.List[0].Type)]:
			return nil // of a type of the program's
		}
	}
	for name := range names {
		if name == "init" || name == "main" || name == "_" || ast.IsExported(name) && file.Name.Name != "main" {
			return nil
		}
	}
	return names
}
