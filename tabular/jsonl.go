package tabular

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// newLines reads JSONL, or, when the text begins with a bracket, a JSON list of objects; objects that take several lines each
// when the first line is nothing but the brace that opens one.
func newLines(r *bufio.Reader) (source, error) {
	for {
		c, err := r.Peek(1)
		switch {
		case errors.Is(err, io.EOF):
			return &lineSource{r: r}, nil
		case err != nil:
			return nil, err
		case c[0] == '[':
			limit := &rowLimit{in: r}
			return &listSource{dec: json.NewDecoder(limit), limit: limit}, nil
		case c[0] == '{' && opensAlone(r):
			limit := &rowLimit{in: r}
			return &objectSource{dec: json.NewDecoder(limit), limit: limit}, nil
		case c[0] != ' ' && c[0] != '\t':
			return &lineSource{r: r}, nil
		}
		r.Discard(1) // it was peeked at
	}
}

// lineSource is one object a line; blank lines are passed over.
type lineSource struct {
	r    *bufio.Reader
	line []byte
}

func (s *lineSource) next(t *Table) error {
	for {
		s.line = s.line[:0]
		long := false
		var err error
		for {
			var part []byte
			part, err = s.r.ReadSlice('\n')
			if long = long || len(s.line)+len(part) > MaxRow; !long {
				s.line = append(s.line, part...)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading %s: line %d: %w", t.file, t.row.Line+1, err)
		}
		t.row.Line++
		text := bytes.TrimSpace(s.line)
		switch {
		case long:
			t.row.Number++
			return t.skip("", "the line has more than %d bytes", MaxRow)
		case len(text) > 0:
			t.row.Number++
			return t.object(text)
		case err != nil:
			return io.EOF
		}
	}
}

// listSource is one JSON list of objects.
type listSource struct {
	dec   *json.Decoder
	limit *rowLimit
	open  bool
}

func (s *listSource) next(t *Table) error {
	fail := func(err error) error {
		if errors.Is(err, io.EOF) {
			err = errors.New("the list never ends")
		}
		return fmt.Errorf("reading %s: after row %d: %w", t.file, t.row.Number, err)
	}
	if !s.open {
		if _, err := s.dec.Token(); err != nil {
			return fail(err)
		}
		s.open = true
	}
	if !s.dec.More() {
		if _, err := s.dec.Token(); err != nil {
			return fail(err)
		}
		if _, err := s.dec.Token(); !errors.Is(err, io.EOF) {
			return fail(errors.New("something follows the list"))
		}
		return io.EOF
	}
	var raw json.RawMessage
	if err := s.dec.Decode(&raw); err != nil {
		return fail(err)
	}
	s.limit.ended = s.dec.InputOffset()
	t.row.Number++
	return t.object(raw)
}

// opensAlone reports whether the brace that is next has a line for itself.
func opensAlone(r *bufio.Reader) bool {
	start, _ := r.Peek(3) // less at the end of the text
	return bytes.HasPrefix(start, []byte("{\n")) || bytes.HasPrefix(start, []byte("{\r\n"))
}

// objectSource is objects that follow each other.
type objectSource struct {
	dec   *json.Decoder
	limit *rowLimit
}

func (s *objectSource) next(t *Table) error {
	var raw json.RawMessage
	switch err := s.dec.Decode(&raw); {
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("reading %s: after row %d: the object never ends", t.file, t.row.Number)
	case err != nil:
		return fmt.Errorf("reading %s: after row %d: %w", t.file, t.row.Number, err)
	}
	s.limit.ended = s.dec.InputOffset()
	t.row.Number++
	return t.object(raw)
}

// object fills the row from a JSON object.
func (t *Table) object(line []byte) error {
	if !utf8.Valid(line) {
		at := 0
		for at < len(line) {
			r, n := utf8.DecodeRune(line[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
		return t.skip("", "column %d: byte %#x is not UTF-8", at+1, line[at])
	}
	if !validJSON(line) {
		var raw json.RawMessage
		err := json.Unmarshal(line, &raw)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return t.skip("", "column %d: reading JSON: %w", syntax.Offset, err)
		}
		return t.skip("", "reading JSON: %w", err)
	}
	if line[0] != '{' {
		return t.skip("", "expected an object, found %s", jsonValue(shown(string(line))))
	}
	text := string(line)
	t.row.raw = text
	for key, literal := range members(text) {
		name := key[1 : len(key)-1]
		if strings.IndexByte(name, '\\') >= 0 {
			var err error
			if name, err = Unquote(key); err != nil {
				return t.skip("", "the name of a field: %w", err)
			}
		}
		at, known := t.index[name]
		if !known {
			if at = t.add(name); at < 0 {
				return t.skip(shown(name), "the table has more than %d columns", MaxColumns)
			}
		}
		if t.row.At(at).kind != Absent {
			return t.skip(shown(name), "the field is given twice")
		}
		t.row.set(at, jsonValue(literal))
	}
	return nil
}

// jsonValue is a JSON literal as a cell.
func jsonValue(literal string) Value {
	switch literal[0] {
	case '"':
		if inner := literal[1 : len(literal)-1]; strings.IndexByte(inner, '\\') < 0 {
			return Value{kind: Text, raw: inner}
		}
		return Value{kind: Text, quoted: true, raw: literal}
	case '{', '[':
		return Value{kind: Nested, raw: literal}
	case 't', 'f':
		return Value{kind: Bool, raw: literal}
	case 'n':
		return Value{kind: Null, raw: literal}
	}
	return Value{kind: Number, raw: literal}
}

// members are the names (with their quotes) and values of an object that is known to be valid JSON, as they are written.
func members(object string) func(yield func(key, value string) bool) {
	return func(yield func(string, string) bool) {
		for at := 1; ; {
			for at < len(object) && object[at] != '"' {
				if object[at] == '}' {
					return
				}
				at++
			}
			end := afterString(object, at)
			key := object[at:end]
			at = end
			for isSpace(object[at]) || object[at] == ':' {
				at++
			}
			end = afterValue(object, at)
			if !yield(key, object[at:end]) {
				return
			}
			at = end
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// afterString is the end of the string that begins at the quote at.
func afterString(s string, at int) int {
	for at++; ; at++ {
		switch s[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
}

// afterValue is the end of the value that begins at at.
func afterValue(s string, at int) int {
	switch s[at] {
	case '"':
		return afterString(s, at)
	case '{', '[':
		for depth := 0; ; {
			switch s[at] {
			case '"':
				at = afterString(s, at)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
			at++
		}
	}
	for at < len(s) && s[at] != ',' && s[at] != '}' && s[at] != ']' && !isSpace(s[at]) {
		at++
	}
	return at
}

// Unquote is the text of a JSON string. Half a surrogate pair, which encoding/json turns into U+FFFD in silence, is an
// error: two ids that differ must not become one.
func Unquote(literal string) (string, error) {
	var s string
	if err := json.Unmarshal([]byte(literal), &s); err != nil {
		return "", err
	}
	for rest := literal; ; {
		at := strings.IndexByte(rest, '\\')
		if at < 0 || at+1 >= len(rest) {
			return s, nil
		}
		if rest[at+1] != 'u' {
			rest = rest[at+2:]
			continue
		}
		r := hex4(rest[at+2:])
		rest = rest[at+6:]
		if !utf16.IsSurrogate(r) {
			continue
		}
		if len(rest) < 6 || rest[:2] != `\u` || utf16.DecodeRune(r, hex4(rest[2:])) == utf8.RuneError {
			return "", fmt.Errorf(`the text has half a surrogate pair, \u%04x: it was damaged when it was written`, r)
		}
		rest = rest[6:]
	}
}

// hex4 reads the four hexadecimal digits of an escape that is known to be valid.
func hex4(s string) (r rune) {
	for _, c := range []byte(s[:4]) {
		switch {
		case c <= '9':
			r = r<<4 | rune(c-'0')
		default:
			r = r<<4 | rune(c|0x20-'a'+10)
		}
	}
	return r
}
