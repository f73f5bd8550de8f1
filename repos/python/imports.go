// Package python reads sources of Python as far as others have to know them: what they import.
//
// The decision that shapes it: a source is anybody's text and is taken apart by its lexical structure alone, so that what
// stands in comments and texts is no import, and nothing is run or refused. What may not be here: what an import means,
// which depends on the tree that it stands in.
package python

import (
	"regexp"
	"strings"
)

// Import is one module, or a name in one, that a source imports.
type Import struct {
	Module string // dotted; of "from a import b" it is a.b, which may be a module and may be a name in one
	Dots   int    // of a relative one: how many dots its statement has
	Always bool   // the statement is of the module itself, in no block that may not run or may fail
}

// Imports lists what a source imports, as far as the text can be read: by statements, and by calls that name a module in so
// many words (import_module, __import__, and pytest's importorskip).
func Imports(text string) (all []Import) {
	for _, l := range logicalLines(text) {
		code := l.code
		for always := !l.indented; ; {
			end := strings.IndexAny(code, ";:")
			statement := code
			if end >= 0 {
				statement = code[:end]
			}
			all = append(all, importsOf(strings.TrimSpace(statement), always)...)
			if end < 0 {
				break
			}
			always = always && code[end] == ';' // what follows a colon is a block
			code = code[end+1:]
		}
	}
	for _, m := range byName.FindAllStringSubmatch(text, -1) {
		all = append(all, Import{Module: strings.TrimRight(m[2], "."), Dots: len(m[1])})
	}
	return all
}

func importsOf(statement string, always bool) (all []Import) {
	if list, ok := strings.CutPrefix(statement, "import "); ok {
		for _, name := range namesOf(list) {
			all = append(all, Import{Module: name, Always: always})
		}
		return all
	}
	m := fromImport.FindStringSubmatch(statement)
	if m == nil || m[1] == "" && m[2] == "" {
		return nil
	}
	for _, name := range namesOf(m[3]) {
		all = append(all, Import{Module: strings.TrimPrefix(m[2]+"."+name, "."), Dots: len(m[1]), Always: always})
	}
	return all
}

var (
	fromImport = regexp.MustCompile(`^from(?:\s*(\.+)\s*|\s+)([A-Za-z_][\w.]*)?\s*\bimport\b(.*)$`)
	byName     = regexp.MustCompile(`\b(?:import_module|__import__|importorskip)\(\s*['"](\.*)([A-Za-z_][\w.]*)['"]`)
	dottedName = regexp.MustCompile(`^[A-Za-z_]\w*(?:\.\w+)*$`)
)

// namesOf are the names of a list, without what they are called here; a star is of no name.
func namesOf(list string) (names []string) {
	for item := range strings.SplitSeq(strings.Trim(strings.TrimSpace(list), "()"), ",") {
		words := strings.Fields(item)
		switch {
		case len(words) == 0:
		case dottedName.MatchString(words[0]):
			names = append(names, words[0])
		case words[0] == "*":
			names = append(names, "_")
		}
	}
	return names
}

type line struct {
	code     string // without comments, and with nothing between the quotes of strings
	indented bool
}

// logicalLines are a source's logical lines.
func logicalLines(text string) (all []line) {
	var code strings.Builder
	depth, first := 0, 0 // of brackets; where the line begins
	end := func(next int) {
		if strings.TrimSpace(code.String()) != "" {
			all = append(all, line{code.String(), text[first] == ' ' || text[first] == '\t'})
		}
		code.Reset()
		depth, first = 0, next
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '#':
			n := strings.IndexByte(text[i:], '\n')
			if n < 0 {
				n = len(text) - i
			}
			i += n - 1
		case '"', '\'':
			i += quoted(text[i:]) - 1
			code.WriteString(`""`)
		case '\\':
			code.WriteByte(' ')
			if strings.HasPrefix(text[i+1:], "\r\n") {
				i++
			}
			i++
		case '\n':
			if depth > 0 {
				code.WriteByte(' ')
				continue
			}
			end(i + 1)
		case '(', '[', '{':
			depth++
			code.WriteByte(c)
		case ')', ']', '}':
			depth = max(0, depth-1)
			code.WriteByte(c)
		case '\r', '\f':
		default:
			code.WriteByte(c)
		}
	}
	end(len(text))
	return all
}

// quoted is how many bytes a string takes, from its quote on. One in single quotes ends with its line.
func quoted(s string) int {
	quote, triple := s[:1], false
	if strings.HasPrefix(s, strings.Repeat(quote, 3)) {
		quote, triple = s[:3], true
	}
	for i := len(quote); i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '\n' && !triple:
			return i
		case strings.HasPrefix(s[i:], quote):
			return i + len(quote)
		}
	}
	return len(s)
}
