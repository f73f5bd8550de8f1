package specfile

import (
	"fmt"
	"strings"
)

// maxFaults bounds a report: a binary file read as YAML has thousands of faults and no reader for them.
const maxFaults = 50

// Fault is one thing wrong with an experiment file or with what overrides it.
type Fault struct {
	File string `json:"file,omitempty"` // as the caller named it; empty when the place is a variable or a flag
	Line int    `json:"line,omitempty"` // from 1; 0 when the fault has no line (a missing key)
	Col  int    `json:"col,omitempty"`
	// Place names what is at fault outside of the file: EVLAB_SANDBOX or --sandbox.
	Place string `json:"place,omitempty"`
	Key   string `json:"key,omitempty"` // "conditions[1].kind"
	Msg   string `json:"message"`
}

// Error is file:line:col: key: message, with what is known of it.
func (f Fault) Error() string {
	var b strings.Builder
	switch {
	case f.Place != "":
		b.WriteString(f.Place + ": ")
	case f.Line > 0 && f.Col > 0:
		fmt.Fprintf(&b, "%s:%d:%d: ", f.File, f.Line, f.Col)
	case f.Line > 0:
		fmt.Fprintf(&b, "%s:%d: ", f.File, f.Line)
	case f.File != "":
		b.WriteString(f.File + ": ")
	}
	if f.Key != "" && !strings.HasPrefix(f.Place, "--") { // a flag says its key itself
		b.WriteString(f.Key + ": ")
	}
	b.WriteString(f.Msg)
	return b.String()
}

// Faults is everything found wrong in one reading, in file order. It is the error type of Read.
type Faults []Fault

// Error is one line per fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].Error()
	}
	return strings.Join(lines, "\n")
}

// collector gathers faults up to maxFaults and counts the rest.
type collector struct {
	file   string
	faults Faults
	beyond int
}

func (c *collector) add(f Fault) {
	if f.Place == "" && f.File == "" {
		f.File = c.file
	}
	if len(c.faults) >= maxFaults {
		c.beyond++
		return
	}
	c.faults = append(c.faults, f)
}

func (c *collector) at(line, col int, key, format string, args ...any) {
	c.add(Fault{Line: line, Col: col, Key: key, Msg: fmt.Sprintf(format, args...)})
}

// err is nil when nothing was found.
func (c *collector) err() error {
	if len(c.faults) == 0 {
		return nil
	}
	f := c.faults
	if c.beyond > 0 {
		f = append(f, Fault{File: c.file, Msg: fmt.Sprintf("and %d more faults", c.beyond)})
	}
	return f
}
