package activities

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// A word such as ".test" says nothing by itself, nor does a look at os.Args. They are a question where the word is compared
// or searched for, and the declaration that has it and the one that looks have to do with each other.

// asked is what one declaration of a source has of questions.
type asked struct {
	looks    map[*sign]bool
	words    map[*sign]int // compared with something, searched in it, or given a name
	listed   map[*sign]int // among others in a list
	testing  int           // testing.Testing
	mentions map[string]bool
}

// asking counts the questions of each declaration of a source.
func asking(file *ast.File) (times []int) {
	imported := importedNames(file)
	var all []*asked
	named := map[string]*asked{}
	functions := map[string]bool{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			functions[f.Name.Name] = true
		}
	}
	add := func(n ast.Node, names ...*ast.Ident) {
		a := &asked{looks: map[*sign]bool{}, words: map[*sign]int{}, listed: map[*sign]int{}, mentions: map[string]bool{}}
		a.walk(n, imported, functions)
		all = append(all, a)
		for _, id := range names {
			named[id.Name] = a
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d, d.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok && d.Tok != token.IMPORT {
					add(v, v.Names...)
				}
			}
		}
	}
	for _, a := range all {
		n := a.testing
		for _, s := range signs {
			switch {
			case a.looks[s]:
				n += a.words[s] + a.listed[s]
			case a.words[s] > 0 && looksFor(a, s, all, named):
				n += a.words[s]
			}
		}
		times = append(times, n)
	}
	return times
}

// looksFor reports whether a declaration with a word has to do with one that looks: one of them leads to the other, or a third
// one has both at hand.
func looksFor(word *asked, s *sign, all []*asked, named map[string]*asked) bool {
	if slices.ContainsFunc(reached(word, named), func(a *asked) bool { return a.looks[s] }) {
		return true
	}
	for _, look := range all {
		if look.looks[s] && slices.Contains(reached(look, named), word) {
			return true
		}
	}
	return slices.ContainsFunc(all, func(third *asked) bool {
		words, looks := false, false
		for name := range third.mentions {
			a := named[name]
			words = words || a == word
			looks = looks || a != nil && a.looks[s]
		}
		return words && looks
	})
}

// reached are the declarations that one uses, and those that these use.
func reached(from *asked, named map[string]*asked) []*asked {
	found := []*asked{from}
	for i := 0; i < len(found); i++ {
		for name := range found[i].mentions {
			if a := named[name]; a != nil && !slices.Contains(found, a) {
				found = append(found, a)
			}
		}
	}
	return found[1:]
}

// seekers are functions that compare what they are given, or search one in another.
var seekers = []string{
	"Lookup", "HasPrefix", "HasSuffix", "Contains", "ContainsFunc", "Index", "LastIndex", "EqualFold", "Equal", "Compare", "Cut", "CutPrefix", "CutSuffix", "TrimPrefix", "TrimSuffix",
	"Split", "SplitN", "Count", "Replace", "ReplaceAll", "Match", "MatchString", "Compile", "MustCompile", "DeepEqual", "string",
}

// walk goes through a declaration. functions are those of its source.
func (a *asked) walk(n ast.Node, imported map[string]string, functions map[string]bool) {
	ast.PreorderStack(n, nil, func(n ast.Node, around []ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				a.looksAt(imported[id.Name], n, around)
			}
		case *ast.Ident:
			if !unheard(n, around) {
				a.mentions[n.Name] = true
			}
		}
		x, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		text := literal(x)
		for _, s := range signs {
			a.looks[s] = a.looks[s] || slices.Contains(s.files, text)
			if text == "" || !s.word.MatchString(text) {
				continue
			}
			switch use(around, functions) {
			case wanted:
				a.words[s]++
			case listed:
				a.listed[s]++
			}
		}
		return text == "" // else its parts were read as a whole
	})
}

// looksAt notes what of a package a selector takes, if that says something.
func (a *asked) looksAt(pkg string, n *ast.SelectorExpr, around []ast.Node) {
	if pkg == "testing" && n.Sel.Name == "Testing" {
		a.testing++
	}
	for _, s := range signs {
		if slices.Contains(s.calls[pkg], n.Sel.Name) && !(s.whole && n.Sel.Name == "Args" && behindFirst(around)) {
			a.looks[s] = true
		}
	}
}

// behindFirst reports whether of a list around[len(around)-1] takes something that is not its first.
func behindFirst(around []ast.Node) bool {
	if len(around) == 0 {
		return false
	}
	var from ast.Expr
	switch x := around[len(around)-1].(type) {
	case *ast.IndexExpr:
		from = x.Index
	case *ast.SliceExpr:
		from = x.Low
	}
	lit, ok := from.(*ast.BasicLit)
	if !ok {
		return false
	}
	i, err := strconv.Atoi(lit.Value)
	return err == nil && i > 0
}

// unheard reports whether a name is that of a function which is called, and nobody takes what it says.
func unheard(id *ast.Ident, around []ast.Node) bool {
	i := len(around) - 1
	if i >= 0 {
		if sel, ok := around[i].(*ast.SelectorExpr); ok && sel.Sel == id {
			i--
		}
	}
	if i < 1 {
		return false
	}
	call, ok := around[i].(*ast.CallExpr)
	_, alone := around[i-1].(*ast.ExprStmt)
	return ok && alone && (call.Fun == ast.Expr(id) || i < len(around)-1 && call.Fun == around[i+1])
}

// What a word is for.
const (
	nothing = iota
	wanted  // compared with something, searched in it, or given a name
	listed  // among others
)

func use(around []ast.Node, functions map[string]bool) int {
	for _, n := range slices.Backward(around) {
		switch n := n.(type) {
		case *ast.ParenExpr:
			continue
		case *ast.CompositeLit, *ast.KeyValueExpr:
			return listed
		case *ast.CallExpr:
			name := ""
			switch fun := n.Fun.(type) {
			case *ast.ArrayType:
				continue
			case *ast.Ident:
				name = fun.Name
			case *ast.SelectorExpr:
				name = fun.Sel.Name
			}
			if !functions[name] && !slices.Contains(seekers, name) {
				return nothing
			}
		}
		return wanted
	}
	return wanted
}
