package repos

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// PatchPaths lists the paths that a unified or git diff says it changes, sorted, without prefixes a/ and b/; a rename
// has both of its paths. It reads headers only and never fails: a patch that does not apply still says what it meant
// to change. Names that can't be paths inside a tree are left out.
func PatchPaths(patch []byte) []string {
	p := parsePatch(patch)
	var out []string
	for _, name := range p.changed {
		if checkPath(name) == nil {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// patchNames are the names in a patch's headers, in order of appearance, unchecked.
type patchNames struct {
	changed []string
	copied  []string // sources of copies, which stay as they are
}

func (p patchNames) all() []string { return slices.Concat(p.changed, p.copied) }

// maxNames bounds how many headers of one patch are read.
const maxNames = 100_000

// parsePatch finds the headers. Lines inside a hunk are skipped by the hunk's own counts, since a removed line "-- x"
// looks like a header; wrong counts are seen by a whole header that follows.
func parsePatch(patch []byte) (p patchNames) {
	add := func(list *[]string, name string) {
		if name != "" && len(name) <= maxTarget && len(p.changed)+len(p.copied) < maxNames {
			*list = append(*list, name)
		}
	}
	lines := newLines(patch)
	oldLeft, newLeft := 0, 0
	gitName := "" // of "diff --git", used when nothing better follows
	flush := func() { add(&p.changed, gitName); gitName = "" }
	for lines.next() {
		s := lines.text
		if oldLeft > 0 || newLeft > 0 {
			if consumed(s, &oldLeft, &newLeft) && !lines.header() {
				continue
			}
			oldLeft, newLeft = 0, 0
		}
		switch {
		case strings.HasPrefix(s, "diff --git "):
			flush()
			gitName = gitHeader(s[len("diff --git "):])
		case strings.HasPrefix(s, "rename from "):
			gitName = ""
			add(&p.changed, unquote(s[len("rename from "):]))
		case strings.HasPrefix(s, "rename to "):
			gitName = ""
			add(&p.changed, unquote(s[len("rename to "):]))
		case strings.HasPrefix(s, "copy from "):
			gitName = ""
			add(&p.copied, unquote(s[len("copy from "):]))
		case strings.HasPrefix(s, "copy to "):
			gitName = ""
			add(&p.changed, unquote(s[len("copy to "):]))
		case lines.header():
			gitName = ""
			oldName, newName := fileName(s[len("--- "):]), fileName(lines.peek()[len("+++ "):])
			for _, name := range []string{oldName, newName} {
				if name == "/dev/null" || isCopied(p.copied, name) {
					continue
				}
				add(&p.changed, stripPrefix(name))
			}
			lines.next()
		case strings.HasPrefix(s, "@@ -"):
			oldLeft, newLeft = hunkCounts(s)
		}
	}
	flush()
	return p
}

// isCopied reports whether an old name is the source of the copy whose header was just read.
func isCopied(copied []string, name string) bool {
	return len(copied) > 0 && stripPrefix(name) == copied[len(copied)-1]
}

// consumed counts one line of a hunk's body.
func consumed(s string, oldLeft, newLeft *int) bool {
	if s == "" {
		s = " " // some mailers strip the blank of an empty context line
	}
	switch s[0] {
	case ' ', '\t', '\r':
		*oldLeft--
		*newLeft--
	case '-':
		*oldLeft--
	case '+':
		*newLeft--
	case '\\':
	default:
		return false
	}
	return true
}

// hunkCounts reads "@@ -a,b +c,d @@"; a count that is left out is 1.
func hunkCounts(s string) (oldCount, newCount int) {
	f := strings.Fields(s)
	if len(f) < 3 || !strings.HasPrefix(f[2], "+") {
		return 0, 0
	}
	count := func(s string) int {
		_, n, ok := strings.Cut(s, ",")
		if !ok {
			return 1
		}
		v, err := strconv.Atoi(n)
		if err != nil || v < 0 || v > maxPatch {
			return 0
		}
		return v
	}
	return count(f[1]), count(f[2])
}

// gitHeader is the name in `a/x b/x`: the header names one file twice unless it is a rename, which says so itself.
func gitHeader(s string) string {
	s = strings.TrimRight(s, "\r")
	if strings.HasPrefix(s, `"`) {
		end := quotedEnd(s)
		return stripPrefix(unquote(s[:end]))
	}
	if strings.HasSuffix(s, `"`) { // the old name needs no quotes, the new one does
		first, _, _ := strings.Cut(s, ` "`)
		return stripPrefix(first)
	}
	if half := len(s) / 2; len(s)%2 == 1 && s[half] == ' ' && stripPrefix(s[:half]) == stripPrefix(s[half+1:]) {
		return stripPrefix(s[:half])
	}
	if i := strings.LastIndex(s, " b/"); i >= 0 {
		return stripPrefix(s[i+1:])
	}
	_, second, _ := strings.Cut(s, " ")
	return stripPrefix(second)
}

// fileName is the name of a "--- " or "+++ " line: up to a tab, or quoted.
func fileName(s string) string {
	if strings.HasPrefix(s, `"`) {
		return unquote(s[:quotedEnd(s)])
	}
	s, _, _ = strings.Cut(s, "\t")
	return strings.TrimRight(s, "\r")
}

// stripPrefix takes off git's first element; diff.mnemonicPrefix has c, i, w and o.
func stripPrefix(name string) string {
	if len(name) > 2 && name[1] == '/' && strings.IndexByte("abciwo", name[0]) >= 0 {
		return name[2:]
	}
	return name
}

// quotedEnd is the index after the closing quote of s, which starts with one.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// unquote undoes git's C-style quoting; a name without quotes is itself.
func unquote(s string) string {
	s = strings.TrimRight(s, "\r")
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s
	}
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if at := strings.IndexByte("abtnvfr", s[i]); at >= 0 {
			b.WriteByte("\a\b\t\n\v\f\r"[at])
		} else if i+3 <= len(s) && s[i] >= '0' && s[i] <= '3' {
			v, err := strconv.ParseUint(s[i:i+3], 8, 8)
			if err != nil {
				b.WriteByte(s[i])
				continue
			}
			b.WriteByte(byte(v))
			i += 2
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// textLines walks over a patch with two lines of foresight.
type textLines struct {
	rest []byte
	text string
}

func newLines(b []byte) *textLines { return &textLines{rest: b} }

func (l *textLines) next() bool {
	if len(l.rest) == 0 {
		return false
	}
	line, rest, _ := bytes.Cut(l.rest, []byte("\n"))
	l.text, l.rest = string(line), rest
	return true
}

func (l *textLines) peek() string {
	line, _, _ := bytes.Cut(l.rest, []byte("\n"))
	return string(line)
}

// header reports whether the current line starts a file: "--- ", then "+++ ", then a hunk or the end.
func (l *textLines) header() bool {
	if !strings.HasPrefix(l.text, "--- ") || !bytes.HasPrefix(l.rest, []byte("+++ ")) {
		return false
	}
	_, after, _ := bytes.Cut(l.rest, []byte("\n"))
	return len(after) == 0 || bytes.HasPrefix(after, []byte("@@ -"))
}
