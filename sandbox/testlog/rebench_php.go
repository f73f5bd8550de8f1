package testlog

import (
	"regexp"
	"strings"
)

var (
	pestTime    = regexp.MustCompile(`\s+\d+(?:\.\d+)?s\s*$`)
	pestApart   = regexp.MustCompile(`\s{2,}\d+(?:\.\d+)?s\s*$`)
	pestFile    = regexp.MustCompile(`(?i)^\s*FAIL(?:ED)?\s+(\S.+)$`)
	pestMarked  = regexp.MustCompile(`^\s*([⨯xX✓✔-])\s+(.+)$`)
	pestTail    = regexp.MustCompile(`\s{2,}\d+\.?\d*s\b.*$`)
	pestSkipped = regexp.MustCompile(`(?i)\(skipped\)|\bSKIPPED\b`)
	pestMarks   = map[string]Outcome{"⨯": Failed, "x": Failed, "X": Failed, "✓": Passed, "✔": Passed, "-": Skipped}

	testdoxTime = regexp.MustCompile(`(?i)\s*\[\s*\d+(?:\.\d+)?\s*m?s\s*\]\s*$`)
)

// pestName is a title without what stands after its end, and without a duration.
func pestName(title string) string {
	title = pestApart.ReplaceAllString(strings.TrimSpace(title), "")
	return strings.TrimSpace(pestTime.ReplaceAllString(title, ""))
}

// rebenchPest is parse_log_php_v1, for Pest and the artisan command: a file that failed is a test, too.
func rebenchPest(b *builder) func(string) (string, Outcome) {
	return func(text string) (string, Outcome) {
		plain := strings.TrimSpace(text)
		for _, no := range []string{"___", "---", "Tests:", "Duration:"} {
			if strings.HasPrefix(plain, no) {
				return "", ""
			}
		}
		text = strings.TrimRight(text, " \t")
		if m := pestFile.FindStringSubmatch(text); m != nil {
			return pestName(m[1]), Failed
		}
		if m := pestMarked.FindStringSubmatch(text); m != nil {
			title := m[2]
			if at := pestTail.FindStringIndex(title); at != nil && at[0] > 0 {
				title = title[:at[0]]
			}
			return pestName(title), pestMarks[m[1]]
		}
		if name := pestName(plain); pestSkipped.MatchString(text) && !b.has(name) {
			return name, Skipped
		}
		return "", ""
	}
}

// newRebenchTestdox is SWE-bench's parser of PHPUnit, with the durations taken off.
func newRebenchTestdox(b *builder) lineReader {
	return &testdox{builder: b, compat: true, timeless: true, suite: "None"}
}
