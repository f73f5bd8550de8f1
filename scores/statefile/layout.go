package statefile

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"evlab/tabular"
)

// Files are where the parts of a cohort are.
type Files struct {
	States       string
	Certificates string // empty when the states carry theirs
	Units        string // empty when the states carry their candidates' texts or token counts
	// Folder is an evlab cohort folder, whose tasks are the states; the other files are empty then, and UnitsOf makes
	// their pools.
	Folder  string
	UnitsOf UnitsOf
}

// Name is what messages call the place of the states.
func (f Files) Name() string {
	if f.Folder != "" {
		return f.Folder
	}
	return f.States
}

// Names that the files have in a cohort's folder, or in its folders public and private.
var (
	stateNames       = []string{"states", "items"}
	certificateNames = []string{"certificates", "labels"}
	unitNames        = []string{"units"}
	extensions       = []string{".jsonl", ".jsonl.gz", ".parquet"}
)

// Find tells the files of a cohort: path is its folder, or its file of states. certificates is where the certificates
// are when they are not in the folder; empty else.
func Find(path, certificates string) (Files, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Files{}, err
	}
	if !info.IsDir() {
		return Files{States: path, Certificates: certificates}, nil
	}
	if _, err := os.Stat(filepath.Join(path, manifest)); err == nil {
		if certificates != "" {
			return Files{}, fmt.Errorf("%s: an evlab cohort folder has its tasks' certificates itself; leave out %s", path, certificates)
		}
		return Files{Folder: path}, nil
	}
	var f Files
	var errs []error
	for _, part := range []struct {
		to     *string
		names  []string
		folder string
		needed bool
	}{{&f.States, stateNames, "public", true}, {&f.Certificates, certificateNames, "private", certificates == ""}, {&f.Units, unitNames, "public", false}} {
		found, err := locate(path, part.folder, part.names)
		if err == nil && found == "" && part.needed {
			err = fmt.Errorf("%s: there is no %s.jsonl in it, nor in %s; expected a folder with states.jsonl and certificates.jsonl, or an evlab cohort folder",
				path, strings.Join(part.names, ".jsonl or "), filepath.Join(path, part.folder))
		}
		errs = append(errs, err)
		*part.to = found
	}
	if certificates != "" {
		f.Certificates = certificates
	}
	return f, errors.Join(errs...)
}

// locate finds the one file of some name; two are an error, since they may differ.
func locate(dir, folder string, names []string) (found string, err error) {
	for _, in := range []string{dir, filepath.Join(dir, folder)} {
		for _, name := range names {
			for _, ext := range extensions {
				file := filepath.Join(in, name+ext)
				if _, err := os.Stat(file); err != nil {
					continue
				}
				if found != "" {
					return "", fmt.Errorf("%s: %s and %s are both there; keep one, or name the file itself", dir, found, file)
				}
				found = file
			}
		}
	}
	return found, nil
}

// maxUnpacked bounds what a compressed file unpacks to.
const maxUnpacked = 8 << 30

// open opens a table, unpacking gzip.
func open(file string, faults *tabular.Faults) (*tabular.Table, func() error, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	var magic [2]byte
	info, err := in.Stat()
	if err == nil && info.Mode().IsRegular() {
		if _, err := in.ReadAt(magic[:], 0); err == nil && magic == [2]byte{0x1f, 0x8b} {
			z, err := gzip.NewReader(in)
			if err != nil {
				in.Close() // read only: a failing close loses nothing
				return nil, nil, fmt.Errorf("reading %s: %w", file, err)
			}
			t, err := tabular.Read(file, tabular.JSONL, &bounded{z, maxUnpacked}, faults)
			return t, in.Close, err
		}
	}
	in.Close() // tabular opens it for itself
	t, err := tabular.Open(file, faults)
	if err != nil {
		return nil, nil, err
	}
	return t, t.Close, nil
}

// bounded fails where a reader gives more than left bytes.
type bounded struct {
	in   io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it unpacks to more than %d bytes", int64(maxUnpacked))
	}
	n, err := b.in.Read(p)
	b.left -= int64(n)
	return n, err
}
