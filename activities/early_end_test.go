package activities

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evlab/repos"
)

// TestEarlyEnd: a program of the tests that the candidate's code ended proves nothing; one that its own code ends is fine.
func TestEarlyEnd(t *testing.T) {
	m, commit := repository(t, map[string]string{
		"src/w.c": "int count(void) { return 1; }\n", "src/main.c": "int main(void) { exit(0); }\n", "src/cmd.c": "void usage(void) { _exit (0); }\n", "tests/t.c": "int main(void) {}\n",
	})
	delta := repos.Delta{Files: []repos.File{{Path: "src/w.c"}, {Path: "src/new.c"}, {Path: "src/cmd.c"}, {Path: "src/main.c"}, {Path: "tests/t.c"}}}
	for line, early := range map[string]bool{
		"t\ttests/t.c\tsrc/w.c":                             true,
		"t\ttests/t.c\ttests/../src/w.c":                    true,
		"t\t/usr/src/googletest/src/gtest_main.cc\tsrc/w.c": true,
		"t\ttests/t.c\tsrc/new.c":                           true,
		"t\ttests/t.c\tsrc/other.c":                         false, // nobody changed it
		"t\ttests/t.c\ttests/t.c":                           false,
		"t\ttests/t.c\tsrc/cmd.c":                           false, // it did so before
		"cli\tsrc/main.c\tsrc/w.c":                          false, // a program of the repository's
		"t\ttests/t.c\t??":                                  false,
		"t\t??\tsrc/w.c":                                    false,
		"t\ttests/t.c":                                      false,
	} {
		stderr := filepath.Join(t.TempDir(), "stderr")
		if err := os.WriteFile(stderr, []byte("noise "+earlyEndMark+"\n"+strings.Repeat("x", 100<<10)+"\n"+earlyEndMark+line+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		why, err := earlyEnd(context.Background(), m, commit, delta, stderr)
		if err != nil || (why != "") != early {
			t.Errorf("%s: %q, %v", line, why, err)
		}
	}
}
