package testlog

import (
	"encoding/json"
	"strings"
)

// mochaLines reads mocha's JSON in a log that other things print into, too: by its lines, which mocha indents by two. mochaJSON reads
// it where it is all that there is.
type mochaLines struct {
	*builder
	named func(file, title string) string
	skips bool // skipped tests count

	section     Outcome // "" outside of the lists that count
	at          int     // the section's indent
	within      bool    // a test of it
	file, title string
}

var mochaSections = map[string]Outcome{`"passes": [`: Passed, `"failures": [`: Failed, `"pending": [`: Skipped}

// mochaByFile and mochaByTitle are names that datasets have for the tests.
func mochaByFile(file, title string) string { return joined([]string{file, title}, ":") }
func mochaByTitle(_, title string) string   { return title }

func newMochaLines(of again, skips bool, named func(file, title string) string) func(*builder) lineReader {
	return func(b *builder) lineReader {
		b.counting(of)
		return &mochaLines{builder: b, skips: skips, named: named}
	}
}

func (m *mochaLines) line(text string) {
	indent, plain := indentOf(text), strings.TrimSpace(text)
	if o := mochaSections[plain]; o != "" && !m.within {
		m.section, m.at, m.seen = o, indent, true
		return
	}
	switch {
	case m.section == "":
		if strings.HasPrefix(plain, `"passes": []`) {
			m.seen, m.ended = true, true
		}
	case indent == m.at && strings.HasPrefix(plain, "]"):
		m.ended = m.ended || m.section == Passed // the last of the lists
		m.section, m.within = "", false
	case indent == m.at+2 && plain == "{":
		m.within, m.file, m.title = true, "", ""
	case indent == m.at+2 && (plain == "}" || plain == "},"):
		if m.within && m.title != "" && (m.section != Skipped || m.skips) {
			m.test(m.named(m.file, m.title), m.section)
		}
		m.within = false
	case indent == m.at+4 && m.within:
		if value, ok := strings.CutPrefix(plain, `"fullTitle": `); ok {
			m.title = unquoted(value)
		} else if value, ok := strings.CutPrefix(plain, `"file": `); ok {
			m.file = unquoted(value)
		}
	}
}

// unquoted is the string of a JSON field, "" where it is none.
func unquoted(value string) (s string) {
	if json.Unmarshal([]byte(strings.TrimSuffix(value, ",")), &s) != nil || len(s) > maxName {
		return ""
	}
	return s
}

func (m *mochaLines) end() {}
