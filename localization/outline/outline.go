// Package outline finds the definitions of a source file (functions, types, values), each with its qualified name and
// its lines, so that a symbol that somebody names can be laid over the lines that a repair edits.
//
// The decision that shapes it: it reads, it does not compile. Comments and strings are blanked first, and what is left
// is cut by braces, indentation or end; a file that no compiler would take still has an outline, the same on every
// machine, in time linear in its size. Only Go has its own parser at hand. Languages: Go, Python, JavaScript and
// TypeScript, Java, Rust, C and C++, Ruby; no cgo.
//
// What may not be here: patches, labels, files of a repository, and any other package of ours.
package outline

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
)

// Kind says what a definition is.
type Kind string

const (
	Function Kind = "function" // a function, method, constructor or macro with parameters
	Type     Kind = "type"     // what holds others: a class, struct, interface, impl, module, namespace
	Value    Kind = "value"    // a constant, variable, field
)

// Definition is one definition with its lines.
type Definition struct {
	Name  []string // from the outermost named container to its own name: Ledger, Total
	Kind  Kind
	Start int // 1-based, with the comment, decorators or attributes that stand right above it
	End   int // 1-based, inclusive
}

// maxSource is the largest file that is read: larger ones are generated or data.
const maxSource = 8 << 20

// languages are the readers by file name ending, in lower case.
var languages = map[string]func(*text) []Definition{
	".go": goDefinitions,
	".py": pythonDefinitions, ".pyi": pythonDefinitions, ".pyx": pythonDefinitions,
	".js": javascriptDefinitions, ".jsx": javascriptDefinitions, ".mjs": javascriptDefinitions, ".cjs": javascriptDefinitions,
	".ts": javascriptDefinitions, ".tsx": javascriptDefinitions, ".mts": javascriptDefinitions, ".cts": javascriptDefinitions,
	".java": javaDefinitions,
	".rs":   rustDefinitions,
	".c":    cDefinitions, ".h": cDefinitions, ".cc": cDefinitions, ".cpp": cDefinitions, ".cxx": cDefinitions, ".c++": cDefinitions,
	".hh": cDefinitions, ".hpp": cDefinitions, ".hxx": cDefinitions, ".h++": cDefinitions, ".inl": cDefinitions, ".ipp": cDefinitions,
	".rb": rubyDefinitions, ".rake": rubyDefinitions, ".gemspec": rubyDefinitions,
}

// Covers reports whether files of that name have an outline.
func Covers(name string) bool { return languages[strings.ToLower(path.Ext(name))] != nil }

// Of lists the definitions of a file in the order of their lines, the outer one first. ok is false when there is no
// outline to give: another language, a binary file, more than 8 MiB, or Go that does not parse.
func Of(name string, source []byte) (defs []Definition, ok bool) {
	read := languages[strings.ToLower(path.Ext(name))]
	if read == nil || len(source) > maxSource || bytes.IndexByte(source, 0) >= 0 {
		return nil, false
	}
	defs = read(newText(source))
	if defs == nil {
		return nil, false
	}
	slices.SortStableFunc(defs, func(a, b Definition) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(len(a.Name), len(b.Name)))
	})
	return defs, true
}

// text is a file's content with its line starts. code has the same length: comments are blanks, and every byte of a
// string is a quotation mark, the line ends inside it, too.
type text struct {
	src    []byte
	code   []byte
	starts []int
	cut    map[int]bool // lines that are blank in code and yet no comment: directives
}

func newText(source []byte) *text {
	t := &text{src: source, starts: []int{0}}
	for i, c := range source {
		if c == '\n' && i+1 < len(source) {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// line is the 1-based line of a byte offset.
func (t *text) line(offset int) int {
	at, found := slices.BinarySearch(t.starts, offset)
	if found {
		at++
	}
	return max(at, 1)
}

func (t *text) lines() int { return len(t.starts) }

// bounds are the offsets of a line, without its line feed.
func (t *text) bounds(line int) (from, to int) {
	from, to = t.starts[line-1], len(t.src)
	if line < len(t.starts) {
		to = t.starts[line] - 1
	}
	return from, to
}

// above is the first line of the comment that ends right above a line, or that line itself.
func (t *text) above(line int) int {
	for line > 1 {
		from, to := t.bounds(line - 1)
		if blank(t.src[from:to]) || !blank(t.code[from:to]) || t.cut[line-1] {
			break
		}
		line--
	}
	return line
}

func blank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }

func isName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// maxNesting bounds the containers that a qualified name lists: the innermost ones.
const maxNesting = 16

func qualified(outer []string, own ...string) []string {
	all := slices.Concat(outer, own)
	return all[max(0, len(all)-maxNesting):]
}
