package tabular

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go/format"
)

// plainDictionary is what files of before Parquet 2 call the encoding of a dictionary, and of the places in it.
const plainDictionary format.Encoding = 2

// levelWidth is how many bits a level of at most so much takes.
func levelWidth(most int) int { return bits.Len(uint(most)) }

// prefixed takes off the bytes whose number stands before them.
func prefixed(data []byte) (levels, rest []byte, err error) {
	if len(data) < 4 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	n := binary.LittleEndian.Uint32(data)
	if data = data[4:]; int64(n) > int64(len(data)) {
		return nil, nil, fmt.Errorf("its levels have %d bytes, and %d are there", n, len(data))
	}
	return data[:n], data[n:], nil
}

// spareValues is by how much writers overstep the number of values: packed ones come in groups of eight.
const spareValues = 64

// runs goes over values that are written as runs of equal ones, or packed in groups of eight. A run of two thousand million takes
// six bytes, so runs of more than the values that are wanted are an error. each, unless it is nil, is told of the wanted ones.
func runs(data []byte, width, want int, each func(value uint64, times int)) error {
	seen := 0
	for len(data) > 0 {
		head, n := binary.Uvarint(data)
		if n <= 0 {
			return errors.New("a run has no length")
		}
		data = data[n:]
		count := head >> 1
		packed := head&1 == 1
		if packed {
			if count > uint64(want+spareValues) {
				return tooMany(8*count, want)
			}
			count *= 8
		}
		if count > uint64(want+spareValues-seen) {
			return tooMany(uint64(seen)+count, want)
		}
		size := (width + 7) / 8
		if packed {
			size = int(count) / 8 * width
		}
		if size > len(data) {
			return errors.New("a run ends after the page")
		}
		tell(data[:size], width, min(int(count), want-seen), packed, each)
		data = data[size:]
		seen += int(count)
	}
	if seen < want && each != nil {
		return fmt.Errorf("it has levels of %d values, and says that it has %d", seen, want)
	}
	return nil
}

func tooMany(n uint64, want int) error {
	return fmt.Errorf("it has runs of %d values, and says that it has %d", n, want)
}

// tell gives the values of one run.
func tell(data []byte, width, count int, packed bool, each func(value uint64, times int)) {
	switch {
	case each == nil || count <= 0:
	case !packed:
		var value uint64
		for i, b := range data {
			value |= uint64(b) << (8 * i)
		}
		each(value, count)
	default:
		for i := range count {
			each(bitsAt(data, i*width, width), 1)
		}
	}
}

// bitsAt are the bits of data from one on, the least first.
func bitsAt(data []byte, from, width int) (v uint64) {
	for i := range width {
		v |= uint64(data[(from+i)/8]>>((from+i)%8)&1) << i
	}
	return v
}

// content checks the values of a page, of which there are at most n: that they take no more room than is known. Where an encoding
// says so itself, the page's largest room grows.
func (c *chunkCheck) content(encoding format.Encoding, data []byte, n int) error {
	kind := c.leaf.kind
	text := kind == format.ByteArray || kind == format.FixedLenByteArray
	whole := kind == format.Int32 || kind == format.Int64
	switch {
	case encoding == format.Plain:
		return nil
	case encoding == format.ByteStreamSplit && kind != format.ByteArray && kind != format.Boolean:
		return nil
	case encoding == format.RLE && kind == format.Boolean:
		values, _, err := prefixed(data)
		if err != nil {
			return err
		}
		return runs(values, 1, n, nil)
	case (encoding == format.RLEDictionary || encoding == plainDictionary) && kind != format.Boolean:
		if len(data) == 0 {
			return nil
		}
		if data[0] > 32 {
			return fmt.Errorf("its places in the dictionary have %d bits", data[0])
		}
		return runs(data[1:], int(data[0]), n, nil)
	case encoding == format.DeltaBinaryPacked && whole:
		most := 64
		if kind == format.Int32 {
			most = 32
		}
		_, _, err := deltas(data, n, most, false)
		return err
	case encoding == format.DeltaLengthByteArray && kind == format.ByteArray:
		lengths, rest, err := deltas(data, n, 32, true)
		if err == nil {
			_, err = summed(lengths, int64(len(rest)))
		}
		return err
	case encoding == format.DeltaByteArray && text:
		return c.prefixes(data, n)
	}
	return fmt.Errorf("values of the type %s in the encoding %s are not read", kind, encoding)
}

