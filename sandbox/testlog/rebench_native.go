package testlog

import (
	"regexp"
	"strings"
)

var (
	cppTestRules = shapes(Passed, `^Test\s+(.*?)\s+passed$`, Failed, `^Test\s+(.*?)\s+failed$`, Skipped, `^Test\s+(.*?)\s+skipped$`)
	luaRules     = shapes(Failed, `^Fail(?:ed)?\s*\|\|\s*(.+)$`, Skipped, `^(?i:skip|skipped)\s*\|\|\s*(.+)$`, Passed, `^Success\s*\|\|\s*(.+)$`)
	swiftRules   = shapes(Passed, `^Test Case '([^']+)'\s+passed\s+\([0-9.]+\s+seconds\)$`, Failed, `^Test Case '([^']+)'\s+failed\s+\([0-9.]+\s+seconds\)$`)
	csharpRules  = shapes(Failed, `^\[xUnit\.net\s+[\d:.]+\]\s+(.+?)\s+\[FAIL\]$`, Failed, `^\s+Failed\s+(.+?)\s+\[.+?\]$`,
		Skipped, `^\s+Skipped\s+(.+?)(?:\s+\[.+?\])?$`, Passed, `^\s+Passed\s+(.+?)\s+\[.+?\]$`)

	cppPytest  = shapes(Passed, `^(.*?)\s+PASSED`, Failed, `^(.*?)\s+FAILED`, Skipped, `^(.*?)\s+SKIPPED`, Errored, `^(.*?)\s+ERROR`)
	cppHeading = regexp.MustCompile(`^_{27} (.*?) _{27}$`)
	cppSection = strings.Repeat("=", 35) + " FAILURES " + strings.Repeat("=", 35)

	botanLine   = regexp.MustCompile(`(?i)^(.*?)\s+ran\s+(\d+)\s+tests\s+in\s+[\d.]+\s+m?sec\s+(.+)$`)
	botanFailed = regexp.MustCompile(`(?i)\bfailed\b`)
	dottedLine  = regexp.MustCompile(`^(?:\[[0-9]+/[0-9]+\]\s*)?(.*?)\s*\.\.\.\s*(\w+)$`)
	saysSkipped = regexp.MustCompile(`(?i)\bSKIPPED\b`)
	saysFailed  = regexp.MustCompile(`(?i)\bFAILED\b|\bFAIL\b|\bFailure\b`)
	saysPassed  = regexp.MustCompile(`(?i)\bOK\b|\bPASSED\b`)
	saysNone    = regexp.MustCompile(`(?i)\b(?:0|no) (?:\w+ )?(?:failed|fail|failures?)\b|\b(?:failed|fail|failures?)\b *[:=] *0\b`)

	ctestRebench = regexp.MustCompile(`(?i)^\d+/\d+\s+Test\s+#\d+:\s+(.+?)\s+\.+\s+(Passed|Failed|Skipped|Timeout)\b`)
)

// rebenchCPP is parse_log_cpp, for pytest -v: names without their file, and the headings of failures.
func rebenchCPP(*builder) func(string) (string, Outcome) {
	failures := false
	return func(text string) (string, Outcome) {
		text = strings.TrimSpace(text)
		if strings.HasPrefix(text, cppSection) {
			failures = true
			return "", ""
		}
		if failures {
			if m := cppHeading.FindStringSubmatch(text); m != nil {
				return m[1], Failed
			}
			return "", ""
		}
		name, o := cppLine(text)
		if at := strings.LastIndex(name, "::"); at >= 0 {
			name = name[at+len("::"):]
		}
		return name, o
	}
}

// cppLine is a line with a status.
var cppLine = holding(cppPytest.parse, "PASSED", "FAILED", "SKIPPED", "ERROR")

// rebenchCSharp is parse_log_csharp, for xUnit.
func rebenchCSharp(text string) (string, Outcome) {
	return csharpRules.parse(strings.TrimRight(text, " \t"))
}

// saysWords are parts of what saysSkipped and its like look for.
var saysWords = []string{"skipped", "fail", "ok", "passed", "..."}

// rebenchSays is parse_log_cpp_v3, for several runners of C++: "name... OK", Botan's lines for groups, and any line that says that
// something passed, failed or was skipped. One that says that nothing failed is no failure here.
func rebenchSays(text string) (string, Outcome) {
	lower, said := strings.ToLower(text), false
	for _, word := range saysWords {
		said = said || strings.Contains(lower, word)
	}
	if !said && !strings.Contains(lower, "ran") { // looking for a pattern anywhere in a line is slow
		return "", ""
	}
	if m := botanLine.FindStringSubmatch(text); m != nil {
		o := Passed
		if botanFailed.MatchString(m[3]) {
			o = Failed
		}
		return m[1] + " ran " + m[2] + " tests " + strings.TrimSpace(m[3]), o
	}
	m := dottedLine.FindStringSubmatch(text)
	name, other := text, Outcome("")
	if m != nil {
		name, other = m[1], Errored
	}
	switch {
	case saysSkipped.MatchString(text):
		return name, Skipped
	case saysFailed.MatchString(text):
		if m == nil && saysNone.MatchString(text) {
			return "", ""
		}
		return name, Failed
	case saysPassed.MatchString(text):
		return name, Passed
	}
	return name, other
}

// rebenchCTest is parse_log_cpp_v4, for ctest, to which "***Failed" says nothing.
func rebenchCTest(b *builder) func(string) (string, Outcome) {
	return func(text string) (string, Outcome) {
		text = strings.TrimSpace(text)
		m := ctestRebench.FindStringSubmatch(text)
		switch {
		case m == nil:
			if name, o := ctestResult(text); o.Bad() && !b.has(name) {
				return name, o
			}
			return "", ""
		case strings.EqualFold(m[2], "Passed"):
			return m[1], Passed
		case strings.EqualFold(m[2], "Skipped"):
			return m[1], Skipped
		}
		return m[1], Failed
	}
}

// rebenchLua is parse_lue_nvim, for busted in Neovim: of a pass and a skip the first counts.
func rebenchLua(b *builder) func(string) (string, Outcome) {
	return func(text string) (string, Outcome) {
		name, o := luaRules.parse(strings.TrimRight(text, " \t"))
		if !o.Bad() && b.has(name) {
			return "", ""
		}
		return name, o
	}
}
