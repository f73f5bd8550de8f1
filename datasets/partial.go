package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// leftFor is how long what a killed process left of a folder stays: longer than any takes to be written.
const leftFor = 24 * time.Hour

// partial makes the folder beside dir in which its content is put together, to be renamed once it is whole. What processes
// that were killed left there goes.
func partial(dir string) (string, error) {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		// The name is a person's, so it is no pattern.
		rest, begins := strings.CutPrefix(e.Name(), "."+filepath.Base(dir)+".")
		number, ends := strings.CutSuffix(rest, ".partial")
		if !begins || !ends || strings.Trim(number, "0123456789") != "" || !e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > leftFor {
			os.RemoveAll(filepath.Join(parent, e.Name()))
		}
	}
	tmp, err := os.MkdirTemp(parent, "."+filepath.Base(dir)+".*.partial")
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return "", fmt.Errorf("nothing can be made in %s: %w", parent, path.Err)
	}
	return tmp, err
}
