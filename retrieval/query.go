package retrieval

import (
	"strings"
	"unicode/utf8"

	"evlab/evidence"
)

// What Query takes of a state's fields, in bytes. A long log or file would otherwise outweigh the question.
const (
	maxText       = 16 << 10 // of the issue, need, hypothesis, subgoal and observation each, from the start
	maxFiles      = 50       // opened files, the latest ones
	maxPath       = 1 << 10  // of the path of each, from the start
	maxTestOutput = 4 << 10  // of the latest test output, from the end, where the failures are
)

// Query is the text by which a state asks: issue, need, hypothesis, subgoal, observation, the paths of the opened
// files and the end of the latest test output, in this order, each on lines of its own, empty ones left out. A term
// counts as often as it occurs in it. The other fields of the card say what was done rather than what is missing.
func Query(card evidence.StateCard) string {
	var parts []string
	add := func(s string) {
		if strings.TrimSpace(s) != "" {
			parts = append(parts, s)
		}
	}
	for _, s := range []string{card.Issue, card.Need, card.Hypothesis, card.Subgoal, card.Observation} {
		add(head(s, maxText))
	}
	files := card.OpenedFiles[max(0, len(card.OpenedFiles)-maxFiles):]
	for _, f := range files {
		add(head(f, maxPath))
	}
	add(tail(card.TestOutput, maxTestOutput))
	return strings.Join(parts, "\n")
}

// head is the longest start of s of at most n bytes that doesn't cut a rune.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// tail is the end of s of at most n bytes, beginning with a whole line if there is one, or else a whole rune.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	from := len(s) - n
	if s[from-1] == '\n' {
		return s[from:]
	}
	if i := strings.IndexByte(s[from:], '\n'); i >= 0 && from+i+1 < len(s) {
		return s[from+i+1:]
	}
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}
