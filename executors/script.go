package executors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"evlab/evidence"
)

// maxScript is the most bytes that a simulated reader's file may have.
const maxScript = 4 << 20

// script is a simulated reader's artifact: what it would do at each place, and what it asks for when it has not seen
// enough.
type script struct {
	edits []edit
	ask   *evidence.Ask // nil: it never asks
}

// edit replaces Before, which occurs exactly once in the base file, by After when every phrase of Needs was shown, and
// by Otherwise, the plausible mistake, when not. An absent or empty Otherwise leaves the place alone. An empty Before
// creates the file.
type edit struct {
	Path      string   `json:"path"`
	Before    string   `json:"before"`
	After     string   `json:"after"`
	Otherwise string   `json:"otherwise"`
	Needs     []string `json:"needs"`
}

// parseScript reads a script strictly. The error joins every fault, each with its place.
func parseScript(data []byte) (*script, error) {
	if len(data) > maxScript {
		return nil, fmt.Errorf("it has %d bytes; at most %d are read", len(data), maxScript)
	}
	if !utf8.Valid(data) {
		return nil, errors.New("it is not UTF-8")
	}
	var file struct {
		Edits []json.RawMessage `json:"edits"`
		Ask   json.RawMessage   `json:"ask"`
	}
	if err := decodeStrict(data, &file); err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	var errs []error
	fault := func(place, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", place, fmt.Sprintf(format, args...)))
	}
	s := &script{}
	if len(file.Edits) == 0 {
		fault("edits", "expected at least one edit")
	}
	for i, raw := range file.Edits {
		place := fmt.Sprintf("edits[%d]", i)
		var e edit
		if err := decodeStrict(raw, &e); err != nil {
			fault(place, "%v", err)
			continue
		}
		e.check(place, fault)
		s.edits = append(s.edits, e)
	}
	if len(file.Ask) > 0 && string(file.Ask) != "null" {
		s.ask = &evidence.Ask{}
		if err := decodeStrict(file.Ask, s.ask); err != nil {
			fault("ask", "%v", err)
		} else if strings.TrimSpace(s.ask.Need) == "" {
			fault("ask.need", "expected an information need, found none")
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s, nil
}

func (e *edit) check(place string, fault func(place, format string, args ...any)) {
	if why := badPath(e.Path); why != "" {
		fault(place+".path", "%.120q %s", e.Path, why)
	}
	switch {
	case e.Before == "" && e.After == "":
		fault(place, "before and after are both empty")
	case e.Before == e.After:
		fault(place, "before and after are the same")
	}
	for j, phrase := range e.Needs {
		if strings.TrimSpace(phrase) == "" {
			fault(fmt.Sprintf("%s.needs[%d]", place, j), "expected a phrase, found none")
		}
	}
}

// badPath says why p can't name a file of a repository, or nothing.
func badPath(p string) string {
	switch {
	case p == "":
		return "is empty"
	case path.IsAbs(p), path.Clean(p) != p, p == ".", p == "..", strings.HasPrefix(p, "../"), strings.Contains(p, `\`):
		return "is not a clean relative path with forward slashes"
	case strings.ContainsFunc(p, unicode.IsControl):
		return "has control characters"
	}
	for part := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(part, ".git") {
			return "is inside a .git folder"
		}
	}
	return ""
}

// decodeStrict decodes one JSON value with no unknown fields and nothing after it.
func decodeStrict(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		before := data[:max(0, min(int(syntax.Offset)-1, len(data)))]
		return fmt.Errorf("line %d, column %d: %w", bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n'), err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends before its JSON object does")
	case err != nil:
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON object")
	}
	return nil
}
