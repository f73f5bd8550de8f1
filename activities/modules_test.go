package activities

import (
	"context"
	"slices"
	"testing"
)

// TestModulesInTheirPlaces: a module may stand in for another of the same repository, and then only where both are can the
// modules of either be fetched.
func TestModulesInTheirPlaces(t *testing.T) {
	m, commit := repository(t, map[string]string{
		"lib/go.mod":      "module x.org/lib\n\ngo 1.21\n\nrequire x.org/near v1.0.0\n\nreplace x.org/near => ../near\n",
		"lib/lib_test.go": "package lib\n\nimport \"testing\"\n\nfunc TestL(t *testing.T) {}\n",
		"near/go.mod":     "module x.org/near\n\ngo 1.21\n",
		"far/go.mod":      "module x.org/far\n\ngo 1.21\n\nrequire x.org/nowhere v1.0.0\n", // of no test's concern
	})
	set, err := modulesOf(context.Background(), m, commit, []string{"x.org/lib::TestL"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(set.Folders, []string{"lib"}) {
		t.Fatalf("modules are fetched for %q, want lib alone", set.Folders)
	}
	t.Setenv("GOPROXY", "off")
	if err := download(context.Background(), t.TempDir(), set); err != nil {
		t.Error(err)
	}
}
