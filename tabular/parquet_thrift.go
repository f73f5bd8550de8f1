package tabular

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// thriftWalk goes over a structure in Thrift's compact form and keeps nothing of it. A reader of the structure itself makes room
// for as many elements as a list says that it has; here a list of more elements than there are bytes is found out first.
type thriftWalk struct {
	data    []byte
	at      int
	structs int // elements of lists of structures: each takes hundreds of bytes of memory, and may take one of the file
}

// maxThriftDepth bounds structures within structures; those of Parquet are within six.
const maxThriftDepth = 32

// structure passes over a structure. io.ErrUnexpectedEOF says that it goes on after the data.
func (w *thriftWalk) structure(depth int) error {
	if depth > maxThriftDepth {
		return fmt.Errorf("its structures are more than %d deep", maxThriftDepth)
	}
	for {
		b, err := w.next()
		if err != nil {
			return err
		}
		kind := b & 0xf
		switch {
		case kind == 0:
			return nil
		case b>>4 == 0: // the field's number stands by itself
			if _, err := w.varint(); err != nil {
				return err
			}
		}
		if kind > 2 { // what is true or false says so in its kind
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
}

// value passes over a value of a kind, as an element of a list.
func (w *thriftWalk) value(kind byte, depth int) error {
	switch kind {
	case 1, 2, 3: // truth values, bytes
		return w.skip(1)
	case 4, 5, 6: // whole numbers
		_, err := w.varint()
		return err
	case 7: // a floating-point number
		return w.skip(8)
	case 8: // bytes or text
		n, err := w.varint()
		if err != nil {
			return err
		}
		return w.skip(n)
	case 9, 10: // a list or a set
		return w.list(depth)
	case 11:
		return w.dictionary(depth)
	case 12:
		return w.structure(depth + 1)
	case 13: // a UUID
		return w.skip(16)
	}
	return fmt.Errorf("a value is of the kind %d, which there is not", kind)
}

func (w *thriftWalk) list(depth int) error {
	b, err := w.next()
	if err != nil {
		return err
	}
	n, kind := uint64(b>>4), b&0xf
	if n == 0xf {
		if n, err = w.varint(); err != nil {
			return err
		}
	}
	if n > uint64(len(w.data)-w.at) { // no element takes less than a byte
		return io.ErrUnexpectedEOF
	}
	if kind == 12 {
		w.structs += int(n)
	}
	for ; n > 0; n-- {
		if err := w.value(kind, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *thriftWalk) dictionary(depth int) error {
	n, err := w.varint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := w.next()
	if err != nil {
		return err
	}
	if n > uint64(len(w.data)-w.at) {
		return io.ErrUnexpectedEOF
	}
	for ; n > 0; n-- {
		if err := errors.Join(w.value(kinds>>4, depth), w.value(kinds&0xf, depth)); err != nil {
			return err
		}
	}
	return nil
}

func (w *thriftWalk) next() (byte, error) {
	if w.at >= len(w.data) {
		return 0, io.ErrUnexpectedEOF
	}
	w.at++
	return w.data[w.at-1], nil
}

func (w *thriftWalk) skip(n uint64) error {
	if n > uint64(len(w.data)-w.at) {
		return io.ErrUnexpectedEOF
	}
	w.at += int(n)
	return nil
}

func (w *thriftWalk) varint() (uint64, error) {
	v, n := binary.Uvarint(w.data[w.at:])
	switch {
	case n == 0:
		return 0, io.ErrUnexpectedEOF
	case n < 0:
		return 0, errors.New("a number has more than 64 bits")
	}
	w.at += n
	return v, nil
}
