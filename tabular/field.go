package tabular

import (
	"errors"
	"fmt"
	"strings"
)

// Field is a column under the names that it may have, the usual one first.
type Field []string

// In is the field's cell in a row, with the name that it has there. The field under two names at once is an error.
func (f Field) In(row *Row) (v Value, name string, err error) {
	name = f[0]
	for _, n := range f {
		found := row.Get(n)
		if found.Kind() == Absent {
			continue
		}
		if v.Kind() != Absent {
			return v, name, fmt.Errorf("%s is given too, for the same thing", n)
		}
		v, name = found, n
	}
	return v, name, nil
}

// Text is a text that has to be there and must not be blank; else a fault is noted and ok is false. It does not hold on to
// its row.
func (f Field) Text(row *Row, faults *Faults) (s string, ok bool) {
	v, name, err := f.In(row)
	switch {
	case err != nil:
	case v.Missing():
		err = fmt.Errorf("there is none: expected a text in column %s", strings.Join(f, " or "))
	default:
		if s, err = v.Text(); err == nil && strings.TrimSpace(s) == "" {
			err = errors.New("it is blank")
		}
	}
	if err != nil {
		faults.Add(row.Fault(name, err))
		return "", false
	}
	return strings.Clone(s), true
}

// OptionalText is a text that may be absent, null or empty, and is empty then.
func (f Field) OptionalText(row *Row, faults *Faults) (s string, ok bool) {
	v, name, err := f.In(row)
	if err == nil && !v.Missing() {
		s, err = v.Text()
	}
	if err != nil {
		faults.Add(row.Fault(name, err))
		return "", false
	}
	return strings.Clone(s), true
}
