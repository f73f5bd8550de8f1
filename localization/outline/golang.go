package outline

import (
	"go/ast"
	"go/parser"
	"go/token"

	"evlab/evidence"
)

// goDefinitions has every declared name: functions, methods as Type.Method, types with their fields and interface
// methods, constants and variables. Evidence units are cut from the same declarations, but by size and with one name
// for a whole group, so they can't say where a name is defined.
func goDefinitions(t *text) []Definition {
	t.code = t.src // doc comments are the parser's to attach
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", t.src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	defs := []Definition{}
	add := func(kind Kind, n ast.Node, doc *ast.CommentGroup, name ...string) {
		d := Definition{Name: name, Kind: kind, Start: line(n.Pos()), End: line(n.End())}
		if doc != nil {
			d.Start = line(doc.Pos())
		}
		defs = append(defs, d)
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && len(d.Recv.List) > 0 {
				add(Function, d, d.Doc, evidence.Receiver(d.Recv.List[0].Type), d.Name.Name)
			} else {
				add(Function, d, d.Doc, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				var whole ast.Node = spec // a declaration without parentheses is its one spec
				if !d.Lparen.IsValid() {
					whole = d
				}
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add(Type, whole, either(s.Doc, d.Doc, d), s.Name.Name)
					for _, f := range fields(s.Type) {
						for _, n := range f.Names {
							add(Value, f, f.Doc, s.Name.Name, n.Name)
						}
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						add(Value, whole, either(s.Doc, d.Doc, d), n.Name)
					}
				}
			}
		}
	}
	return defs
}

// either is a spec's own comment, or that of a declaration without parentheses.
func either(own, outer *ast.CommentGroup, d *ast.GenDecl) *ast.CommentGroup {
	if own == nil && !d.Lparen.IsValid() {
		return outer
	}
	return own
}

func fields(e ast.Expr) []*ast.Field {
	switch e := e.(type) {
	case *ast.StructType:
		return e.Fields.List
	case *ast.InterfaceType:
		return e.Methods.List
	}
	return nil
}
