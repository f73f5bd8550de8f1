package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// fileID is what an id is to a file system that takes no note of case, or of a dot at the end: macOS and Windows have such ones.
// Ids are names of files in cohorts and runs, so two with one fileID would be one task there, or none.
func fileID(id string) string { return strings.TrimRight(strings.ToLower(id), ".") }

// clash is the error for an id whose file is another one's.
func clash(id, other, at string) error {
	if id == other {
		return fmt.Errorf("the id is that of another task, at %s", at)
	}
	return fmt.Errorf("the id %q and %q, at %s, would be one file where case does not count: rename one of them", id, other, at)
}

// testNames reads a list of test names: a JSON list of strings, or such a list in a string, as SWE-bench has it.
// Names that are given twice are taken once.
func testNames(raw json.RawMessage) ([]string, error) {
	if len(raw) > 0 && raw[0] == '"' {
		inner, err := unquote(raw, false)
		if err != nil {
			return nil, err
		}
		raw = bytes.TrimSpace(inner)
		if len(raw) == 0 || raw[0] != '[' {
			return nil, fmt.Errorf("expected a JSON list in the string, found %.40q", raw)
		}
	}
	var items []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' {
		return nil, fmt.Errorf("expected a list of test names, or one as JSON in a string, found %s", shown(raw))
	}
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, fmt.Errorf("reading the list: %w", err)
	}
	names := make([]string, 0, len(items))
	seen := map[string]bool{}
	for i, item := range items {
		b, err := unquote(item, false)
		if err == nil {
			err = checkTestName(string(b))
		}
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		if name := string(b); !seen[name] {
			names = append(names, name)
			seen[name] = true
		}
	}
	return names, nil
}

// qualified prefers a row's names with their packages (import/path::TestName) to those without, if both lists name
// the same tests.
func qualified(bare []string, raw json.RawMessage) ([]string, error) {
	full, err := testNames(raw)
	if err != nil {
		return nil, err
	}
	var stripped []string
	for _, name := range full {
		_, test, ok := strings.Cut(name, "::")
		if !ok {
			return nil, fmt.Errorf("%.80q has no package: expected import/path::TestName", name)
		}
		stripped = append(stripped, test)
	}
	var last []string
	for _, name := range bare {
		// A subtest's name may itself hold the separator, and then has no package in front.
		if _, test, ok := strings.Cut(name, "::"); ok && !slices.Contains(stripped, name) {
			name = test
		}
		last = append(last, name)
	}
	slices.Sort(stripped)
	slices.Sort(last)
	if !slices.Equal(slices.Compact(stripped), slices.Compact(last)) {
		return nil, errors.New("it does not name the same tests as the list without packages")
	}
	return full, nil
}
