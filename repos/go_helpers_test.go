package repos_test

import (
	"context"
	"slices"
	"testing"
)

// TestOverlayUndoesHelpersAmongTheProgram: a source of the program's package that only tests can have a use for is theirs,
// also where the task's own repair changes others beside it.
func TestOverlayUndoesHelpersAmongTheProgram(t *testing.T) {
	const helper = "package f; import \"testing\"; func same(t *testing.T, a, b int) { if a != b { t.Fatal(a) } }"
	const idle = "package f; import \"testing\"; func same(t *testing.T, a, b int) {}"
	for name, c := range map[string]struct {
		before, beside string
		undone         bool
	}{
		"a helper":                        {helper, "package f", true},
		"with a type of its own":          {helper + "; type k struct{ t *testing.T }; func (k *k) ok() {}", "package f", true},
		"by a library":                    {"package f; import (\"github.com/stretchr/testify/assert\"); func same(t assert.TestingT) { assert.True(t, true) }", "package f", true},
		"which the program uses":          {helper, "package f; func g() { same(nil, 1, 1) }", false},
		"which others may use":            {helper + "; func Same() {}", "package f", false},
		"of a type of the program's":      {helper + "; func (p P) check() {}", "package f; type P int", false},
		"that does something by itself":   {helper + "; func init() {}", "package f", false},
		"that has nothing to do with one": {"package f; func same(a, b int) {}", "package f", false},
	} {
		m, base := mirror(t, file("f.go", "package f\n"), file("helpers.go", c.before+"\n"), file("beside.go", c.beside+"\n"), file("f_test.go", "package f\n"))
		a := apply(t, m, base, edit+edits("helpers.go", c.before, idle))
		o, err := m.Overlay(context.Background(), base, a.Tree, nil, "f.go")
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(o.Neutralised, "helpers.go"); got != c.undone {
			t.Errorf("%s: undone %v", name, o.Neutralised)
		}
	}
}
