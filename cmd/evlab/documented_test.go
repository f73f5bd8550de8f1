package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestDocumentedOutput runs the commands that the pages show with a dollar sign. What stands below each of them has to be what
// it prints (its notes last, as they come on stderr), or its beginning.
func TestDocumentedOutput(t *testing.T) {
	t.Chdir("../..")
	for page, least := range map[string]int{"docs/statistics.md": 4, "docs/agreement.md": 2} {
		if commands := documentedOutput(t, page); commands < least {
			t.Errorf("%s shows %d commands", page, commands)
		}
	}
}

func documentedOutput(t *testing.T, page string) (commands int) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, more := strings.Cut(string(text), "\n    $ evlab ")
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
		printed := stdout.String() + stderr.String()
		if shown = strings.Trim(shown, "\n") + "\n"; len(shown) < 80 || !strings.HasPrefix(printed, shown) {
			t.Errorf("evlab %s prints\n%s\n%s shows\n%s", command, printed, page, shown)
		}
		_, rest, more = strings.Cut("\n"+rest, "\n    $ evlab ")
	}
	return commands
}
