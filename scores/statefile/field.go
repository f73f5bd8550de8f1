package statefile

import (
	"errors"
	"fmt"
	"strings"

	"evlab/tabular"
)

// field is one field of a row under the names that it may have.
type field []string

// of finds the field in a row, with the name that it has there. Two names at once are an error.
func (f field) of(row *tabular.Row) (v tabular.Value, name string, err error) {
	name = f[0]
	for _, n := range f {
		found := row.Get(n)
		if found.Kind() == tabular.Absent {
			continue
		}
		if v.Kind() != tabular.Absent {
			return v, name, fmt.Errorf("%s is given too, for the same thing", n)
		}
		v, name = found, n
	}
	return v, name, nil
}

// text reads a text that has to be there and must not be blank.
func (f field) text(row *tabular.Row) (string, string, error) {
	v, name, err := f.of(row)
	if err != nil {
		return "", name, err
	}
	if v.Kind() == tabular.Absent {
		return "", name, fmt.Errorf("the field is missing: expected %s", strings.Join(f, " or "))
	}
	s, err := v.Text()
	if err == nil && strings.TrimSpace(s) == "" {
		s, err = "", errors.New("expected an id, found an empty text")
	}
	return strings.Clone(s), name, err // a row may be long, and an id must not hold on to it
}

// label reads a text that may be absent, null or empty.
func (f field) label(row *tabular.Row) (string, string, error) {
	v, name, err := f.of(row)
	if err != nil || v.Missing() {
		return "", name, err
	}
	s, err := v.Text()
	return strings.Clone(s), name, err
}

// list reads the JSON of a list that has to be there.
func (f field) list(row *tabular.Row) (literal, name string, err error) {
	v, name, err := f.of(row)
	switch {
	case err != nil:
		return "", name, err
	case v.Kind() == tabular.Absent:
		return "", name, fmt.Errorf("the field is missing: expected %s", strings.Join(f, " or "))
	case v.Kind() == tabular.Nested:
		literal = v.Literal()
	default:
		raw, err := v.JSON() // a table without lists keeps them as text
		if err != nil {
			return "", name, fmt.Errorf("expected a list, found %s", v)
		}
		literal = strings.TrimSpace(string(raw))
	}
	if !strings.HasPrefix(literal, "[") {
		return "", name, fmt.Errorf("expected a list, found %s", v)
	}
	return literal, name, nil
}
