package datasets

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf16"

	"evlab/tabular"
)

// Bounds of JSONL files.
const (
	maxLine       = 50 << 20
	maxPrediction = 256 << 20 // a patch too large to be applied is told as that one's verdict, and the others are graded
	maxBytes      = 2 << 30
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// eachLine calls each with every line that is not blank, without its end (LF or CR LF) and without a byte order mark.
// The line is valid until each returns. A line of more than limit bytes is passed over as a fault.
func eachLine(file string, limit int, f *faults, each func(number int, line []byte)) (err error) {
	in, info, err := openRegular(file)
	if err != nil {
		return err
	}
	defer in.Close() // read only: a failing close loses nothing
	if info.Size() > maxBytes {
		return fmt.Errorf("%s: it has %d bytes; at most %d are read", file, info.Size(), int64(maxBytes))
	}
	return scan(file, limit, in, f, each)
}

// isText refuses a file that is certainly no text, as what it is: else its first line is no row, for whatever reason.
func isText(file string) error {
	in, _, err := openRegular(file)
	if err != nil {
		return err
	}
	defer in.Close() // read only: a failing close loses nothing
	head := make([]byte, 512)
	n, err := io.ReadFull(in, head)
	if err != nil && n == 0 {
		return nil // what keeps it from being read, reading says
	}
	if bytes.HasPrefix(head[:n], []byte("PAR1")) {
		return fmt.Errorf("%s: it is a Parquet file; expected JSON lines. evlab import makes a cohort of tasks in Parquet", file)
	}
	return tabular.NoText(file, head[:n])
}

// openRegular opens a regular file. Anything else is refused before it is opened: a pipe that nobody writes to would wait for
// ever, and its content could be read once only.
func openRegular(file string) (*os.File, os.FileInfo, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: expected a regular file", file)
	}
	in, err := os.Open(file)
	return in, info, err
}

func scan(file string, limit int, in io.Reader, f *faults, each func(number int, line []byte)) error {
	r := bufio.NewReaderSize(in, 1<<20)
	var line []byte
	for number := 1; ; number++ {
		line = line[:0]
		long := false
		var err error
		for {
			var part []byte
			part, err = r.ReadSlice('\n')
			if long = long || len(line)+len(part) > limit; !long {
				line = append(line, part...)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading %s: %w", file, err)
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		if long {
			f.add(fmt.Sprintf("%s:%d", file, number), "the line has more than %d bytes", limit)
		} else if text := bytes.TrimSpace(line); len(text) > 0 {
			each(number, text)
		}
		if err != nil {
			return nil
		}
	}
}

// object is a JSON object's fields, verbatim.
type object map[string]json.RawMessage

// parseObject reads one JSON object; a key that is given twice is a fault, since readers disagree on which one counts.
func parseObject(text []byte) (object, error) {
	if at := invalidUTF8(text); at >= 0 {
		return nil, fmt.Errorf("byte %#x at column %d is not UTF-8", text[at], at+1)
	}
	var raw json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("column %d: reading JSON: %w", syntax.Offset, err)
		}
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil, fmt.Errorf("expected an object, found %s", kind(token))
	}
	o := object{}
	for dec.More() {
		token, err := dec.Token()
		key, ok := token.(string)
		if err != nil || !ok {
			return nil, errors.New("reading JSON: expected a key")
		}
		if _, twice := o[key]; twice {
			return nil, fmt.Errorf("field %.60q is given twice", key)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("field %.60q: reading JSON: %w", key, err)
		}
		o[key] = value
	}
	return o, nil
}

// text is a field that must be a string if it is there.
func (o object) text(key string) (s string, there bool, err error) {
	raw, there := o[key]
	if !there {
		return "", false, nil
	}
	b, err := unquote(raw, false)
	if err != nil {
		return "", true, fmt.Errorf("field %s: %w", key, err)
	}
	return string(b), true, nil
}

// unquote is a JSON string's bytes. encoding/json turns lone surrogates into U+FFFD in silence; here they are an
// error, or, with bytewise, U+DC80 to U+DCFF are the bytes 0x80 to 0xFF: that is how Python writes text that is not
// UTF-8, such as a diff of a Latin-1 file.
func unquote(raw json.RawMessage, bytewise bool) ([]byte, error) {
	if len(raw) == 0 || raw[0] != '"' {
		return nil, fmt.Errorf("expected a string, found %s", shown(raw))
	}
	if !bytes.Contains(raw, []byte(`\u`)) {
		var s string
		err := json.Unmarshal(raw, &s)
		return []byte(s), err
	}
	out := make([]byte, 0, len(raw))
	body := raw[1 : len(raw)-1] // valid JSON: it was decoded as a RawMessage
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			out = append(out, body[i])
			continue
		}
		i++
		if body[i] != 'u' {
			out = append(out, unescape(body[i]))
			continue
		}
		r := hex4(body[i+1:])
		i += 4
		switch {
		case !utf16.IsSurrogate(r):
			out = append(out, string(r)...)
		case i+6 < len(body) && body[i+1] == '\\' && body[i+2] == 'u' && utf16.DecodeRune(r, hex4(body[i+3:])) != 0xfffd:
			out = append(out, string(utf16.DecodeRune(r, hex4(body[i+3:])))...)
			i += 6
		case bytewise && r >= 0xdc80 && r <= 0xdcff:
			out = append(out, byte(r-0xdc00))
		default:
			return nil, fmt.Errorf(`the string has half a surrogate pair, \u%04x: its text was damaged when it was written`, r)
		}
	}
	return out, nil
}

func unescape(c byte) byte {
	if at := strings.IndexByte("bfnrt", c); at >= 0 {
		return "\b\f\n\r\t"[at]
	}
	return c
}

// hex4 reads four hexadecimal digits, -1 when there are none.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	return r
}

// shown is a value as a message may quote it: its start.
func shown(raw []byte) string {
	const most = 40
	switch {
	case len(raw) == 0:
		return "nothing"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	case len(raw) > most:
		return strings.ToValidUTF8(string(raw[:most]), "") + "..."
	}
	return string(raw)
}
