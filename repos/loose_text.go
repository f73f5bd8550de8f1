package repos

import (
	"bytes"
	"regexp"
	"strconv"
)

// gitHeaders begin the lines of a section's head that patch has a use for, besides the names.
var gitHeaders = [][]byte{
	[]byte("diff --git "), []byte("index "), []byte("old mode "), []byte("new mode "), []byte("deleted file mode "), []byte("new file mode "),
	[]byte("rename from "), []byte("rename to "), []byte("copy from "), []byte("copy to "), []byte("similarity index "), []byte("dissimilarity index "),
	[]byte("GIT binary patch"), []byte("--- "), []byte("+++ "),
}

var hunkHead = regexp.MustCompile(`^@@ -\d+(?:,(\d{1,9}))? \+\d+(?:,(\d{1,9}))? @@`)

// unifiedOnly leaves of a patch what belongs to unified diffs. patch looks for diffs of every kind in the text around
// them, and starts an editor on what it takes for its script; its --unified does not keep it from that. Where a hunk breaks off, so does
// the text: patch gives up there.
func unifiedOnly(patch []byte) []byte {
	var kept []byte
	oldLeft, newLeft := 0, 0
	for line := range bytes.Lines(patch) {
		if oldLeft > 0 || newLeft > 0 {
			kept = append(kept, line...)
			switch line[0] {
			case ' ', '\t', '\n', '\r':
				oldLeft, newLeft = oldLeft-1, newLeft-1
			case '-':
				oldLeft--
			case '+':
				newLeft--
			case '\\':
			default:
				return kept
			}
			if oldLeft < 0 || newLeft < 0 {
				return kept
			}
			continue
		}
		if m := hunkHead.FindSubmatch(line); m != nil {
			oldLeft, newLeft = count(m[1]), count(m[2])
			kept = append(kept, line...)
			continue
		}
		if line[0] == '\\' {
			kept = append(kept, line...)
			continue
		}
		for _, header := range gitHeaders {
			if bytes.HasPrefix(line, header) {
				kept = append(kept, line...)
				break
			}
		}
	}
	return kept
}

// count is a hunk's number of lines, which is 1 where it is left out.
func count(digits []byte) int {
	if digits == nil {
		return 1
	}
	n, _ := strconv.Atoi(string(digits)) // at most nine digits
	return n
}
