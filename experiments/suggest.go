package experiments

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Suggest returns ` (did you mean "x"?)` for the nearest of the allowed words: the one for which the least of the word has to
// change, a third at most; else the only one that begins like it, or has it somewhere. Or nothing.
func Suggest(word string, allowed []string) string {
	best, bestAt := len(word)/3+1, ""
	for _, a := range allowed {
		if d := editDistance(strings.ToLower(word), strings.ToLower(a)); d < best {
			best, bestAt = d, a
		}
	}
	if len(word) > maxName {
		return ""
	}
	if bestAt == "" {
		bestAt = partOf(word, allowed)
	}
	if bestAt == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", bestAt)
}

// partOf is the one name that begins with three quarters of the word, else the one that has the word in it; "" where there
// are none or several.
func partOf(word string, allowed []string) string {
	const least = 3 // bytes: less than that says nothing
	if len(word) < least {
		return ""
	}
	word = strings.ToLower(word)
	begin := word[:max(least, (3*len(word)+3)/4)]
	for _, is := range []func(string) bool{
		func(name string) bool { return strings.HasPrefix(name, begin) },
		func(name string) bool { return strings.Contains(name, word) },
	} {
		found := map[string]bool{}
		for _, name := range allowed {
			if is(strings.ToLower(name)) {
				found[name] = true
			}
		}
		if len(found) == 1 {
			for name := range found {
				return name
			}
		}
	}
	return ""
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
