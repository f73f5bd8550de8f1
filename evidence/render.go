package evidence

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// headerMark starts a header line and nothing else in a rendered text.
const headerMark = "==="

// Overflow policies of Render.
const (
	OverflowSkip = "skip" // leave out the unit that doesn't fit and go on with the next
	OverflowStop = "stop" // end at the first unit that doesn't fit
)

// Header is the line that precedes a unit in a rendered text, without its line end:
//
//	=== path#Symbol (lines 10-24) ===
//
// An id with characters that don't print is quoted as in Go, so a header is always one line.
func Header(u Unit) string {
	id := u.ID
	if strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		id = strconv.Quote(id)
	}
	return fmt.Sprintf("%s %s (lines %d-%d) %s", headerMark, id, u.StartLine, u.EndLine, headerMark)
}

// IsHeader reports whether a line of a rendered text is a unit's header. No line of a unit's own text is one.
func IsHeader(line string) bool { return strings.HasPrefix(line, headerMark) }

// Render shows units in the order given: each one's Header line, then its text, ended by a line feed. It admits a
// unit only if the whole text so far then has at most ceiling tokens, headers included; a unit is never cut. One
// that doesn't fit is skipped, or ends the text when overflow is OverflowStop (section D's token cutoffs; any other
// value means OverflowSkip).
//
// The returned tokens are Tokens(text), and shown are the admitted units.
//
// A unit can't forge a header: where a line of its text starts with "===", one blank is put before it. Carriage
// return, vertical tab, form feed, U+0085, U+2028 and U+2029 count as line ends for this purpose, since some
// readers take them for such.
func Render(units []Unit, ceiling int, overflow string) (text string, shown []Unit, tokens int) {
	var b strings.Builder
	for _, u := range units {
		// A frame starts with punctuation and ends with a line feed, so no run of Tokens spans two frames and the
		// sum over the frames is the count of the whole.
		frame := Header(u) + "\n" + guard(u.Text)
		n := Tokens(frame)
		if n > ceiling-tokens {
			if overflow == OverflowStop {
				break
			}
			continue
		}
		b.WriteString(frame)
		shown = append(shown, u)
		tokens += n
	}
	return b.String(), shown, tokens
}

// guard ends text with a line feed and puts a blank before every headerMark at the start of a line.
func guard(text string) string {
	if text == "" || text[len(text)-1] != '\n' {
		text += "\n"
	}
	if !strings.Contains(text, headerMark) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	from := 0
	for {
		i := strings.Index(text[from:], headerMark)
		if i < 0 {
			break
		}
		at := from + i
		b.WriteString(text[from:at])
		if startsLine(text[:at]) {
			b.WriteByte(' ')
		}
		b.WriteString(headerMark)
		from = at + len(headerMark)
	}
	b.WriteString(text[from:])
	return b.String()
}

// startsLine reports whether what follows before is at the start of a line.
func startsLine(before string) bool {
	r, n := utf8.DecodeLastRuneInString(before)
	switch r {
	case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return n == 0
}
