package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// decode reads one JSON document strictly into v, a pointer to a struct. Unknown, repeated and wrongly typed fields
// and nulls are faults, all reported with line and column; encoding/json alone would stop at the first, take the last
// of two equal keys and ignore their case.
func decode(name string, data []byte, v any, f *faults) bool {
	if at := invalidUTF8(data); at >= 0 {
		f.add(place(name, data, at), "byte %#x is not UTF-8", data[at])
		return false
	}
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		at := len(data)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = int(syntax.Offset) - 1
		}
		f.add(place(name, data, at), "reading JSON: %v", err)
		return false
	}
	s := shape{name: name, data: data, dec: json.NewDecoder(bytes.NewReader(data)), faults: f}
	s.dec.UseNumber()
	before := len(f.errs) + f.more
	s.value(reflect.TypeOf(v).Elem(), "")
	if len(f.errs)+f.more > before {
		return false
	}
	if err := json.Unmarshal(data, v); err != nil {
		f.add(name, "reading JSON: %v", err)
		return false
	}
	return true
}

// shape walks over a document and a type together.
type shape struct {
	name   string
	data   []byte
	dec    *json.Decoder
	faults *faults
}

func (s *shape) fault(field, format string, args ...any) {
	if field != "" {
		format = strings.ReplaceAll(field, "%", "%%") + ": " + format
	}
	s.faults.add(place(s.name, s.data, int(s.dec.InputOffset())-1), format, args...)
}

// value reads the next value; the document's syntax is known to be right.
func (s *shape) value(t reflect.Type, field string) {
	token, err := s.dec.Token()
	if err != nil {
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	want := ""
	ok := false
	switch t.Kind() {
	case reflect.String:
		want = "a string"
		_, ok = token.(string)
	case reflect.Bool:
		want = "true or false"
		_, ok = token.(bool)
	case reflect.Slice:
		want = "a list"
		ok = token == json.Delim('[')
	case reflect.Struct:
		want = "an object"
		ok = token == json.Delim('{')
	default:
		want = "nothing of this kind"
	}
	if !ok {
		s.fault(field, "expected %s, found %s", want, kind(token))
		s.skip(token)
		return
	}
	switch token {
	case json.Delim('['):
		for i := 0; s.dec.More(); i++ {
			s.value(t.Elem(), fmt.Sprintf("%s[%d]", field, i))
		}
		s.end()
	case json.Delim('{'):
		s.object(t, field)
		s.end()
	}
}

func (s *shape) object(t reflect.Type, field string) {
	fields := map[string]reflect.Type{}
	var names []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields[name] = t.Field(i).Type
		names = append(names, name)
	}
	seen := map[string]bool{}
	for s.dec.More() {
		token, err := s.dec.Token()
		key, isKey := token.(string)
		if err != nil || !isKey {
			return
		}
		inner := strings.TrimPrefix(field+"."+key, ".")
		ft, known := fields[key]
		switch {
		case !known:
			s.fault(field, "unknown field %.60q; expected %s", key, strings.Join(names, ", "))
		case seen[key]:
			s.fault(inner, "the field is given twice")
		}
		if !known {
			if token, err := s.dec.Token(); err == nil {
				s.skip(token)
			}
			continue
		}
		seen[key] = true
		s.value(ft, inner)
	}
}

// skip passes over the rest of a value whose first token was read.
func (s *shape) skip(token json.Token) {
	if token != json.Delim('[') && token != json.Delim('{') {
		return
	}
	for depth := 1; depth > 0; {
		token, err := s.dec.Token()
		if err != nil {
			return
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
}

// end reads the closing bracket; More was false, so it is next.
func (s *shape) end() {
	if _, err := s.dec.Token(); err != nil {
		s.fault("", "reading JSON: %v", err)
	}
}

func kind(token json.Token) string {
	switch v := token.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("the string %.40q", v)
	case json.Number:
		return fmt.Sprintf("the number %.40s", v)
	case bool:
		return fmt.Sprint(v)
	case json.Delim:
		if v == '[' {
			return "a list"
		}
	}
	return "an object"
}

// invalidUTF8 is the offset of the first byte that is not part of valid UTF-8, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
