package experiments

import "testing"

func TestSameImage(t *testing.T) {
	recipe := Environment{Name: "a", Packages: []string{"p"}, Setup: [][]string{{"s"}}, Warm: [][]string{{"w"}}, Env: []string{"A=b"}, Command: []string{"x"}}
	given := Environment{Image: "i", Workdir: "/w", Env: []string{"A=b"}}
	for name, c := range map[string]struct {
		of     Environment
		change func(e *Environment)
		same   bool
	}{
		"another command":          {recipe, func(e *Environment) { e.Name, e.Command, e.Report, e.Select = "b", nil, "tap", SelectAll }, true},
		"other packages":           {recipe, func(e *Environment) { e.Packages = nil }, false},
		"another set-up":           {recipe, func(e *Environment) { e.Setup = [][]string{{"s", "t"}} }, false},
		"other warm commands":      {recipe, func(e *Environment) { e.Warm = nil }, false},
		"other variables":          {recipe, func(e *Environment) { e.Env = nil }, false},
		"packages beside":          {recipe, func(e *Environment) { e.Beside = []string{"git"} }, false},
		"an image instead":         {recipe, func(e *Environment) { e.Image = "i" }, false},
		"another image":            {given, func(e *Environment) { e.Image = "j" }, false},
		"another folder":           {given, func(e *Environment) { e.Workdir = "/v" }, false},
		"a Dockerfile":             {given, func(e *Environment) { e.Dockerfile = "FROM x" }, false},
		"an image's own variables": {given, func(e *Environment) { e.Env, e.Reader = nil, &Reader{} }, true},
	} {
		other := c.of
		c.change(&other)
		if c.of.SameImage(other) != c.same || other.SameImage(c.of) != c.same {
			t.Errorf("%s: want %v", name, c.same)
		}
	}
}
