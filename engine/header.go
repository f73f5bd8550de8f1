package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// The first hundred bytes of a SQLite file (https://www.sqlite.org/fileformat.html, section 1.3).
const (
	headerSize     = 100
	headerMagic    = "SQLite format 3\x00"
	offsetPageSize = 16
	offsetChanges  = 24
	offsetPages    = 28
	offsetVersion  = 92
)

// checkHeader finds, without opening the file as a database, the damage that SQLite would overlook or make worse:
// it takes an empty file for a new database and throws the log beside it away.
func checkHeader(name string, size int64) error {
	logged := false
	if info, err := os.Stat(name + "-wal"); err == nil && info.Size() > 0 {
		logged = true
	}
	if size == 0 {
		if logged {
			return damaged(name, "it is empty though a log of changes lies beside it", nil)
		}
		return damaged(name, "it is empty", nil)
	}
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("opening the server's file: %w", err)
	}
	defer file.Close()
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(file, header); errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged(name, fmt.Sprintf("it is cut off after %d bytes", size), nil)
	} else if err != nil {
		return fmt.Errorf("reading the server's file: %w", err)
	}
	if string(header[:len(headerMagic)]) != headerMagic {
		return damaged(name, "it does not begin like a SQLite file", nil)
	}
	// While a log lies beside the file, page one may be ahead of or behind the rest.
	if logged {
		return nil
	}
	pageSize := int64(binary.BigEndian.Uint16(header[offsetPageSize:]))
	if pageSize == 1 {
		pageSize = 65536
	}
	if pageSize < 512 || pageSize&(pageSize-1) != 0 {
		return damaged(name, fmt.Sprintf("its page size reads %d", pageSize), nil)
	}
	counted := binary.BigEndian.Uint32(header[offsetChanges:]) == binary.BigEndian.Uint32(header[offsetVersion:])
	if want := int64(binary.BigEndian.Uint32(header[offsetPages:])) * pageSize; counted && size < want {
		return damaged(name, fmt.Sprintf("it is cut off: %d of %d bytes are there", size, want), nil)
	}
	return nil
}
