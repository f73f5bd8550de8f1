package tabular

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of what is unpacked at a time: of each column of a row group a dictionary and a page are in memory together. A page
// says itself how large it is and how many values it has, in some twenty bytes, so what it says is held against what it has
// before anybody makes room for it.
const (
	maxUnpacked   = 1 << 30
	anyUnpacked   = 64 << 20 // however small the file
	unpackedRatio = 1000     // bytes unpacked for each of the file, beyond that
	maxPageHeader = 16 << 20 // a page's least and greatest value may stand in it
	maxRowValues  = 1 << 22  // values of one row, those of its lists together
)

// groupCheck is what a row group needs.
type groupCheck struct {
	unpacked int64 // bytes: the dictionary and the largest page of each column
	values   int64 // of the largest row, at most
}

// budget is how much of the file may be unpacked at a time.
func (x *parquetIndex) budget() int64 {
	return min(maxUnpacked, anyUnpacked+unpackedRatio*x.size)
}

// checkGroup goes over all pages of a row group. Each is unpacked once for it, into a bounded room.
func (x *parquetIndex) checkGroup(group int) (need groupCheck, err error) {
	unpack := newUnpacker()
	defer unpack.close()
	for k := range x.leaves {
		c := &chunkCheck{
			index: x, leaf: &x.leaves[k], meta: &x.meta.RowGroups[group].Columns[k].MetaData, codec: x.meta.RowGroups[0].Columns[k].MetaData.Codec,
			unpack: unpack, room: x.budget() - need.unpacked,
		}
		if err := c.check(x.meta.RowGroups[group].NumRows); err != nil {
			return need, fmt.Errorf("column %q of row group %d: %w", shown(c.leaf.path), group+1, err)
		}
		need.unpacked += c.dictionary + c.largest
		need.values += max(c.longest, 1)
	}
	if need.values > maxRowValues {
		return need, fmt.Errorf("row group %d has a row of %d values; at most %d are read", group+1, need.values, maxRowValues)
	}
	return need, nil
}

// chunkCheck goes over the pages of one column in one row group.
type chunkCheck struct {
	index  *parquetIndex
	leaf   *parquetLeaf
	meta   *format.ColumnMetaData
	codec  format.CompressionCodec // of the column: the reader takes the first row group's for all
	unpack *unpacker
	room   int64 // bytes that are left to this column

	page       int   // number of the page, from 1
	dictionary int64 // bytes that the dictionary takes, 0 without one
	largest    int64 // bytes that the largest page takes
	values     int64
	rows       int64
	open       int64 // values of the row that is not known to have ended
	longest    int64 // values of the longest row
}

func (c *chunkCheck) check(rows int64) error {
	at := chunkStart(c.meta)
	end := at + c.meta.TotalCompressedSize
	if at != c.meta.DataPageOffset && at < end {
		if _, err := c.next(at, end, true); err != nil {
			return err
		}
		at = c.meta.DataPageOffset
	}
	for at < end {
		next, err := c.next(at, end, false)
		if err != nil {
			return err
		}
		at = next
	}
	c.longest = max(c.longest, c.open)
	switch {
	case c.values != c.meta.NumValues:
		return fmt.Errorf("its pages have %d values, and the index says %d", c.values, c.meta.NumValues)
	case c.rows != rows:
		return fmt.Errorf("its pages have %d rows, and the index says %d", c.rows, rows)
	case c.longest > maxPerList:
		return fmt.Errorf("a row has a list of %d values; at most %d are read", c.longest, maxPerList)
	}
	return nil
}

