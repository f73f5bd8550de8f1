package testlog

import (
	"regexp"
	"strings"
)

var (
	multiCTestPassed = regexp.MustCompile(`^\d+/\d+\s*Test\s*#\d+:\s*(.*?)\s*\.+\s*Passed`)
	multiCatch       = shapes(Passed, `^-- performing test (.+) - success$`, Passed, `^\d+/\d+ test\s+#\d+: (.+) \.+\s+ passed\s+.+$`,
		Failed, `^-- performing test (.+) - failed$`, Failed, `^\d+/\d+ test\s+#\d+: (.+) \.+\*\*\*failed\s+.+$`, Skipped, `^-- performing test (.+) - skipped$`)
	multiAutomake   = shapes(Passed, `^PASS: (\S+)$`, Failed, `^FAIL: (\S+)$`, Skipped, `^SKIP: (\S+)$`)
	multiGoogletest = shapes(Passed, `^\[       OK \] (\S+?)(?: \(.+\))?$`, Failed, `^\[  FAILED  \] (\S+?)(?: \(.+\))?$`,
		Passed, `^---- Passed: (\S+)$`, Failed, `^\*\*\*\* FAILED: (\S+)$`)
	multiRedis = shapes(Passed, `^\[ok\]: (.+?)(?: \(.+\))?$`, Failed, `^\[(?:err|exception)\]: (.+?)(?: \(.+\))?$`, Skipped, `^\[ignore\]: (.+?)(?: \(.+\))?$`)
	multiPHP   = shapes(Passed, `PASS.*?\s+(.*)`, Failed, `FAIL.*?\s+(.*)`)

	multiBitcoin = shapes(Passed, `^([\w\-./]+(?:\s+--[\w\-]+)?)\s+\|\s+✓\s+Passed\s+\|`, Failed, `^([\w\-./]+(?:\s+--[\w\-]+)?)\s+\|\s+✖\s+Failed\s+\|`)
)

// multiCTest is for ctest. Some of its parsers overlook failures of one kind or another, and some all of them.
func multiCTest(text string) (string, Outcome) {
	if m := multiCTestPassed.FindStringSubmatch(text); m != nil {
		return m[1], Passed
	}
	if name, o := ctestResult(text); o.Bad() {
		return name, o
	}
	return "", ""
}

// multiCatch2 is for ctest and the checks of CMake, in small letters.
func multiCatch2(text string) (string, Outcome) {
	if name, o := multiCatch.parse(strings.ToLower(text)); name != "" {
		return name, o
	}
	if name, o := ctestResult(text); o.Bad() {
		return strings.ToLower(name), o
	}
	return "", ""
}

// multiCore is for Bitcoin's functional tests, whose last line is of all of them.
func multiCore(text string) (string, Outcome) {
	if name, o := multiBitcoin.parse(text); o != Failed || name != "ALL" {
		return name, o
	}
	return "", ""
}
