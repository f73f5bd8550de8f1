package testlog

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// p5 is parse_log_p5js, for mocha in a browser, whose log has JSON and markup in it. A failure's titles stand on lines of their own,
// each deeper than the one before, up to a colon.
type p5 struct {
	*builder
	object, list bool // in a block of JSON
	name         []string
	size         int
}

var (
	p5Number = regexp.MustCompile(`^\s*\d+\)`)
	p5Markup = regexp.MustCompile(`<(\w+)>`)
)

// p5Name bounds a failure's titles with the colon after them, as the parser does.
const p5Name = 1000

func newP5(b *builder) lineReader { return &p5{builder: b} }

func (p *p5) line(text string) {
	if mochaEnds.MatchString(text) {
		p.seen, p.ended = true, true
	}
	end := strings.TrimRight(text, " \t")
	switch {
	case strings.HasSuffix(end, "{"):
		p.object = true
	case strings.HasSuffix(end, "["):
		p.list = true
	case end == "}" && p.object:
		p.object = false
	case end == "]" && p.list:
		p.list = false
	case p.object, p.list:
	case strings.HasPrefix(end, "{") && strings.HasSuffix(end, "}"), strings.HasPrefix(end, "[") && strings.HasSuffix(end, "]"):
	default:
		p.titles(withoutMarkup(text))
	}
}

// withoutMarkup takes elements that begin and end in a line out of it.
func withoutMarkup(text string) string {
	for range maxJSONDepth {
		from := 0
		for {
			m := p5Markup.FindStringSubmatchIndex(text[from:])
			if m == nil {
				return text
			}
			shut := "</" + text[from+m[2]:from+m[3]] + ">"
			if end := strings.Index(text[from+m[1]:], shut); end >= 0 {
				text = text[:from+m[0]] + text[from+m[1]+end+len(shut):]
				break
			}
			from += m[1]
		}
	}
	return text
}

// titles reads a line outside of JSON.
func (p *p5) titles(text string) {
	if len(p.name) == 0 {
		at := p5Number.FindStringIndex(text)
		if at == nil {
			return
		}
		text = text[at[1]:]
	}
	title, _, ends := strings.Cut(text, ":")
	p.name = append(p.name, strings.Clone(title))
	for p.size += p5Size(title); p.size > p5Name+1; {
		p.drop()
	}
	if ends {
		p.failed()
		p.name, p.size = nil, 0
	}
}

func p5Size(title string) int { return utf8.RuneCountInString(title) + 1 }

// drop takes the first line off what is too long for a name, and those after it up to one with a number, where a name may begin.
func (p *p5) drop() {
	for first := true; len(p.name) > 0; first = false {
		p.size -= p5Size(p.name[0])
		if at := p5Number.FindStringIndex(p.name[0]); at != nil && !first {
			p.name[0] = p.name[0][at[1]:]
			p.size += p5Size(p.name[0])
			return
		}
		p.name = p.name[1:]
	}
}

func (p *p5) failed() {
	indent, parts := 0, make([]string, 0, len(p.name))
	for _, title := range p.name {
		at := len(title) - len(strings.TrimLeft(title, " \t"))
		if at <= indent {
			return
		}
		indent = at
		parts = append(parts, strings.TrimSpace(title))
	}
	p.test(strings.Join(parts, ":"), Failed)
}

func (p *p5) end() {}
