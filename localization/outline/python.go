package outline

import (
	"bytes"
	"regexp"
)

var (
	pythonDef    = regexp.MustCompile(`^(async[ \t]+)?(def|class|cdef[ \t]+class|cpdef)[ \t]+([A-Za-z_\x80-\xff][\w\x80-\xff]*)`)
	pythonAssign = regexp.MustCompile(`^([A-Za-z_\x80-\xff][\w\x80-\xff]*)[ \t]*(:[^=]*)?=([^=]|$)`)
)

// pythonDefinitions cuts by indentation. Functions and classes reach to the last line of code before one that is not
// indented further; decorators belong to them. Names that a module or class assigns are values.
func pythonDefinitions(t *text) []Definition {
	t.code = blanked(t.src, pythonSyntax)
	p := pythonReader{text: t, decorated: -1}
	for line := 1; line <= t.lines(); {
		from, to := t.bounds(line)
		last := line
		depth := p.depth(from, to)
		for last < t.lines() && (depth > 0 || p.continued(to)) {
			last++
			var begins int
			begins, to = t.bounds(last)
			depth += p.depth(begins, to)
		}
		p.statement(line, last, from, to)
		line = last + 1
	}
	p.close(-1)
	if p.defs == nil {
		return []Definition{}
	}
	return p.defs
}

type pythonReader struct {
	*text
	defs      []Definition
	open      []block // by growing indentation
	decorated int     // first line of decorators that wait for their definition, or -1
	last      int     // last line of code so far
}

// block is a class or function whose end is not known yet.
type block struct {
	indent int
	at     int // in defs
}

func (p *pythonReader) depth(from, to int) (depth int) {
	for _, c := range p.code[from:to] {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
	}
	return depth
}

// continued reports whether a line ends in a backslash, or within a string of several lines.
func (p *pythonReader) continued(end int) bool {
	line := bytes.TrimRight(p.code[:end], "\r")
	if len(line) > 0 && line[len(line)-1] == '\\' {
		return true
	}
	return end < len(p.code) && p.code[end] == '"'
}

// statement takes one logical line.
func (p *pythonReader) statement(first, last, from, to int) {
	code := p.code[from:to]
	body := bytes.TrimLeft(code, " \t\f")
	if len(bytes.TrimSpace(body)) == 0 {
		return
	}
	indent := 0
	for _, c := range code[:len(code)-len(body)] {
		if indent++; c == '\t' {
			indent += 7 - (indent-1)%8
		}
	}
	p.close(indent)
	p.last = last
	start := first
	if p.decorated > 0 {
		start = p.decorated
	}
	if body[0] == '@' {
		p.decorated = start
		return
	}
	p.decorated = -1
	outer := p.outer()
	body = body[:min(len(body), 1<<10)]
	if m := pythonDef.FindSubmatch(body); m != nil {
		kind := Function
		if bytes.HasSuffix(m[2], []byte("class")) {
			kind = Type
		}
		p.open = append(p.open, block{indent, len(p.defs)})
		p.defs = append(p.defs, Definition{Name: qualified(outer, string(m[3])), Kind: kind, Start: p.above(start), End: last})
	} else if m := pythonAssign.FindSubmatch(body); m != nil && !p.insideFunction() {
		p.defs = append(p.defs, Definition{Name: qualified(outer, string(m[1])), Kind: Value, Start: p.above(start), End: last})
	}
}

// close ends the blocks that a line of this indentation does not belong to.
func (p *pythonReader) close(indent int) {
	for n := len(p.open); n > 0 && p.open[n-1].indent >= indent; n-- {
		d := &p.defs[p.open[n-1].at]
		d.End = max(d.End, p.last)
		p.open = p.open[:n-1]
	}
}

func (p *pythonReader) outer() []string {
	if len(p.open) == 0 {
		return nil
	}
	return p.defs[p.open[len(p.open)-1].at].Name
}

func (p *pythonReader) insideFunction() bool {
	return len(p.open) > 0 && p.defs[p.open[len(p.open)-1].at].Kind == Function
}
