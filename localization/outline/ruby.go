package outline

import (
	"bytes"
	"regexp"
	"strings"
)

var (
	rubyDef    = regexp.MustCompile(`^(?:[a-z_]+[ \t]+)*?def[ \t]+((?:self|` + word + `)[ \t]*\.[ \t]*)?(` + word + `[?!=]?|[^\s\w(]+)`)
	rubyOneDef = regexp.MustCompile(`^(?:[a-z_]+[ \t]+)*?def[ \t]+[\w.?!]+(?:[ \t]*\([^)]*\)[ \t]*|[ \t]+)=(?:[^=~>]|$)`)
	rubyClass  = regexp.MustCompile(`^(class|module)[ \t]+((?:::)?` + word + `(?:::` + word + `)*)`)
	rubySelf   = regexp.MustCompile(`^class[ \t]*<<`)
	rubyConst  = regexp.MustCompile(`^([A-Z]\w*)[ \t]*(?:\|\|)?=(?:[^=~>]|$)`)
	rubyWord   = regexp.MustCompile(`[A-Za-z_\x80-\xff][\w\x80-\xff]*`)
)

// rubyDefinitions pairs def, class, module, do and the block keywords with end.
func rubyDefinitions(t *text) []Definition {
	t.code = blanked(t.src, rubySyntax)
	r := &rubyReader{text: t, defs: []Definition{}}
	for line := 1; line <= t.lines(); {
		from, to := t.bounds(line)
		last := line
		depth := brackets(r.code[from:to], 0)
		for last < t.lines() && (depth > 0 || to < len(r.code) && r.code[to] == '"' || bytes.HasSuffix(bytes.TrimRight(r.code[from:to], "\r"), []byte(`\`))) {
			last++
			var begins int
			begins, to = t.bounds(last)
			depth = brackets(r.code[begins:to], depth)
			if last-line > maxStatement {
				break
			}
		}
		r.statement(line, last, from, to)
		line = last + 1
	}
	for len(r.open) > 0 {
		r.end(t.lines())
	}
	return r.defs
}

// maxStatement bounds the lines of one statement, for a bracket that never closes.
const maxStatement = 2000

func brackets(code []byte, depth int) int {
	for _, c := range code {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth = max(0, depth-1)
		}
	}
	return depth
}

type rubyReader struct {
	*text
	defs []Definition
	open []rubyBlock
}

// rubyBlock waits for its end.
type rubyBlock struct {
	at    int // in defs, -1 for a block without a name
	names []string
}

func (r *rubyReader) names() []string {
	if len(r.open) == 0 {
		return nil
	}
	return r.open[len(r.open)-1].names
}

func (r *rubyReader) end(line int) {
	if n := len(r.open); n > 0 {
		if at := r.open[n-1].at; at >= 0 {
			r.defs[at].End = max(r.defs[at].Start, line)
		}
		r.open = r.open[:n-1]
	}
}

// statement takes one logical line, which may hold several statements.
func (r *rubyReader) statement(first, last, from, to int) {
	for part := range bytes.SplitSeq(r.code[from:to], []byte(";")) {
		s := bytes.TrimSpace(part)
		if len(s) == 0 {
			continue
		}
		s = s[:min(len(s), 64<<10)]
		r.keywords(s, r.definition(s[:min(len(s), maxHead)], first, last), first, last)
	}
}

// definition notes what a statement defines and reports whether that opens a block.
func (r *rubyReader) definition(s []byte, first, last int) (opened bool) {
	add := func(kind Kind, opens bool, names ...string) {
		d := Definition{Name: qualified(r.names(), names...), Kind: kind, Start: r.above(first), End: last}
		if opens {
			r.open = append(r.open, rubyBlock{at: len(r.defs), names: d.Name})
		}
		r.defs = append(r.defs, d)
	}
	switch {
	case rubySelf.Match(s):
		r.open = append(r.open, rubyBlock{at: -1, names: r.names()})
		return true
	case rubyClass.Match(s):
		m := rubyClass.FindSubmatch(s)
		add(Type, true, strings.Split(strings.TrimPrefix(string(m[2]), "::"), "::")...)
		return true
	case rubyDef.Match(s):
		m := rubyDef.FindSubmatch(s)
		one := rubyOneDef.Match(s)
		add(Function, !one, string(m[2]))
		return !one
	case rubyConst.Match(s):
		add(Value, false, string(rubyConst.FindSubmatch(s)[1]))
	}
	return false
}

// opensAtStart open a block where a statement or expression begins; behind one they are modifiers.
var opensAtStart = map[string]bool{"if": true, "unless": true, "while": true, "until": true, "case": true, "begin": true, "for": true}

// startsAfter are the words after which a statement or expression begins.
var startsAfter = map[string]bool{
	"then": true, "else": true, "do": true, "and": true, "or": true, "not": true, "begin": true, "ensure": true,
}

// keywords counts what the words of a statement open and close. defined: the statement is a definition that opened.
func (r *rubyReader) keywords(s []byte, defined bool, first, last int) {
	loop := false // the do of while, until and for opens nothing
	previous := ""
	for i, at := range rubyWord.FindAllIndex(s, -1) {
		w := string(s[at[0]:at[1]])
		before := bytes.TrimRight(s[:at[0]], " \t\r\n")
		starts := len(before) == 0 || bytes.IndexByte([]byte("=([{,|&"), before[len(before)-1]) >= 0 || startsAfter[previous] && isName(before[len(before)-1])
		isWord := at[1] >= len(s) || s[at[1]] != ':' && s[at[1]] != '?' && s[at[1]] != '!' || at[1]+1 < len(s) && s[at[1]] == ':' && s[at[1]+1] == ':'
		if len(before) > 0 && (before[len(before)-1] == '.' || before[len(before)-1] == '@' || before[len(before)-1] == '$') {
			isWord = false // a call, or a variable
		}
		if defined && i == 0 {
			previous = w
			continue
		}
		switch {
		case !isWord || previous == "def":
		case w == "end":
			r.end(last)
		case opensAtStart[w] && starts:
			r.open = append(r.open, rubyBlock{at: -1, names: r.names()})
			loop = w == "while" || w == "until" || w == "for"
		case w == "do":
			if !loop {
				r.open = append(r.open, rubyBlock{at: -1, names: r.names()})
			}
			loop = false
		}
		previous = w
	}
}
