package testlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// doctest is parse_log_doctest, for the XML that doctest's programs write with -s -r=xml: the first document of a log. A subcase is a test,
// which passed if every expression in it did; cases without subcases are none.
type doctest struct {
	*builder
	held []held
}

func newDoctest(b *builder) reading { return &doctest{builder: b} }

// errNoDocument says that a log has no document.
var errNoDocument = errors.New("there is no document")

// find reads up to the document's first tag, and gives the rest with it.
func (d *doctest) find(in io.Reader) (io.Reader, error) {
	const tag = "<doctest"
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		_, err := r.ReadSlice(tag[0])
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return nil, errNoDocument
		case err != nil:
			return nil, err
		}
		if next, _ := r.Peek(len(tag) - 1); bytes.Equal(next, []byte(tag[1:])) { // an error is met again
			return io.MultiReader(strings.NewReader(tag[:1]), r), nil
		}
	}
}

func (d *doctest) read(in io.Reader) error {
	rest, err := d.find(in)
	if errors.Is(err, errNoDocument) {
		return nil
	}
	if err == nil {
		d.seen = true
		err = d.document(newXMLScanner(rest))
	}
	if _, syntax := asSyntax(err); syntax || errors.Is(err, errXMLCut) {
		d.problem("the report is damaged: %v", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading a test report: %w", err)
	}
	for _, t := range d.held {
		d.test(t.name, t.outcome)
	}
	d.ended = true
	return nil
}

// document reads a document up to its end.
func (d *doctest) document(x *xmlScanner) error {
	test := ""
	type subcase struct {
		at int // among the held, -1 where there was no room
		ok bool
	}
	var open []subcase
	for {
		e, err := x.next()
		if err != nil {
			return err
		}
		switch {
		case e.End && len(x.open) == 0:
			return nil
		case e.Name == "TestCase" && !e.End:
			test = strings.Clone(e.attr("name"))
		case e.Name == "SubCase" && !e.End:
			s := subcase{-1, true}
			if name := joined([]string{test, e.attr("name")}, " > "); len(name) <= maxName && d.keeps(len(d.held), len(name)) {
				s.at = len(d.held)
				d.held = append(d.held, held{name, Passed})
			}
			open = append(open, s)
		case e.Name == "SubCase" && len(open) > 0:
			s := open[len(open)-1]
			open = open[:len(open)-1]
			if s.at >= 0 && !s.ok {
				d.held[s.at].outcome = Failed
			}
		case e.Name == "Expression" && !e.End && e.attr("success") != "true":
			for i := range open {
				open[i].ok = false
			}
		}
	}
}
