package testlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonScanner walks over one JSON document of a stream: what is asked for is read, all else is passed over, and of a string
// no more than maxName bytes are kept. Messages and captured output in reports have no bound.
type jsonScanner struct {
	r     *bufio.Reader
	depth int
	err   error // the first; everything after it does nothing
}

const maxJSONDepth = 256

var (
	errJSON    = errors.New("it is no JSON")
	errJSONCut = errors.New("it ends before its end")
)

// newJSONScanner finds the document: runners print lines of their own before it.
func newJSONScanner(in io.Reader) *jsonScanner {
	j := &jsonScanner{r: bufio.NewReaderSize(in, 64<<10)}
	if bom, _ := j.r.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		j.byte()
		j.byte()
		j.byte()
	}
	for start := true; ; {
		c, err := j.r.Peek(1)
		switch {
		case err != nil:
			j.fail(err)
			return j
		case start && (c[0] == '{' || c[0] == '['):
			return j
		case c[0] == '\n':
			start = true
		case c[0] != ' ' && c[0] != '\t' && c[0] != '\r':
			start = false
		}
		j.byte()
	}
}

func (j *jsonScanner) fail(err error) {
	if errors.Is(err, io.EOF) {
		err = errJSONCut
	}
	if j.err == nil {
		j.err = err
	}
}

func (j *jsonScanner) byte() byte {
	if j.err != nil {
		return 0
	}
	c, err := j.r.ReadByte()
	if err != nil {
		j.fail(err)
		return 0
	}
	return c
}

// space gives the next byte that is no white space without reading it, 0 after an error.
func (j *jsonScanner) space() byte {
	for j.err == nil {
		c, err := j.r.Peek(1)
		if err != nil {
			j.fail(err)
			return 0
		}
		if c[0] != ' ' && c[0] != '\t' && c[0] != '\r' && c[0] != '\n' {
			return c[0]
		}
		j.byte()
	}
	return 0
}

// object calls field with each key of an object; field reads its value, or skip is called for it by field. A value that
// is no object is passed over.
func (j *jsonScanner) object(field func(key string)) { j.sequence('{', '}', field) }

// list calls element for each element of a list, which reads it.
func (j *jsonScanner) list(element func()) { j.sequence('[', ']', func(string) { element() }) }

func (j *jsonScanner) sequence(open, shut byte, each func(key string)) {
	if j.space() != open {
		j.skip()
		return
	}
	if j.depth++; j.depth > maxJSONDepth {
		j.fail(errJSON)
	}
	j.byte()
	for first := true; j.err == nil; first = false {
		c := j.space()
		if c == shut && first {
			break
		}
		key := ""
		if open == '{' {
			if c != '"' {
				j.fail(errJSON)
				return
			}
			key = j.quoted()
			if j.space() != ':' {
				j.fail(errJSON)
				return
			}
			j.byte()
		}
		each(key)
		if c = j.space(); c == shut {
			break
		} else if c != ',' {
			j.fail(errJSON)
			return
		}
		j.byte()
	}
	j.byte()
	j.depth--
}

// text is a string value; another value is passed over and gives "".
func (j *jsonScanner) text() string {
	if j.space() != '"' {
		j.skip()
		return ""
	}
	return j.quoted()
}

// count is a whole number of at least 0; another value is passed over and gives -1.
func (j *jsonScanner) count() int {
	c := j.space()
	if c < '0' || c > '9' {
		j.skip()
		return -1
	}
	n, err := strconv.Atoi(j.word())
	if err != nil {
		return -1
	}
	return n
}

// empty passes over a value and reports whether it was an empty list.
func (j *jsonScanner) empty() bool {
	n := 0
	isList := j.space() == '['
	j.list(func() { n++; j.skip() })
	return isList && n == 0
}

// word reads a number or a literal.
func (j *jsonScanner) word() string {
	var b []byte
	for j.err == nil {
		c, err := j.r.Peek(1)
		if err != nil || bytes.IndexByte([]byte(" \t\r\n,]}:"), c[0]) >= 0 {
			break
		}
		if len(b) > 64 || bytes.IndexByte([]byte(`"{[`), c[0]) >= 0 {
			j.fail(errJSON)
			break
		}
		b = append(b, j.byte())
	}
	if len(b) == 0 {
		j.fail(errJSON)
	}
	return string(b)
}

// skip passes over one value.
func (j *jsonScanner) skip() {
	depth := j.depth
	for level := 0; j.err == nil; {
		switch c := j.space(); c {
		case '{', '[':
			level++
			if depth+level > maxJSONDepth {
				j.fail(errJSON)
			}
			j.byte()
			continue
		case '}', ']':
			level--
			j.byte()
		case '"':
			j.quoted()
		case ',', ':':
			if level == 0 {
				j.fail(errJSON)
			}
			j.byte()
			continue
		default:
			j.word()
		}
		if level <= 0 {
			if level < 0 {
				j.fail(errJSON)
			}
			return
		}
	}
}

// quoted reads a string that starts here.
func (j *jsonScanner) quoted() string {
	j.byte()
	var b []byte
	keep := func(p ...byte) {
		if len(b) < maxName+utf8.UTFMax {
			b = append(b, p...)
		}
	}
	for j.err == nil {
		switch c := j.byte(); {
		case j.err != nil:
		case c == '"':
			return string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
		case c != '\\':
			keep(c)
		default:
			switch c := j.byte(); c {
			case 'u':
				keep(utf8.AppendRune(nil, j.escaped())...)
			case 'b', 'f', 'n', 'r', 't':
				keep("\b\f\n\r\t"[bytes.IndexByte([]byte("bfnrt"), c)])
			default:
				keep(c)
			}
		}
	}
	return ""
}

// escaped reads the digits of \uXXXX, and the second half of a pair of surrogates.
func (j *jsonScanner) escaped() rune {
	r := j.hex()
	if !utf16.IsSurrogate(r) {
		return r
	}
	if next, err := j.r.Peek(2); err != nil || next[0] != '\\' || next[1] != 'u' {
		return utf8.RuneError
	}
	j.byte()
	j.byte()
	return utf16.DecodeRune(r, j.hex())
}

func (j *jsonScanner) hex() rune {
	var r rune
	for range 4 {
		c := j.byte()
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			j.fail(errJSON)
		}
	}
	return r
}

// documents is a grammar whose reports are JSON documents, one a stream.
type documents struct {
	*builder
	walk    func(b *builder, j *jsonScanner)
	files   int
	damaged bool
}

func document(name, doc string, walk func(b *builder, j *jsonScanner)) Grammar {
	return Grammar{Name: name, Mode: Strict, Doc: doc, new: func(b *builder) reading { return &documents{builder: b, walk: walk} }}
}

func (d *documents) read(in io.Reader) error {
	d.files++
	j := newJSONScanner(in)
	if j.err == nil {
		d.walk(d.builder, j)
	}
	switch {
	case j.err == nil:
	case errors.Is(j.err, errJSONCut), errors.Is(j.err, errJSON):
		d.damaged = true
		if d.seen {
			d.problem("the report is damaged: %v", j.err)
		}
	default:
		return fmt.Errorf("reading a test report: %w", j.err)
	}
	return nil
}

func (d *documents) finish() *Report {
	d.ended = d.files > 0 && !d.damaged
	return d.builder.finish()
}
