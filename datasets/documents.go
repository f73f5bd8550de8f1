package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxWhole bounds a file of rows that is a JSON document.
const maxWhole = 512 << 20

// row is one of a file's rows.
type row struct {
	line int
	item int    // where a document is one line: which of its rows it is, from 1; else 0
	text []byte // JSON of any kind, or what was to be it; valid until the next one
	key  string // in an object keyed by instance_id, else empty
}

// at is where the row is in its file.
func (r row) at(file string) string { return file + ":" + r.lineText() }

func (r row) lineText() string {
	if r.item > 0 {
		return fmt.Sprintf("%d (row %d)", r.line, r.item)
	}
	return fmt.Sprint(r.line)
}

// taskID is a row's task: its instance_id, or its key in an object of rows. Where there are both they have to be one.
func taskID(id string, there bool, key string) (string, error) {
	switch {
	case there && key != "" && id != key:
		return "", fmt.Errorf("field instance_id is %.80q under the key %.80q", id, key)
	case there:
		return id, nil
	case key != "":
		return key, nil
	}
	return "", errors.New("field instance_id is missing")
}

// eachRow calls each with every row of a file in one of the forms that people write: JSON lines, a list, objects one after
// another over several lines, an object keyed by instance_id, or one row. The form is told by content. document is false
// for lines, each of which has at most limit bytes.
func eachRow(file string, limit int, f *faults, each func(row)) (document bool, err error) {
	if err := isText(file); err != nil {
		return false, err
	}
	data, err := wholeDocument(file)
	if err != nil {
		return false, err
	}
	if data != nil {
		eachOf(file, data, f, each)
		return true, nil
	}
	return false, eachLine(file, limit, f, func(number int, line []byte) { each(row{line: number, text: line}) })
}

// wholeDocument gives the file's content when it is no JSONL, else nil. A list tells itself by its first byte. An object
// whose first line is complete is JSONL if that is a row or has more behind it; else it is a document. Where the syntax is
// broken the form that explains it better is taken.
func wholeDocument(file string) (data []byte, err error) {
	in, info, err := openRegular(file)
	if err != nil {
		return nil, err
	}
	defer in.Close() // read only: a failing close loses nothing
	head := make([]byte, 4<<10)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	start := bytes.TrimLeft(bytes.TrimPrefix(head[:n], byteOrderMark), " \t\r\n")
	if len(start) == 0 || (start[0] != '[' && start[0] != '{') {
		return nil, nil
	}
	if info.Size() > maxWhole {
		if start[0] == '{' {
			return nil, nil
		}
		return nil, fmt.Errorf("%s: it has %d bytes; a list has at most %d, JSONL may have more", file, info.Size(), maxWhole)
	}
	if data, err = os.ReadFile(file); err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	if asLines(bytes.TrimSpace(data)) {
		return nil, nil
	}
	return data, nil
}

// asLines reports whether a text that starts with a bracket is JSONL.
func asLines(text []byte) bool {
	if text[0] == '[' {
		return false
	}
	first, rest, more := bytes.Cut(text, []byte("\n"))
	if json.Valid(first) {
		return more && len(bytes.TrimSpace(rest)) > 0 || isRow(first)
	}
	return !json.Valid(text) && len(bytes.TrimSpace(first)) > 1
}

// isRow reports whether an object is a row and not a map of rows.
func isRow(text []byte) bool {
	var o map[string]json.RawMessage
	if json.Unmarshal(text, &o) != nil {
		return false
	}
	for _, key := range []string{"instance_id", "number"} { // number: Multi-SWE-bench
		if v, there := o[key]; there {
			return len(v) == 0 || v[0] != '{'
		}
	}
	return false
}

// eachOf reads the rows of a document: those of the one value that it is, or of the several that follow each other.
func eachOf(file string, data []byte, f *faults, each func(row)) {
	if at := invalidUTF8(data); at >= 0 {
		f.add(place(file, data, at), "byte %#x is not UTF-8", data[at])
		return
	}
	dec, line := json.NewDecoder(bytes.NewReader(data)), newLineCounter(data)
	for first := true; ; first = false {
		start := int(dec.InputOffset())
		var raw json.RawMessage
		switch err := dec.Decode(&raw); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			err = json.Unmarshal(data[start:], &raw) // says where in what follows
			at := len(data)
			var syntax *json.SyntaxError
			if errors.As(err, &syntax) {
				at = start + int(syntax.Offset) - 1
			}
			f.add(place(file, data, at), "reading JSON: %v", err)
			return
		}
		end := int(dec.InputOffset())
		if alone := first && len(bytes.TrimSpace(data[end:])) == 0; alone && !isRow(raw) {
			eachIn(file, data, f, each)
			return
		}
		each(row{line: line.at(end - len(raw)), text: raw})
	}
}

// eachIn reads the rows of a list, or of an object keyed by instance_id, whose syntax is known to be right.
func eachIn(file string, data []byte, f *faults, each func(row)) {
	dec, line := json.NewDecoder(bytes.NewReader(data)), newLineCounter(data)
	oneLine := !bytes.Contains(bytes.TrimSpace(data), []byte("\n"))
	open, err := dec.Token()
	for item := 1; err == nil && dec.More(); item++ {
		r := row{}
		if oneLine {
			r.item = item
		}
		if open == json.Delim('{') {
			token, err := dec.Token()
			if r.key, _ = token.(string); err != nil {
				break
			}
		}
		var raw json.RawMessage
		if err = dec.Decode(&raw); err != nil {
			break
		}
		r.line, r.text = line.at(int(dec.InputOffset())-len(raw)), raw
		if open == json.Delim('{') && r.key == "" {
			f.add(r.at(file), "the key is empty: expected an instance_id")
			continue
		}
		each(r)
	}
	if err != nil {
		f.add(file, "reading JSON: %v", err)
	}
}

// lineCounter gives line numbers of growing offsets without counting from the start each time.
type lineCounter struct {
	data         []byte
	offset, line int
}

func newLineCounter(data []byte) *lineCounter { return &lineCounter{data: data, line: 1} }

func (l *lineCounter) at(offset int) int {
	l.line += bytes.Count(l.data[l.offset:offset], []byte("\n"))
	l.offset = offset
	return l.line
}
