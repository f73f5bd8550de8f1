package contrasts_test

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestImports holds the package to what its comment says: pure, and none of ours.
func TestImports(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case path == "github.com/montanaflynn/stats", path == "gonum.org/v1/gonum/stat/distuv":
			case path == "os", path == "time", path == "io", path == "net", strings.HasPrefix(path, "os/"), strings.HasPrefix(path, "net/"):
				t.Errorf("%s imports %s: no files, clock or network here", e.Name(), path)
			case strings.Contains(path, ".") || strings.HasPrefix(path, "evlab/"):
				t.Errorf("%s imports %s", e.Name(), path)
			}
		}
	}
	if files < 10 {
		t.Errorf("only %d files were looked at", files)
	}
}
