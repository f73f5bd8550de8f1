package evidence

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

const (
	maxGroupLines = 80  // lines of one unit made of several specs of a const or var group
	maxUnitLines  = 150 // lines of any unit
)

// goUnits cuts a Go file into one unit per declaration, its doc comment included: functions (Func), methods
// (Type.Method), types (one each, also in a group), and const and var declarations named after their first name. A
// const or var group of more than 80 lines becomes several units of whole specs, each again named after its first
// name. A unit of more than 150 lines is cut between statements, fields or elements where possible, into Func,
// Func~2, Func~3 and so on. Package documentation is the unit path#package; imports and comments that belong to no
// declaration are no unit. It reports false for a file that doesn't parse.
//
// Lines are those of the file: //line comments change nothing.
func goUnits(src *source) ([]Unit, bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, src.path, src.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	c := &goCutter{src: src, file: file, lineOf: func(p token.Pos) int { return fset.PositionFor(p, false).Line }}
	if file.Doc != nil {
		c.emit(KindPackage, "package", c.lineOf(file.Doc.Pos()), c.lineOf(file.Name.End()), nil)
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			c.function(d)
		case *ast.GenDecl:
			switch d.Tok {
			case token.TYPE:
				c.types(d)
			case token.CONST:
				c.values(KindConst, d)
			case token.VAR:
				c.values(KindVar, d)
			}
		}
	}
	return c.units, true
}

type goCutter struct {
	src    *source
	file   *ast.File
	lineOf func(token.Pos) int
	units  []Unit
}

func (c *goCutter) function(d *ast.FuncDecl) {
	kind, symbol := KindFunc, d.Name.Name
	if d.Recv != nil {
		kind = KindMethod
		if len(d.Recv.List) > 0 {
			symbol = Receiver(d.Recv.List[0].Type) + "." + symbol
		}
	}
	var parts []ast.Node
	if d.Body != nil {
		for _, s := range d.Body.List {
			parts = append(parts, s)
		}
	}
	c.emit(kind, symbol, c.first(d, d.Doc), c.lineOf(d.End()), parts)
}

func (c *goCutter) types(d *ast.GenDecl) {
	for _, s := range d.Specs {
		spec, ok := s.(*ast.TypeSpec)
		if !ok {
			continue
		}
		first, last := c.first(spec, spec.Doc), c.lineOf(spec.End())
		if !d.Lparen.IsValid() || len(d.Specs) == 1 {
			first, last = c.first(d, d.Doc), c.lineOf(d.End())
		}
		c.emit(KindType, spec.Name.Name, first, last, members(spec.Type))
	}
}

// values emits a const or var declaration: as one unit, or as runs of whole specs when it is a long group.
func (c *goCutter) values(kind string, d *ast.GenDecl) {
	if len(d.Specs) == 0 {
		return
	}
	first, last := c.first(d, d.Doc), c.lineOf(d.End())
	if len(d.Specs) == 1 || last-first < maxGroupLines {
		var parts []ast.Node
		if spec, ok := d.Specs[0].(*ast.ValueSpec); ok {
			for _, v := range spec.Values {
				parts = append(parts, members(v)...)
			}
		}
		c.emit(kind, valueName(d.Specs[0]), first, last, parts)
		return
	}
	run := 0 // index of the first spec of the current run, which begins in line first
	for i, s := range d.Specs {
		spec, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		begins, end := c.first(spec, spec.Doc), last
		if i+1 < len(d.Specs) {
			end = c.lineOf(spec.End())
		}
		previous := 0
		if i > 0 {
			previous = c.lineOf(d.Specs[i-1].End())
		}
		if i > run && end-first >= maxGroupLines && begins > previous {
			c.emit(kind, valueName(d.Specs[run]), first, previous, c.runParts(d.Specs[run:i]))
			run, first = i, begins
		}
	}
	c.emit(kind, valueName(d.Specs[run]), first, last, c.runParts(d.Specs[run:]))
}

// runParts are the places where a run that consists of one long spec may be cut.
func (c *goCutter) runParts(specs []ast.Spec) []ast.Node {
	var parts []ast.Node
	for _, s := range specs {
		parts = append(parts, s)
		if spec, ok := s.(*ast.ValueSpec); ok {
			for _, v := range spec.Values {
				parts = append(parts, members(v)...)
			}
		}
	}
	return parts
}

func valueName(s ast.Spec) string {
	if spec, ok := s.(*ast.ValueSpec); ok && len(spec.Names) > 0 {
		return spec.Names[0].Name
	}
	return "_"
}

// first is the line at which a node with its doc comment begins.
func (c *goCutter) first(n ast.Node, doc *ast.CommentGroup) int {
	if doc != nil {
		return c.lineOf(doc.Pos())
	}
	return c.lineOf(n.Pos())
}

// emit adds the lines first to last as one unit, or as several when there are too many of them. Cuts are made where
// one of parts begins, together with the comment lines right above it, or anywhere when no part does.
func (c *goCutter) emit(kind, symbol string, first, last int, parts []ast.Node) {
	var cuts []int
	if last-first >= maxUnitLines {
		cuts = c.cuts(parts)
	}
	for last-first >= maxUnitLines {
		next := first + maxUnitLines
		if i, found := slices.BinarySearch(cuts, next); found || i > 0 && cuts[i-1] > first {
			if !found {
				i--
			}
			next = cuts[i]
		}
		c.units = append(c.units, c.src.unit(kind, symbol, first, next-1))
		first = next
	}
	c.units = append(c.units, c.src.unit(kind, symbol, first, last))
}

// cuts lists the lines, ascending, at which one of parts or the comment above it begins and no other part ends.
func (c *goCutter) cuts(parts []ast.Node) []int {
	above := map[int]int{} // line after a comment group -> its first line
	for _, g := range c.file.Comments {
		above[c.lineOf(g.End())+1] = c.lineOf(g.Pos())
	}
	var cuts []int
	ended := 0 // line at which the part before ends
	for _, p := range parts {
		line := c.lineOf(p.Pos())
		if start, ok := above[line]; ok && start > ended {
			line = start
		}
		if line > ended {
			cuts = append(cuts, line)
		}
		ended = max(ended, c.lineOf(p.End()))
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// members are the parts that a type or a composite literal consists of.
func members(e ast.Expr) []ast.Node {
	var parts []ast.Node
	switch e := e.(type) {
	case *ast.StructType:
		for _, f := range e.Fields.List {
			parts = append(parts, f)
		}
	case *ast.InterfaceType:
		for _, f := range e.Methods.List {
			parts = append(parts, f)
		}
	case *ast.CompositeLit:
		for _, v := range e.Elts {
			parts = append(parts, v)
		}
	case *ast.UnaryExpr:
		return members(e.X)
	case *ast.FuncLit:
		for _, s := range e.Body.List {
			parts = append(parts, s)
		}
	}
	return parts
}

// Receiver is the base type's name of a method's receiver, without pointer, parentheses and type parameters.
func Receiver(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return "_"
		}
	}
}
