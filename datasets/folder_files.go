package datasets

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"evlab/experiments"
)

// Bounds of a cohort folder.
const (
	maxFolderFile  = 16 << 20
	maxFolderBytes = 512 << 20
	maxFolderFiles = 50_000
)

// tree is a folder read into memory.
type tree struct {
	files   []string // sorted
	content map[string][]byte
}

// list reads every file below the root. Symbolic links and devices are faults: a cohort holds what it says itself.
func list(fsys fs.FS, f *faults) tree {
	t := tree{content: map[string][]byte{}}
	total := 0
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if strings.HasPrefix(d.Name(), ".") && p != "." {
				return fs.SkipDir
			}
			return nil
		case strings.HasPrefix(d.Name(), "."):
			return nil // an editor's or a desktop's own
		case !d.Type().IsRegular():
			f.add(p, "it is a %s: expected a regular file", d.Type())
			return nil
		case len(t.files) == maxFolderFiles:
			return fmt.Errorf("more than %d files", maxFolderFiles)
		}
		data, err := readAtMost(fsys, p, maxFolderFile)
		if err != nil {
			f.join(err)
			return nil
		}
		if total += len(data); total > maxFolderBytes {
			return fmt.Errorf("the files have more than %d bytes together", maxFolderBytes)
		}
		t.files, t.content[p] = append(t.files, p), data
		return nil
	})
	f.join(err)
	slices.Sort(t.files)
	return t
}

func readAtMost(fsys fs.FS, p string, limit int64) (data []byte, err error) {
	// A pipe that nobody writes to would wait for ever, already when it is opened.
	if info, err := fs.Stat(fsys, p); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: expected a regular file", p)
	}
	file, err := fsys.Open(p)
	if err != nil {
		return nil, err
	}
	defer file.Close() // read only: a failing close loses nothing
	data, err = io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: it has more than %d bytes", p, limit)
	}
	return data, nil
}

func (t tree) read(file string) ([]byte, bool) {
	data, ok := t.content[file]
	return data, ok
}

// under lists the files whose paths start with one of the prefixes.
func (t tree) under(prefixes ...string) (files []string) {
	for _, file := range t.files {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(file, p) }) {
			files = append(files, file)
		}
	}
	return files
}

// digest covers names and contents of the files under the prefixes.
func (t tree) digest(prefixes ...string) experiments.Digest {
	var b strings.Builder
	for _, file := range t.under(prefixes...) {
		fmt.Fprintf(&b, "%x\t%s\n", sha256.Sum256(t.content[file]), file)
	}
	return experiments.DigestBytes([]byte(b.String()))
}
