package testlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// xmlScanner reads the elements of an XML document and passes over its text. Reports hold the output of tests, without
// bound and often with characters that XML forbids; encoding/xml keeps the former and stops at the latter. Document types,
// and entities other than XML's own, are refused.
type xmlScanner struct {
	r     *bufio.Reader
	open  []string
	empty bool // the last element was an empty one: its end comes next
	roots int  // root elements that were closed
	buf   []byte
}

// xmlElement is a start or an end of an element; one that is empty has both.
type xmlElement struct {
	Name  string // without its prefix
	End   bool
	attrs [][2]string
}

// attr is an attribute's value, "" when there is none.
func (e *xmlElement) attr(name string) string {
	for _, a := range e.attrs {
		if a[0] == name {
			return a[1]
		}
	}
	return ""
}

// Bounds of an XML document.
const (
	maxXMLDepth = 128
	maxXMLAttrs = 256
	maxXMLName  = 256     // bytes of an element's name
	maxXMLTag   = 1 << 20 // bytes of one tag
)

var xmlEncoding = regexp.MustCompile(`^\s*<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

func newXMLScanner(in io.Reader) *xmlScanner {
	r := bufio.NewReaderSize(transform.NewReader(in, unicode.BOMOverride(transform.Nop)), 64<<10)
	head, _ := r.Peek(256) // an error is met again when the bytes are read
	if m := xmlEncoding.FindSubmatch(head); m != nil && !strings.HasPrefix(strings.ToLower(string(m[1])), "utf-") {
		if e, err := htmlindex.Get(string(m[1])); err == nil {
			r = bufio.NewReaderSize(transform.NewReader(r, e.NewDecoder()), 64<<10)
		}
	}
	return &xmlScanner{r: r}
}

// xmlSyntax is a fault of the document, where other errors are the stream's.
type xmlSyntax struct{ what string }

func (e *xmlSyntax) Error() string { return e.what }

func xmlFault(format string, args ...any) error { return &xmlSyntax{fmt.Sprintf(format, args...)} }

func asSyntax(err error) (*xmlSyntax, bool) {
	var s *xmlSyntax
	return s, errors.As(err, &s)
}

// errXMLCut says that the document ends before its root element does.
var errXMLCut = errors.New("the document ends before its root element does")

// next gives the next start or end; io.EOF after a whole document, errXMLCut before its end.
func (x *xmlScanner) next() (e xmlElement, err error) {
	if x.empty {
		x.empty = false
		e = xmlElement{Name: x.open[len(x.open)-1], End: true}
		x.close()
		return e, nil
	}
	for {
		if err := x.passText(); err != nil {
			return e, err
		}
		switch c, err := x.r.Peek(3); {
		case len(c) == 0:
			return e, x.cut(err)
		case c[0] == '?':
			err = x.passUntil("?>")
			if err != nil {
				return e, err
			}
		case bytes.Equal(c, []byte("!--")):
			if err := x.passUntil("-->"); err != nil {
				return e, err
			}
		case bytes.Equal(c, []byte("![C")):
			if err := x.passUntil("]]>"); err != nil {
				return e, err
			}
		case c[0] == '!':
			return e, &xmlSyntax{"it has a document type, which reports of tests have not"}
		default:
			return x.tag()
		}
	}
}

// passText reads up to and with the next "<".
func (x *xmlScanner) passText() error {
	for {
		_, err := x.r.ReadSlice('<')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return x.cut(err)
		}
		return nil
	}
}

// cut is the error for a stream that ended here.
func (x *xmlScanner) cut(err error) error {
	if errors.Is(err, io.EOF) {
		if len(x.open) == 0 && x.roots > 0 {
			return io.EOF
		}
		return errXMLCut
	}
	return err
}

// passUntil reads up to and with the bytes of mark, which ends with ">".
func (x *xmlScanner) passUntil(mark string) error {
	tail := ""
	for {
		part, err := x.r.ReadSlice('>')
		tail += string(part[max(0, len(part)-len(mark)):])
		tail = tail[max(0, len(tail)-len(mark)):]
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return errXMLCut
		case err != nil:
			return err
		case tail == mark:
			return nil
		}
	}
}

// tag reads the rest of a tag after its "<".
func (x *xmlScanner) tag() (e xmlElement, err error) {
	text, err := x.tagText()
	if err != nil {
		return e, err
	}
	if rest, ok := strings.CutPrefix(text, "/"); ok {
		name := localName(strings.TrimSpace(rest))
		if len(x.open) == 0 || x.open[len(x.open)-1] != name {
			return e, xmlFault("element %.60q ends where another one is open", name)
		}
		x.close()
		return xmlElement{Name: name, End: true}, nil
	}
	body, empty := strings.CutSuffix(text, "/")
	end := strings.IndexAny(body, " \t\r\n")
	if end < 0 {
		end = len(body)
	}
	e.Name = localName(body[:end])
	if e.Name == "" || len(e.Name) > maxXMLName {
		return e, xmlFault("a tag has no name, or one of more than %d bytes", maxXMLName)
	}
	if e.attrs, err = xmlAttributes(body[end:]); err != nil {
		return e, err
	}
	if len(x.open) >= maxXMLDepth {
		return e, xmlFault("elements are nested more than %d deep", maxXMLDepth)
	}
	x.open, x.empty = append(x.open, e.Name), empty
	return e, nil
}

func (x *xmlScanner) close() {
	x.open = x.open[:len(x.open)-1]
	if len(x.open) == 0 {
		x.roots++
	}
}

// tagText reads up to the ">" that ends a tag: one in a quoted value does not.
func (x *xmlScanner) tagText() (string, error) {
	x.buf = x.buf[:0]
	quote := byte(0)
	for {
		part, err := x.r.ReadSlice('>')
		switch {
		case errors.Is(err, io.EOF):
			return "", errXMLCut
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		case len(x.buf)+len(part) > maxXMLTag:
			return "", xmlFault("a tag is longer than %d bytes", maxXMLTag)
		}
		for _, c := range part {
			if quote == 0 && (c == '"' || c == '\'') {
				quote = c
			} else if c == quote {
				quote = 0
			}
		}
		x.buf = append(x.buf, part...)
		if err == nil && quote == 0 {
			return string(x.buf[:len(x.buf)-1]), nil
		}
	}
}

func localName(name string) string { return name[strings.IndexByte(name, ':')+1:] }

func xmlAttributes(s string) (attrs [][2]string, err error) {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return attrs, nil
		}
		name, rest, ok := strings.Cut(s, "=")
		rest = strings.TrimLeft(rest, " \t\r\n")
		if !ok || rest == "" || rest[0] != '"' && rest[0] != '\'' {
			return nil, xmlFault("a tag has an attribute without a quoted value: %.60q", s)
		}
		value, after, ok := strings.Cut(rest[1:], rest[:1])
		if !ok {
			return nil, xmlFault("a tag has an attribute without an end: %.60q", s)
		}
		if len(attrs) >= maxXMLAttrs {
			return nil, xmlFault("a tag has more than %d attributes", maxXMLAttrs)
		}
		text, err := xmlText(value)
		if err != nil {
			return nil, err
		}
		attrs = append(attrs, [2]string{localName(strings.TrimSpace(name)), text})
		s = after
	}
}

var xmlEntities = map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`, "apos": "'"}

// xmlText undoes the escapes of an attribute's value.
func xmlText(s string) (string, error) {
	if strings.IndexByte(s, '&') < 0 {
		return strings.ToValidUTF8(s, "\uFFFD"), nil
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "&")
		b.WriteString(before)
		if !found {
			return strings.ToValidUTF8(b.String(), "\uFFFD"), nil
		}
		name, after, ok := strings.Cut(rest, ";")
		if !ok || len(name) > 10 {
			return "", xmlFault("an entity has no end: %.20q", "&"+rest)
		}
		if digits, numeric := strings.CutPrefix(name, "#"); numeric {
			base := 10
			if hex, is := strings.CutPrefix(digits, "x"); is {
				digits, base = hex, 16
			}
			n, err := strconv.ParseUint(digits, base, 32)
			if err != nil {
				return "", xmlFault("&%s; is no character", name)
			}
			if n > utf8.MaxRune {
				n = utf8.RuneError
			}
			b.WriteRune(rune(n))
		} else if text, known := xmlEntities[name]; known {
			b.WriteString(text)
		} else {
			return "", xmlFault("&%s; is an entity that XML does not have", name)
		}
		s = after
	}
}
