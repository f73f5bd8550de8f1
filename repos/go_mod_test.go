package repos

import (
	"reflect"
	"testing"
)

func TestDirectives(t *testing.T) {
	const text = "module \"example.org/m\" // its name\n\ngo 1.24\n\nrequire(\n\ta v1 // indirect\n\n\t\"b\" v2\n)\n" +
		"require c v3\nreplace a => ./a\nreplace (\n\tb v2 => d v4\n)\nrequire\n"
	for verb, want := range map[string][][]string{
		"module": {{"example.org/m"}}, "require": {{"a", "v1"}, {"b", "v2"}, {"c", "v3"}}, "go": {{"1.24"}}, "use": nil,
		"replace": {{"a", "=>", "./a"}, {"b", "v2", "=>", "d", "v4"}},
	} {
		if got := Directives(text, verb); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", verb, got, want)
		}
	}
	if got := ModulePath(text); got != "example.org/m" {
		t.Error(got)
	}
	if got := replacements(text); !reflect.DeepEqual(got, []string{"a => ./a", "b v2 => d v4"}) {
		t.Error(got)
	}
}

// TestModulesThatShareLoops: only a step from a version with variables for each turn of a loop to one without is told, and a
// file that names none is of Go 1.16.
func TestModulesThatShareLoops(t *testing.T) {
	const at = "module m\n\ngo "
	for _, c := range []struct {
		before, after string
		want          bool
	}{
		{at + "1.22\n", at + "1.21\n", true}, {at + "1.26.1\n", at + "1.9 // old\n", true}, {at + "1.22rc1\n", "module m\n", true}, {at + "2.0\n", at + "1.21\n", false},
		{at + "1.22\n", at + "1.26\n", false}, {at + "1.21\n", at + "1.22\n", false}, {at + "1.26\n", at + "1.22.0\n", false}, {"module m\n", at + "1.20\n", false},
		{"", at + "1.20\n", false}, {at + "1.22\n", "", false},
	} {
		if got := sharesLoops(c.before, c.after); got != c.want {
			t.Errorf("from %q to %q: %v", c.before, c.after, got)
		}
	}
}
