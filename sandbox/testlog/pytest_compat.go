package testlog

import (
	"regexp"
	"strings"
)

// pytestCompat reads pytest's summary as the parsers of SWE-bench do: line by line, wherever it stands.
type pytestCompat struct {
	*builder
	entry func(text string) (name, word string)
	xfail Outcome
}

// compatPytest makes a grammar out of one parser's way with a line.
func compatPytest(name, doc string, entry func(text string) (name, word string)) Grammar {
	return text(name, Compat, doc, func(b *builder) lineReader { return &pytestCompat{b, entry, ExpectedFailure} })
}

// compatWords are the statuses that these parsers know. XPASS is not among them.
var compatWords = map[string]Outcome{"PASSED": Passed, "FAILED": Failed, "ERROR": Errored, "SKIPPED": Skipped, "XFAIL": ExpectedFailure}

func (p *pytestCompat) line(text string) {
	if pytestTotals.MatchString(text) || strings.HasPrefix(text, "ERROR: ") {
		p.seen, p.ended = true, true
	}
	name, word := p.entry(text)
	o, known := compatWords[word]
	if name == "" || !known {
		return
	}
	if o == ExpectedFailure {
		o = p.xfail
	}
	p.test(name, o)
}

func (p *pytestCompat) end() {}

// startsWithStatus reports whether a line begins with a status, whatever follows.
func startsWithStatus(text string) bool {
	for word := range compatWords {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return false
}

// firstTwo gives the name and the status of "STATUS name - message": names are cut at their first blank.
func firstTwo(text string) (name, word string) {
	if !startsWithStatus(text) {
		return "", ""
	}
	if strings.HasPrefix(text, "FAILED") {
		text = strings.ReplaceAll(text, " - ", " ")
	}
	f := strings.Fields(text)
	if len(f) < 2 {
		return "", ""
	}
	return f[1], strings.TrimSuffix(f[0], ":")
}

// compatPlain is parse_log_pytest; version 4 of SWE-bench takes the count of "SKIPPED [2]" for a name.
func compatPlain(text string) (name, word string) {
	name, word = firstTwo(text)
	if word == "SKIPPED" && strings.HasPrefix(name, "[") {
		return "", ""
	}
	return name, word
}

var compatOption = regexp.MustCompile(`^(.*?)\[(.*)\]`)

// compatOptions is parse_log_pytest_options.
func compatOptions(text string) (name, word string) {
	name, word = compatPlain(text)
	return shortOption(name), word
}

// shortOption is a name whose parameter, if it is a path, is cut to its last part.
func shortOption(name string) string {
	m := compatOption.FindStringSubmatch(name)
	if m == nil {
		return name
	}
	option := m[2]
	if strings.HasPrefix(option, "/") && !strings.HasPrefix(option, "//") && !strings.Contains(option, "*") {
		option = option[strings.LastIndexByte(option, '/'):]
	}
	return m[1] + "[" + option + "]"
}

// compatV2 is parse_log_pytest_v2 of version 5: the name is the rest of the line.
func compatV2(text string) (name, word string) {
	for w := range compatWords {
		if rest, ok := strings.CutPrefix(text, w+" "); ok {
			if w == "FAILED" {
				rest, _, _ = strings.Cut(rest, " - ")
			}
			if w == "ERROR" {
				rest = pytestID(rest)
			}
			if w == "SKIPPED" && strings.HasPrefix(rest, "[") {
				return "", ""
			}
			return oneBlank(rest), w
		}
		if rest, ok := strings.CutSuffix(text, " "+w); ok {
			return oneBlank(rest), w
		}
	}
	return "", ""
}

// oneBlank is a name with one blank where there are several, and without tabs.
func oneBlank(name string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(name, "\t", "")), " ")
}

// compatV2Old is parse_log_pytest_v2 of version 4: the first token after the status, or before it.
func compatV2Old(text string) (name, word string) {
	if startsWithStatus(text) {
		return firstTwo(text)
	}
	for w := range compatWords {
		if strings.HasSuffix(text, w) {
			if f := strings.Fields(text); len(f) >= 2 {
				return f[0], f[1]
			}
		}
	}
	return "", ""
}

// compatMatplotlib is parse_log_matplotlib: enumeration members of parameters are written as their numbers.
func compatMatplotlib(text string) (name, word string) {
	return compatPlain(strings.NewReplacer("MouseButton.LEFT", "1", "MouseButton.RIGHT", "3").Replace(text))
}

// compatSeaborn is parse_log_seaborn.
func compatSeaborn(text string) (name, word string) {
	f := strings.Fields(text)
	switch {
	case len(f) >= 2 && (f[0] == "FAILED" || f[0] == "PASSED"):
		return f[1], f[0]
	case len(f) >= 2 && f[1] == "PASSED":
		return f[0], f[1]
	}
	return "", ""
}

// livePytest is the reader of SWE-bench-Live: an expected failure is a failure to it.
func livePytest(b *builder) lineReader { return &pytestCompat{b, compatPlain, Failed} }
