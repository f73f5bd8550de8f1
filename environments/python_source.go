package environments

import (
	"regexp"
	"strings"
)

// imported is what a source of Python imports.
type imported struct {
	module string // dotted; of "from a import b" it is a.b, which may be a module and may be a name in one
	always bool   // the statement is of the module itself, in no block that may not run or may fail
}

// pythonImports lists what a source imports from elsewhere than its own package, as far as the text can be read.
func pythonImports(text string) (all []imported) {
	for _, line := range pythonLines(text) {
		for part := range strings.SplitSeq(line.code, ";") {
			part = strings.TrimSpace(part)
			if list, ok := strings.CutPrefix(part, "import "); ok {
				for _, name := range namesOf(list) {
					all = append(all, imported{name, !line.indented})
				}
				continue
			}
			if m := fromImport.FindStringSubmatch(part); m != nil {
				for _, name := range namesOf(m[2]) {
					all = append(all, imported{m[1] + "." + name, !line.indented})
				}
			}
		}
	}
	for _, m := range importOrSkip.FindAllStringSubmatch(text, -1) {
		all = append(all, imported{m[1], false})
	}
	return all
}

var (
	importOrSkip = regexp.MustCompile(`\bimportorskip\(\s*["']([A-Za-z_]\w*(?:\.\w+)*)["']`) // pytest's
	fromImport   = regexp.MustCompile(`^from\s+(\w[\w.]*)\s+import\b(.*)$`)           // a relative one begins with a dot
	dottedName   = regexp.MustCompile(`^[A-Za-z_]\w*(?:\.\w+)*$`)
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

type pythonLine struct {
	code     string // without comments, and with nothing between the quotes of strings
	indented bool
}

// pythonLines are a source's logical lines.
func pythonLines(text string) (lines []pythonLine) {
	var code strings.Builder
	depth, first := 0, 0 // of brackets; where the line begins
	end := func(next int) {
		if strings.TrimSpace(code.String()) != "" {
			lines = append(lines, pythonLine{code.String(), text[first] == ' ' || text[first] == '\t'})
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
	return lines
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
