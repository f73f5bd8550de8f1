package terminal

import (
	"regexp"
	"strings"
)

// entry is a line of a list: what it is about, a gap, and what is said of it.
var entry = regexp.MustCompile(`^( +\S.*?  +)(\S.*)$`)

// Reflow breaks a text of paragraphs and lists so that its lines keep within width, as far as words allow. What fits stays
// as it stands. A line that is indented is one of its own; what is said in a list keeps to its column, if that leaves it half of the width.
func Reflow(s string, width int) string {
	var out, paragraph []string
	flush := func() {
		for _, line := range paragraph {
			if StringWidth(line) > width {
				paragraph = []string{Wrap(strings.Join(paragraph, " "), width, 0)}
				break
			}
		}
		out = append(out, paragraph...)
		paragraph = nil
	}
	for line := range strings.SplitSeq(s, "\n") {
		if line != "" && line[0] != ' ' {
			paragraph = append(paragraph, line)
			continue
		}
		flush()
		if StringWidth(line) > width {
			line = reflowEntry(line, width)
		}
		out = append(out, line)
	}
	flush()
	return strings.Join(out, "\n")
}

// reflowEntry breaks an indented line.
func reflowEntry(line string, width int) string {
	own := len(line) - len(strings.TrimLeft(line, " "))
	m := entry.FindStringSubmatch(line)
	if m == nil {
		return line[:own] + Wrap(line, width, own)
	}
	if at := StringWidth(m[1]); at <= width/2 {
		return m[1] + Wrap(m[2], width, at)
	}
	at := own + 4
	return line[:own] + Wrap(m[1], width, own) + "\n" + strings.Repeat(" ", at) + Wrap(m[2], width, at)
}
