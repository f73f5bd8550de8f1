package organizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxFaults bounds what one file can make us report.
const maxFaults = 100

// value is one JSON value with where it stands: its offset in the file, and its path in words.
type value struct {
	raw    json.RawMessage
	offset int
	place  string
}

// reading reads a document strictly and goes on after a fault, so that an author sees every fault of a file at once.
// The standard decoder stops at the first, takes the last of two equal keys and ignores the case of keys.
type reading struct {
	name string
	data []byte
	errs []error
}

func (r *reading) fault(v value, format string, args ...any) {
	if len(r.errs) == maxFaults {
		r.errs = append(r.errs, fmt.Errorf("%s: further faults are not listed", r.name))
	}
	if len(r.errs) > maxFaults {
		return
	}
	place := ""
	if v.place != "" {
		place = v.place + ": "
	}
	r.errs = append(r.errs, fmt.Errorf("%s: %s%s", r.position(v.offset), place, fmt.Sprintf(format, args...)))
}

// position is file:line:column of a byte offset, both counted from 1.
func (r *reading) position(offset int) string {
	before := r.data[:min(max(offset, 0), len(r.data))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", r.name, line, column)
}

// document checks size, encoding and syntax; ok is false when there is nothing to read on.
func (r *reading) document(limit int) (v value, ok bool) {
	if len(r.data) > limit {
		r.errs = append(r.errs, fmt.Errorf("%s: it has %d bytes; at most %d are read", r.name, len(r.data), limit))
		return v, false
	}
	if !utf8.Valid(r.data) {
		at := 0
		for at < len(r.data) {
			c, size := utf8.DecodeRune(r.data[at:])
			if c == utf8.RuneError && size == 1 {
				break
			}
			at += size
		}
		r.fault(value{offset: at}, "byte %#x is not UTF-8", r.data[at])
		return v, false
	}
	var any json.RawMessage
	if err := json.Unmarshal(r.data, &any); err != nil {
		at := len(r.data)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = int(syntax.Offset) - 1 // Offset counts the byte that was wrong
		}
		r.fault(value{offset: at}, "reading JSON: %v", err)
		return v, false
	}
	trimmed := bytes.TrimLeft(r.data, " \t\r\n")
	return value{raw: bytes.TrimRight(trimmed, " \t\r\n"), offset: len(r.data) - len(trimmed)}, true
}

// object hands each field to its reader. Unknown and repeated fields are faults, and so is a value of another kind.
// It returns which fields were there.
func (r *reading) object(v value, fields map[string]func(value), order ...string) map[string]bool {
	seen := make(map[string]bool, len(fields))
	dec, ok := r.open(v, '{', "an object")
	for ok && dec.More() {
		token, err := dec.Token()
		key, isKey := token.(string)
		if err != nil || !isKey {
			return seen // not reachable after document's syntax check
		}
		field, ok := r.next(dec, v)
		if !ok {
			return seen
		}
		field.place = join(v.place, key)
		read, known := fields[key]
		switch {
		case !known:
			field.place = v.place
			r.fault(field, "unknown field %.60q; expected %s", key, strings.Join(order, ", "))
		case seen[key]:
			r.fault(field, "the field is given twice")
		default:
			read(field)
		}
		seen[key] = true
	}
	return seen
}

// list hands each element to each.
func (r *reading) list(v value, each func(value)) {
	dec, ok := r.open(v, '[', "a list")
	for i := 0; ok && dec.More(); i++ {
		element, ok := r.next(dec, v)
		if !ok {
			return
		}
		element.place = fmt.Sprintf("%s[%d]", v.place, i)
		each(element)
	}
}

// open enters v, which must start with delim.
func (r *reading) open(v value, delim byte, expected string) (*json.Decoder, bool) {
	if v.raw[0] != delim {
		r.fault(v, "expected %s, found %s", expected, shown(v.raw))
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(v.raw))
	_, err := dec.Token()
	return dec, err == nil
}

func (r *reading) next(dec *json.Decoder, parent value) (value, bool) {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return value{}, false
	}
	return value{raw: raw, offset: parent.offset + int(dec.InputOffset()) - len(raw)}, true
}

// text reads a string.
func (r *reading) text(v value) (s string) {
	if v.raw[0] != '"' || json.Unmarshal(v.raw, &s) != nil {
		r.fault(v, "expected a string, found %s", shown(v.raw))
	}
	return s
}

// id reads a string that must not be empty or blank.
func (r *reading) id(v value) string {
	before := len(r.errs)
	s := r.text(v)
	if len(r.errs) == before && strings.TrimSpace(s) == "" {
		r.fault(v, "expected an id, found an empty string")
	}
	return s
}

// whole reads a whole number.
func (r *reading) whole(v value) int {
	n, err := strconv.Atoi(string(v.raw))
	if err != nil {
		r.fault(v, "expected a whole number, found %s", shown(v.raw))
	}
	return n
}

// number reads a finite number; ok is false after a fault.
func (r *reading) number(v value) (n float64, ok bool) {
	if c := v.raw[0]; c != '-' && (c < '0' || c > '9') {
		r.fault(v, "expected a number, found %s", shown(v.raw))
		return 0, false
	}
	n, err := strconv.ParseFloat(string(v.raw), 64)
	if err != nil {
		r.fault(v, "expected a finite number, found %s", shown(v.raw))
		return 0, false
	}
	return n, true
}

func join(place, key string) string {
	if place == "" {
		return key
	}
	return place + "." + key
}

// shown is a value as a message may quote it: its start.
func shown(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return strings.ToValidUTF8(string(raw[:most]), "") + "..."
	}
	return string(raw)
}
