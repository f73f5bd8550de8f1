package evidence

import (
	"path"
	"strings"
)

// testFolders are the names of folders whose whole content is tests or their data, in lower case.
var testFolders = map[string]bool{
	"test": true, "tests": true, "testsuite": true, "testdata": true, "__tests__": true,
	"fixture": true, "fixtures": true, "__fixtures__": true,
	"snapshots": true, "__snapshots__": true, "__mocks__": true,
}

// testNames are whole file names, in lower case.
var testNames = map[string]bool{"conftest.py": true, "test.py": true, "tests.py": true}

// IsTestPath reports whether a path (slash-separated, relative to the repository) belongs to the tests: it lies in a
// folder named test, tests, testsuite, testdata, fixtures, snapshots and the like, or has a name by which a test runner finds it
// (x_test.go and x_test of other languages, x_spec.rb, test_x.py, conftest.py, x.spec.ts, x.test.js, XTest.java, x.snap).
// Folder and file names count in any case, but XTest.java needs the capital T.
func IsTestPath(p string) bool {
	dir, file := path.Split(p)
	for folder := range strings.SplitSeq(dir, "/") {
		if testFolders[strings.ToLower(folder)] {
			return true
		}
	}
	lower := strings.ToLower(file)
	if testNames[lower] {
		return true
	}
	ext := path.Ext(lower)
	stem := strings.TrimSuffix(lower, ext)
	switch {
	case ext == "":
		return false
	case ext == ".snap",
		strings.HasSuffix(stem, "_test"), strings.HasSuffix(stem, "_spec"),
		strings.HasSuffix(stem, ".test"), strings.HasSuffix(stem, ".spec"),
		strings.HasPrefix(stem, "test_") && ext == ".py":
		return true
	}
	switch ext {
	case ".java", ".kt", ".scala", ".cs", ".php", ".swift":
		exact := file[:len(file)-len(ext)]
		return strings.HasSuffix(exact, "Test") || strings.HasSuffix(exact, "Tests") || strings.HasSuffix(exact, "TestCase")
	}
	return false
}
