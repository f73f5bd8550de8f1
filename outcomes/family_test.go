package outcomes

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestFamilyCountsWhatItDeclares: a contrast that has too few pairs is one of the family all the same; alone, an adjusted p is the p.
func TestFamilyCountsWhatItDeclares(t *testing.T) {
	var b strings.Builder
	b.WriteString("task,condition,strict,other\n")
	for i := range 9 {
		fmt.Fprintf(&b, "t%d,x,1,\nt%d,y,%d,\n", i, i, i/8)
	}
	table := read(t, "o.csv", b.String(), Wanted{Metrics: []string{"strict", "other"}})
	one := Question{Metric: "strict", A: "x", B: "y"}
	answers, err := table.AskAll([]Question{one, {Metric: "other", A: "x", B: "y"}})
	if err != nil || answers[1].Problem == "" {
		t.Fatalf("%+v, %v", answers, err)
	}
	if p := answers[0]; math.Abs(*p.PHolm-2*p.P) > 1e-15 || *answers[1].PHolm != 1 {
		t.Errorf("p %v of a family of two, Holm %v and %v", p.P, *p.PHolm, *answers[1].PHolm)
	}
	answers, err = table.AskAll([]Question{one})
	if err != nil || *answers[0].PHolm != answers[0].P || *answers[0].PBH != answers[0].P || answers[0].Verdict != "x better" {
		t.Errorf("alone: %+v, %v", answers, err)
	}
}

func TestFamilyFile(t *testing.T) {
	f, err := ReadFamily(file(t, "f.yaml", "name: main\ncontrasts:\n  - {metric: strict, a: x, b: y, unit: repository, margin: 2}\n  - {metric: tokens, a: x, b: y, ratio: true}\n"))
	if err != nil || len(f.Contrasts) != 2 || f.Contrasts[0].Margin != 2 || !f.Contrasts[1].Ratio {
		t.Errorf("%+v, %v", f, err)
	}
	for text, says := range map[string]string{
		"":                            "it is empty",
		"name: x":                     "it has no contrasts",
		"contrasts:\n  - {metrik: s}": "f.yaml:2: unknown key \"metrik\" (did you mean \"metric\"?); the keys are metric, a, b, executor",
		"contrast: []":                "f.yaml:1: unknown key \"contrast\" (did you mean \"contrasts\"?); the keys are name, contrasts",
		"contrasts:\n  - {metric: s}": "contrast 1 has no a",
		"contrasts: 5":                "f.yaml:1: expected a list of contrasts, found \"5\"",
		"- 1":                         "f.yaml:1: expected a name and a list of contrasts, found a list",
		"contrasts: [5]":              "f.yaml:1: expected a contrast ({metric: M, a: A, b: B}), found \"5\"",
		"contrasts:\n  - {metric: s, a: x, b: y, draws: many, margin: [1],\n     ratio: maybe}": "f.yaml:3: expected true or false, found \"maybe\"",
		"contrasts:\n  - {metric: s, a: x, b: y, draws: 0}":                                     "contrast 1: draws: 0 is outside",
		"contrasts: [":                    "f.yaml:1: did not find expected node content",
		"a: &a [*a, *a]\ncontrasts: []\n": "",
	} {
		if _, err := ReadFamily(file(t, "f.yaml", text)); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "outcomes.") || strings.Contains(err.Error(), "into ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzFamily: whatever the file holds, reading comes back with contrasts that name what they contrast, or with an error.
func FuzzFamily(f *testing.F) {
	f.Add([]byte("name: main\ncontrasts:\n  - {metric: strict, a: x, b: y, also: [bca], margin: .5}\n"))
	f.Add([]byte("contrasts: &c [{metric: s, a: x, b: y}]\nname: !!binary aGk=\n"))
	f.Add([]byte("- 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		family, err := ReadFamily(file(t, "f.yaml", string(data)))
		if err != nil {
			return
		}
		for _, q := range family.Contrasts {
			if q.Metric == "" || q.A == "" || q.B == "" {
				t.Fatalf("%+v", q)
			}
		}
		if len(family.Contrasts) == 0 {
			t.Fatal("no contrasts and no error")
		}
	})
}
