package testlog

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Mode says whose reading of a log is wanted.
type Mode string

const (
	Strict Mode = "strict" // what the log says
	Compat Mode = "compat" // the names and outcomes that a dataset's lists were made with
)

// Names of grammars that other rooms ask for.
const (
	GoTestJSON = "go-test-json"
	Pytest     = "pytest"
	JUnit      = "junit"
	TAP        = "tap"
	Parsed     = "parsed-json"
)

// Grammar is a kind of report, in one mode.
type Grammar struct {
	Name string
	Mode Mode
	Doc  string // one line: what writes such a report
	new  func(*builder) reading
}

// reading is a grammar at work on the files of one report.
type reading interface {
	// read takes one stream; the error is the stream's own.
	read(in io.Reader) error
	// finish draws the conclusions that need everything.
	finish() *Report
}

// Find gives the grammar with a name: one of Names, or a further name that a dataset has for one of them.
func Find(name string) (Grammar, error) {
	of := Canonical(name)
	if i := slices.IndexFunc(grammars, func(g Grammar) bool { return g.Name == of }); i >= 0 {
		g := grammars[i]
		g.Name = name
		return g, nil
	}
	return Grammar{}, fmt.Errorf("there is no grammar of test reports named %.80q; expected one of %s, or a parser that a dataset names (parse_log_...)",
		name, strings.Join(namesOf(Strict), ", "))
}

// Canonical is the parser that a further name of a dataset's stands for, such as that of a repository; any other name is its
// own.
func Canonical(name string) string { return cmp.Or(aliases[name], rebenchAliases[name], name) }

// Names lists the grammars by name, those of Strict first.
func Names() []string { return append(namesOf(Strict), namesOf(Compat)...) }

func namesOf(mode Mode) (names []string) {
	for _, g := range grammars {
		if g.Mode == mode {
			names = append(names, g.Name)
		}
	}
	return names
}

// Read reads a report out of its streams: a log, or the files that a runner wrote. Without any the report is missing,
// which Report.Assess says. An error is a stream's own; a strange report is a Report with a Problem.
func (g Grammar) Read(streams ...io.Reader) (*Report, error) {
	r := g.new(newBuilder(g.Name, g.Mode))
	for _, in := range streams {
		if err := r.read(in); err != nil {
			return nil, err
		}
	}
	return r.finish(), nil
}

// text makes a grammar of lines.
func text(name string, mode Mode, doc string, open func(*builder) lineReader) Grammar {
	return Grammar{Name: name, Mode: mode, Doc: doc, new: func(b *builder) reading { return &textReading{b, open(b)} }}
}

// textReading is a lineReader at work; a log is one stream, and further ones are more of the same log.
type textReading struct {
	*builder
	to lineReader
}

func (t *textReading) read(in io.Reader) error { return readLines(t.builder, in, t.to) }
