package testlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// lineReader is a grammar of lines of text.
type lineReader interface {
	// line takes one line without its end, without terminal sequences and carriage returns, in valid UTF-8.
	line(text string)
	// end is called after the last line of each stream; a log is one.
	end()
}

// passesOver is a lineReader that knows when it is in a part whose lines say nothing, such as the captured output of
// a failed test: a line too long to be read loses nothing there.
type passesOver interface{ passesOver() bool }

// readLines feeds a stream to a grammar. The error is in's own.
func readLines(b *builder, in io.Reader, to lineReader) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var buf []byte
	for {
		line, whole, err := readLine(r, buf[:0])
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading a test report: %w", err)
		}
		buf = line
		if !whole {
			if p, ok := to.(passesOver); !ok || !p.passesOver() {
				b.problem("a line is longer than %d bytes", maxLine)
				b.lost = true
			}
		} else if len(line) > 0 {
			text := plainText(line)
			if cutMark(text) {
				b.lost = true
			}
			to.line(text)
		}
		if err != nil {
			to.end()
			return nil
		}
	}
}

// cutMark reports whether a line says that a sandbox left out a part of the stream.
func cutMark(text string) bool {
	return strings.HasPrefix(text, "[evlab: ") && strings.HasSuffix(text, " bytes left out here]")
}

// readLine appends one line with its newline to buf. It is not whole when it was longer than maxLine.
func readLine(in *bufio.Reader, buf []byte) (line []byte, whole bool, err error) {
	line, whole = buf, true
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) <= maxLine {
			line = append(line, part...)
		} else {
			whole = false
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}

// sequences are what terminals take for themselves: CSI, OSC and two-byte escapes.
var sequences = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])`)

// plainText is a line as people read it.
func plainText(line []byte) string {
	line = bytes.TrimRight(line, "\r\n")
	if bytes.IndexByte(line, 0x1b) >= 0 {
		line = sequences.ReplaceAll(line, nil)
	}
	if bytes.IndexByte(line, '\r') >= 0 {
		line = bytes.ReplaceAll(line, []byte{'\r'}, nil)
	}
	return strings.ToValidUTF8(string(line), "\uFFFD")
}
