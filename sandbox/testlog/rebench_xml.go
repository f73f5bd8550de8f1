package testlog

import "strings"

// loggedXML reads XML reports that were printed into a log: every testcase, or those of whole documents.
type loggedXML struct {
	*builder
	found fragments
	shape *xmlDocument // nil for every testcase

	within, spoilt, done bool
	held                 []held // of the document that has not ended
}

// xmlDocument says how documents stand in a log.
type xmlDocument struct {
	begins func(text string) int // where one begins in a line, -1 if none does
	ends   func(text string) bool
	anew   bool // a beginning in a document is that of another one; else both are damaged
	once   bool // the first is the only one
}

// newLoggedCases is parse_log_sbt and parse_log_junit.
func newLoggedCases(b *builder) lineReader {
	return &loggedXML{builder: b, found: fragments{
		named: func(class, name string) string { return strings.TrimSpace(class + " " + name) }, order: caseEnds,
	}}
}

// newLoggedDocuments is parse_combined_test_reports, to which a test without a class is one of "None".
func newLoggedDocuments(b *builder) lineReader {
	return &loggedXML{builder: b, shape: &xmlDocument{begins: xmlHead, ends: xmlSuitesEnd}, found: fragments{
		named: func(class, name string) string { return Key(orElse(class, "None"), name) }, plain: true, order: []string{"failure", "skipped", "error"},
	}}
}

// newLoggedDocument is parse_logs_r_junit.
func newLoggedDocument(b *builder) lineReader {
	return &loggedXML{builder: b, shape: &xmlDocument{begins: xmlHead, ends: xmlSuitesEnd, once: true}, found: fragments{
		named: func(class, name string) string {
			if class == "" {
				return name
			}
			return Key(class, name)
		}, plain: true, order: caseEnds,
	}}
}

// newLoggedSuites is parse_log_gradlew_v1: documents of one suite, whose beginnings and ends have lines of their own.
func newLoggedSuites(b *builder) lineReader {
	return &loggedXML{builder: b, shape: &xmlDocument{
		begins: func(text string) int {
			if !strings.HasPrefix(strings.TrimSpace(text), "<?xml") {
				return -1
			}
			return xmlHead(text)
		},
		ends: func(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "</testsuite>") },
		anew: true,
	}, found: fragments{
		named: func(class, name string) string {
			if class == "" {
				return name
			}
			return name + " (" + class + ")"
		}, plain: true, order: []string{"skipped", "failure", "error"},
	}}
}

func xmlHead(text string) int       { return strings.Index(text, "<?xml") }
func xmlSuitesEnd(text string) bool { return strings.Contains(text, "</testsuites>") }

func (l *loggedXML) line(text string) {
	if l.shape == nil {
		l.found.line(text, func(name string, o Outcome) { l.test(withoutTiming(name), o) })
		return
	}
	if l.done {
		return
	}
	if at := l.shape.begins(text); at >= 0 {
		l.spoilt = l.within && !l.shape.anew
		if !l.spoilt {
			l.held, text = l.held[:0], text[at:]
			l.found = fragments{named: l.found.named, plain: true, order: l.found.order}
		}
		l.within = true
	}
	if !l.within {
		return
	}
	l.found.line(text, func(name string, o Outcome) {
		if len(name) <= maxName && l.keeps(len(l.held), len(name)) {
			l.held = append(l.held, held{strings.Clone(name), o})
		}
	})
	if !l.shape.ends(text) {
		return
	}
	for _, t := range l.held {
		if !l.spoilt {
			l.test(withoutTiming(t.name), t.outcome)
		}
	}
	l.within, l.spoilt, l.done, l.held = false, false, l.shape.once, l.held[:0]
}

func (l *loggedXML) end() { l.ended = l.seen }
