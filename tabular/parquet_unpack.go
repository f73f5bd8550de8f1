package tabular

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// unpacker decompresses pages into no more room than they say that they need. What it has unpacked once, another reader of the
// same bytes can unpack without surprises.
type unpacker struct{ zstd *zstd.Decoder }

func newUnpacker() *unpacker { return &unpacker{} }

func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}

// maxWindow is how far back compressed data may point: memory that it asks for before it gives anything.
const maxWindow = 64 << 20

// page unpacks a page that says that it has size bytes. It is an error if it has more.
func (u *unpacker) page(codec format.CompressionCodec, packed []byte, size int) ([]byte, error) {
	var in io.Reader
	switch codec {
	case format.Uncompressed:
		return packed, nil
	case format.Snappy:
		n, err := snappy.DecodedLen(packed)
		if err == nil && n > size {
			err = more(size)
		}
		if err != nil {
			return nil, unpacking(err)
		}
		data, err := snappy.Decode(make([]byte, n), packed)
		return data, unpacking(err)
	case format.Gzip:
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, unpacking(err)
		}
		in = z
	case format.Zstd:
		if u.zstd == nil {
			var err error
			if u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true)); err != nil {
				return nil, err
			}
		}
		if err := u.zstd.Reset(bytes.NewReader(packed)); err != nil {
			return nil, unpacking(err)
		}
		in = u.zstd
	case format.Brotli:
		in = brotli.NewReader(bytes.NewReader(packed))
	default: // LZ4_RAW among them: of a page that it makes little smaller, the library gives the bytes of another page
		return nil, fmt.Errorf("it is compressed by %s, which is not read", codec)
	}
	data := bytes.NewBuffer(make([]byte, 0, size+1+bytes.MinRead)) // it wants that much more to find its end
	n, err := io.Copy(data, io.LimitReader(in, int64(size)+1))
	if err == nil && n > int64(size) {
		err = more(size)
	}
	return data.Bytes(), unpacking(err)
}

func more(size int) error {
	return fmt.Errorf("it has more than the %d bytes that it says", size)
}

func unpacking(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("unpacking it: %w", err)
}
