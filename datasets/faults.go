package datasets

import (
	"bytes"
	"errors"
	"fmt"
)

// maxFaults bounds what one call reports; a file of another kind has a fault in every line.
const maxFaults = 100

// Fault is one thing that is wrong with a file: where, and what.
type Fault struct {
	Place  string `json:"place"` // file, file:line or file:line:column
	Reason string `json:"reason"`
	err    error
}

func (f *Fault) Error() string { return f.Place + ": " + f.Reason }
func (f *Fault) Unwrap() error { return f.err }

// faults collects what is wrong, each with its place.
type faults struct {
	errs []error
	more int
}

// add notes a fault at a place such as file:line.
func (f *faults) add(place, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	f.join(&Fault{Place: place, Reason: err.Error(), err: err})
}

// join notes errors that name their places themselves.
func (f *faults) join(err error) {
	switch {
	case err == nil:
	case len(f.errs) < maxFaults:
		f.errs = append(f.errs, err)
	default:
		f.more++
	}
}

// noRows puts one fault in the place of one for each line, where none of several has a row: it is a file of another kind.
// What holds rows is lines, or the entries of a list or map; expected says what is.
func (f *faults) noRows(lines, rows int, what, expected string) {
	if rows > 0 || lines < 2 || len(f.errs) == 0 {
		return
	}
	var first Fault
	if fault := (*Fault)(nil); !errors.As(f.errs[0], &fault) {
		return
	} else {
		first = *fault
	}
	first.Reason += fmt.Sprintf("; nor is any other of its %d %s a row: expected %s", lines, what, expected)
	f.errs, f.more = []error{&first}, 0
}

func (f *faults) err() error {
	if f.more > 0 {
		return errors.Join(append(f.errs, fmt.Errorf("and %d more faults", f.more))...)
	}
	return errors.Join(f.errs...)
}

// place is name:line:column of a byte offset, both from 1.
func place(name string, data []byte, offset int) string {
	before := data[:min(max(offset, 0), len(data))]
	return fmt.Sprintf("%s:%d:%d", name, bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n'))
}
