package testlog

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"strings"
)

// goEvent is one line of `go test -json`. Its slices are valid until the next line is read.
type goEvent struct {
	Action, Package, Test []byte
	ImportPath            []byte // build events
	FailedBuild           []byte
	Output                []byte
	marked                bool // Output has the control character that the testing package marks its own lines with
}

// parseGoEvent reads one line. A line that is not an event of the shape that the go command writes (an object of strings
// and numbers, each field once) is left to encoding/json, so that both read everything alike; this way is ten times as
// fast, and a report is mostly output.
func parseGoEvent(line []byte, e *goEvent) bool {
	*e = goEvent{}
	if fastGoEvent(line, e) {
		return true
	}
	return slowGoEvent(line, e)
}

// slowGoEvent reads an event with encoding/json.
func slowGoEvent(line []byte, e *goEvent) bool {
	var s struct{ Action, Package, ImportPath, Test, Output, FailedBuild string }
	if json.Unmarshal(line, &s) != nil {
		return false
	}
	*e = goEvent{
		Action: []byte(s.Action), Package: []byte(s.Package), ImportPath: []byte(s.ImportPath), Test: []byte(s.Test),
		Output: []byte(s.Output), FailedBuild: []byte(s.FailedBuild),
	}
	e.marked = bytes.IndexByte(e.Output, goMark) >= 0
	return true
}

// goMark is the control character by which the testing package marks its own lines: the go command takes it away wherever
// it stands for one.
const goMark = 0x16

// fastGoEvent reads an event whose names need no decoding.
func fastGoEvent(b []byte, e *goEvent) bool {
	if len(b) < 2 || b[0] != '{' || b[len(b)-1] != '}' {
		return false
	}
	var seen uint
	for i := 1; ; {
		key, plain, next := scanString(b, i)
		if next < 0 || !plain || next >= len(b) || b[next] != ':' {
			return false
		}
		i = next + 1
		var to *[]byte
		bit := uint(0)
		switch string(key) {
		case "Time":
			bit = 0
		case "Elapsed":
			bit = 1
		case "Action":
			bit, to = 2, &e.Action
		case "Package":
			bit, to = 3, &e.Package
		case "Test":
			bit, to = 4, &e.Test
		case "ImportPath":
			bit, to = 5, &e.ImportPath
		case "FailedBuild":
			bit, to = 6, &e.FailedBuild
		case "Output":
			bit, to = 7, &e.Output
		default:
			return false
		}
		if seen&(1<<bit) != 0 {
			return false
		}
		seen |= 1 << bit
		if b[i] != '"' { // only a number; the last byte is a brace, so b[i] is there
			if to != nil {
				return false
			}
			if i = scanNumber(b, i); i < 0 {
				return false
			}
		} else {
			value, plain, next := scanString(b, i)
			if next < 0 || !plain && (to != &e.Output || !decodeOutput(&value, b[i:next], e)) {
				return false
			}
			if to != nil {
				*to = value
			}
			i = next
		}
		switch {
		case i >= len(b):
			return false
		case b[i] == '}':
			return i == len(b)-1
		case b[i] != ',':
			return false
		}
		i++
	}
}

// decodeOutput makes the text of an output field whose string has escapes or more than ASCII. Only the output of packages
// and builds is read as text; of all other output it matters whether the mark is in it.
func decodeOutput(value *[]byte, quoted []byte, e *goEvent) bool {
	if bytes.Contains(quoted, []byte(`\u0016`)) {
		return false // or it looks like the mark: encoding/json tells
	}
	if len(e.Test) > 0 && string(e.Action) == "output" {
		return true // nobody reads it
	}
	if n := len(quoted) - 2; n >= 2 && bytes.IndexByte(quoted, '\\') == n-1 && quoted[n] == 'n' && isASCII(quoted) {
		*value = append(append(make([]byte, 0, n), quoted[1:n-1]...), '\n')
		return true // a plain line with its end
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return false
	}
	*value = []byte(s)
	return true
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// special finds the first byte of b, eight at a time, that ends a JSON string, is not ASCII, or may not be there as it is: a
// quote, a backslash, a control character, a byte from 0x80 on. It is the length of b when there is none.
func special(b []byte) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		// A byte's top bit is set where the byte is zero, or below 0x20: exactly so for the lowest one, which is the one used.
		if hit := (x | (quote-ones)&^quote | (slash-ones)&^slash | (x-ones*0x20)&^x) & tops; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x80 {
			break
		}
	}
	return i
}

// scanString finds the string that starts with the quote at i: its raw content, whether that is plain ASCII without
// escapes, and the index after it, -1 when it is no JSON string.
func scanString(b []byte, i int) (content []byte, plain bool, next int) {
	if i >= len(b) || b[i] != '"' {
		return nil, false, -1
	}
	start := i + 1
	plain = true
	for i = start; ; {
		i += special(b[i:])
		switch {
		case i >= len(b):
			return nil, false, -1
		case b[i] == '"':
			return b[start:i], plain, i + 1
		case b[i] >= 0x80:
			i++
		case b[i] == '\\':
			n := escapeLength(b[i:])
			if n == 0 {
				return nil, false, -1
			}
			i += n
		default:
			return nil, false, -1
		}
		plain = false
	}
}

// escapeLength is the length of the escape that b starts with, 0 when JSON has no such one.
func escapeLength(b []byte) int {
	switch {
	case len(b) < 2:
	case strings.IndexByte(`"\/bfnrt`, b[1]) >= 0:
		return 2
	case b[1] == 'u' && len(b) >= 6:
		for _, c := range b[2:6] {
			if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
				return 0
			}
		}
		return 6
	}
	return 0
}

// scanNumber is the index after a number as the go command writes durations, -1 when there is none or one of another shape.
func scanNumber(b []byte, i int) int {
	start := i
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i == start || b[start] == '0' && i > start+1 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		i++
		for digits := i; ; i++ {
			if i >= len(b) || b[i] < '0' || b[i] > '9' {
				if i == digits {
					return -1
				}
				break
			}
		}
	}
	return i
}
