package tabular

// maxDepth is how deep lists and objects may nest: as deep as encoding/json reads.
const maxDepth = 10_000

// validJSON is json.Valid, several times as fast, which is felt where a line is a list of ids: it says no more than yes or no.
func validJSON(text []byte) bool {
	at := value(text, skipSpace(text, 0), 0)
	return at >= 0 && skipSpace(text, at) == len(text)
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && isSpace(text[at]) {
		at++
	}
	return at
}

// value is the end of the value that begins at at, -1 when there is none. depth counts the lists and objects around it.
func value(text []byte, at, depth int) int {
	if at >= len(text) {
		return -1
	}
	switch c := text[at]; {
	case c == '"':
		return stringEnd(text, at)
	case c == '[' || c == '{':
		if depth == maxDepth {
			return -1
		}
		return container(text, at, depth+1)
	case c == '-' || '0' <= c && c <= '9':
		return numberEnd(text, at)
	case c == 't':
		return wordEnd(text, at, "true")
	case c == 'f':
		return wordEnd(text, at, "false")
	case c == 'n':
		return wordEnd(text, at, "null")
	}
	return -1
}

// container is the end of a list or an object.
func container(text []byte, at, depth int) int {
	object := text[at] == '{'
	end := text[at] + 2 // the closing brackets are two behind the opening ones
	at = skipSpace(text, at+1)
	if at < len(text) && text[at] == end {
		return at + 1
	}
	for {
		if object {
			if at >= len(text) || text[at] != '"' {
				return -1
			}
			if at = stringEnd(text, at); at < 0 {
				return -1
			}
			if at = skipSpace(text, at); at >= len(text) || text[at] != ':' {
				return -1
			}
			at = skipSpace(text, at+1)
		}
		if at = value(text, at, depth); at < 0 {
			return -1
		}
		if at = skipSpace(text, at); at >= len(text) {
			return -1
		}
		switch text[at] {
		case end:
			return at + 1
		case ',':
			at = skipSpace(text, at+1)
		default:
			return -1
		}
	}
}

// stringEnd is the end of a string; whether it is UTF-8 is another question.
func stringEnd(text []byte, at int) int {
	for at++; at < len(text); at++ {
		switch c := text[at]; {
		case c == '"':
			return at + 1
		case c < ' ':
			return -1
		case c == '\\':
			if at++; at >= len(text) {
				return -1
			}
			switch text[at] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					if at++; at >= len(text) || !isHex(text[at]) {
						return -1
					}
				}
			default:
				return -1
			}
		}
	}
	return -1
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func numberEnd(text []byte, at int) int {
	if text[at] == '-' {
		at++
	}
	from := at
	if at = digitsEnd(text, at); at < 0 || text[from] == '0' && at > from+1 {
		return -1
	}
	if at < len(text) && text[at] == '.' {
		if at = digitsEnd(text, at+1); at < 0 {
			return -1
		}
	}
	if at < len(text) && (text[at] == 'e' || text[at] == 'E') {
		if at++; at < len(text) && (text[at] == '+' || text[at] == '-') {
			at++
		}
		at = digitsEnd(text, at)
	}
	return at
}

// digitsEnd is the end of one digit or more, -1 when there is none.
func digitsEnd(text []byte, at int) int {
	from := at
	for at < len(text) && '0' <= text[at] && text[at] <= '9' {
		at++
	}
	if at == from {
		return -1
	}
	return at
}

func wordEnd(text []byte, at int, word string) int {
	if len(text)-at < len(word) || string(text[at:at+len(word)]) != word {
		return -1
	}
	return at + len(word)
}
