package executors

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// change is one edit whose outcome is decided: now takes the place of before.
type change struct {
	place       string // of the edit in its script
	before, now string
	at          int // offset of before in the base file
}

// rewrite applies all changes of one file to its base text. Every before is looked up in the base text, also when its
// place is left alone, and must occur there exactly once; no two may overlap. A file that does not exist is created by
// exactly one change with an empty before. The error joins every fault.
func rewrite(path, base string, exists bool, changes []change) (string, error) {
	var errs []error
	fault := func(c change, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", c.place, fmt.Sprintf(format, args...)))
	}
	for i := range changes {
		c := &changes[i]
		switch {
		case c.before == "" && exists:
			fault(*c, "before is empty, which creates a file, but %s exists at the base commit", path)
		case c.before == "" && i > 0:
			fault(*c, "%s creates %s already", changes[0].place, path)
		case c.before != "" && !exists:
			fault(*c, "%s does not exist at the base commit", path)
		case c.before != "":
			if c.at = strings.Index(base, c.before); c.at < 0 {
				fault(*c, "before (%.60q) does not occur in %s", c.before, path)
			} else if strings.Contains(base[c.at+1:], c.before) {
				fault(*c, "before (%.60q) occurs more than once in %s", c.before, path)
			}
		}
	}
	if len(errs) > 0 {
		return "", errors.Join(errs...)
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	end := 0
	for i, c := range changes {
		if i > 0 && c.at < end {
			fault(c, "its before overlaps that of %s in %s", changes[i-1].place, path)
			continue
		}
		b.WriteString(base[end:c.at])
		b.WriteString(c.now)
		end = c.at + len(c.before)
	}
	b.WriteString(base[end:])
	return b.String(), errors.Join(errs...)
}
