package repos

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// configuresRunner reports whether a runner, or the interpreter or build tool before it, reads p for nothing but how to
// run. What also builds the program (package.json, Makefile, pom.xml) is not among it: see changedSettings.
func configuresRunner(p string) bool {
	name, folder := strings.ToLower(path.Base(p)), path.Base(path.Dir(p))
	switch name {
	case "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "sitecustomize.py", "usercustomize.py", "go.work", "go.work.sum",
		".rspec", "phpunit.xml", "phpunit.xml.dist", "junit-platform.properties", "ctestcustom.cmake", "ctestcustom.ctest", "ctesttestfile.cmake",
		"dartconfiguration.tcl", ".npmrc", ".taprc":
		return true
	case "entry_points.txt": // of a package that only seems to be installed: the runner loads its plugins
		return strings.HasSuffix(folder, ".dist-info") || strings.HasSuffix(folder, ".egg-info")
	case "config", "config.toml":
		return folder == ".cargo"
	case "nextest.toml":
		return folder == ".config"
	}
	for _, prefix := range []string{"jest.config.", "vitest.config.", "vitest.workspace.", ".mocharc.", "karma.conf.", "ava.config.", ".nycrc"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.HasPrefix(p, ".mvn/") || strings.Contains(p, "/.mvn/") || runnerService.MatchString(p)
}

// runnerService are the files by which a JVM's test platform finds extensions and listeners.
var runnerService = regexp.MustCompile(`(^|/)META-INF/services/org\.(junit|testng|spockframework)\.`)

// pythonModules are what Python's runner is made of. It is started in the tree's root, where such a name comes first.
var pythonModules = []string{
	"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "py", "attr", "attrs", "exceptiongroup", "tomli", "pygments", "unittest",
}

// jvmPackages are what test platforms of the JVM are made of. A tree's classes come before those of its dependencies.
var jvmPackages = regexp.MustCompile(`(^|/)(org/junit|junit/framework|junit/runner|org/testng|org/hamcrest|org/assertj|org/mockito|org/opentest4j|org/spockframework|kotlin/test|org/apache/maven)/`)

// goLibraries are the modules that Go's tests decide by.
const goLibraries = `github\.com/(stretchr/testify|onsi/(gomega|ginkgo)|google/go-cmp|frankban/quicktest|go-quicktest/qt|alecthomas/assert|matryer/is|smarty/assertions|smartystreets/\w+)|gotest\.tools|gopkg\.in/check\.v1`

// vendoredLibraries are these where they are vendored; of folders that a package manager fills, everything is.
var vendoredLibraries = regexp.MustCompile(`(^|/)vendor/(` + goLibraries + `|phpunit|bin)(/|$)`)

var goLibrary = regexp.MustCompile(`^(` + goLibraries + `)(/|$)`)

// IsTestLibrary reports whether a package of Go's, by its import path, is one that tests decide by.
func IsTestLibrary(importPath string) bool { return goLibrary.MatchString(importPath) }

// isRunnersOwn reports whether p is, or is in, code that a runner would load in place of its own: a module at the root, a
// class of its packages, a library where a package manager puts them. A repository that is such a thing itself has it in
// base, so inBase has the files and folders of base.
func isRunnersOwn(p string, inBase map[string]bool) bool {
	for folder := range strings.SplitSeq(path.Dir(p), "/") {
		switch folder {
		case "node_modules", "site-packages", "dist-packages":
			return true
		}
	}
	if vendoredLibraries.MatchString(p) {
		return true
	}
	if at := jvmPackages.FindStringIndex(p); at != nil {
		return !inBase[p[:at[1]-1]]
	}
	root, _, nested := strings.Cut(p, "/")
	module, rest, _ := strings.Cut(root, ".")
	return slices.Contains(pythonModules, module) && !inBase[root] && (!nested || rest == "") && isPythonCode(p)
}

// isPythonCode reports whether Python imports p; what else is in a folder called packaging, or py, is nothing of the runner's.
func isPythonCode(p string) bool {
	switch path.Ext(p) {
	case ".py", ".pyc", ".so":
		return true
	}
	return false
}
