package environments

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"evlab/experiments"
	"evlab/repos"
)

// What a recipe adds to its base for a tree that asks for it is found in two steps, since a tree may have 200,000 files:
// AdditionWords are what files have to hold to be looked at, AdditionPaths which files, and Asks looks at one. What is
// found follows from the tree alone.

// AdditionPaths are, as git's pathspecs, the files that can ask for an addition.
var AdditionPaths = []string{"*.go", "go.mod", "*/go.mod", ":(exclude,glob)**/vendor/**", ":(exclude,glob)**/testdata/**"}

// AdditionWords are the words without any of which a file asks for no addition.
func AdditionWords(additions []experiments.Addition) (words []string) {
	for _, a := range additions {
		for _, name := range a.Imports {
			words = append(words, `"`+name+`"`, "`"+name+"`")
		}
		words = slices.Concat(words, a.Uses, a.Requires)
	}
	return words
}

// Asks reports whether a file of a tree asks for an addition: one that the go command may compile for the tests, with
// whatever tags of its own, or a module's.
func Asks(a experiments.Addition, name string, text []byte) bool {
	if IgnoredGoFolder(path.Dir(name)) {
		return false
	}
	if path.Base(name) == "go.mod" {
		return slices.ContainsFunc(a.Requires, func(module string) bool { return requires(text, module) })
	}
	if !strings.HasSuffix(name, ".go") || !mayBeCompiled(name, text) {
		return false
	}
	if slices.ContainsFunc(a.Uses, func(use string) bool { return speaksOf(text, use) }) {
		return true
	}
	return slices.ContainsFunc(repos.GoImports(text), func(imported string) bool { return slices.Contains(a.Imports, imported) })
}

func mayBeCompiled(name string, text []byte) bool {
	if Compiled(name, text, true) {
		return true
	}
	own := OwnTags(text)
	return len(own) > 0 && Compiled(name, text, true, own...)
}

// speaksOf reports whether a text has package.Name, and not as part of another name.
func speaksOf(text []byte, use string) bool {
	for {
		i := bytes.Index(text, []byte(use))
		if i < 0 {
			return false
		}
		end := i + len(use)
		if (i == 0 || !ofName(text[i-1])) && (end == len(text) || !ofName(text[end])) {
			return true
		}
		text = text[end:]
	}
}

func ofName(c byte) bool {
	return c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// requires reports whether a go.mod requires a module, whatever the version.
func requires(text []byte, module string) bool {
	return slices.ContainsFunc(repos.Directives(string(text), "require"), func(required []string) bool {
		return len(required) > 1 && required[0] == module && strings.HasPrefix(required[1], "v")
	})
}
