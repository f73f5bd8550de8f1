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

// Fault is one thing that is wrong with a file of certificates.
type Fault struct {
	File        string
	Row, Column int    // both from 1; 0 when the file as a whole is at fault
	Place       string // the field, as groups[0].acceptable_ids[1]; empty for the document itself
	Reason      string
}

func (f *Fault) Error() string {
	at := f.File
	if f.Row > 0 {
		at = fmt.Sprintf("%s:%d:%d", f.File, f.Row, f.Column)
	}
	if f.Place != "" {
		at += ": " + f.Place
	}
	return at + ": " + f.Reason
}

// reading reads a document strictly and goes on after a fault, so that an author sees every fault of a file at once.
// The standard decoder stops at the first, takes the last of two equal keys and ignores the case of keys.
type reading struct {
	name string
	row  int // of the document's first line in its file, from 1
	data []byte
	errs []error
}

func (r *reading) fault(v value, format string, args ...any) {
	if len(r.errs) == maxFaults {
		r.errs = append(r.errs, &Fault{File: r.name, Reason: "further faults are not listed"})
	}
	if len(r.errs) > maxFaults {
		return
	}
	before := r.data[:min(max(v.offset, 0), len(r.data))]
	r.errs = append(r.errs, &Fault{
		File: r.name, Row: r.row + bytes.Count(before, []byte("\n")), Column: len(before) - bytes.LastIndexByte(before, '\n'),
		Place: v.place, Reason: fmt.Sprintf(format, args...),
	})
}

// document checks size, encoding and syntax; ok is false when there is nothing to read on.
func (r *reading) document(limit int) (v value, ok bool) {
	if len(r.data) > limit {
		fault := &Fault{File: r.name, Reason: fmt.Sprintf("it has %d bytes; at most %d are read", len(r.data), limit)}
		if r.row > 1 {
			fault.Row, fault.Column = r.row, 1
		}
		r.errs = append(r.errs, fault)
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

// truth reads true or false.
func (r *reading) truth(v value) bool {
	s := string(v.raw)
	if s != "true" && s != "false" {
		r.fault(v, "expected true or false, found %s", shown(v.raw))
	}
	return s == "true"
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
