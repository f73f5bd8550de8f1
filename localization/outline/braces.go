package outline

import "bytes"

// body says what a pair of braces holds.
type body int

const (
	inFile     body = iota // the file itself, a namespace or module
	inType                 // members
	inObject               // entries of an object literal or enum, which commas part
	inFunction             // statements
)

// meaning is what stands before an opening brace, or before the semicolon of a declaration without braces.
type meaning struct {
	names  []string // empty: nothing that has a name
	kind   Kind     // empty: the names lead to what is inside, but are no definition of their own
	holds  body
	goesOn bool // the statement goes on behind the closing brace: an initialiser, an argument
	opaque bool // nothing is looked for inside
}

// grammar is a language with braces.
type grammar struct {
	// opening tells what a brace opens, from the statement's text before it.
	opening func(head []byte, in body) meaning
	// argument tells what a brace inside parentheses opens; it has no definition of its own.
	argument func(head []byte) meaning
	// ending tells what a statement declares that ended without braces of its own, or behind those of an initialiser.
	ending func(head []byte, in body) meaning
	// lineEnds: a line end may end a statement.
	lineEnds bool
}

// scope is a pair of braces that is open.
type scope struct {
	meaning
	names []string // of the containers and its own, for what is inside
	start int      // offset of the statement that opened it
	depth int      // parentheses that were open in it
}

// Heads are looked at from both ends, and all of them together are this many times the file at most: a statement around
// thousands of braces would cost the square of its length otherwise. No program comes near.
const (
	maxHead  = 512
	maxHeads = 8
)

type braceReader struct {
	*text
	grammar
	match  []int32 // offset of the closing brace by that of the opening one; 0: none
	scopes []scope
	start  int // offset of the present statement
	depth  int // parentheses and brackets that are open in it
	last   int // offset after the last code so far
	next   int // offset of the first code after a line end that was looked at
	heads  int // bytes of heads that may still be looked at
	defs   []Definition
}

// definitions reads a language with braces; t.code is blanked already.
func (g grammar) definitions(t *text) []Definition {
	r := &braceReader{text: t, grammar: g, match: matches(t.code), scopes: []scope{{}}, defs: []Definition{},
		heads: maxHeads*len(t.code) + 64<<10}
	for i := 0; i < len(r.code); i++ {
		switch r.code[i] {
		case '(', '[':
			r.depth++
		case ')', ']':
			r.depth = max(0, r.depth-1)
		case '{':
			i = r.open(i)
		case '}':
			r.shut(i)
		case ';':
			if r.depth == 0 {
				r.end(i)
			}
		case ',':
			if r.depth == 0 && r.scopes[len(r.scopes)-1].holds == inObject {
				r.end(i)
			}
		case '\n':
			if r.lineEnds && r.depth == 0 && r.statementEnds(i) {
				r.end(i)
			}
		}
		if i < len(r.code) && r.code[i] > ' ' {
			r.last = i + 1
		}
	}
	for len(r.scopes) > 1 {
		r.shut(len(r.code) - 1)
	}
	r.end(len(r.code))
	return r.defs
}

// matches pairs braces.
func matches(code []byte) []int32 {
	match := make([]int32, len(code))
	var open []int32
	for i, c := range code {
		switch {
		case c == '{':
			open = append(open, int32(i))
		case c == '}' && len(open) > 0:
			match[open[len(open)-1]] = int32(i)
			open = open[:len(open)-1]
		}
	}
	return match
}

// head is the present statement's text up to an offset, without white space around it.
func (r *braceReader) head(to int) []byte {
	from := r.first(to)
	r.start = from
	if r.heads -= min(to-from, 2*maxHead); r.heads < 0 {
		return nil
	}
	if to-from <= 2*maxHead {
		return bytes.TrimSpace(r.code[from:to])
	}
	return bytes.TrimSpace(append(bytes.Clone(r.code[from:from+maxHead]), r.code[to-maxHead:to]...))
}

