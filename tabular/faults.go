package tabular

import (
	"errors"
	"fmt"
)

// MaxFaults bounds the faults that a collection keeps; a file of another kind has one in every row. The rest is counted.
const MaxFaults = 100

// Fault is one thing that is wrong with a file of a user's.
type Fault struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"` // where the row begins, from 1; 0 where a format has no lines
	Row    int    `json:"row,omitempty"`  // data row, from 1; 0 when it is about the file
	Column string `json:"column,omitempty"`
	Reason string `json:"reason"`
	err    error
}

// Error is "file:line: column: reason", or "file: row n: column: reason" where a format has no lines.
func (f *Fault) Error() string {
	place := f.File
	switch {
	case f.Line > 0:
		place = fmt.Sprintf("%s:%d", f.File, f.Line)
	case f.Row > 0:
		place = fmt.Sprintf("%s: row %d", f.File, f.Row)
	}
	if f.Column != "" {
		place += ": " + f.Column
	}
	return place + ": " + f.Reason
}

func (f *Fault) Unwrap() error { return f.err }

// Faults collects faults, in order, up to MaxFaults. The zero value is ready.
type Faults struct {
	list []error
	more int
}

// Add notes a fault (or any error); nil is nothing.
func (f *Faults) Add(err error) {
	switch {
	case err == nil:
	case len(f.list) < MaxFaults:
		f.list = append(f.list, err)
	default:
		f.more++
	}
}

// Addf notes a fault of a file as a whole.
func (f *Faults) Addf(file, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	f.Add(&Fault{File: file, Reason: err.Error(), err: err})
}

// Len is the number of faults noted, those beyond MaxFaults included.
func (f *Faults) Len() int { return len(f.list) + f.more }

// All are the faults kept, with a last one that counts the rest.
func (f *Faults) All() []error {
	if f.more == 0 {
		return f.list
	}
	return append(f.list[:len(f.list):len(f.list)], fmt.Errorf("and %d more", f.more))
}

// Err joins the faults; nil when there are none.
func (f *Faults) Err() error { return errors.Join(f.All()...) }
