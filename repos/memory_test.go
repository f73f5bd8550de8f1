package repos_test

import (
	"context"
	"reflect"
	"testing"

	"evlab/repos"
)

// A repository that was asked before answers as one that was just opened, also when a reader changed what it got.
func TestWhatIsRememberedIsWhatIsThere(t *testing.T) {
	ctx := context.Background()
	used, base := mirror(t, file("a.go", "one\n"), file("sub/b.go", "two\n"), file("sub/b_test.go", "three\n"))
	patches := []string{
		edits("a.go", "one", "uno"), adds("new.go", "100644", "four\n"), adds("sub/c_test.go", "100644", "five\n"),
		edits("a.go", "absent", "uno"), "", adds("out", "120000", "../../etc/passwd"),
	}
	for round := range 2 {
		for _, patch := range patches {
			fresh, err := repos.Open(ctx, used.Dir())
			if err != nil {
				t.Fatal(err)
			}
			got, want := apply(t, used, base, patch), apply(t, fresh, base, patch)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("round %d, patch %q: %+v, a fresh one says %+v", round, patch, got, want)
			}
			if got.Outcome != repos.OutcomeApplied {
				continue
			}
			if a, b := content(t, used, got.Tree), content(t, fresh, want.Tree); !reflect.DeepEqual(a, b) {
				t.Errorf("round %d, patch %q: %v, a fresh one says %v", round, patch, a, b)
			}
			over, err := used.Overlay(ctx, base, got.Tree, []byte(edits("sub/b_test.go", "three", "drei")))
			if err != nil {
				t.Fatal(err)
			}
			anew, err := fresh.Overlay(ctx, base, want.Tree, []byte(edits("sub/b_test.go", "three", "drei")))
			if err != nil || !reflect.DeepEqual(over, anew) {
				t.Errorf("round %d, patch %q: laid over %+v, a fresh one says %+v, %v", round, patch, over, anew, err)
			}
			for i := range got.Paths {
				got.Paths[i] = "spoilt"
			}
		}
	}
}
