package datasets

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestPartialFoldersOfKilledProcesses: what a process that was killed left beside a folder goes after a day, and nothing of
// another folder or of a person's.
func TestPartialFoldersOfKilledProcesses(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-leftFor - time.Hour)
	for name, at := range map[string]time.Time{
		".co[hort.17.partial": old, ".co[hort.18.partial": time.Now(), ".other.17.partial": old, ".co[hort.mine.partial": old, "co[hort.17.partial": old,
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Join(path, "public"), 0o755), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	tmp, err := partial(filepath.Join(dir, "co[hort"))
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := []string{".co[hort.18.partial", ".co[hort.mine.partial", ".other.17.partial", "co[hort.17.partial", filepath.Base(tmp)}
	slices.Sort(want)
	if !slices.Equal(left, want) || err != nil {
		t.Errorf("left %q, want %q (%v)", left, want, err)
	}
}
