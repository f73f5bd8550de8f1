package activities

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"evlab/repos"
)

// A program that puts something of its own into a variable of a library that tests decide by (quicktest's Equals, check's
// DeepEquals are such) decides for the tests. No program has a reason to.

// meddlesInGo counts where a source of Go sets such a variable, or takes its address.
func meddlesInGo(text []byte) (times int) {
	file, _ := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution) // as far as it can be read
	if file == nil {
		return 0
	}
	names := map[string]bool{}
	for name, p := range importedNames(file) {
		if !repos.IsTestLibrary(p) {
			continue
		}
		names[name] = true
		if parts := strings.Split(p, "/"); len(parts) > 1 { // gopkg.in/check.v1 is check, x/v2 is x
			last := parts[len(parts)-1]
			if isMajor(last) {
				last = parts[len(parts)-2]
			}
			last, _, _ = strings.Cut(last, ".")
			names[last] = true
		}
	}
	if len(names) == 0 {
		return 0
	}
	of := func(x ast.Expr) bool {
		for {
			switch y := x.(type) {
			case *ast.ParenExpr:
				x = y.X
			case *ast.StarExpr:
				x = y.X
			case *ast.IndexExpr:
				x = y.X
			case *ast.SelectorExpr:
				if id, ok := y.X.(*ast.Ident); ok {
					return names[id.Name]
				}
				x = y.X
			default:
				return false
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if n.Tok == token.ASSIGN && of(left) {
					times++
				}
			}
		case *ast.UnaryExpr:
			if _, literal := n.X.(*ast.CompositeLit); n.Op == token.AND && !literal && of(n.X) {
				times++
			}
		}
		return true
	})
	return times
}

// isMajor reports whether the last part of an import path is a major version.
func isMajor(part string) bool {
	return len(part) > 1 && part[0] == 'v' && strings.Trim(part[1:], "0123456789") == ""
}

// meddles names a file of a candidate's program that sets such a variable and at base did not.
func meddles(ctx context.Context, mirror *repos.Mirror, base string, delta repos.Delta) (string, error) {
	return doesMore(ctx, mirror, base, delta, ".go", meddlesInGo)
}
