package datasets

import (
	"bytes"
	"fmt"
	"slices"
)

// A column goes by several names, as the sources differ. A row may have several of them, and then they have to say the same:
// which of two contents its author meant nobody knows.

// first is the text of a field under the names that it may have.
func (f *fields) first(keys ...string) string {
	return oneOf(f, keys, f.optional, func(a, b string) bool { return a == b })
}

// languageOf is first for a language, which has several spellings.
func (f *fields) languageOf(keys ...string) string {
	return oneOf(f, keys, func(key string) string { return canonicalLanguage(f.optional(key)) }, func(a, b string) bool { return a == b })
}

// lines is first for shell lines.
func (f *fields) lines(keys ...string) []string {
	return oneOf(f, keys, f.shell, slices.Equal)
}

// tests is first for a list of tests, whose order says nothing.
func (f *fields) tests(keys ...string) []string {
	return oneOf(f, keys, f.testList, sameTests)
}

// oneOf reads a field under each of the names that are there. A blank text is none: tables have one in every column.
func oneOf[T any](f *fields, keys []string, read func(key string) T, same func(a, b T) bool) (value T) {
	first := ""
	for _, key := range keys {
		if !f.has(key) || bytes.Equal(f.object[key], []byte(`""`)) {
			continue
		}
		before := len(f.errs)
		v := read(key)
		switch {
		case first == "":
			first, value = key, v
		case len(f.errs) == before && !same(value, v):
			f.errs = append(f.errs, differ(first, key))
		}
	}
	return value
}

// differ says that a row has a column twice, under two names.
func differ(a, b string) error {
	return fmt.Errorf("fields %s and %s are one column and differ: expected one of them, or the same in both", a, b)
}

// sameTests reports whether two lists name the same tests.
func sameTests(a, b []string) bool {
	set := func(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }
	return slices.Equal(set(a), set(b))
}