// prefixes checks texts of which each begins as the one before it: of some bytes each a long one can be made, and each of the
// next ones as long.
func (c *chunkCheck) prefixes(data []byte, n int) error {
	shared, rest, err := deltas(data, n, 32, true)
	if err != nil {
		return err
	}
	own, rest, err := deltas(rest, n, 32, true)
	switch {
	case err != nil:
		return err
	case len(shared) != len(own):
		return errors.New("its texts have other beginnings than ends")
	}
	if _, err := summed(own, int64(len(rest))); err != nil {
		return err
	}
	var total, before int64
	for i, s := range shared {
		if s < 0 || s > before {
			return errors.New("a text begins as more of the one before it than there is")
		}
		before = s + own[i]
		if total += before; total > c.room {
			break
		}
	}
	if err := c.fits(total + c.largest); err != nil {
		return err
	}
	c.largest += total
	return nil
}

// summed adds lengths up; they have to be those of what is there.
func summed(lengths []int64, most int64) (sum int64, err error) {
	for _, n := range lengths {
		if n < 0 || n > most-sum {
			return 0, errors.New("a text has a length that is not there")
		}
		sum += n
	}
	return sum, nil
}

// deltas reads whole numbers that are written as differences in blocks, of which there may be at most want, each of at most so
// many bits; kept gives them, which have to be of 32 bits then. A block of equal differences takes next to no bytes, and the number of them all stands at the start.
func deltas(data []byte, want, most int, kept bool) (values []int64, rest []byte, err error) {
	var head [3]uint64 // numbers of values in a block, of parts of a block, of values
	for i := range head {
		var n int
		if head[i], n = binary.Uvarint(data); n <= 0 {
			return nil, nil, errors.New("its differences have no beginning")
		}
		data = data[n:]
	}
	first, n := binary.Varint(data)
	if n <= 0 {
		return nil, nil, errors.New("its differences have no first value")
	}
	data = data[n:]
	block, parts, total := head[0], head[1], head[2]
	switch {
	case total > uint64(want):
		return nil, nil, tooMany(total, want)
	case parts == 0 || block == 0 || block > maxDeltaBlock || block%128 != 0 || parts > block/32 || block/parts%32 != 0:
		return nil, nil, fmt.Errorf("its differences are in blocks of %d in %d parts, which there are not", block, parts)
	}
	d := deltaBlocks{data: data, part: int(block / parts), left: int(total), last: first, most: most, kept: kept}
	d.value(0)
	for d.left > 0 {
		if err := d.block(int(parts)); err != nil {
			return nil, nil, err
		}
	}
	return d.values, d.data, nil
}

// maxDeltaBlock bounds the numbers of one block.
const maxDeltaBlock = 65536

// deltaBlocks is a list of differences being read.
type deltaBlocks struct {
	data   []byte
	part   int // values in a part of a block
	left   int // values still to come
	last   int64
	most   int // bits of a value
	kept   bool
	values []int64
}

// value takes the value that differs from the last one by so much.
func (d *deltaBlocks) value(delta int64) {
	if d.left == 0 {
		return
	}
	d.left--
	if d.kept {
		d.last = int64(int32(d.last + delta))
		d.values = append(d.values, d.last)
	}
}

func (d *deltaBlocks) block(parts int) error {
	least, n := binary.Varint(d.data)
	if n <= 0 || len(d.data)-n < parts {
		return errors.New("a block of differences ends after the page")
	}
	widths := d.data[n : n+parts]
	d.data = d.data[n+parts:]
	for _, width := range widths {
		if d.left == 0 {
			break
		}
		if int(width) > d.most {
			return fmt.Errorf("a difference has %d bits", width)
		}
		size := d.part * int(width) / 8
		if size > len(d.data) {
			return errors.New("a block of differences ends after the page")
		}
		if count := min(d.part, d.left); !d.kept {
			d.left -= count
		} else {
			for i := range count {
				d.value(least + int64(bitsAt(d.data[:size], i*int(width), int(width))))
			}
		}
		d.data = d.data[size:]
	}
	return nil
}
