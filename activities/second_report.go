package activities

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"evlab/experiments"
	"evlab/sandbox/testlog"
)

// secondReport is what another part of the same runner wrote of the same run: pytest's JUnit file, beside the log that the
// verdict is read from. The log is made of what anybody prints; the file is made of what the runner recorded, when it ended,
// and is put out after the runner's process is gone. So it is no part of the process, and a runner that was ended early has
// none.
type secondReport struct {
	grammar string
	mark    string // a line of its own on standard error, after which the report stands
}

// andItsReport runs a command that ends with the name of its report file, and puts the file out afterwards, on standard
// error, so that neither stream has both reports. The command's status stays what it was, a signal's, too.
const andItsReport = `file=$1 mark=$2
shift 2
rm -f "$file"
"$@"
status=$?
printf '\n%s\n' "$mark" >&2
if [ -f "$file" ] && [ ! -L "$file" ]; then cat "$file" >&2; fi
[ $status -le 128 ] || kill -$((status - 128)) $$ 2>/dev/null
exit $status`

// withSecondReport is the command that puts out a second report, too; its own arguments may follow. The report is nil where
// the runner has none to give.
func withSecondReport(e experiments.Environment, c *control, args []string) ([]string, *secondReport) {
	if e.Report != testlog.Pytest || c == nil {
		return args, nil
	}
	secret := strings.TrimPrefix(c.name, "test_evlab_")
	file, second := "/tmp/evlab-"+secret+".xml", &secondReport{grammar: testlog.JUnit, mark: "evlab " + secret + ": junit"}
	command := append([]string{"sh", "-c", andItsReport, "sh", file, second.mark}, args...)
	return append(command, "--junitxml="+file), second
}

// confirm holds a report against the second one, which stands at the end of a step's standard error.
func (s *secondReport) confirm(rep *testlog.Report, stderr string) error {
	grammar, err := testlog.Find(s.grammar)
	if err != nil {
		return err
	}
	f, err := os.Open(stderr)
	if err != nil {
		return err
	}
	defer f.Close()
	at, err := afterLast(f, s.mark)
	if err != nil {
		return fmt.Errorf("looking for the second report in %s: %w", stderr, err)
	}
	var streams []io.Reader
	if at >= 0 {
		if _, err := f.Seek(at, io.SeekStart); err != nil {
			return err
		}
		streams = append(streams, f)
	}
	other, err := grammar.Read(streams...)
	if err != nil {
		return err
	}
	rep.Confirm(other)
	return nil
}

// afterLast is where the text after the last line that is mark begins, -1 when there is no such line.
func afterLast(in io.Reader, mark string) (int64, error) {
	at, found := int64(0), int64(-1)
	begins := true // a line may come in several parts
	for part, err := range lineParts(in) {
		if err != nil {
			return 0, err
		}
		at += int64(len(part))
		if begins && string(part) == mark+"\n" {
			found = at
		}
		begins = bytes.HasSuffix(part, []byte("\n"))
	}
	return found, nil
}

// lineParts gives the lines of a stream with their ends, those that are longer than 64 KiB in several parts. A part is good
// until the next one is asked for.
func lineParts(in io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			part, err := r.ReadSlice('\n')
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
				yield(nil, err)
				return
			}
			if len(part) > 0 && !yield(part, nil) || errors.Is(err, io.EOF) {
				return
			}
		}
	}
}
