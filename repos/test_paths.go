package repos

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// supportsTests reports whether p is a test, or is there for tests, by its name or the folder that it is in.
func supportsTests(p string) bool {
	name, ext := path.Base(p), strings.ToLower(path.Ext(p))
	switch {
	case foundByPytest(p):
		return true
	case isScript(ext) && scriptTest.MatchString(name):
		return true
	case ext == ".rb" && (strings.HasSuffix(name, "_spec.rb") || strings.HasSuffix(name, "_test.rb")):
		return true
	}
	return inTestFolder(p)
}

// foundByPytest reports whether pytest takes a file for one of tests when it is told nothing else.
func foundByPytest(p string) bool {
	name := path.Base(p)
	return strings.HasSuffix(name, ".py") && (strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py"))
}

// inTestFolder reports whether p is in a folder that is there for tests and for nothing else.
func inTestFolder(p string) bool {
	ext, above := strings.ToLower(path.Ext(p)), ""
	for at, folder := range strings.Split(path.Dir(p), "/") {
		switch folder {
		case "tests", "testdata", "__tests__", "__snapshots__", "__mocks__", "__fixtures__":
			return true
		case "golden", "goldens", "fixtures": // a package of that name is the program's
			if !isSource(p) {
				return true
			}
		case "testsuite": // elsewhere it may be a package of the program's
			if ext != ".go" && ext != ".java" && ext != ".kt" {
				return true
			}
		case "test": // in Python and Go it may be a package of the program's, but at the root and in Maven's layout
			if at == 0 || above == "src" || ext != ".py" && ext != ".go" {
				return true
			}
		case "spec": // it may hold specifications
			if isScript(ext) || ext == ".rb" {
				return true
			}
		}
		above = folder
	}
	return false
}

// IsTestSource reports whether p is the source of a test, or of what only tests use: nothing has any business changing it
// while tests run, as it may change their data.
func IsTestSource(p string) bool {
	if isGoTest(p) {
		return true
	}
	return supportsTests(p) && isSource(p)
}

func isSource(p string) bool {
	ext := strings.ToLower(path.Ext(p))
	return isScript(ext) || slices.Contains(sourceExtensions, ext)
}

var sourceExtensions = []string{".go", ".py", ".rs", ".java", ".kt", ".scala", ".groovy", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".rb", ".php", ".cs", ".swift"}

// scriptTest is how tests in JavaScript and TypeScript are named.
var scriptTest = regexp.MustCompile(`^(test|.+[._](test|spec))\.\w+$`)

func isScript(ext string) bool {
	return slices.Contains([]string{".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"}, ext)
}

// isFoundByRunner reports whether a runner would take p for tests although programs have files of such names, too. A file
// that a candidate adds runs with the hidden tests then, and where tests are named without their file, in their place.
func isFoundByRunner(p string) bool {
	return isScript(strings.ToLower(path.Ext(p))) && scriptFound.MatchString(path.Base(p))
}

var scriptFound = regexp.MustCompile(`^(test-.+|.+-test)\.\w+$`)

// helpsGoTests reports whether the folder of a Go source is named like a package that is there for tests. That only tests
// import it has to be found out.
func helpsGoTests(p string) bool {
	return strings.HasSuffix(p, ".go") && !isGoTest(p) && goTestHelper.MatchString(path.Base(path.Dir(p)))
}

var goTestHelper = regexp.MustCompile(`^_?test(ing|s)?_?(util|utils|utility|utilities|help|helper|helpers|lib|kit|data|env|suite|support|tool|tools|common|case|cases|fixture|fixtures|x)?$|^\w+_?test$`)
