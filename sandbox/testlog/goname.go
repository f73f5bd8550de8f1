package testlog

import (
	"path"
	"regexp"
	"strings"
)

// goTestWord is how the names of tests begin, and those of subtests that contain a separator do not.
const goTestWord = `(?:Test|Example|Fuzz|Benchmark)`

var goTestName = regexp.MustCompile(`^` + goTestWord)

// goDotted is a test that is named as Go's own texts name one, package.TestName.
var goDotted = regexp.MustCompile(`^([^:]*?)\.(` + goTestWord + `[^./]*(?:/.*)?)$`)

// SplitGo takes the name of a Go test apart, as lists have it: import/path::TestName/sub, or import/path.TestName/sub,
// where the end of the path may stand for all of it; ./folder and folder/file_test.go stand for their package. A bare
// name has no scope, and "." is the root's. The name of a subtest may hold either separator, too.
func SplitGo(name string) (scope, test string) {
	scope, test, ok := strings.Cut(name, "::")
	if !ok || scope == "" || !goTestName.MatchString(test) {
		m := goDotted.FindStringSubmatch(name)
		if m == nil || m[1] == "" || goTestName.MatchString(m[1]) {
			return "", name
		}
		return path.Clean(m[1]), m[2]
	}
	if strings.HasSuffix(scope, "_test.go") {
		scope = path.Dir(scope)
	}
	return path.Clean(scope), test
}

// OfGoScope reports whether a package may be the one that a test's scope means: that itself, or one whose path ends so.
func OfGoScope(pkg, scope string) bool {
	return scope == "." || pkg == scope || strings.HasSuffix(pkg, "/"+scope)
}