// first is the offset of the present statement's first code, or to.
func (r *braceReader) first(to int) int {
	i := min(r.start, to)
	for i < to && (r.code[i] <= ' ' || r.code[i] == ';' || r.code[i] == ',') {
		i++
	}
	return i
}

// open takes the brace at i and gives the offset to go on from.
func (r *braceReader) open(i int) int {
	outer := &r.scopes[len(r.scopes)-1]
	var m meaning
	if r.depth == 0 {
		m = r.opening(r.head(i), outer.holds)
	} else { // whatever surrounds it goes on
		m = r.argument(r.head(i))
		m.kind, m.goesOn = "", true
	}
	shut := int(r.match[i])
	if shut > 0 && m.kind == Function && (r.lineEnds || m.opaque) {
		// A brace that another one follows is no body but a type's literal, or, with a comma, too, a member's initialiser.
		next := bytes.TrimLeft(r.code[shut+1:min(len(r.code), shut+200)], " \t\r\n")
		if len(next) > 0 && (next[0] == '{' || next[0] == ',' && m.opaque) {
			return shut
		}
	}
	if shut > 0 && m.opaque {
		if !m.goesOn {
			r.define(m, outer.names, r.first(i), shut)
			r.start = shut + 1
		}
		return shut
	}
	r.scopes = append(r.scopes, scope{meaning: m, names: qualified(outer.names, m.names...), start: r.first(i), depth: r.depth})
	r.start, r.depth = i+1, 0
	return i
}

// shut takes the closing brace at i.
func (r *braceReader) shut(i int) {
	r.end(i)
	if len(r.scopes) == 1 { // one too many
		r.start = i + 1
		return
	}
	s := r.scopes[len(r.scopes)-1]
	r.scopes = r.scopes[:len(r.scopes)-1]
	r.depth = s.depth
	if s.goesOn {
		r.start = s.start
		return
	}
	r.define(s.meaning, r.scopes[len(r.scopes)-1].names, s.start, i)
	r.start = i + 1
}

// end takes the end of a statement, whose last byte is before i.
func (r *braceReader) end(i int) {
	if from := r.first(i); from < i {
		s := &r.scopes[len(r.scopes)-1]
		m := r.ending(r.head(i), s.holds)
		if r.lineEnds && s.holds == inObject && len(s.meaning.names) == 0 {
			m = meaning{} // the entries of an object that has no name
		}
		if len(m.names) > 0 {
			last := i - 1
			for last > from && r.code[last] <= ' ' {
				last--
			}
			r.define(m, s.names, from, last)
		}
	}
	r.start, r.depth = i+1, 0
}

func (r *braceReader) define(m meaning, outer []string, from, to int) {
	if len(m.names) == 0 || m.kind == "" {
		return
	}
	start := r.line(from)
	d := Definition{Name: qualified(outer, m.names...), Kind: m.kind, Start: start, End: max(start, r.line(to))}
	if begins, _ := r.bounds(start); blank(r.code[begins:from]) { // the comment above is about what its line begins with
		d.Start = r.above(start)
	}
	r.defs = append(r.defs, d)
}

// statementEnds reports whether a line end at i ends a statement, as automatic semicolons do: the code before it is
// whole and what follows can't belong to it.
func (r *braceReader) statementEnds(i int) bool {
	if r.last <= r.start {
		return false
	}
	if c := r.code[r.last-1]; !isName(c) && bytes.IndexByte([]byte(`)]}"`), c) < 0 {
		twice := r.last-2 >= r.start && r.code[r.last-2] == c
		return twice && (c == '+' || c == '-') // x++
	}
	for r.next = max(r.next, i); r.next < len(r.code) && r.code[r.next] <= ' '; r.next++ {
	}
	return r.next == len(r.code) || bytes.IndexByte([]byte(".,?:+-*/%=&|^)]<>{("), r.code[r.next]) < 0
}
