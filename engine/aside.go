package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

// MoveAside renames the server's file, and the log beside it, to a dated name in the same folder, so that the next
// Start makes a new one. It returns the new name. ErrInUse is returned while a process owns the folder, and an error
// that is fs.ErrNotExist when there is nothing to move.
func MoveAside(state string) (moved string, err error) {
	state, err = filepath.Abs(state)
	if err != nil {
		return "", fmt.Errorf("finding the state folder %q: %w", state, err)
	}
	if _, err := os.Stat(state); err != nil {
		return "", fmt.Errorf("moving the server's file aside: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := awaitStop(ctx, state); err != nil {
		return "", fmt.Errorf("waiting for the server over %s to stop: %w", state, err)
	}
	l, err := acquire(state)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, l.release()) }()
	schema, err := schemaFingerprint()
	if err != nil {
		return "", err
	}
	file := filepath.Join(folderOf(state, schema), databaseName)
	moved, err = setAside(file, "damaged")
	if err == nil && moved == "" {
		return "", &problem{kind: fs.ErrNotExist, text: fmt.Sprintf("there is no server file %s to move aside", file)}
	}
	return moved, err
}

// setAside renames a database and its companions to a dated name, the database first: a log without one is set aside
// by the next start, while one beside a new file would be taken for its own. It returns "" when nothing was there.
func setAside(file, why string) (string, error) {
	target, err := freeName(file + "." + why + "-" + time.Now().UTC().Format("20060102T150405Z"))
	if err != nil {
		return "", err
	}
	found := false
	for _, suffix := range append([]string{""}, companions...) {
		switch err := os.Rename(file+suffix, target+suffix); {
		case err == nil:
			found = true
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("moving the server's file aside: %w", err)
		}
	}
	if !found {
		return "", nil
	}
	return target, syncFolder(filepath.Dir(file))
}

// freeName numbers a name until neither it nor a companion of it is taken.
func freeName(name string) (string, error) {
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("choosing a name to move the server's file to: %w", err)
	}
	taken := func(candidate string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), filepath.Base(candidate)) })
	}
	for n := 1; n < 1000; n++ {
		candidate := name
		if n > 1 {
			candidate = fmt.Sprintf("%s-%d", name, n)
		}
		if !taken(candidate) {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("no free name beginning with %s is left: remove old files there", name)
}

// olderFiles lists the server files of other schemas below a state folder, sorted.
func olderFiles(state, schema string) []string {
	entries, err := os.ReadDir(filepath.Join(state, "temporal"))
	if err != nil {
		return nil
	}
	var files []string
	for _, entry := range entries {
		file := filepath.Join(folderOf(state, entry.Name()), databaseName)
		if info, err := os.Stat(file); entry.Name() != schema && err == nil && info.Mode().IsRegular() {
			files = append(files, file)
		}
	}
	sort.Strings(files)
	return files
}

// schemaNotice says that runs may lie in files which this version does not open, or nil when there are none.
func schemaNotice(state, schema string) error {
	older := olderFiles(state, schema)
	if len(older) == 0 {
		return nil
	}
	return &problem{kind: ErrSchemaChanged, text: fmt.Sprintf("this version's server keeps its state in a new file; runs that were "+
		"unfinished in %s can be finished by the version that started them or resumed here from their stored results "+
		"(delete that file to stop this notice)", strings.Join(older, ", "))}
}
