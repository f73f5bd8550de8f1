package tabular

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is what a cell holds.
type Kind uint8

// Kinds of cells.
const (
	Absent  Kind = iota // JSONL: the row has no such field
	Null                // JSON null, Parquet null
	Untyped             // a CSV cell, which may be read as text, number, truth value or JSON
	Text
	Number
	Bool
	Nested // a list or an object
)

func (k Kind) String() string {
	return [...]string{"nothing", "null", "a cell", "text", "a number", "a truth value", "a list or an object"}[k]
}

// Value is one cell. It stays valid after the next row is read; holding on to it holds on to its row.
type Value struct {
	kind   Kind
	quoted bool   // raw is a JSON literal with escapes
	raw    string // text, the number as it is written, true or false, or JSON
}

// Kind is what the cell holds.
func (v Value) Kind() Kind { return v.kind }

// Missing reports whether there is nothing in the cell: no such field, null, or an empty CSV cell.
func (v Value) Missing() bool { return v.kind <= Null || v.kind == Untyped && v.raw == "" }

// Text is the cell's text. An empty CSV cell is an empty text; a JSON or Parquet null is an error like any other kind.
func (v Value) Text() (string, error) {
	switch {
	case v.kind == Untyped, v.kind == Text && !v.quoted:
		return v.raw, nil
	case v.kind == Text:
		return Unquote(v.raw)
	}
	return "", v.expected("text")
}

// Number is the cell's finite number.
func (v Value) Number() (float64, error) {
	if v.kind != Number && v.kind != Untyped {
		return 0, v.expected("a number")
	}
	switch v.raw {
	case "0":
		return 0, nil
	case "1":
		return 1, nil
	}
	x, err := strconv.ParseFloat(v.raw, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("the number %s is out of range", v)
	case err != nil:
		return 0, v.expected("a number")
	case math.IsNaN(x) || math.IsInf(x, 0):
		return 0, fmt.Errorf("expected a finite number, found %s", v)
	}
	return x, nil
}

// Int is the cell's whole number.
func (v Value) Int() (int64, error) {
	if v.kind != Number && v.kind != Untyped {
		return 0, v.expected("a whole number")
	}
	if n, err := strconv.ParseInt(v.raw, 10, 64); err == nil {
		return n, nil
	}
	x, err := strconv.ParseFloat(v.raw, 64) // 1.0 and 1e3 are whole too
	if err != nil || x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return 0, v.expected("a whole number")
	}
	return int64(x), nil
}

// Bool is the cell's truth value: true or false, in CSV in any case of letters.
func (v Value) Bool() (bool, error) {
	switch {
	case v.kind == Bool:
		return v.raw == "true", nil
	case v.kind == Untyped && strings.EqualFold(v.raw, "true"):
		return true, nil
	case v.kind == Untyped && strings.EqualFold(v.raw, "false"):
		return false, nil
	}
	return false, v.expected("true or false")
}

// Texts is the cell's list of texts: a JSON or Parquet list, or, since tables without lists keep them so, a text or CSV cell
// that holds a JSON list.
func (v Value) Texts() ([]string, error) {
	raw, err := v.JSON()
	if err != nil {
		return nil, v.expected("a list of texts")
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || items == nil {
		return nil, v.expected("a list of texts")
	}
	out := make([]string, len(items))
	for i, item := range items {
		if len(item) == 0 || item[0] != '"' {
			return nil, fmt.Errorf("expected a list of texts, item %d is %s", i+1, shown(string(item)))
		}
		if out[i], err = Unquote(string(item)); err != nil {
			return nil, fmt.Errorf("item %d: %w", i+1, err)
		}
	}
	return out, nil
}

// JSON is the cell as JSON. An untyped cell, and a text, have to hold JSON themselves.
func (v Value) JSON() (json.RawMessage, error) {
	switch v.kind {
	case Null:
		return json.RawMessage("null"), nil
	case Number, Bool, Nested:
		return json.RawMessage(v.raw), nil
	case Untyped, Text:
		text, err := v.Text()
		if err != nil {
			return nil, err
		}
		if json.Valid([]byte(text)) {
			return json.RawMessage(text), nil
		}
	}
	return nil, v.expected("JSON")
}

// Literal is the cell as it stands in a JSONL file, escapes included, for readers with rules of their own; elsewhere it is
// the text itself.
func (v Value) Literal() string { return v.raw }

// String is the cell as a message may quote it: its start.
func (v Value) String() string {
	switch v.kind {
	case Absent, Null:
		return v.kind.String()
	case Nested:
		if strings.HasPrefix(v.raw, "[") {
			return "a list"
		}
		return "an object"
	case Text:
		if v.quoted {
			return shown(v.raw)
		}
		return shown(strconv.Quote(v.raw[:min(len(v.raw), 60)]))
	case Untyped:
		if v.raw == "" {
			return "an empty cell"
		}
		return shown(strconv.Quote(v.raw[:min(len(v.raw), 60)]))
	}
	return shown(v.raw)
}

func (v Value) expected(what string) error { return fmt.Errorf("expected %s, found %s", what, v) }

// shown is the start of a text as a message may quote it.
func shown(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}
