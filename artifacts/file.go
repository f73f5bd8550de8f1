package artifacts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// WriteFile writes data to path so that path holds either its old content or all of data: temporary file in the same
// folder, fsync, rename, fsync of the folder. Missing folders are made.
func WriteFile(path string, data []byte) error {
	w, err := Create(path)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit()
}

// FileWriter is WriteFile for content that comes piece by piece: path is untouched until Commit. One of Commit and Abort
// has to be called.
type FileWriter struct {
	path string
	f    *os.File
}

// Create begins the content of path.
func Create(path string) (*FileWriter, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of %s: %w", path, err)
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return &FileWriter{path: path, f: f}, nil
}

// Write adds to the content.
func (w *FileWriter) Write(data []byte) (int, error) {
	n, err := w.f.Write(data)
	if err != nil {
		err = fmt.Errorf("writing %s: %w", w.path, err)
	}
	return n, err
}

// Commit makes the content that of path.
func (w *FileWriter) Commit() error {
	err := w.f.Chmod(0o644)
	if err == nil {
		err = w.f.Sync()
	}
	err = errors.Join(err, w.f.Close())
	if err == nil {
		err = os.Rename(w.f.Name(), w.path)
	}
	if err != nil {
		os.Remove(w.f.Name())
		return fmt.Errorf("writing %s: %w", w.path, err)
	}
	return syncDir(filepath.Dir(w.path))
}

// Sweep removes what a process that was killed left of contents that it never committed, below dir. It is for a folder that
// nobody writes to.
func Sweep(dir string) error { return sweep(dir, unfinished) }

// unfinished reports whether a file is a content that was not committed.
func unfinished(d fs.DirEntry) bool {
	left, _ := filepath.Match(".?*.[0-9]*.tmp", d.Name())
	return left
}

// sweep removes the regular files below dir that are wanted no more.
func sweep(dir string, unwanted func(fs.DirEntry) bool) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && unwanted(d) {
			err = os.Remove(path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// Abort leaves path as it was.
func (w *FileWriter) Abort() error { return errors.Join(w.f.Close(), os.Remove(w.f.Name())) }

// WriteJSON is WriteFile of v's indented JSON form.
func WriteJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding %s: %w", path, err)
	}
	return WriteFile(path, append(data, '\n'))
}

// ReadJSON reads path into v. A missing file is fs.ErrNotExist; anything that is not whole JSON is ErrDamaged.
func ReadJSON(path string, v any) error {
	data, err := readFile(path)
	if err != nil {
		return err
	}
	return decode(path, data, v)
}

// readFile reads a file that is one: a pipe would never end, nor would a device. Anything else is ErrDamaged.
func readFile(path string) ([]byte, error) {
	if err := checkPlace(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// checkPlace says that something else stands where a file is expected; nothing may.
func checkPlace(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return nil // what keeps it from being read, reading says
	}
	what := "no regular file"
	if info.IsDir() {
		what = "a folder"
	}
	return fmt.Errorf("%w: %s is %s, and has the place of a file: remove it", ErrDamaged, path, what)
}

// decode is ReadJSON of what was read already.
func decode(path string, data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%w: %s: %v", ErrDamaged, path, err)
	}
	return nil
}

// ErrDamaged says that a file is there but is not what was written: it counts as absent for work, and is reported.
var ErrDamaged = errors.New("damaged file")

// NoRoom reports whether an error is that a disk, or somebody's part of it, is full.
func NoRoom(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// ErrLost says that something that was stored is there no more. Trying again does not bring it back.
var ErrLost = errors.New("lost")

// syncDir makes a rename durable. Systems that can't sync a folder (Windows) have nothing to do here.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("syncing %s: %w", dir, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("syncing %s: %w", dir, err)
	}
	return nil
}
