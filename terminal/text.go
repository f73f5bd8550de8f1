package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Safe makes untrusted text fit for one line of a terminal: control characters, line breaks, direction overrides,
// invisible format characters and bytes that are not UTF-8 are written as escapes (\n, \x1b, \u202e).
func Safe(s string) string { return safe(s, false) }

// SafeLines is Safe for text of several lines: line feeds and tabs stay.
func SafeLines(s string) string { return safe(s, true) }

func safe(s string, lines bool) string {
	clean := true
	for _, r := range s {
		if r == utf8.RuneError || !printable(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case printable(r), lines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += n
	}
	return b.String()
}

// SafeJSON is JSON with the same content that is fit for a terminal, too: what Safe escapes is escaped as JSON has it.
func SafeJSON(line []byte) []byte {
	// Outside of strings JSON has no such characters but line breaks and tabs, and inside of them it has not these.
	hostile := func(r rune) bool { return r != '\n' && r != '\r' && r != '\t' && r != utf8.RuneError && !printable(r) }
	if bytes.IndexFunc(line, hostile) < 0 {
		return line
	}
	var b []byte
	for _, r := range string(line) {
		switch high, low := utf16.EncodeRune(r); {
		case !hostile(r):
			b = utf8.AppendRune(b, r)
		case high != utf8.RuneError:
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return b
}

// printable leaves out controls (Cc), format characters (Cf: direction marks, zero-width ones, tags), separators of
// lines and paragraphs, private use and what is not assigned.
func printable(r rune) bool { return r == ' ' || unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) }

// StringWidth is the number of columns that s takes. Escape sequences that Style writes take none.
func StringWidth(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if l := escapeLen(s[i:]); l > 0 {
			i += l
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		n += runeWidth(r)
		i += size
	}
	return n
}

// escapeLen is the length of the colour sequence that s begins with, 0 without one.
func escapeLen(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	end := strings.IndexByte(s, 'm')
	if end < 0 || strings.Trim(s[2:end], "0123456789;") != "" {
		return 0
	}
	return end + 1
}

// runeWidth is 0 for marks that combine with what is before them, 2 for wide ones, else 1.
func runeWidth(r rune) int {
	switch {
	case r < 0x20 || r == 0x7f:
		return 0
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Truncate cuts s to at most columns columns, with … in place of what is cut. Colour is switched off at the cut.
func Truncate(s string, columns int) string {
	if StringWidth(s) <= columns {
		return s
	}
	if columns < 1 {
		return ""
	}
	n, coloured := 0, false
	var b strings.Builder
	for i := 0; i < len(s); {
		if l := escapeLen(s[i:]); l > 0 {
			b.WriteString(s[i : i+l])
			coloured = s[i:i+l] != "\x1b[0m"
			i += l
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if n+runeWidth(r) > columns-1 {
			break
		}
		n += runeWidth(r)
		b.WriteString(s[i : i+size])
		i += size
	}
	b.WriteString("…")
	if coloured {
		b.WriteString("\x1b[0m")
	}
	return b.String()
}
