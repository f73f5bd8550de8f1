package testlog

import (
	"regexp"
	"strings"
)

// single is a lineReader whose every line stands for itself, or needs no more than the lines before it. Such logs have no end
// of their own, so that a whole stream is all that can be known of them.
type single struct {
	*builder
	parse func(text string) (name string, o Outcome)
}

// lineByLine makes a grammar of lines that each name one test and its outcome. Datasets' parsers take the blanks around a line off.
func lineByLine(name string, mode Mode, doc string, parse func(text string) (string, Outcome)) Grammar {
	if mode == Compat {
		whole := parse
		parse = func(text string) (string, Outcome) { return whole(strings.TrimSpace(text)) }
	}
	return text(name, mode, doc, func(b *builder) lineReader { return &single{b, parse} })
}

func (s *single) line(text string) {
	if name, o := s.parse(text); name != "" && o != "" {
		s.test(name, o)
	}
}

func (s *single) end() { s.ended = s.ended || s.seen }

// rule is a shape of lines: its first group is a test's name, and the test has the outcome.
type rule struct {
	shape *regexp.Regexp
	is    Outcome
}

// rules are tried in their order.
type rules []rule

// shapes makes rules out of outcomes and expressions, in turn.
func shapes(of ...any) (all rules) {
	for i := 0; i < len(of); i += 2 {
		all = append(all, rule{regexp.MustCompile(of[i+1].(string)), of[i].(Outcome)})
	}
	return all
}

// parse gives the test that the first matching rule names.
func (all rules) parse(text string) (string, Outcome) {
	for _, r := range all {
		if m := r.shape.FindStringSubmatch(text); m != nil {
			return m[1], r.is
		}
	}
	return "", ""
}

// holding is a parser that is asked only for lines with one of the words: looking for a word is fast, and for a shape anywhere in a
// line it is not.
func holding(parse func(text string) (string, Outcome), words ...string) func(text string) (string, Outcome) {
	return func(text string) (string, Outcome) {
		for _, word := range words {
			if strings.Contains(text, word) {
				return parse(text)
			}
		}
		return "", ""
	}
}
