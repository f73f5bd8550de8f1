package scores_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImports holds the package to what its comment says: no files, no clock, no random numbers, and of ours only the
// certificate and the vocabulary around it.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	allowed := []string{"cmp", "errors", "fmt", "iter", "maps", "math", "math/bits", "slices", "strconv", "evlab/evidence", "evlab/experiments", "evlab/organizer"}
	for path := range strings.FieldsSeq(string(out)) {
		if !slices.Contains(allowed, path) {
			t.Errorf("scores imports %s", path)
		}
	}
}
