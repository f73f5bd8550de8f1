package specfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxSize is the largest experiment file that is read, in bytes. The demo has about 4 kB.
const MaxSize = 1 << 20

// readSource reads the file whole. Its error is a Faults, and wraps fs.ErrNotExist by text only: the caller shows it.
func readSource(file string) ([]byte, error) {
	refuse := func(format string, args ...any) error {
		return Faults{{File: file, Msg: fmt.Sprintf(format, args...)}}
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, refuse("there is no such file")
	case err != nil:
		return nil, refuse("it can't be read: %v", errors.Unwrap(err))
	case info.IsDir():
		return nil, refuse("it is a folder; expected an experiment file")
	case !info.Mode().IsRegular(): // a pipe would block, a device would never end
		return nil, refuse("it is not a regular file")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, refuse("it can't be read: %v", errors.Unwrap(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, refuse("it can't be read: %v", err)
	}
	if len(data) > MaxSize {
		return nil, refuse("it is larger than 1 MiB, which no experiment file is")
	}
	return data, nil
}

// parse turns bytes into the node of the file's one document. It returns nil after a fault that leaves nothing to walk.
func parse(data []byte, c *collector) *yaml.Node {
	if !checkText(data, c) {
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	document, err := decode(decoder)
	switch {
	case errors.Is(err, io.EOF):
		c.at(0, 0, "", "the file is empty; expected an experiment (evlab init writes one)")
		return nil
	case err != nil:
		line, msg := yamlError(err)
		c.at(line, 0, "", "it is not YAML: %s", msg)
		return nil
	case document.Kind != yaml.DocumentNode || len(document.Content) != 1:
		c.at(0, 0, "", "the file holds no YAML document")
		return nil
	}
	switch next, err := decode(decoder); {
	case errors.Is(err, io.EOF):
	case err != nil:
		line, msg := yamlError(err)
		c.at(line, 0, "", "it is not YAML: %s", msg)
	default:
		c.at(next.Line, next.Column, "", "a second document begins here; one file holds one experiment")
	}
	return document.Content[0]
}

// decode reads one document. The parser reports some malformed inputs by panicking; that is a fault of the file.
func decode(d *yaml.Decoder) (n *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			n, err = nil, fmt.Errorf("yaml: %v", p)
		}
	}()
	n = new(yaml.Node)
	if err := d.Decode(n); err != nil {
		return nil, err
	}
	return n, nil
}

// checkText reports what makes the bytes unfit to be read as YAML by people. It is false when parsing would only add
// noise.
func checkText(data []byte, c *collector) bool {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		c.at(1, 1, "", "the file is UTF-16; save it as UTF-8")
		return false
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		c.at(1, 1, "", "the file begins with a byte order mark; save it as UTF-8 without one")
	}
	fit := true
	for i, line := range bytes.Split(data, []byte("\n")) {
		if col := invalidUTF8(line); col > 0 {
			c.at(i+1, col, "", "byte 0x%02x is not UTF-8", line[col-1])
			fit = false
		}
		if col := bytes.IndexFunc(line, func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' || r == 0x7f }); col >= 0 {
			c.at(i+1, col+1, "", "control character 0x%02x", line[col])
			fit = false
		}
		content := bytes.TrimLeft(line, " \t")
		indent := line[:len(line)-len(content)]
		blank := len(bytes.TrimSpace(content)) == 0 || content[0] == '#'
		if tab := bytes.IndexByte(indent, '\t'); tab >= 0 && !blank {
			c.at(i+1, tab+1, "", "a tab in the indentation; YAML takes spaces only")
			fit = false
		}
	}
	return fit
}

func invalidUTF8(line []byte) (col int) {
	if utf8.Valid(line) {
		return 0
	}
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && n == 1 {
			return i + 1
		}
		i += n
	}
	return 0
}

var yamlLine = regexp.MustCompile(`^(?:line (\d+): )?`)

// yamlError takes the parser's message apart: "yaml: line 3: did not find expected key".
func yamlError(err error) (line int, msg string) {
	msg = strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine.FindStringSubmatch(msg); m[1] != "" {
		line, _ = strconv.Atoi(m[1])
		msg = msg[len(m[0]):]
	}
	return line, msg
}
