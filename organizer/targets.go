package organizer

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"evlab/evidence"
)

// TargetFiles lists the files that a reference repair edits, sorted, without test files: what a candidate's target-file
// hit is counted against (section F.5). A rename or a deletion edits the path that it removes; the source of a copy is
// not edited. It never fails: lines that are no part of a diff are passed over.
func TargetFiles(reference []byte) []string {
	files := map[string]bool{}
	for _, path := range editedPaths(string(reference)) {
		if path != "" && !evidence.IsTestPath(path) {
			files[path] = true
		}
	}
	return slices.Sorted(maps.Keys(files))
}

// fileHeader is what a diff says about the names of one file.
type fileHeader struct {
	git        string // what follows "diff --git"
	minus      string // what follows "---"
	plus       string // what follows "+++"
	from, to   string // of a rename or copy
	isACopy    bool
	afterMinus bool // the line before was "---"
}

// paths are the names of the files that the header edits, from the most telling lines that it has.
func (h *fileHeader) paths() []string {
	switch {
	case h.isACopy:
		return []string{h.to}
	case h.to != "":
		return []string{h.from, h.to}
	case h.plus != "":
		return []string{stripped(h.minus), stripped(h.plus)}
	case h.git != "":
		return []string{headerPath(h.git)}
	}
	return nil
}

// editedPaths reads the file headers of a unified diff. It counts the lines of hunks, for a removed line that starts
// with "-- " looks like a header otherwise.
func editedPaths(diff string) (paths []string) {
	var h fileHeader
	var old, new int // lines of the present hunk still to come
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if old > 0 || new > 0 {
			inside := true
			switch {
			case strings.HasPrefix(line, "-"):
				old--
			case strings.HasPrefix(line, "+"):
				new--
			case strings.HasPrefix(line, `\`):
			case line == "" || line[0] == ' ':
				old, new = old-1, new-1
			default: // the hunk is shorter than its header says
				inside, old, new = false, 0, 0
			}
			if inside {
				continue
			}
		}
		afterMinus := h.afterMinus
		h.afterMinus = false
		if rest, ok := strings.CutPrefix(line, "diff --git "); ok {
			paths = append(paths, h.paths()...)
			h = fileHeader{git: rest}
		} else if rest, ok := strings.CutPrefix(line, "--- "); ok {
			if h.plus != "" { // a plain diff of several files
				paths = append(paths, h.paths()...)
				h = fileHeader{}
			}
			h.minus, h.afterMinus = rest, true
		} else if rest, ok := strings.CutPrefix(line, "+++ "); ok && afterMinus {
			h.plus = rest
		} else if rest, ok := strings.CutPrefix(line, "rename from "); ok {
			h.from = unquoted(rest)
		} else if rest, ok := strings.CutPrefix(line, "rename to "); ok {
			h.to = unquoted(rest)
		} else if rest, ok := strings.CutPrefix(line, "copy to "); ok {
			h.to, h.isACopy = unquoted(rest), true
		} else if rest, ok := strings.CutPrefix(line, "@@ -"); ok {
			old, new = hunkLines(rest)
		}
	}
	return append(paths, h.paths()...)
}

// hunkLines reads "12,3 +14,4 @@ ..." as the hunk's numbers of old and new lines, zero when it is no hunk header.
func hunkLines(s string) (old, new int) {
	first, rest, _ := strings.Cut(s, " +")
	second, _, ok := strings.Cut(rest, " @@")
	if !ok {
		return 0, 0
	}
	count := func(s string) int {
		_, lines, given := strings.Cut(s, ",")
		if !given {
			return 1
		}
		n, err := strconv.Atoi(lines)
		if err != nil {
			return 0
		}
		return max(0, n)
	}
	return count(first), count(second)
}

// stripped is the path of a "---" or "+++" line without its first element, as git applies it: "a/x.go" is x.go. What
// follows a tab (git's own after a name with spaces, or a date) is no part of it; /dev/null is no path.
func stripped(s string) string {
	if !strings.HasPrefix(s, `"`) {
		s, _, _ = strings.Cut(s, "\t")
	}
	s = unquoted(s)
	if s == "/dev/null" {
		return ""
	}
	if _, rest, ok := strings.Cut(s, "/"); ok {
		return rest
	}
	return s
}

// headerPath reads the one name out of `a/NAME b/NAME`, either of them quoted or not; a name may hold spaces, and only
// files that keep their name are read from this line.
func headerPath(s string) string {
	if strings.HasPrefix(s, `"`) {
		if end := quoteEnd(s); end > 0 {
			return stripped(s[:end])
		}
		return ""
	}
	for at := 0; at < len(s); at++ {
		if s[at] != ' ' {
			continue
		}
		if first, second := stripped(s[:at]), stripped(s[at+1:]); first == second && first != "" {
			return first
		}
	}
	return ""
}

// quoteEnd is the offset behind the closing quote of the quoted name that s starts with, 0 when it does not close.
func quoteEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// unquoted undoes git's quoting of names: "a\tb\303\244.go" in double quotes. Other names are as they stand.
func unquoted(s string) string {
	if !strings.HasPrefix(s, `"`) {
		return s
	}
	end := quoteEnd(s)
	if end == 0 {
		return s
	}
	plain, err := strconv.Unquote(s[:end]) // git's escapes are a subset of Go's
	if err != nil {
		return s
	}
	return plain
}
