package statefile

import (
	"fmt"
	"iter"
	"strings"

	"evlab/tabular"
)

// texts goes through the texts of a JSON list that is known to be valid, without copying those that have no escapes:
// predictions are mostly lists of ids. What is no text, or an empty one, goes to fault with its place, from 1.
func texts(list string, fault func(item int, err error)) iter.Seq[string] {
	return func(yield func(string) bool) {
		item := 0
		for at := 1; at < len(list); {
			switch list[at] {
			case ' ', '\t', '\r', '\n', ',':
				at++
				continue
			case ']':
				return
			}
			item++
			end := elementEnd(list, at)
			literal := list[at:end]
			at = end
			if literal[0] != '"' {
				fault(item, fmt.Errorf("item %d: expected an evidence id, found %s", item, brief(literal)))
				continue
			}
			id := literal[1 : len(literal)-1]
			if strings.IndexByte(id, '\\') >= 0 {
				var err error
				if id, err = tabular.Unquote(literal); err != nil {
					fault(item, fmt.Errorf("item %d: %w", item, err))
					continue
				}
			}
			if strings.TrimSpace(id) == "" {
				fault(item, fmt.Errorf("item %d: expected an evidence id, found an empty text", item))
				continue
			}
			if !yield(id) {
				return
			}
		}
	}
}

// elementEnd is the end of the element that begins at at.
func elementEnd(s string, at int) int {
	if s[at] == '"' { // mostly a text without escapes
		end := strings.IndexByte(s[at+1:], '"')
		if end >= 0 && strings.IndexByte(s[at+1:at+1+end], '\\') < 0 {
			return at + end + 2
		}
	}
	depth := 0
	for i := at; i < len(s); i++ {
		switch s[i] {
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return min(i+1, len(s))
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth == 0 {
				return i // of a number or word at the list's end
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// brief is a value as a message may quote it.
func brief(literal string) string {
	switch {
	case strings.HasPrefix(literal, "{"):
		return "an object"
	case strings.HasPrefix(literal, "["):
		return "a list"
	case len(literal) > 40:
		return strings.ToValidUTF8(literal[:40], "") + "..."
	}
	return literal
}
