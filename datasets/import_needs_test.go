package datasets

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestNeedsOfATable(t *testing.T) {
	read := func(row string) (Setting, []error) {
		t.Helper()
		var o object
		if err := json.Unmarshal([]byte(row), &o); err != nil {
			t.Fatal(err)
		}
		f := &fields{object: o}
		s := Setting{}
		if raw, ok := o["dockerfile"]; ok {
			s.Dockerfile = string(raw)
		}
		s.needs(f)
		return s, f.errs
	}
	for row, want := range map[string]Setting{
		`{"requirements": "requirements/dev.txt", "python": "3.10"}`: {Requirements: []string{"requirements/dev.txt"}, Python: "3.10"},
		`{"requirements": "[\"a.txt\", \"b.in\"]", "python": 3.10}`:  {Requirements: []string{"a.txt", "b.in"}, Python: "3.10"},
		`{"requirements": ["uv.lock"]}`:                              {Requirements: []string{"uv.lock"}},
		`{"requirements": null, "python": null}`:                     {},
		`{"requirements": "", "python": ""}`:                         {},
	} {
		if s, errs := read(row); len(errs) > 0 || !slices.Equal(s.Requirements, want.Requirements) || s.Python != want.Python {
			t.Errorf("%s: %+v, %v; want %+v", row, s, errs, want)
		}
	}
	for row, want := range map[string]string{
		`{"requirements": "../r.txt"}`:                      "field requirements",
		`{"requirements": "/etc/r.txt"}`:                    "field requirements",
		`{"requirements": "setup.py"}`:                      "field requirements",
		`{"requirements": 7}`:                               "field requirements",
		`{"requirements": "r.txt", "dockerfile": "FROM x"}`: "dockerfile",
		`{"python": "3.11; rm"}`:                            "field python",
		`{"python": "latest"}`:                              "field python",
	} {
		if _, errs := read(row); len(errs) == 0 || !strings.Contains(errs[0].Error(), want) {
			t.Errorf("%s: want a fault of %s, got %v", row, want, errs)
		}
	}
}
