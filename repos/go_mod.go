package repos

import (
	"regexp"
	"strconv"
	"strings"
)

// Directives are the arguments of each directive of one verb in a go.mod or go.work, alone or in a block, without quotes
// and comments. The text may be anybody's: what is no directive of that verb is passed over.
func Directives(text, verb string) (lines [][]string) {
	block := false
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		f := strings.Fields(strings.Replace(line, "(", " ( ", 1))
		for i := range f {
			f[i] = strings.Trim(f[i], "\"`")
		}
		switch {
		case len(f) == 0:
		case block && f[0] == ")":
			block = false
		case block:
			lines = append(lines, f)
		case f[0] == verb && len(f) > 1 && f[1] == "(":
			block = true
		case f[0] == verb && len(f) > 1:
			lines = append(lines, f[1:])
		}
	}
	return lines
}

// ModulePath is the path of the module that a go.mod is of, "" if it does not say.
func ModulePath(text string) string {
	for _, line := range Directives(text, "module") {
		return line[0]
	}
	return ""
}

// replacements are the replace directives of a go.mod, each as one line without the word.
func replacements(text string) (out []string) {
	for _, line := range Directives(text, "replace") {
		out = append(out, strings.Join(line, " "))
	}
	return out
}

// sharesLoops reports whether a go.mod takes from the turns of a loop the variables of their own that they have since
// Go 1.22: tests that run beside each other may then all be the last one of their table.
func sharesLoops(before, after string) bool {
	return before != "" && after != "" && minorVersion(before) >= 22 && minorVersion(after) < 22
}

// minorVersion is that of the language that a go.mod asks for.
func minorVersion(text string) int {
	for _, line := range Directives(text, "go") {
		if m := goVersion.FindStringSubmatch(line[0]); m != nil {
			n, _ := strconv.Atoi(m[1])
			return n
		}
	}
	return 16 // what the go command takes it for
}

var goVersion = regexp.MustCompile(`^1\.(\d{1,6})`)
