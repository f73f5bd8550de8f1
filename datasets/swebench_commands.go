package datasets

import (
	"path"
	"slices"
	"strings"
)

// swebenchCommand is how SWE-bench's harness of version 4 runs the tests of a repository whose runner, or whose way of
// naming tests, is none of pytest's own. Rows of version 5 say it themselves, in a script.
type swebenchCommand struct {
	prepare  []string
	tests    string                   // the files follow
	versions map[string]string        // other commands, by the row's version
	name     func(file string) string // of a test file as the command takes it, "" for none; nil takes paths as they are
}

var swebenchCommands = map[string]swebenchCommand{
	"django/django": {
		// Old versions are not installed as links to the tree, and the tree is what is tested.
		prepare: []string{`export PYTHONPATH="$PWD"`, "export PYTHONIOENCODING=utf8"},
		tests:   "./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1", versions: map[string]string{"1.9": "./tests/runtests.py --verbosity 2"},
		name: djangoLabel,
	},
	"sympy/sympy": {
		prepare: []string{"export PYTHONWARNINGS=ignore::UserWarning,ignore::SyntaxWarning"},
		tests:   "bin/test -C --verbose",
	},
	"matplotlib/matplotlib": {tests: "pytest -rA"},
	"mwaskom/seaborn":       {tests: "pytest --no-header -rA"},
}

// addCommand fills in the commands of a repository that has some, for the files of a test patch.
func (s *Setting) addCommand(repo string, testPatch []byte) {
	c, ok := swebenchCommands[repo]
	if !ok {
		return
	}
	var files []string
	for _, file := range directives(testPatch) {
		if c.name != nil {
			file = c.name(file)
		}
		if file != "" {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return // the command would run whatever tests there are
	}
	command := c.tests
	if other := c.versions[s.Version]; other != "" {
		command = other
	}
	s.Prepare, s.Tests, s.TestFiles = slices.Clone(c.prepare), []string{command}, files
}

// directives are the files of Python that a test patch leaves behind.
func directives(testPatch []byte) (files []string) {
	for _, section := range sections(testPatch) {
		header, _, _ := strings.Cut(string(section), "\n@@ ")
		to := ""
		for line := range strings.SplitSeq(header, "\n") {
			for _, mark := range []string{"+++ ", "rename to "} {
				if name, ok := strings.CutPrefix(line, mark); ok {
					to = headerName(name)
				}
			}
		}
		if path.Ext(to) == ".py" && !strings.HasPrefix(to, "-") && !slices.Contains(files, to) {
			files = append(files, to)
		}
	}
	return files
}

// djangoLabel is a test file as Django's runner takes it: tests/a/b.py is a.b.
func djangoLabel(file string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(file, "tests/"), ".py")
	if path.Base(name) == "__init__" {
		return ""
	}
	return strings.ReplaceAll(name, "/", ".")
}
