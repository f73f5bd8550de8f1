package repos

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// maxCommit bounds one commit's txtar file.
const maxCommit = 16 << 20

// ParseCommit reads one commit from a txtar archive. The archive's comment starts with header lines
//
//	date: 2024-03-05T10:00:00Z
//	author: Name <mail>
//	remove: path
//
// (remove may be repeated), then comes an empty line and the message; the archive's files are the commit's. Every
// fault is reported, joined, as name:line.
func ParseCommit(name string, data []byte) (Commit, error) {
	if len(data) > maxCommit {
		return Commit{}, fmt.Errorf("%s: %d bytes; a commit has at most %d", name, len(data), maxCommit)
	}
	archive := txtar.Parse(data)
	var c Commit
	var errs []error
	fault := func(line int, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s:%d: %w", name, line, fmt.Errorf(format, args...)))
	}
	header, message, ok := strings.Cut(string(archive.Comment), "\n\n")
	if !ok {
		fault(1, "expected header lines (date, author, remove), an empty line and the commit message")
	}
	c.Message = strings.TrimRight(message, "\n")
	if c.Message != "" {
		c.Message += "\n"
	} else if ok {
		fault(1, "expected a commit message after the empty line")
	}
	parseHeader(header, &c, fault)
	if c.Date.IsZero() {
		fault(1, "expected a header line date: RFC3339")
	}
	if c.Author == "" {
		fault(1, "expected a header line author: Name <mail>")
	}
	seen := map[string]bool{}
	for _, f := range archive.Files {
		line := lineOf(data, f.Name)
		if err := checkPath(f.Name); err != nil {
			fault(line, "%w", err)
		}
		if seen[f.Name] {
			fault(line, "file %q is given twice", f.Name)
		}
		seen[f.Name] = true
		c.Files = append(c.Files, File{Path: f.Name, Mode: modeFile, Content: f.Data})
	}
	if len(c.Files)+len(c.Remove) == 0 {
		fault(1, "expected at least one file or remove line")
	}
	if len(errs) > 0 {
		return Commit{}, errors.Join(errs...)
	}
	return c, nil
}

func parseHeader(header string, c *Commit, fault func(int, string, ...any)) {
	removed := map[string]bool{}
	n := 0
	for text := range strings.SplitSeq(header, "\n") {
		n++
		if text == "" {
			continue
		}
		key, value, ok := strings.Cut(text, ": ")
		if !ok {
			fault(n, "%.60q: expected key: value", text)
			continue
		}
		value = strings.TrimSpace(value)
		switch key {
		case "date":
			when, err := time.Parse(time.RFC3339, value)
			switch {
			case err != nil:
				fault(n, "date %.60q: expected RFC 3339, such as 2024-03-05T10:00:00Z", value)
			case !c.Date.IsZero():
				fault(n, "date is given twice")
			case when.Unix() < 0:
				fault(n, "date %s: expected one since 1970", value)
			}
			c.Date = when
		case "author":
			if !authorPattern.MatchString(value) {
				fault(n, "author %.60q: expected Name <mail>", value)
			}
			if c.Author != "" {
				fault(n, "author is given twice")
			}
			c.Author = value
		case "remove":
			if err := checkPath(value); err != nil {
				fault(n, "remove: %w", err)
			}
			if removed[value] {
				fault(n, "remove: %q is given twice", value)
			}
			removed[value] = true
			c.Remove = append(c.Remove, value)
		default:
			fault(n, "unknown header %.40q: expected date, author or remove", key)
		}
	}
}

// lineOf is the line of a file's marker, 1 when it can't be told.
func lineOf(data []byte, file string) int {
	at := bytes.Index(data, []byte("-- "+file+" --"))
	return bytes.Count(data[:max(at, 0)], []byte("\n")) + 1
}
