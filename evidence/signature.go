package evidence

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strings"
)

func sameSignature(a, b Unit) bool {
	if a.Kind != b.Kind || a.Symbol != b.Symbol || a.Kind != KindFunc && a.Kind != KindMethod {
		return false // the cheap test first: a pool has a hundred thousand units
	}
	x := Signature(a)
	return x != "" && x == Signature(b)
}

// Signature is the normalised signature of a Go function or method unit: receiver type, name, type parameters,
// parameter and result types, without parameter names and bodies. It is empty for other units, for init, main and
// _, and for units that don't begin a declaration (the later parts of a long function).
func Signature(u Unit) string {
	if u.Kind != KindFunc && u.Kind != KindMethod {
		return ""
	}
	fset := token.NewFileSet()
	// A long function's first part lacks its end: the parser's errors don't matter as long as the header was read.
	file, _ := parser.ParseFile(fset, "", "package p\n"+u.Text, parser.SkipObjectResolution)
	if file == nil {
		return ""
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Type == nil || f.Type.Params == nil {
			continue
		}
		switch f.Name.Name {
		case "init", "main", "_":
			if f.Recv == nil {
				continue
			}
		}
		if symbolOf(f) != u.Symbol {
			continue // several declarations in one line
		}
		var b strings.Builder
		b.WriteString("func ")
		if f.Recv != nil {
			writeTypes(&b, f.Recv)
		}
		b.WriteString(f.Name.Name)
		if f.Type.TypeParams != nil {
			b.WriteString("[")
			writeExprs(&b, f.Type.TypeParams)
			b.WriteString("]")
		}
		writeTypes(&b, f.Type.Params)
		if f.Type.Results != nil {
			writeTypes(&b, f.Type.Results)
		}
		return b.String()
	}
	return ""
}

func symbolOf(f *ast.FuncDecl) string {
	if f.Recv != nil && len(f.Recv.List) > 0 {
		return Receiver(f.Recv.List[0].Type) + "." + f.Name.Name
	}
	return f.Name.Name
}

func writeTypes(b *strings.Builder, fields *ast.FieldList) {
	b.WriteByte('(')
	writeExprs(b, fields)
	b.WriteByte(')')
}

// writeExprs writes the type of each field as often as the field has names.
func writeExprs(b *strings.Builder, fields *ast.FieldList) {
	for _, f := range fields.List {
		for range max(1, len(f.Names)) {
			var t strings.Builder
			// Printing to a Builder fails only on a node that isn't Go; then the type is left empty on both sides.
			_ = printer.Fprint(&t, token.NewFileSet(), f.Type)
			b.WriteString(strings.Join(strings.Fields(t.String()), " "))
			b.WriteByte(',')
		}
	}
}
