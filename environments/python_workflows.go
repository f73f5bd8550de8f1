package environments

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Some repositories say nowhere but in the files of their continuous integration what their tests have beside what the
// program requires: "pip install pytest numpy pandas".

// isWorkflow reports whether a file has steps of a continuous integration, or is a script of theirs.
func isWorkflow(dir, base string) bool {
	if dir == "." {
		return slices.Contains([]string{".travis.yml", ".gitlab-ci.yml", ".appveyor.yml", "appveyor.yml", "azure-pipelines.yml", ".cirrus.yml"}, base)
	}
	return hasWorkflows(dir) && slices.Contains([]string{".yml", ".yaml", ".sh"}, path.Ext(base))
}

// hasWorkflows reports whether a folder is one of a continuous integration.
func hasWorkflows(dir string) bool {
	return slices.Contains([]string{".github/workflows", ".github/scripts", ".circleci", ".travis", ".ci", "ci"}, dir)
}

var (
	installing = regexp.MustCompile(`\b(?:pip[0-9.]*|uv|conda|mamba)\b[^\n;&|#]*?\s(?:install|add)\s([^\n;&|#]*)`)
	continued  = regexp.MustCompile(`\\\r?\n`)
	indexsName = regexp.MustCompile(`^["']?([A-Za-z0-9]+(?:[-_.]+[A-Za-z0-9]+)*)(?:[\[<>=!~"'].*)?$`)
)

// installed are the names that such a file has of what it installs from an index.
func installed(text string) (names []string) {
	for _, m := range installing.FindAllStringSubmatch(continued.ReplaceAllString(text, " "), -1) {
		for word := range strings.FieldsSeq(m[1]) {
			if n := indexsName.FindStringSubmatch(word); n != nil {
				names = append(names, n[1])
			}
		}
	}
	return names
}
