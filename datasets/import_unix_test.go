//go:build unix

package datasets_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"evlab/datasets"
)

// TestPipesInFolders: a pipe that nobody writes to is no table, and keeps nobody waiting, wherever in a folder it is.
func TestPipesInFolders(t *testing.T) {
	pipe := func(parts ...string) string {
		file := filepath.Join(parts...)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(file, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	tables := t.TempDir()
	pipe(tables, "x.jsonl")
	_, err := datasets.Import(context.Background(), tables, datasets.ImportOptions{})
	says(t, "among tables", err, "it has no .parquet")

	dir := filepath.Join(t.TempDir(), "cohort")
	m, err := datasets.ImportText("d.jsonl", lines(t, pyRow("a", nil)), datasets.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"private/tasks/a/tests.patch", "public/tasks/a.json", "cohort.json"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		pipe(dir, name)
		_, err := datasets.Import(context.Background(), dir, datasets.ImportOptions{})
		says(t, name, err, name, "expected a regular file")
	}
}
