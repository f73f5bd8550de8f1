package retrieval_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"evlab/retrieval"
)

func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"word":                  "word",
		"parseHTTPHeader_v2":    "parsehttpheader_v2 parse http header v 2",
		"snake_case":            "snake_case snake case",
		"__init__":              "init",
		"UserID":                "userid user id",
		"int64":                 "int64 int 64",
		"internal/lru.go":       "internal lru go internal/lru.go",
		"s.mu.Lock()":           "s mu lock s.mu.lock",
		"v1.25":                 "v1 v 1 25 v1.25",
		"--dry-run":             "dry run dry-run",
		"a->b":                  "b",
		"End. Next/ -x":         "end next x",
		"https://x.org/a":       "https x org x.org/a",
		"the loop and THE end":  "loop end",
		"Ünïcode ÄÖ":            "ünïcode äö",
		"日本語":                   "日本語",
		"\xff\xfeok\x00fine":    "ok fine",
		"_ __ - . /":            "",
		"":                      "",
		strings.Repeat("x", 65): "",
		strings.Repeat("x", 64): strings.Repeat("x", 64),
		strings.Repeat("ab", 30) + "/" + strings.Repeat("cd", 30): strings.Repeat("ab", 30) + " " + strings.Repeat("cd", 30),
	} {
		if got := strings.Join(retrieval.Terms(text), " "); got != want {
			t.Errorf("the terms of %q are %q, want %q", text, got, want)
		}
	}
}

// Query and index see the same terms whatever the case, and terms are what lower-casing leaves alone.
func FuzzTerms(f *testing.F) {
	f.Add("parseHTTPHeader_v2 internal/lru.go 1.25 ÄÖü İ ǅ \xff")
	f.Fuzz(func(t *testing.T, text string) {
		terms := retrieval.Terms(text)
		if len(terms) > 3*len(text) {
			t.Errorf("%d bytes give %d terms", len(text), len(terms))
		}
		for _, term := range terms {
			if term == "" || len(term) > 64 || strings.ContainsAny(term, " \n\x00") {
				t.Errorf("%q gives the term %q", text, term)
			}
		}
		if again := retrieval.Terms(text + " " + text); !slices.Equal(again, append(slices.Clone(terms), terms...)) {
			t.Errorf("%q twice gives %q, once %q", text, again, terms)
		}
	})
}

func TestLn(t *testing.T) {
	for _, x := range []float64{1e-300, 0.1, 0.5, 0.999999, 1, 1.0000001, math.Sqrt2, 2, 3, 10, 12345.678, 1e300} {
		got, want := retrieval.Ln(x), math.Log(x)
		if diff := math.Abs(got - want); diff > 4e-16*math.Max(1e-300, math.Abs(want)) && diff != 0 {
			t.Errorf("ln(%v) is %v, %v off", x, got, diff)
		}
	}
}
