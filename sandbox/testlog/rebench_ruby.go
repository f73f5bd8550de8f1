package testlog

import (
	"regexp"
	"strings"
)

var (
	elixirRules = shapes(Skipped, `^\*\s+test\s+(.*?)\s+\(skipped\)\s+\[L#\d+\]$`, Failed, `^\d+\)\s+test\s+(.*?)\s+\([^)]+\)$`,
		Passed, `^\*\s+test\s+(.*?)(?:\s+\([0-9]+(?:\.[0-9]+)?ms\))?\s+\[L#\d+\]$`)

	hashTest  = regexp.MustCompile(`^(.+?#.+?)\s+=\s+[\d.]+\s+s\s+=\s+([.FES])$`)
	hashMarks = map[string]Outcome{".": Passed, "F": Failed, "E": Failed, "S": Skipped}

	reporterTest  = regexp.MustCompile(`^\s*(test[^A-Z\n]+?)\s+(PASS|PASSED|FAIL|FAILURE|ERROR|SKIP|SKIPPED)\b(?:\s*\([0-9.]+s\))?$`)
	reporterClass = regexp.MustCompile(`^[A-Z][A-Za-z0-9_]*$`)
	reporterWords = map[string]Outcome{
		"PASS": Passed, "PASSED": Passed, "FAIL": Failed, "FAILURE": Failed, "ERROR": Errored, "SKIP": Skipped, "SKIPPED": Skipped,
	}
)

// rebenchHash is parse_log_ruby_v2, for minitest -v: an error is a failure.
func rebenchHash(text string) (string, Outcome) {
	if m := hashTest.FindStringSubmatch(text); m != nil {
		return m[1], hashMarks[m[2]]
	}
	return "", ""
}

// rebenchReporter is parse_log_ruby_v1, for minitest's spec reporter, whose classes have lines of their own. Of several outcomes only
// a failure takes another's place.
func rebenchReporter(b *builder) func(string) (string, Outcome) {
	class := ""
	return func(text string) (string, Outcome) {
		text = strings.TrimRight(text, " \t")
		if reporterClass.MatchString(text) {
			class = strings.Clone(text[:min(len(text), maxName+1)])
			return "", ""
		}
		m := reporterTest.FindStringSubmatch(text)
		if m == nil {
			return "", ""
		}
		name, o := m[1], reporterWords[m[2]]
		if class != "" {
			name = joined([]string{class, name}, "::")
		}
		if !o.Bad() && b.has(name) {
			return "", ""
		}
		return name, o
	}
}
