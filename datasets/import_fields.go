package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"evlab/tabular"
)

// Bounds of one row.
const (
	maxPatchField = 16 << 20
	maxListField  = 200_000 // names in one list
	maxTextField  = 4 << 20
)

// fields reads the fields of one row and gathers what is wrong with them.
type fields struct {
	object
	errs []error
}

func (f *fields) fault(format string, args ...any) {
	f.errs = append(f.errs, fmt.Errorf(format, args...))
}

// fieldError is what is wrong with one field. What the task lacks by that is not told again.
type fieldError struct {
	key string
	err error
}

func (e *fieldError) Error() string { return e.err.Error() }
func (e *fieldError) Unwrap() error { return e.err }

// bad notes what is wrong with a field; format begins with what follows "field KEY".
func (f *fields) bad(key, format string, args ...any) {
	f.errs = append(f.errs, &fieldError{key, fmt.Errorf("field %s"+format, append([]any{key}, args...)...)})
}

func (f *fields) missing(key string) { f.bad(key, " is missing") }

// has reports whether a field is there and no null.
func (f *fields) has(key string) bool {
	raw, there := f.object[key]
	return there && string(raw) != "null"
}

// optional is a text, "" when it is not there or null.
func (f *fields) optional(key string) string {
	if !f.has(key) {
		return ""
	}
	s, _, err := f.object.text(key)
	if err != nil {
		f.errs = append(f.errs, &fieldError{key, err})
	}
	if len(s) > maxTextField {
		f.bad(key, " has %d bytes; at most %d are taken", len(s), maxTextField)
		return ""
	}
	return s
}

// required is a text that must be there.
func (f *fields) required(key string) string {
	if !f.has(key) {
		f.missing(key)
		return ""
	}
	return f.optional(key)
}

// scalar is a text or a number as text: ids and dates are either, depending on who wrote the file.
func (f *fields) scalar(key string) string {
	raw := f.object[key]
	if len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') && len(raw) < 40 {
		return string(raw)
	}
	return f.optional(key)
}

// patch is a diff byte for byte; an absent or null one is empty.
func (f *fields) patch(key string) []byte {
	if !f.has(key) {
		return nil
	}
	b, err := unquote(f.object[key], true)
	switch {
	case err != nil:
		f.fault("field %s: %w", key, err)
		return nil
	case len(b) > maxPatchField:
		f.fault("field %s has %d bytes; at most %d are taken", key, len(b), maxPatchField)
		return nil
	case bytes.IndexByte(b, 0) >= 0:
		f.fault("field %s has a NUL byte, which no diff has", key)
		return nil
	}
	return b
}

// list is a list of texts: a JSON list, one in a string, or, as some datasets write them, a Python list in a string. An
// absent or null one is empty.
func (f *fields) list(key string) []string {
	if !f.has(key) {
		return nil
	}
	list, err := textList(f.object[key])
	if err != nil {
		f.bad(key, ": %w", err)
		return nil
	}
	if len(list) > maxListField {
		f.bad(key, " has %d elements; at most %d are taken", len(list), maxListField)
		return nil
	}
	return list
}

// shell is a list of shell lines, or one in a string.
func (f *fields) shell(key string) []string {
	if !f.has(key) {
		return nil
	}
	if raw := f.object[key]; raw[0] == '"' {
		if s := f.optional(key); !strings.HasPrefix(strings.TrimSpace(s), "[") {
			return nonEmpty(s)
		}
	}
	return f.list(key)
}

func nonEmpty(s string) []string {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return []string{s}
}

// testList is a list of test names, each once.
func (f *fields) testList(key string) []string {
	list := f.list(key)
	names := make([]string, 0, len(list))
	seen := map[string]bool{}
	for i, name := range list {
		if err := checkTestName(name); err != nil {
			f.bad(key, ": element %d: %w", i, err)
			return nil
		}
		if !seen[name] {
			names = append(names, name)
			seen[name] = true
		}
	}
	return names
}

