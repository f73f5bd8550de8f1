package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"evlab/sandbox/plan"
)

// outputReader takes the supervisor's records out of one stream and passes everything else on byte for byte.
type outputReader struct {
	to      io.Writer // nil: nowhere
	opening []byte
	pending []byte // may be the beginning of a frame, or is one whose end has not come
	left    int64  // bytes that may still be written: a last defence of the disk
	whole   int64  // left at the start
	records []plan.Record
	ended   bool // what follows is the engine's own
	gap     bool
	err     error // of writing
}

func newOutputReader(nonce string, limit int64, to io.Writer) *outputReader {
	return &outputReader{to: to, opening: plan.Opening(nonce), left: limit + limit/2, whole: limit + limit/2}
}

// Write never fails: a host file that cannot be written is told by close, when the step's end is known.
func (o *outputReader) Write(b []byte) (int, error) {
	n := len(b)
	if len(o.pending) > 0 {
		b = append(o.pending, b...)
		o.pending = nil
	}
	for len(b) > 0 && !o.ended {
		i := bytes.IndexByte(b, o.opening[0])
		if i < 0 {
			o.pass(b)
			break
		}
		o.pass(b[:i])
		b = b[i:]
		known := min(len(b), len(o.opening))
		if !bytes.Equal(b[:known], o.opening[:known]) {
			o.pass(b[:1])
			b = b[1:]
			continue
		}
		end := bytes.IndexByte(b, '\n')
		if known < len(o.opening) || end < 0 && len(b) < plan.MaxFrame {
			o.pending = bytes.Clone(b)
			break
		}
		var r plan.Record
		if end < 0 || json.Unmarshal(b[known:end], &r) != nil {
			o.pass(b[:1])
			b = b[1:]
			continue
		}
		b = b[end+1:]
		o.take(r)
	}
	return n, nil
}

func (o *outputReader) take(r plan.Record) {
	switch r.Event {
	case plan.Gap:
		o.gap = true
		o.pass(fmt.Appendf(nil, "\n[evlab: %d bytes left out here]\n", r.Bytes))
		return
	case plan.Join:
		return
	case plan.Ended, plan.Failed:
		o.ended = true
	}
	o.records = append(o.records, r)
}

func (o *outputReader) pass(b []byte) {
	if int64(len(b)) > o.left {
		b, o.gap = b[:o.left], true
	}
	o.left -= int64(len(b))
	if o.to == nil || o.err != nil || len(b) == 0 {
		return
	}
	_, o.err = o.to.Write(b)
}

// record is the last one of the kind.
func (o *outputReader) record(event string) *plan.Record {
	for i := len(o.records) - 1; i >= 0; i-- {
		if o.records[i].Event == event {
			return &o.records[i]
		}
	}
	return nil
}

// output is both streams of a step on their way into host files. A file is written beside its name and takes the name
// when it is whole.
type output struct {
	stdout, stderr *outputReader
	files          [2]*os.File
	names          [2]string
}

func openOutput(s Step, nonce string) (*output, error) {
	o := &output{names: [2]string{s.Stdout, s.Stderr}}
	readers := [2]*outputReader{}
	for i, name := range o.names {
		readers[i] = newOutputReader(nonce, s.Limits.Log, nil)
		if name == "" {
			continue
		}
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		if err == nil {
			o.files[i], err = os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
		}
		if err != nil {
			o.discard()
			return nil, fault(FaultOptions, "opening the file for the step's output: %w", err)
		}
		readers[i].to = o.files[i]
	}
	o.stdout, o.stderr = readers[0], readers[1]
	return o, nil
}

// restart forgets what was written so far.
func (o *output) restart() error {
	for i, r := range []*outputReader{o.stdout, o.stderr} {
		*r = outputReader{to: r.to, opening: r.opening, left: r.whole, whole: r.whole}
		if f := o.files[i]; f != nil {
			_, err := f.Seek(0, io.SeekStart)
			if err := errors.Join(err, f.Truncate(0)); err != nil {
				return fault(FaultDisk, "writing the step's output: %w", err)
			}
		}
	}
	return nil
}

// commit gives the files their names.
func (o *output) commit() error {
	for _, r := range []*outputReader{o.stdout, o.stderr} {
		r.pass(r.pending)
		r.pending = nil
	}
	var errs []error
	for i, f := range o.files {
		if f == nil {
			continue
		}
		err := errors.Join([]*outputReader{o.stdout, o.stderr}[i].err, f.Chmod(0o644), f.Sync(), f.Close())
		if err == nil {
			err = os.Rename(f.Name(), o.names[i])
		}
		if err != nil {
			os.Remove(f.Name())
			errs = append(errs, err)
		}
		o.files[i] = nil
	}
	if err := errors.Join(errs...); err != nil {
		return fault(FaultDisk, "writing the step's output: %w", err)
	}
	return nil
}

// discard removes what was not committed.
func (o *output) discard() {
	for i, f := range o.files {
		if f != nil {
			f.Close()
			os.Remove(f.Name())
			o.files[i] = nil
		}
	}
}
