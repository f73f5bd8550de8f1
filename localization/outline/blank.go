package outline

import (
	"bytes"
	"unicode/utf8"
)

// syntax says what is no code in a language.
type syntax struct {
	hash     bool // # begins a comment
	slashes  bool // // and /* */ are comments
	nested   bool // /* */ nest
	triple   bool // """ and, with single, ''' strings of several lines
	single   bool // '...' is a string, else a character
	template bool // `...` with ${...}
	regex    bool // /.../ where an operand may stand
	lifetime bool // 'a without a closing quote is a name, r#"..."# a raw string
	rawC     bool // R"x(...)x", and ' between digits
	ruby     bool // heredocs, %-literals, =begin, __END__
}

var (
	pythonSyntax     = syntax{hash: true, triple: true, single: true}
	javascriptSyntax = syntax{slashes: true, single: true, template: true, regex: true}
	javaSyntax       = syntax{slashes: true, triple: true}
	rustSyntax       = syntax{slashes: true, nested: true, lifetime: true}
	cSyntax          = syntax{slashes: true, rawC: true}
	rubySyntax       = syntax{hash: true, single: true, regex: true, ruby: true}
)

// blanked is source with comments as blanks and strings as quotation marks, byte for byte. What does not end runs to
// the end of its line (a string) or of the file (a comment, a string of several lines).
func blanked(source []byte, s syntax) []byte {
	b := blanker{syntax: s, src: source, out: bytes.Clone(source)}
	for b.at < len(b.src) {
		b.step()
	}
	return b.out
}

type blanker struct {
	syntax
	src, out []byte
	at       int
	last     int // offset after the last code byte that is not white space
	pending  []heredoc
}

// at most this many braces of ${...} are open at once; deeper ones are no program.
const maxInterpolation = 64

func (b *blanker) has(s string) bool { return bytes.HasPrefix(b.src[b.at:], []byte(s)) }

// hide makes the source up to end a comment or a string.
func (b *blanker) hide(end int, mark byte) {
	end = min(max(end, b.at+1), len(b.src))
	for i := b.at; i < end; i++ {
		if mark == '"' || b.src[i] != '\n' && b.src[i] != '\r' {
			b.out[i] = mark
		}
	}
	b.at = end
	if mark == '"' {
		b.last = end
	}
}

// find is the offset after the next occurrence of s, or the end of the source.
func (b *blanker) find(from int, s string) int {
	if from < len(b.src) {
		if i := bytes.Index(b.src[from:], []byte(s)); i >= 0 {
			return from + i + len(s)
		}
	}
	return len(b.src)
}

