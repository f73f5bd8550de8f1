package testlog

import (
	"regexp"
	"strings"
)

// fourStatuses is a way with a line of which four statuses are known: expected failures are not among them.
func fourStatuses(entry func(text string) (name, word string)) parsing {
	return func(*builder) func(string) (string, Outcome) {
		return func(text string) (string, Outcome) {
			name, word := entry(text)
			if o := compatWords[word]; o != ExpectedFailure {
				return name, o
			}
			return "", ""
		}
	}
}

// rebenchOptions is parse_log_pytest_options, which knows no line of skipped tests that has a count instead of a name.
func rebenchOptions(text string) (name, word string) {
	name, word = firstTwo(text)
	return shortOption(name), word
}

// rebenchV2 is parse_log_pytest_v2: tabs and what is left of colours are no part of a line.
func rebenchV2(text string) (name, word string) {
	return compatV2Old(strings.ReplaceAll(rebenchColours.ReplaceAllString(text, ""), "\t", ""))
}

const fourWords = `(PASSED|FAILED|SKIPPED|ERROR)`

var (
	rebenchColours = regexp.MustCompile(`\[\d+m`)
	neboRules      = []*regexp.Regexp{
		regexp.MustCompile(`^\[gw\d+\]\s+\[[^\]]*\]\s+` + fourWords + `\s+(.*)$`),
		regexp.MustCompile(`^(\S.*?)\s+` + fourWords + `\s+\[[^\]]*\]\s+in\s+\d+(?:\.\d+)?s$`),
		regexp.MustCompile(`^` + fourWords + `\s+(.*)$`),
	}
)

// rebenchNebo is parse_log_pytest_nebo, for the lines of pytest, of its workers, and of durations beside them.
func rebenchNebo(text string) (string, Outcome) {
	text = strings.TrimSpace(strings.ReplaceAll(rebenchColours.ReplaceAllString(text, ""), "\t", ""))
	for i, re := range neboRules {
		m := re.FindStringSubmatch(text)
		switch {
		case m == nil:
		case i == 1:
			return m[1], compatWords[m[2]]
		default:
			name, _, _ := strings.Cut(m[2], " in ")
			return name, compatWords[m[1]]
		}
	}
	return "", ""
}
