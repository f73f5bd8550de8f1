package experiments

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestFlatten(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	wrapped := fmt.Errorf("around: %w", errors.Join(b, c)) // says something of its own, and stays whole
	if got := Flatten(errors.Join(a, errors.Join(b, errors.Join(c)), wrapped)); !slices.Equal(got, []error{a, b, c, wrapped}) {
		t.Errorf("%v", got)
	}
	if got := Flatten(nil); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}
