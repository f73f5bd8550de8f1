package artifacts

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Folder is evlab's data folder (EVLAB_DATA): the stores, the runs, and the state of engine and sandbox.
type Folder struct {
	Dir     string
	Public  *Store // what any role may read
	Private *Store // the organizer's: hidden tests, reference repairs, certificates
	HandOut *Store // what the organizer hands to a sandbox, step by step
	Calls   *Once  // executor calls, by the digest of the request
	Checks  *Once  // preflights, by the digest of task, environment and limits
	Records *Index

	release func() // says that this process is at work here no more
}

// Open opens the data folder, making it when it is missing. The private stores are readable by their owner only.
func Open(dir string) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the data folder %s: %w", dir, err)
	}
	f := &Folder{
		Dir:     dir,
		Calls:   OpenOnce(filepath.Join(dir, "calls")),
		Checks:  OpenOnce(filepath.Join(dir, "checks")),
		Records: &Index{dir: filepath.Join(dir, "records")},
	}
	f.hold()
	for _, s := range []struct {
		name  string
		mode  fs.FileMode
		store **Store
	}{{"blobs", 0o755, &f.Public}, {"private", 0o700, &f.Private}, {"handout", 0o700, &f.HandOut}} {
		path := filepath.Join(dir, s.name)
		if err := os.MkdirAll(path, s.mode); err != nil {
			return nil, errors.Join(fmt.Errorf("making %s: %w", path, err), f.Close())
		}
		if *s.store, err = OpenStore(path); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, nil
}

// HasRuns says whether a folder, which may not be there, has a place for runs: who only reads asks before Open makes one.
func HasRuns(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "runs"))
	return !errors.Is(err, fs.ErrNotExist)
}

// Close releases the stores.
func (f *Folder) Close() error {
	if f.release != nil {
		f.release()
	}
	var errs []error
	for _, s := range []*Store{f.Public, f.Private, f.HandOut} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// Mirrors is where repository snapshots are, one bare mirror per base commit.
func (f *Folder) Mirrors() string { return filepath.Join(f.Dir, "mirrors") }

// Fetched is where repositories are that were fetched, whole, from a bundle or a URL.
func (f *Folder) Fetched() string { return FetchedIn(f.Dir) }

// FetchedIn is Fetched of a data folder that is not open, or not there yet.
func FetchedIn(dir string) string { return filepath.Join(dir, "fetched") }

// Mirror is the folder of one mirror, by the name that a contract froze.
func (f *Folder) Mirror(name string) string { return filepath.Join(f.Mirrors(), filepath.Base(name)) }

// Modules is where prefetched module caches are, one folder per set of module files.
func (f *Folder) Modules() string { return filepath.Join(f.Dir, "modules") }

// GitHub is where answers of GitHub are kept.
func (f *Folder) GitHub() string { return filepath.Join(f.Dir, "github") }

// Scratch is for what may be deleted when no evlab runs.
func (f *Folder) Scratch() string { return filepath.Join(f.Dir, "scratch") }

// State is the folder of one part's own state ("engine", "sandbox").
func (f *Folder) State(part string) string { return filepath.Join(f.Dir, "state", part) }

// HostID names this data folder on this machine, for ever: containers carry it, so that two data folders on one
// machine never reap each other's.
func (f *Folder) HostID() (string, error) {
	path := filepath.Join(f.Dir, "state", "host-id")
	data, err := readFile(path)
	if err == nil && len(strings.TrimSpace(string(data))) == 16 {
		return strings.TrimSpace(string(data)), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	var b [8]byte
	rand.Read(b[:])
	id := hex.EncodeToString(b[:])
	return id, WriteFile(path, []byte(id+"\n"))
}