// unwrapped is the JSON of a field that is there, taken out of the string that it may be in.
func (f *fields) unwrapped(key string) (raw json.RawMessage, ok bool) {
	if !f.has(key) {
		return nil, false
	}
	raw = f.object[key]
	if raw[0] != '"' {
		return raw, true
	}
	inner, err := unquote(raw, false)
	if err != nil {
		f.fault("field %s: %w", key, err)
		return nil, false
	}
	return inner, true
}

// nested is an object in a field, nil when it is not there. An object in a string is read, too.
func (f *fields) nested(key string) *fields {
	raw, ok := f.unwrapped(key)
	if !ok {
		return nil
	}
	o, err := parseObject(raw)
	if err != nil {
		f.fault("field %s: %w", key, err)
		return nil
	}
	return &fields{object: o}
}

// adopt takes over the faults of a nested object.
func (f *fields) adopt(key string, inner *fields) {
	for _, err := range inner.errs {
		f.fault("%s: %w", key, err)
	}
}

// textList reads a list of texts in any of its three spellings.
func textList(raw json.RawMessage) ([]string, error) {
	if len(raw) > 0 && raw[0] == '"' {
		inner, err := unquote(raw, false)
		if err != nil {
			return nil, err
		}
		text := bytes.TrimSpace(inner)
		if len(text) == 0 {
			return nil, nil
		}
		if !json.Valid(text) {
			return pythonList(string(text))
		}
		raw = text
	}
	if len(raw) == 0 || raw[0] != '[' {
		return nil, fmt.Errorf("expected a list, found %s", shown(raw))
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, fmt.Errorf("reading the list: %w", err)
	}
	list := make([]string, len(items))
	for i, item := range items {
		b, err := unquote(item, false)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		list[i] = string(b)
	}
	return list, nil
}

// rowObject is a row of a table as a JSON object: that of a JSONL file as it stands, else made of its cells.
func rowObject(t *tabular.Table, row *tabular.Row) (object, error) {
	if raw := row.Raw(); raw != "" {
		return parseObject([]byte(raw))
	}
	o := object{}
	for i, column := range t.Columns() {
		v := row.At(i)
		if v.Missing() {
			continue
		}
		if v.Kind() == tabular.Text || v.Kind() == tabular.Untyped {
			text, err := v.Text()
			if err != nil {
				return nil, fmt.Errorf("field %.60q: %w", column, err)
			}
			if at := invalidUTF8([]byte(text)); at >= 0 {
				return nil, fmt.Errorf("field %.60q: byte %#x at %d is not UTF-8", column, text[at], at)
			}
			if o[column], err = json.Marshal(text); err != nil {
				return nil, fmt.Errorf("field %.60q: %w", column, err)
			}
			continue
		}
		raw, err := v.JSON()
		if err != nil {
			return nil, fmt.Errorf("field %.60q: %w", column, err)
		}
		o[column] = raw
	}
	return o, nil
}

// elements are the elements of a list of anything.
func (f *fields) elements(key string) []json.RawMessage {
	raw, ok := f.unwrapped(key)
	if !ok {
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		f.fault("field %s: expected a list, found %s", key, shown(raw))
	}
	return items
}

// objectKeys are the keys of an object, or of one in a text, in their order.
func objectKeys(raw json.RawMessage) (keys []string, err error) {
	if len(raw) > 0 && raw[0] == '"' {
		if raw, err = unquote(raw, false); err != nil {
			return nil, err
		}
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil, fmt.Errorf("expected an object, found %s", shown(raw))
	}
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		key, ok := token.(string)
		if err != nil || !ok {
			return nil, errors.New("expected a key")
		}
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return nil, err
		}
		if !seen[key] {
			keys = append(keys, key)
			seen[key] = true
		}
		if len(keys) > maxListField {
			return nil, fmt.Errorf("it has more than %d names", maxListField)
		}
	}
	if _, err := dec.Token(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return keys, nil
}
