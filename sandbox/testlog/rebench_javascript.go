package testlog

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	jsDuration = regexp.MustCompile(`(?i)\s*(?:\(\s*)?\d+(?:\.\d+)?\s*(?:ms|s)\s*\)?\s*$`)

	mochaRules = shapes(Skipped, `^-\s+(.*)$`, Failed, `^\d+\)\s+(.*):$`, Failed, `^\[W\]\s*\d+\)\s+(.*)$`, Passed, `^✔\s+(.*)$`)
	plainRules = shapes(Skipped, `^-\s+(.*)$`, Failed, `^\d+\)\s+(.*)$`, Passed, `^✔\s+(.*)$`)
	npxRules   = shapes(Passed, `^\s*✔\s+(.+?)(?:\s+\(\d+(?:ms)?\))?$`, Failed, `^\s*\d+\)\s+(.+?)(?:\s+\([^)]+\))?$`)

	reactRules = shapes(Passed, `^PASS\s(.*?)(?:\s\([\d.]+\s*m?s\))?$`, Failed, `^FAIL\s(.*?)(?:\s\([\d.]+\s*m?s\))?$`)
)

// withoutDuration is a title without the time that a runner wrote after it, in brackets or not.
func withoutDuration(title string) string {
	return strings.TrimSpace(jsDuration.ReplaceAllString(title, ""))
}

// timedRules are rules whose names may end in a duration.
func timedRules(of rules) parsing {
	return trimmed(func(text string) (string, Outcome) {
		name, o := of.parse(text)
		return withoutDuration(name), o
	})
}

func rebenchNPX(text string) (string, Outcome) {
	name, o := npxRules.parse(strings.TrimRight(text, " \t"))
	return strings.TrimSpace(name), o
}

var (
	jsTAP        = regexp.MustCompile(`^(not ok|ok)\s+\d+\s+-\s+(.*?)(?:\s+#.*)?$`)
	jsTAPSkipped = regexp.MustCompile(`(?i)# (?:skip|todo)`)
)

// rebenchTAP is parse_log_js_3, for TAP whose subtests stand in braces after the line of their parent: the names of parents come
// first. A directive after a blank is a comment to it, so that a skipped test passed.
func rebenchTAP(b *builder) func(string) (string, Outcome) {
	var parents []string
	return func(text string) (string, Outcome) {
		text = strings.TrimSpace(text)
		if text != "" && strings.Trim(text, "}") == "" {
			parents = parents[:max(0, len(parents)-len(text))]
			return "", ""
		}
		text, opens := strings.CutSuffix(text, "{")
		m := jsTAP.FindStringSubmatch(strings.TrimRight(text, " \t"))
		if m == nil {
			return "", ""
		}
		title := withoutDuration(strings.TrimSpace(m[2]))
		if title == "" {
			return "", ""
		}
		name := joined(append(parents[:len(parents):len(parents)], title), " :: ")
		if opens && len(parents) < maxJSONDepth {
			parents = append(parents, strings.Clone(title[:min(len(title), maxName+1)]))
		}
		switch {
		case jsTAPSkipped.MatchString(m[2]):
			return name, Skipped
		case m[1] == "ok":
			return name, Passed
		}
		return name, Failed
	}
}

// jsMarks are the marks of runners' lines, jsSkips what stands in a line of a skipped test without one.
var (
	jsMarks = map[rune]Outcome{
		'✔': Passed, '✓': Passed, '✘': Failed, '✖': Failed, '×': Failed, '○': Skipped, '◌': Skipped, '◦': Skipped, '⚪': Skipped,
	}
	jsSkips = []string{"(skipped)", "[skip]", "[skipped]", "[pending]", "[todo]"}
)

// rebenchMarks reads the lines of several runners by their marks.
func rebenchMarks(text string) (string, Outcome) {
	mark, size := utf8.DecodeRuneInString(text)
	if o := jsMarks[mark]; o != "" {
		title := strings.TrimSpace(text[size:])
		if strings.HasPrefix(title, "[") {
			if _, rest, tagged := strings.Cut(title, "]:"); tagged {
				title = strings.TrimSpace(rest)
			}
		}
		return withoutDuration(strings.TrimSpace(strings.TrimPrefix(title, ":"))), o
	}
	lower, skipped := strings.ToLower(text), false
	for _, word := range jsSkips {
		if strings.Contains(lower, word) {
			skipped = true
			text = strings.ReplaceAll(text, word, "")
		}
	}
	if !skipped {
		return "", ""
	}
	return withoutDuration(text), Skipped
}