// next checks one page and gives the place of the one after it.
func (c *chunkCheck) next(at, end int64, dictionary bool) (int64, error) {
	c.page++
	fault := func(err error) (int64, error) { return 0, fmt.Errorf("page %d: %w", c.page, err) }
	h, size, err := c.header(at, end)
	if err != nil {
		return fault(err)
	}
	at += size
	packed := int64(h.CompressedPageSize)
	switch {
	case h.CompressedPageSize < 0 || packed > end-at:
		return fault(fmt.Errorf("it says that it has %d bytes, and %d are left of the column", packed, end-at))
	case h.UncompressedPageSize < 0:
		return fault(errors.New("it says that it has less than no bytes"))
	case dictionary && h.Type != format.DictionaryPage:
		return fault(errors.New("it stands where the dictionary should"))
	}
	if err := c.fits(packed + int64(h.UncompressedPageSize)); err != nil {
		return fault(err)
	}
	data := make([]byte, packed)
	if _, err := c.index.in.ReadAt(data, at); err != nil && !errors.Is(err, io.EOF) {
		return fault(err)
	}
	switch {
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		err = c.dictionaryPage(&h, data)
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		err = c.dataPage(&h, data)
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		err = c.dataPageV2(&h, data)
	default:
		err = fmt.Errorf("it is of a kind that is not read (%s)", h.Type)
	}
	if err != nil {
		return fault(err)
	}
	return at + packed, nil
}

// header reads what a page says of itself, and gives the bytes that it takes to do so.
func (c *chunkCheck) header(at, end int64) (h format.PageHeader, size int64, err error) {
	for window := int64(4 << 10); ; window *= 8 {
		data := make([]byte, min(window, end-at, maxPageHeader))
		if n, err := c.index.in.ReadAt(data, at); err != nil && (!errors.Is(err, io.EOF) || n < len(data)) {
			return h, 0, err
		}
		w := thriftWalk{data: data}
		err := w.structure(0)
		if errors.Is(err, io.ErrUnexpectedEOF) && int64(len(data)) == window {
			continue
		}
		if err != nil {
			return h, 0, fmt.Errorf("what it says of itself is damaged: %w", err)
		}
		r := new(thrift.CompactProtocol).NewReaderFromBytes(data[:w.at])
		if err := thrift.NewDecoder(r).Decode(&h); err != nil {
			return h, 0, fmt.Errorf("reading what it says of itself: %w", err)
		}
		return h, int64(w.at), nil
	}
}

// fits says whether a page, or a dictionary, of so many bytes may be unpacked beside what the row group has already.
func (c *chunkCheck) fits(bytes int64) error {
	if bytes > c.room-c.dictionary {
		return fmt.Errorf("it says that it unpacks to %d bytes; at most %d of a row group are unpacked at a time in a file of %d bytes, and %d are left",
			bytes, c.index.budget(), c.index.size, max(c.room-c.dictionary, 0))
	}
	return nil
}

func (c *chunkCheck) dictionaryPage(h *format.PageHeader, packed []byte) error {
	d := &h.DictionaryPageHeader.V
	if d.Encoding != format.Plain && d.Encoding != plainDictionary {
		return fmt.Errorf("a dictionary in the encoding %s is not read", d.Encoding)
	}
	data, err := c.unpack.page(c.codec, packed, int(h.UncompressedPageSize))
	if err != nil {
		return err
	}
	n := int64(d.NumValues)
	if least := c.leastBytes(); n < 0 || least == 0 || n > int64(len(data))/least {
		return fmt.Errorf("it says that it is a dictionary of %d values, and has %d bytes", n, len(data))
	}
	takes := int64(len(packed)) + int64(h.UncompressedPageSize) + 8*n
	if err := c.fits(takes); err != nil {
		return err
	}
	c.dictionary = max(c.dictionary, takes)
	return nil
}

// leastBytes is how many bytes a value of the column takes at least where it stands by itself; 0 where dictionaries have no
// such values.
func (c *chunkCheck) leastBytes() int64 {
	switch c.leaf.kind {
	case format.Int32, format.Float, format.ByteArray: // a text has its length before it
		return 4
	case format.Int64, format.Double:
		return 8
	case format.Int96:
		return 12
	case format.FixedLenByteArray:
		return int64(max(c.leaf.length, 0))
	}
	return 0
}

