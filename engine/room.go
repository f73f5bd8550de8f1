package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// neededRoom is what the server writes soon after a start: its log of changes grows to about this before it is folded
// into the file.
const neededRoom = 4 << 20

// checkRoom finds a full disk by filling a bit of it. SQLite reports one in too many ways to be asked, and a server
// that runs out of room just after its start retries instead of saying so.
func checkRoom(folder string) (err error) {
	name := filepath.Join(folder, "room.tmp")
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a killed start
		return fmt.Errorf("writing to the server's folder: %w", err)
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return inWords(folder, fmt.Errorf("writing to the server's folder: %w", err))
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(name)) }()
	block := make([]byte, 1<<20)
	for range neededRoom / len(block) {
		if _, err := file.Write(block); err != nil {
			return inWords(folder, fmt.Errorf("writing to the server's folder: %w", err))
		}
	}
	return nil
}
