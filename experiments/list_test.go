package experiments

import (
	"strings"
	"testing"
)

// TestListOfHostileNames: no name in a sentence makes a line of its own.
func TestListOfHostileNames(t *testing.T) {
	if got := List([]string{"a\nhint: b", "c", "\x1b[31m", "d"}, 3); got != `"a\nhint: b", c, "\x1b[31m" and 1 more` {
		t.Error(got)
	}
	if got := List([]string{strings.Repeat("é", 1000)}, 3); len(got) > 210 || !strings.HasSuffix(got, "é...") {
		t.Error(got)
	}
}

func TestSuggestKnowsSwaps(t *testing.T) {
	for word, want := range map[string]string{"nwe": ` (did you mean "new"?)`, "glod": ` (did you mean "gold"?)`, "xyz": "", "newer": ""} {
		if got := Suggest(word, []string{"new", "gold"}); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