// lineEnd is the offset of the next line feed, or the end of the source.
func (b *blanker) lineEnd(from int) int {
	if i := bytes.IndexByte(b.src[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(b.src)
}

func (b *blanker) step() {
	c := b.src[b.at]
	switch {
	case c == '\n' && len(b.pending) > 0:
		b.heredocs()
	case b.ruby && (c == '=' && b.lineStart() && b.has("=begin")):
		b.hide(b.lineEnd(b.find(b.at, "\n=end")), ' ')
	case b.ruby && b.lineStart() && b.has("__END__"):
		b.hide(len(b.src), ' ')
	case b.hash && c == '#', b.slashes && b.has("//"):
		b.hide(b.lineEnd(b.at), ' ')
	case b.slashes && b.has("/*"):
		b.hide(b.blockComment(), ' ')
	case c == '"' || c == '\'' || c == '`':
		b.quoted(c)
	case b.regex && c == '/' && b.operand():
		b.hide(b.regexEnd(), '"')
	case b.ruby && b.rubyLiteral():
	case (b.lifetime || b.rawC) && (c == 'r' || c == 'R') && b.raw():
	default:
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			b.last = b.at + 1
		}
		b.at++
	}
}

func (b *blanker) lineStart() bool { return b.at == 0 || b.src[b.at-1] == '\n' }

func (b *blanker) blockComment() int {
	if !b.nested {
		return b.find(b.at+2, "*/")
	}
	depth := 1
	i := b.at + 2
	for ; i < len(b.src) && depth > 0; i++ {
		if bytes.HasPrefix(b.src[i:], []byte("/*")) {
			depth++
			i++
		} else if bytes.HasPrefix(b.src[i:], []byte("*/")) {
			depth--
			i++
		}
	}
	return i
}

func (b *blanker) quoted(c byte) {
	switch {
	case c == '`' && b.template:
		b.hide(b.templateEnd(b.at), '"')
	case c == '`' && !b.ruby:
		b.last = b.at + 1
		b.at++
	case b.triple && b.has(`"""`), b.triple && b.single && b.has("'''"):
		end, _ := b.stringEnd(b.at+2, string([]byte{c, c, c}))
		b.hide(end, '"')
	case c == '\'' && b.rawC && b.at > 0 && isName(b.src[b.at-1]) && b.src[b.at-1] <= '9': // 1'000
		b.at++
	case c == '\'' && !b.single:
		b.character()
	default:
		end, closed := b.stringEnd(b.at, string(c))
		if !closed && c == '\'' { // an apostrophe in a text, most likely
			b.last = b.at + 1
			b.at++
			return
		}
		b.hide(end, '"')
	}
}

// stringEnd is the offset after the string that opens at from, whose closing mark is given; not closed, it is the end of
// its line, or of the file where strings have several lines.
func (b *blanker) stringEnd(from int, mark string) (end int, closed bool) {
	lines := len(mark) > 1 || b.ruby || b.lifetime
	for i := from + 1; i < len(b.src); i++ {
		if b.src[i] == '\\' {
			if i++; i+1 < len(b.src) && b.src[i] == '\r' && b.src[i+1] == '\n' {
				i++
			}
		} else if bytes.HasPrefix(b.src[i:], []byte(mark)) {
			return i + len(mark), true
		} else if !lines && b.src[i] == '\n' {
			return i, false
		}
	}
	return len(b.src), false
}

// character is a character literal, or, in Rust, what may as well be a lifetime.
func (b *blanker) character() {
	rest := b.src[b.at+1:]
	_, size := utf8.DecodeRune(rest)
	switch {
	case len(rest) > 1 && rest[0] == '\\':
		end := bytes.IndexByte(rest[2:], '\'')
		if line := b.lineEnd(b.at); end >= 0 && b.at+3+end < line {
			b.hide(b.at+4+end, '"')
			return
		}
	case size < len(rest) && rest[size] == '\'':
		b.hide(b.at+size+2, '"')
		return
	case b.rawC: // 'abcd' is a number in C
		if end := bytes.IndexByte(rest[:min(len(rest), 8)], '\''); end > 0 {
			b.hide(b.at+end+2, '"')
			return
		}
	}
	b.last = b.at + 1
	b.at++
}

// raw is r"..." and r#"..."# of Rust, R"x(...)x" of C++.
func (b *blanker) raw() bool {
	if b.at > 0 && isName(b.src[b.at-1]) && b.src[b.at-1] != 'b' && b.src[b.at-1] != 'u' && b.src[b.at-1] != 'U' && b.src[b.at-1] != 'L' && b.src[b.at-1] != '8' {
		return false
	}
	i := b.at + 1
	if b.lifetime {
		for i < len(b.src) && b.src[i] == '#' {
			i++
		}
		if i >= len(b.src) || b.src[i] != '"' || b.src[b.at] != 'r' {
			return false
		}
		b.hide(b.find(i+1, `"`+string(b.src[b.at+1:i])), '"')
		return true
	}
	if i >= len(b.src) || b.src[i] != '"' || b.src[b.at] != 'R' {
		return false
	}
	open := bytes.IndexByte(b.src[i:min(len(b.src), i+20)], '(')
	if open < 0 {
		return false
	}
	b.hide(b.find(i+open, ")"+string(b.src[i+1:i+open])+`"`), '"')
	return true
}

// templateEnd is the offset after the template that opens at from, with everything that its ${...} hold. It keeps the
// brackets that are open itself, since templates nest.
func (b *blanker) templateEnd(from int) int {
	var open []byte // '`' in a template's text, '{' in code of an interpolation
	for i := from; i < len(b.src); i++ {
		inText := len(open) > 0 && open[len(open)-1] == '`'
		switch c := b.src[i]; {
		case c == '\\':
			i++
		case c == '`' && inText:
			if open = open[:len(open)-1]; len(open) == 0 {
				return i + 1
			}
		case c == '`', inText && c == '$' && i+1 < len(b.src) && b.src[i+1] == '{', !inText && c == '{':
			if len(open) >= maxInterpolation {
				return len(b.src)
			}
			if c == '`' {
				open = append(open, '`')
				continue
			}
			if c == '$' {
				i++
			}
			open = append(open, '{')
		case c == '}' && !inText:
			open = open[:len(open)-1]
		case (c == '"' || c == '\'') && !inText:
			if end, closed := b.stringEnd(i, string(c)); closed {
				i = end - 1
			}
		}
	}
	return len(b.src)
}

// beforeOperand are the words after which a slash begins a regular expression.
var beforeOperand = map[string]bool{
	"return": true, "typeof": true, "case": true, "in": true, "of": true, "delete": true, "void": true, "throw": true, "new": true, "do": true,
	"else": true, "yield": true, "await": true, "if": true, "elsif": true, "unless": true, "while": true, "until": true, "when": true,
	"and": true, "or": true, "not": true, "then": true,
}

// operand reports whether an operand may begin here, so that a slash is no division.
func (b *blanker) operand() bool {
	if b.last == 0 {
		return true
	}
	c := b.out[b.last-1]
	switch {
	case isName(c):
		from := b.last
		for from > 0 && b.last-from < 12 && isName(b.out[from-1]) {
			from--
		}
		return beforeOperand[string(b.out[from:b.last])] ||
			b.ruby && b.at > b.last && b.at+1 < len(b.src) && b.src[b.at+1] != ' ' && b.src[b.at+1] != '=' // puts /x/
	case c == ')' || c == ']' || c == '}' || c == '"':
		return false
	case c == '<': // </div>
		return b.last != b.at
	}
	return true
}

// maxRegex bounds a regular expression in bytes: a slash that begins none is looked behind no further.
const maxRegex = 2000

// regexEnd is the offset after a regular expression, or after its slash when it does not end in its line.
func (b *blanker) regexEnd() int {
	class := false
	for i := b.at + 1; i < min(len(b.src), b.at+maxRegex) && b.src[i] != '\n'; i++ {
		switch b.src[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class || b.ruby {
				return i + 1
			}
		}
	}
	return b.at + 1
}
