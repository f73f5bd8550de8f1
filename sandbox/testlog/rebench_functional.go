package testlog

import (
	"regexp"
	"strings"
)

var (
	haskellNoise = []string{"Test suite ", "Linking ", "Building ", "Running  "}
	haskellTasty = regexp.MustCompile(`^(.+?)\s*:\s*(OK|PASS|FAIL|ERROR|SKIP|PENDING)(?:\b|\s|$)`)
	haskellWords = map[string]Outcome{"OK": Passed, "PASS": Passed, "FAIL": Failed, "ERROR": Errored, "SKIP": Skipped, "PENDING": Skipped}
	haskellBoxes = shapes(Passed, `^(.+?)\s+\[[✓✔]\]$`, Failed, `^(.+?)\s+\[[✗✘]\]$`)
	haskellRules = shapes(Passed, `^[✓✔]\s+(.+?)(?:\s+\(.*?\))?$`, Failed, `^[✗✘]\s+(.+)$`, Failed, `^\d+\)\s+(.+)$`, Failed, `^###\s+Failure\s+in:\s+(.+)$`, Errored, `^###\s+Error\s+in:\s+(.+)$`)
)

// rebenchHaskell is parse_log_haskell, for tasty, hspec and HUnit. What tasty says of a test counts last, and a mark of hspec's for a
// pass only where there is nothing else.
func rebenchHaskell(b *builder) func(string) (string, Outcome) {
	return func(text string) (string, Outcome) {
		text = strings.TrimRight(text, " \t")
		for _, noise := range haskellNoise {
			if strings.Contains(text, noise) {
				return "", ""
			}
		}
		plain := strings.TrimLeft(text, " \t")
		if m := haskellTasty.FindStringSubmatch(plain); m != nil {
			return m[1], haskellWords[m[2]]
		}
		name, o := "", Outcome("")
		if plain != text {
			name, o = haskellBoxes.parse(plain)
		}
		if name == "" && (plain == text || !strings.HasPrefix(plain, "###")) {
			name, o = haskellRules.parse(plain)
		}
		if o == Passed && b.has(name) {
			return "", ""
		}
		return name, o
	}
}

var (
	scalaRules = shapes(Failed, `^\[info\]\s+-\s+(.*?)\s+\*\*\*\s+FAILED\s+\*\*\*\s+\([^)]+\)$`, Skipped, `^\[info\]\s+-\s+(.*?)\s+!!!\s+CANCELED\s+!!!\s+\([^)]+\)$`,
		Skipped, `^\[info\]\s+-\s+(.*?)\s+!!!\s+IGNORED\s+!!!`, Passed, `^\[info\]\s+-\s+(.*?)\s+\([^)]+\)$`)

	munitColours = regexp.MustCompile(`\[[0-9]{1,2}m`)
	munitRules   = shapes(Failed, `^x\s+(.*?)\s+[\d.]+[mμn]?s$`, Passed, `^\+\s+(.*?)\s+[\d.]+[mμn]?s$`)

	scalaTest  = regexp.MustCompile(`^\[info\]\s+-\s+(.*?)(?:\s+\*{3}\s+([A-Z]+)\s+\*{3})?$`)
	scalaSuite = regexp.MustCompile(`^\[info\]\s+([^\-].*)$`)
	scalaTime  = regexp.MustCompile(`\s*\(\d+\s+\w+\)$`)
	scalaWords = map[string]Outcome{
		"": Passed, "PASSED": Passed, "FAILED": Failed, "SKIPPED": Skipped, "IGNORED": Skipped, "CANCELED": Skipped, "CANCELLED": Skipped, "PENDING": Skipped,
	}
	scalaNoise = []string{
		"Run completed", "Total number", "Suites:", "Tests:", "All tests", "compiling", "done compiling", "loading", "welcome to", "set current",
	}
)

// rebenchMunit is parse_log_scala_v2, for munit, whose colours may have lost their escapes.
func rebenchMunit(text string) (string, Outcome) {
	return munitRules.parse(strings.TrimSpace(munitColours.ReplaceAllString(text, "")))
}

// rebenchSuites is parse_log_scala_v3, for ScalaTest: whatever sbt says that is no test is the name of a suite. A pass without a word
// takes no other outcome's place.
func rebenchSuites(b *builder) func(string) (string, Outcome) {
	suite := ""
	return func(text string) (string, Outcome) {
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "[info] -") {
			m := scalaSuite.FindStringSubmatch(text)
			if m == nil {
				return "", ""
			}
			title := strings.TrimSpace(m[1])
			for _, noise := range scalaNoise {
				if strings.Contains(title, noise) {
					return "", ""
				}
			}
			if title != "" {
				suite = strings.Clone(title[:min(len(title), maxName+1)])
			}
			return "", ""
		}
		m := scalaTest.FindStringSubmatch(text)
		if m == nil {
			return "", ""
		}
		name := scalaTime.ReplaceAllString(strings.TrimSpace(m[1]), "")
		if suite != "" {
			name = joined([]string{suite, name}, ": ")
		}
		o, known := scalaWords[m[2]]
		if !known {
			o = Errored
		}
		if m[2] == "" && b.has(name) {
			return "", ""
		}
		return name, o
	}
}

var (
	leinLine = regexp.MustCompile(`^lein test (.+)$`)
	leinEnd  = regexp.MustCompile(`^Ran \d+ tests containing \d+ assertions`)
)

// rebenchLein is parse_log_lein: namespaces are tests, which passed if nothing in them is said to have failed. Leiningen's count of
// tests is the end of a run; without it nobody knows that.
type rebenchLein struct {
	*builder
	space string
}

func newRebenchLein(b *builder) lineReader { return &rebenchLein{builder: b} }

func (l *rebenchLein) line(text string) {
	text = strings.TrimSpace(text)
	switch m := leinLine.FindStringSubmatch(text); {
	case m != nil:
		l.spaces(strings.Fields(m[1]))
	case strings.HasPrefix(text, "FAIL in") && l.space != "":
		l.test(l.space, Failed)
	case strings.HasPrefix(text, "ERROR in") && l.space != "":
		l.test(l.space, Errored)
	case leinEnd.MatchString(text):
		l.seen, l.ended = true, true
	}
}

func (l *rebenchLein) spaces(words []string) {
	if len(words) > 0 && words[0] == ":only" {
		l.space = ""
		space, _, _ := strings.Cut(strings.Join(words[1:], " "), "/")
		words = []string{strings.TrimSpace(space)}
	}
	for _, space := range words {
		if space != "" {
			l.first(space, Passed)
			l.space = strings.Clone(space[:min(len(space), maxName+1)])
		}
	}
}

func (l *rebenchLein) end() {}
