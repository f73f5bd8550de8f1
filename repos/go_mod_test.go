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
