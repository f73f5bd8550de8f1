package testlog

import "strings"

// single is a lineReader whose every line stands for itself. Such logs have no end of their own, so that a whole stream is
// all that can be known of them.
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
