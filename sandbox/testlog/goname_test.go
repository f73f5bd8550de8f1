package testlog

import "testing"

func TestSplitGo(t *testing.T) {
	for name, want := range map[string][2]string{
		"x.org/m/p::TestA":         {"x.org/m/p", "TestA"},
		"x.org/m/p::TestA/b::c":    {"x.org/m/p", "TestA/b::c"},
		"TestA/b::c":               {"", "TestA/b::c"},
		"TestA":                    {"", "TestA"},
		"x.org/m::ExampleT_m":      {"x.org/m", "ExampleT_m"},
		"calc::TestA":              {"calc", "TestA"},
		"./calc::TestA":            {"calc", "TestA"},
		"calc/calc_test.go::TestA": {"calc", "TestA"},
		"calc.TestA/b.TestC":       {"calc", "TestA/b.TestC"},
		"x.org/m.BenchmarkA":       {"x.org/m", "BenchmarkA"},
		"TestA/b.TestC":            {"", "TestA/b.TestC"},
		"::TestA":                  {"", "::TestA"},
		".TestA":                   {"", ".TestA"},
	} {
		if scope, test := SplitGo(name); scope != want[0] || test != want[1] {
			t.Errorf("%s: %q and %q, want %q", name, scope, test, want)
		}
	}
}
