//go:build linux || darwin || freebsd

package artifacts

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestOpenTidiesUp: what killed processes left goes after a day, when nobody is at work in the folder; what is committed, what
// is young and what is another's stays.
func TestOpenTidiesUp(t *testing.T) {
	dir := t.TempDir()
	open := func() *Folder {
		t.Helper()
		f, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	old := time.Now().Add(-25 * time.Hour)
	put := func(name string, at time.Time) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644), os.Chtimes(file, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	left := []string{"records/ab/.x.json.4711.tmp", "calls/s/.intent-0001.json.12.tmp", "blobs/sha256/ab/fileblob4711", "github/ab/.c.json.1.tmp", "state/.host-id.77.tmp", "modules/m/.whole.9.tmp"}
	folders := []string{"mirrors/.snapshot-4711", "scratch/streams-4711", "scratch/cohorts/.history-4711"}
	stays := []string{"records/ab/x.json", "records/ab/x.4711.tmp", "blobs/sha256/ab/abcd", "runs/r/cells/.x-1.json.4711.tmp", "mirrors/m/.x.1.tmp"}
	stays = append(stays, "mirrors/m/HEAD", "scratch/cohorts/demo/HEAD", "scratch/streams-0815/stdout")
	for _, name := range append(left, stays...) {
		put(name, old)
	}
	for _, name := range folders { // what is in them counts for nothing
		put(name+"/repo.git/HEAD", time.Now())
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	left = append(left, folders...)
	put("records/ab/.young.json.1.tmp", time.Now())
	first := open() // the folder was never open: nobody can tell who was at work
	check := func(when string, gone bool) {
		t.Helper()
		for _, name := range left {
			if _, err := os.Lstat(filepath.Join(dir, name)); errors.Is(err, os.ErrNotExist) != gone {
				t.Errorf("%s: %s: %v", when, name, err)
			}
		}
		for _, name := range append(stays, "records/ab/.young.json.1.tmp") {
			if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
				t.Errorf("%s: %v", when, err)
			}
		}
	}
	put("state/at-work", old)
	second := open()
	check("while another is at work", false)
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	third := open()
	check("when nobody is", true)
	if err := third.Close(); err != nil {
		t.Fatal(err)
	}
	put(left[0], old)
	if err := open().Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, left[0])); err != nil {
		t.Errorf("it was looked for again within a day: %v", err)
	}
}
