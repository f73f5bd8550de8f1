package datasets

import (
	"bytes"
	"errors"
	"fmt"
)

// maxFaults bounds what one call reports; a file of another kind has a fault in every line.
const maxFaults = 100

// faults collects what is wrong, each with its place.
type faults struct {
	errs []error
	more int
}

// add notes a fault at a place such as file:line.
func (f *faults) add(place, format string, args ...any) {
	f.join(fmt.Errorf("%s: %w", place, fmt.Errorf(format, args...)))
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
