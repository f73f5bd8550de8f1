package testlog

import "strings"

// The parsers of SWE-rebench V2 are those of SWE-bench, some of them changed since, and some fifty of its own. Its harness takes
// durations off the names that they find, and what they say besides passed and skipped makes no difference to it: so where they
// overlook a failure that a log states, it is read here as one, and the runner's exit status does not contradict the report.

// again says which of several outcomes of a name counts.
type again int

const (
	lastCounts again = iota
	passYields       // the last one, and a pass only where there is no other
	worstCounts
)

// parsing makes what reads the lines of one stream out of the report so far.
type parsing func(b *builder) func(text string) (string, Outcome)

// rebench makes a grammar of a parser that goes line by line.
func rebench(name, doc string, of again, open parsing) Grammar {
	return text(name, Compat, "SWE-rebench V2: "+doc, func(b *builder) lineReader {
		b.counting(of)
		parse := open(b)
		return &single{b, func(text string) (string, Outcome) {
			name, o := parse(text)
			return withoutTiming(name), o
		}}
	})
}

func (b *builder) counting(of again) { b.last, b.yields = of != worstCounts, of == passYields }

// trimmed is a parser of lines without the blanks around them that needs nothing else.
func trimmed(parse func(text string) (string, Outcome)) parsing {
	return func(*builder) func(string) (string, Outcome) {
		return func(text string) (string, Outcome) { return parse(strings.TrimSpace(text)) }
	}
}

// stateless is a parser of lines as they are that needs nothing else.
func stateless(parse func(text string) (string, Outcome)) parsing {
	return func(*builder) func(string) (string, Outcome) { return parse }
}

// has reports whether a test has an outcome already.
func (b *builder) has(name string) bool {
	_, known := b.report.Tests[withoutTiming(name)]
	return known
}
