package datasets

import (
	"path"
	"strings"

	"evlab/repos"
)

// aliases are other names of languages.
var aliases = map[string]string{
	"golang": "go", "py": "python", "python3": "python", "js": "javascript", "ts": "typescript", "c++": "cpp", "rs": "rust", "rb": "ruby",
}

// canonicalLanguage is the lower-case name under which languages are compared.
func canonicalLanguage(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if a := aliases[s]; a != "" {
		return a
	}
	return s
}

// bySuffix are the file name endings that tell a language.
var bySuffix = []struct{ suffix, language string }{
	{".go", "go"}, {".py", "python"}, {".rs", "rust"}, {".java", "java"}, {".ts", "typescript"}, {".tsx", "typescript"}, {".js", "javascript"},
	{".jsx", "javascript"}, {".mjs", "javascript"}, {".rb", "ruby"}, {".php", "php"}, {".cpp", "cpp"}, {".cc", "cpp"}, {".hpp", "cpp"}, {".c", "c"},
	{".cs", "csharp"}, {".kt", "kotlin"}, {".scala", "scala"},
}

// guessLanguage is the language of most of a patch's files, "" when none tells or two are even.
func guessLanguage(patch []byte) string {
	count := map[string]int{}
	for _, p := range repos.PatchPaths(patch) {
		for _, s := range bySuffix {
			if path.Ext(p) == s.suffix {
				count[s.language]++
			}
		}
	}
	best, tie := "", false
	for language, n := range count {
		switch {
		case best == "" || n > count[best]:
			best, tie = language, false
		case n == count[best]:
			tie = true
		}
	}
	if tie {
		return ""
	}
	return best
}
