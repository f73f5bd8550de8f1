package activities

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"evlab/repos"
)

// A program that asks whether it is being tested can be right for the tests alone.

// asksInGo counts where a source of Go asks whether its process is a test's: testing.Testing, the testing package's flags,
// and the name that the go command gives a test's binary.
func asksInGo(text []byte) (times int) {
	if !bytes.Contains(text, []byte("test")) {
		return 0
	}
	file, _ := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution) // as far as it can be read
	if file == nil {
		return 0
	}
	imported := importedNames(file)
	called := func(x ast.Expr, pkg string, names ...string) bool {
		s, ok := x.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		id, ok := s.X.(*ast.Ident)
		return ok && imported[id.Name] == pkg && slices.Contains(names, s.Sel.Name)
	}
	ownName, suffixes := false, 0
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if called(n, "testing", "Testing") {
				times++
			}
			ownName = ownName || called(n, "os", "Args", "Executable")
		case *ast.CallExpr:
			if called(n.Fun, "flag", "Lookup") && len(n.Args) == 1 && strings.HasPrefix(literal(n.Args[0]), "test.") {
				times++
			}
		case *ast.BasicLit:
			if s := literal(n); slices.Contains([]string{".test", ".test.exe", "/_test/"}, s) || strings.HasPrefix(s, "-test.") {
				suffixes++
			}
		}
		return true
	})
	if ownName {
		times += suffixes
	}
	return times
}

// importedNames are the packages that a source imports, by the names that it has for them.
func importedNames(file *ast.File) map[string]string {
	imported := map[string]string{}
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := p[strings.LastIndexByte(p, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = p
	}
	return imported
}

func literal(x ast.Expr) string {
	lit, ok := x.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return s
}

// asks names a file of a candidate's program that asks so.
func asks(ctx context.Context, mirror *repos.Mirror, base string, delta repos.Delta) (string, error) {
	return doesMore(ctx, mirror, base, delta, asksInGo)
}

// doesMore names a file of a candidate's program that does what is counted, "" where all its files together do so no more
// often than at base: a file may be moved, or split.
func doesMore(ctx context.Context, mirror *repos.Mirror, base string, delta repos.Delta, count func(text []byte) int) (string, error) {
	first, now, before := "", 0, 0
	names := slices.Clone(delta.Remove)
	for _, f := range delta.Files {
		names = append(names, f.Path)
		if !strings.HasSuffix(f.Path, ".go") || repos.IsTestSource(f.Path) || f.Mode == "120000" {
			continue
		}
		if times := count(f.Content); times > 0 {
			now += times
			first = cmp.Or(first, f.Path)
		}
	}
	if now == 0 {
		return "", nil
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if !strings.HasSuffix(name, ".go") || repos.IsTestSource(name) {
			continue
		}
		text, err := mirror.ReadFile(ctx, base, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
			return "", err
		}
		before += count(text)
	}
	if now <= before {
		return "", nil
	}
	return first, nil
}

// patchAsks reports whether a patch brings such a question into a source of Go that is no test.
func patchAsks(patch []byte) bool {
	for file, line := range addedLines(patch) {
		if !strings.HasSuffix(file, ".go") || repos.IsTestSource(file) {
			continue
		}
		for _, word := range []string{"testing.Testing", `"test.`, `.test"`, `"-test.`, `/_test/`} {
			if strings.Contains(line, word) {
				return true
			}
		}
	}
	return false
}
