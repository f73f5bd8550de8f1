package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"evlab/repos"
)

// SplitPatch divides a git diff into what changes the program and what changes its tests, each section byte for byte. A
// section goes to the tests when either of its names does.
func SplitPatch(patch []byte, isTest func(path string) bool) (source, tests []byte) {
	for _, section := range sections(patch) {
		to := &source
		for _, path := range repos.PatchPaths(section) {
			if isTest(path) {
				to = &tests
			}
		}
		*to = append(*to, section...)
	}
	return source, tests
}

// sections are the parts of a git diff, one for each file. What stands before the first is dropped: it is a message.
func sections(patch []byte) (parts [][]byte) {
	mark := []byte("diff --git ")
	start := -1
	for i := 0; i < len(patch); {
		if bytes.HasPrefix(patch[i:], mark) {
			if start >= 0 {
				parts = append(parts, patch[start:i])
			}
			start = i
		}
		next := bytes.IndexByte(patch[i:], '\n')
		if next < 0 {
			break
		}
		i += next + 1
	}
	if start >= 0 {
		parts = append(parts, patch[start:])
	}
	return parts
}

// namesInHeaders are the marks of a section's header before which a name of a file stands.
var namesInHeaders = []string{"--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to "}

// outside is a name in a git diff that leaves the repository, or is git's own there; "" when there is none. Nothing here writes a
// file by such a name, and nothing that applies patches takes it: its task could never be tested.
func outside(patch []byte) string {
	for _, section := range sections(patch) {
		header, _, _ := bytes.Cut(section, []byte("\n@@ "))
		for line := range strings.SplitSeq(string(header), "\n") {
			for _, mark := range namesInHeaders {
				if name, named := strings.CutPrefix(line, mark); named {
					if name = headerName(name); name != "" && leaves(name) {
						return name
					}
				}
			}
		}
	}
	return ""
}

// headerName is a name as a header has it, without its side and its quotes; "" stands for no file.
func headerName(name string) string {
	name, _, _ = strings.Cut(strings.TrimRight(name, "\r"), "\t")
	if plain, err := strconv.Unquote(name); err == nil {
		name = plain
	}
	if name == "/dev/null" {
		return ""
	}
	if rest, ok := strings.CutPrefix(name, "a/"); ok {
		return rest
	}
	return strings.TrimPrefix(name, "b/")
}

func leaves(name string) bool {
	if name == "." || !fs.ValidPath(strings.ToValidUTF8(name, "x")) { // git's names may be in any encoding
		return true
	}
	for element := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(element, ".git") {
			return true
		}
	}
	return false
}

