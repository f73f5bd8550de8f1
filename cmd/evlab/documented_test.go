package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestDocumentedOutput runs the commands that docs/statistics.md shows with a dollar sign. What stands below each of them has
// to be what it prints, or its beginning.
func TestDocumentedOutput(t *testing.T) {
	t.Chdir("../..")
	page, err := os.ReadFile("docs/statistics.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	_, rest, more := strings.Cut(string(page), "\n    $ evlab ")
	for more {
		var command, shown string
		command, rest, _ = strings.Cut(rest, "\n")
		for {
			line, after, _ := strings.Cut(rest, "\n")
			text, indented := strings.CutPrefix(line, "    ")
			if !indented && line != "" {
				break
			}
			shown, rest = shown+text+"\n", after
		}
		commands++
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), strings.Fields(command), strings.NewReader(""), &stdout, &stderr, nil); code != exitOK {
			t.Errorf("evlab %s: exit code %d: %s", command, code, stderr.String())
		}
		if shown = strings.TrimRight(shown, "\n") + "\n"; len(shown) < 80 || !strings.HasPrefix(stdout.String(), shown) {
			t.Errorf("evlab %s prints\n%s\nthe page shows\n%s", command, stdout.String(), shown)
		}
		_, rest, more = strings.Cut("\n"+rest, "\n    $ evlab ")
	}
	if commands < 4 {
		t.Errorf("the page shows %d commands", commands)
	}
}
