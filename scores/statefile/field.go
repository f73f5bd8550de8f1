package statefile

import (
	"errors"
	"fmt"
	"strings"

	"evlab/tabular"
)

// field is a tabular.Field whose readers return what is wrong, so that a row's faults can be told together.
type field []string

// text reads a text that has to be there and must not be blank.
func (f field) text(row *tabular.Row) (string, string, error) {
	v, name, err := tabular.Field(f).In(row)
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
	v, name, err := tabular.Field(f).In(row)
	if err != nil || v.Missing() {
		return "", name, err
	}
	s, err := v.Text()
	return strings.Clone(s), name, err
}

// list reads the JSON of a list that has to be there.
func (f field) list(row *tabular.Row) (literal, name string, err error) {
	v, name, err := tabular.Field(f).In(row)
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
