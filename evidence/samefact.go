package evidence

import "strings"

// Reasons of SameFact.
const (
	SameSpan      = "overlapping span"
	SameContent   = "same content"
	SameSignature = "same signature"
)

// SameFact reports whether b carries the fact that a carries, and why, in this order: their line spans in one file
// overlap (SameSpan); their texts are the same but for white space and, in Go, comments (SameContent); or they
// declare the same Go function or method (SameSignature: name, receiver type, parameter and result types; a build
// constraint's variants and verbatim copies of a package share it). The functions init, main and _ have no signature
// of their own. The relation is symmetric; it is what "the same fact under another id" means for the condition that
// removes a group.
func SameFact(a, b Unit) (reason string, same bool) {
	switch {
	case a.Path == b.Path && a.StartLine <= b.EndLine && b.StartLine <= a.EndLine:
		return SameSpan, true
	case sameContent(a, b):
		return SameContent, true
	case sameSignature(a, b):
		return SameSignature, true
	}
	return "", false
}

func sameContent(a, b Unit) bool {
	x, y := significant{text: a.Text, golang: isGo(a)}, significant{text: b.Text, golang: isGo(b)}
	for n := 0; ; n++ {
		p, okP := x.next()
		q, okQ := y.next()
		if okP != okQ || p != q {
			return false
		}
		if !okP {
			return n > 0 // two texts of nothing but white space and comments say nothing, rather than the same
		}
	}
}

func isGo(u Unit) bool { return strings.HasSuffix(u.Path, ".go") && u.Kind != KindWindow }

// significant iterates over the bytes of a text that matter: no white space, and in Go no comments; Go's literals
// whole.
type significant struct {
	text    string
	golang  bool
	at      int
	quote   byte // inside this kind of literal; 0 outside
	escaped bool // the next byte follows a backslash in a literal
}

func (s *significant) next() (byte, bool) {
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case s.quote != 0:
			switch {
			case s.escaped:
				s.escaped = false
			case c == s.quote:
				s.quote = 0
			case c == '\\':
				s.escaped = s.quote != '`'
			}
			s.at++
			return c, true
		case byteClass[c] == classSpace:
			s.at++
		case s.golang && strings.HasPrefix(s.text[s.at:], "//"):
			s.skipPast("\n")
		case s.golang && strings.HasPrefix(s.text[s.at:], "/*"):
			s.at += 2
			s.skipPast("*/")
		default:
			if s.golang && (c == '"' || c == '`' || c == '\'') {
				s.quote = c
			}
			s.at++
			return c, true
		}
	}
	return 0, false
}

// skipPast moves behind the next end, or to the end of the text.
func (s *significant) skipPast(end string) {
	if i := strings.Index(s.text[s.at:], end); i >= 0 {
		s.at += i + len(end)
	} else {
		s.at = len(s.text)
	}
}
