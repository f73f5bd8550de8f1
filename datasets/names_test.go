package datasets

import (
	"slices"
	"strings"
	"testing"
)

// TestQualifiedNamesOfSubtestsThatHoldTheSeparator: only what stands in front of a test's own name is a package.
func TestQualifiedNamesOfSubtestsThatHoldTheSeparator(t *testing.T) {
	full := `["x.org/m/p::TestA/b::c", "x.org/m::TestB"]`
	for _, bare := range [][]string{{"TestA/b::c", "TestB"}, {"x.org/m/p::TestA/b::c", "x.org/m::TestB"}, {"p::TestA/b::c", "TestB"}} {
		if got, err := qualified(bare, []byte(full)); err != nil || !slices.Equal(got, []string{"x.org/m/p::TestA/b::c", "x.org/m::TestB"}) {
			t.Errorf("%q: %q, %v", bare, got, err)
		}
	}
	if _, err := qualified([]string{"TestA/b"}, []byte(full)); err == nil {
		t.Error("lists that name other tests are taken for the same")
	}
}

// TestLongNamesOfTests: parameters may be whole texts.
func TestLongNamesOfTests(t *testing.T) {
	for size, ok := range map[int]bool{8 << 10: true, 16 << 10: false} {
		if err := checkTestName("test_a.py::test_a[" + strings.Repeat("x", size) + "]"); (err == nil) != ok {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