// ReversePatch turns a git diff around: applied to what the diff makes, the result gives back what it was made of. Lines
// of hunks keep their order, which git does not mind. Binary sections can't be turned around without their files.
func ReversePatch(patch []byte) ([]byte, error) {
	var out bytes.Buffer
	before, after := 0, 0 // lines that are left of the hunk
	var from string       // a header that waits for its counterpart
	for n, line := range bytes.SplitAfter(patch, []byte("\n")) {
		text := string(line)
		if text == "" {
			break
		}
		if before > 0 || after > 0 || strings.HasPrefix(text, `\`) {
			switch text[0] {
			case '-':
				before--
				out.WriteString("+" + text[1:])
			case '+':
				after--
				out.WriteString("-" + text[1:])
			case ' ', '\t', '\r', '\n':
				before--
				after--
				out.WriteString(text)
			case '\\':
				out.WriteString(text)
			default:
				return nil, fmt.Errorf("line %d: a hunk ends before the lines that it announces", n+1)
			}
			continue
		}
		key, rest, _ := strings.Cut(text, " ")
		switch {
		case strings.HasPrefix(text, "GIT binary patch"), strings.HasPrefix(text, "Binary files "):
			return nil, errors.New("it has a binary section, which can't be turned around")
		case strings.HasPrefix(text, "@@ -"):
			oldRange, newRange, tail, err := hunkRanges(text)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			before, after = oldRange.lines, newRange.lines
			fmt.Fprintf(&out, "@@ -%s +%s @@%s", newRange.text, oldRange.text, tail)
		case key == "diff":
			out.WriteString(reversedHeader(text))
		case key == "---":
			from = rest
		case key == "+++":
			fmt.Fprintf(&out, "--- %s+++ %s", swapSide(rest), swapSide(from))
		case strings.HasPrefix(text, "new file mode "):
			out.WriteString("deleted" + strings.TrimPrefix(text, "new"))
		case strings.HasPrefix(text, "deleted file mode "):
			out.WriteString("new" + strings.TrimPrefix(text, "deleted"))
		case strings.HasPrefix(text, "old mode "), strings.HasPrefix(text, "rename from "), strings.HasPrefix(text, "copy from "):
			from = text
		case strings.HasPrefix(text, "new mode "):
			out.WriteString("old" + strings.TrimPrefix(text, "new") + "new" + strings.TrimPrefix(from, "old"))
		case strings.HasPrefix(text, "rename to "):
			out.WriteString("rename from " + strings.TrimPrefix(text, "rename to ") + "rename to " + strings.TrimPrefix(from, "rename from "))
		case strings.HasPrefix(text, "copy to "):
			return nil, errors.New("it copies a file, which can't be turned around")
		case key == "index":
			ids, mode, _ := strings.Cut(strings.TrimSuffix(rest, "\n"), " ")
			a, b, _ := strings.Cut(ids, "..")
			out.WriteString(strings.TrimRight("index "+b+".."+a+" "+mode, " ") + "\n")
		default:
			out.WriteString(text) // similarity, or words before a section
		}
	}
	if before > 0 || after > 0 {
		return nil, errors.New("it ends within a hunk")
	}
	return out.Bytes(), nil
}

// swapSide moves a name to the other side: a/x is b/x there.
func swapSide(name string) string {
	switch {
	case strings.HasPrefix(name, "a/"):
		return "b/" + name[2:]
	case strings.HasPrefix(name, "b/"):
		return "a/" + name[2:]
	case strings.HasPrefix(name, `"a/`):
		return `"b/` + name[3:]
	case strings.HasPrefix(name, `"b/`):
		return `"a/` + name[3:]
	}
	return name
}

// reversedHeader turns "diff --git a/x b/y" around where the two names can be told apart.
func reversedHeader(text string) string {
	rest, ok := strings.CutPrefix(strings.TrimSuffix(text, "\n"), "diff --git ")
	at := strings.Index(rest, " b/")
	if !ok || at < 0 || strings.Contains(rest[at+1:], " b/") || strings.Contains(rest, `"`) {
		return text // both names are the same, or git reads them from the lines below
	}
	return "diff --git a/" + rest[at+3:] + " b/" + strings.TrimPrefix(rest[:at], "a/") + "\n"
}

type hunkRange struct {
	text  string
	lines int
}

// hunkRanges reads "@@ -1,2 +3,4 @@ tail".
func hunkRanges(text string) (before, after hunkRange, tail string, err error) {
	body, tail, ok := strings.Cut(strings.TrimPrefix(text, "@@ "), " @@")
	a, b, two := strings.Cut(body, " ")
	if !ok || !two || !strings.HasPrefix(a, "-") || !strings.HasPrefix(b, "+") {
		return before, after, "", errors.New("it is no hunk header")
	}
	for _, r := range []struct {
		text string
		to   *hunkRange
	}{{a[1:], &before}, {b[1:], &after}} {
		var start int
		r.to.text, r.to.lines = r.text, 1
		if _, count, counted := strings.Cut(r.text, ","); counted {
			_, err = fmt.Sscanf(r.text, "%d,%d", &start, &r.to.lines)
			if err == nil && count == "" {
				err = errors.New("no count")
			}
		} else {
			_, err = fmt.Sscanf(r.text, "%d", &start)
		}
		if err != nil || start < 0 || r.to.lines < 0 {
			return before, after, "", errors.New("it is no hunk header")
		}
	}
	return before, after, tail, nil
}
