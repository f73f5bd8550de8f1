package datasets

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// pythonList reads a Python list of string literals, which SWE-bench Pro has in its fields. Nothing is evaluated.
func pythonList(s string) ([]string, error) {
	bad := func(at int, want string) error {
		return fmt.Errorf("expected a JSON or Python list in the string: %s at byte %d of %s", want, at, shown([]byte(s)))
	}
	if s == "" || s[0] != '[' {
		return nil, bad(0, "a bracket")
	}
	var list []string
	i := 1
	space := func() {
		for i < len(s) && strings.IndexByte(" \t\r\n", s[i]) >= 0 {
			i++
		}
	}
	for {
		space()
		switch {
		case i >= len(s):
			return nil, bad(i, "a closing bracket")
		case s[i] == ']':
			if i++; strings.TrimSpace(s[i:]) != "" {
				return nil, bad(i, "nothing more")
			}
			return list, nil
		case s[i] != '\'' && s[i] != '"':
			return nil, bad(i, "a quote")
		}
		text, next, err := pythonString(s, i)
		if err != nil {
			return nil, bad(next, err.Error())
		}
		list = append(list, text)
		i = next
		space()
		if i < len(s) && s[i] == ',' {
			i++
		} else if i >= len(s) || s[i] != ']' {
			return nil, bad(i, "a comma or a closing bracket")
		}
	}
}

// pythonString reads a string literal that starts at i, and gives the index after it.
func pythonString(s string, i int) (string, int, error) {
	quote := s[i]
	var b strings.Builder
	for i++; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote:
			return b.String(), i + 1, nil
		case c == '\n':
			return "", i, errors.New("no line break in a string")
		case c != '\\':
			b.WriteByte(c)
			continue
		}
		if i++; i >= len(s) {
			break
		}
		switch c := s[i]; c {
		case '\\', '\'', '"':
			b.WriteByte(c)
		case 'a', 'b', 'f', 'n', 'r', 't', 'v':
			b.WriteByte("\a\b\f\n\r\t\v"[strings.IndexByte("abfnrtv", c)])
		case '\n':
		case 'x', 'u', 'U':
			n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			if i+n >= len(s) {
				return "", i, fmt.Errorf("%d hexadecimal digits", n)
			}
			v, err := strconv.ParseUint(s[i+1:i+1+n], 16, 32)
			if err != nil || v > 0x10ffff || v >= 0xd800 && v <= 0xdfff {
				return "", i, fmt.Errorf("%d hexadecimal digits of a character", n)
			}
			b.WriteRune(rune(v))
			i += n
		case '0', '1', '2', '3', '4', '5', '6', '7':
			end := i + 1
			for end < len(s) && end < i+3 && s[end] >= '0' && s[end] <= '7' {
				end++
			}
			v, _ := strconv.ParseUint(s[i:end], 8, 32) // at most three octal digits
			b.WriteRune(rune(v))
			i = end - 1
		default: // Python keeps a backslash before what it does not know
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return "", i, errors.New("a closing quote")
}
