package artifacts

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// leftFor is how long what a killed process left half-written stays, and how often a folder is looked through for it. A day
// is longer than any write: an evlab that does not say that it is at work, since it is older or its system has no locks, is not disturbed.
const leftFor = 24 * time.Hour

// hold says that this process is at work in the folder, and before that, where none is and it is a day since that was done,
// removes what killed processes left. Neither may fail anybody: a folder that can't be written can still be read.
func (f *Folder) hold() {
	file := filepath.Join(f.Dir, "state", "at-work")
	if os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return
	}
	now := time.Now()
	if info, err := os.Stat(file); err == nil && now.Sub(info.ModTime()) > leftFor {
		Alone(file, func() error { f.tidy(now.Add(-leftFor)); return os.Chtimes(file, now, now) })
	}
	f.release, _ = Hold(file)
}

// tidy removes what was begun before a time and never committed: contents, snapshots of repositories, and the streams of
// steps, which nobody reads but the process that made them. Runs are not gone through: they have their own signs, and their
// own Sweep. Nor are caches of packages and the sandbox's state, which others write.
func (f *Folder) tidy(before time.Time) {
	for _, dir := range []string{"records", "calls", "checks", "blobs", "private", "handout", "github"} {
		sweep(filepath.Join(f.Dir, dir), func(d fs.DirEntry) bool { return (unfinished(d) || unstored(d)) && older(d, before) })
	}
	for _, pattern := range []string{"mirrors/.snapshot-*", "scratch/streams-*", "scratch/cohorts/.history-*"} {
		folders, _ := filepath.Glob(filepath.Join(f.Dir, filepath.FromSlash(pattern)))
		for _, folder := range folders {
			if info, err := os.Lstat(folder); err == nil && info.IsDir() && info.ModTime().Before(before) {
				os.RemoveAll(folder)
			}
		}
	}
	for _, pattern := range []string{"state/.?*.tmp", "modules/.?*.tmp", "modules/*/.?*.tmp"} {
		files, _ := filepath.Glob(filepath.Join(f.Dir, filepath.FromSlash(pattern)))
		for _, file := range files {
			if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
				if d := fs.FileInfoToDirEntry(info); unfinished(d) && older(d, before) {
					os.Remove(file)
				}
			}
		}
	}
}

// unstored reports whether a file is a blob that a store has not put in its place.
func unstored(d fs.DirEntry) bool {
	left, _ := filepath.Match("fileblob[0-9]*", d.Name())
	return left
}

func older(d fs.DirEntry, than time.Time) bool {
	info, err := d.Info()
	return err == nil && info.ModTime().Before(than)
}