func (c *chunkCheck) dataPage(h *format.PageHeader, packed []byte) error {
	d := &h.DataPageHeader.V
	if err := c.announced(int64(d.NumValues), h); err != nil {
		return err
	}
	data, err := c.unpack.page(c.codec, packed, int(h.UncompressedPageSize))
	if err != nil {
		return err
	}
	n := int(d.NumValues)
	if c.leaf.repetition > 0 {
		if d.RepetitionLevelEncoding != format.RLE {
			return fmt.Errorf("lists in the encoding %s are not read", d.RepetitionLevelEncoding)
		}
		var levels []byte
		if levels, data, err = prefixed(data); err == nil {
			err = c.lists(levels, n)
		}
	} else {
		c.rows += int64(n)
	}
	if err == nil && c.leaf.definition > 0 {
		var levels []byte
		if levels, data, err = prefixed(data); err == nil && d.DefinitionLevelEncoding == format.RLE {
			err = runs(levels, levelWidth(c.leaf.definition), n, nil)
		}
	}
	if err != nil {
		return err
	}
	return c.content(d.Encoding, data, n)
}

func (c *chunkCheck) dataPageV2(h *format.PageHeader, packed []byte) error {
	d := &h.DataPageHeaderV2.V
	if err := c.announced(int64(d.NumValues), h); err != nil {
		return err
	}
	rep, def, n := int(d.RepetitionLevelsByteLength), int(d.DefinitionLevelsByteLength), int(d.NumValues)
	if rep < 0 || def < 0 || rep > len(packed)-def || d.NumNulls < 0 || d.NumNulls > d.NumValues {
		return errors.New("its levels have more bytes than it has, or it has more nulls than values")
	}
	if n > 0 && (c.leaf.repetition > 0 && rep == 0 || c.leaf.definition > 0 && def == 0) {
		return errors.New("it has no levels, and its column has")
	}
	if c.leaf.repetition > 0 {
		if err := c.lists(packed[:rep], n); err != nil {
			return err
		}
	} else {
		c.rows += int64(n)
	}
	if c.leaf.definition > 0 {
		if err := runs(packed[rep:rep+def], levelWidth(c.leaf.definition), n, nil); err != nil {
			return err
		}
	}
	data := packed[rep+def:]
	if !d.IsCompressed.Valid || d.IsCompressed.V {
		var err error
		if data, err = c.unpack.page(c.codec, data, int(h.UncompressedPageSize)); err != nil {
			return err
		}
	}
	return c.content(d.Encoding, data, n)
}

// announced checks how many values a page says that it has. Each takes some bytes of memory at once: its levels, its place, and
// itself where it is a number.
func (c *chunkCheck) announced(n int64, h *format.PageHeader) error {
	if n < 0 || n > c.meta.NumValues-c.values {
		return fmt.Errorf("it says that it has %d values, and %d are left of the column", n, c.meta.NumValues-c.values)
	}
	each := int64(4)
	if c.leaf.kind != format.ByteArray {
		each = max(each, c.leastBytes())
	}
	if c.leaf.repetition > 0 {
		each++
	}
	if c.leaf.definition > 0 {
		each++
	}
	takes := int64(h.CompressedPageSize) + int64(h.UncompressedPageSize) + n*each
	if err := c.fits(takes); err != nil {
		return err
	}
	c.values += n
	c.largest = max(c.largest, takes)
	return nil
}

// lists goes over the repetition levels of a page: each 0 begins a row.
func (c *chunkCheck) lists(levels []byte, n int) error {
	return runs(levels, levelWidth(c.leaf.repetition), n, func(level uint64, times int) {
		if level > 0 {
			c.open += int64(times)
			return
		}
		c.rows += int64(times)
		c.longest = max(c.longest, c.open, 1)
		c.open = 1
	})
}
