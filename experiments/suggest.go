package experiments

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Suggest returns ` (did you mean "x"?)` for the nearest of the allowed words, or nothing when none is near: when more
// than a third of the word would have to change.
func Suggest(word string, allowed []string) string {
	best, bestAt := len(word)/3+1, ""
	for _, a := range allowed {
		if d := editDistance(strings.ToLower(word), strings.ToLower(a)); d < best {
			best, bestAt = d, a
		}
	}
	if bestAt == "" || len(word) > maxName {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", bestAt)
}

// List puts names into a sentence: all of them, or the first most and how many more there are. A name with a line break or
// another control character, which could pass for a line of its own, is quoted; a long one is cut.
func List(names []string, most int) string {
	shown := make([]string, min(len(names), most))
	for i := range shown {
		const longest = 200
		name := names[i]
		if len(name) > longest {
			name = strings.ToValidUTF8(name[:longest], "") + "..."
		}
		if strings.ContainsFunc(name, unicode.IsControl) {
			name = strconv.Quote(name)
		}
		shown[i] = name
	}
	list := strings.Join(shown, ", ")
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", list, more)
	}
	return list
}

// editDistance is Levenshtein's, on bytes, where two neighbours that are swapped are one mistake; the words are short names.
func editDistance(a, b string) int {
	if len(a) > maxName || len(b) > maxName {
		return maxName
	}
	var before []int // the row above the last
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := row[j-1]
			if a[i-1] != b[j-1] {
				cost = 1 + min(cost, row[j], next[j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cost = min(cost, before[j-2]+1)
			}
			next[j] = cost
		}
		before, row = row, next
	}
	return row[len(b)]
}
