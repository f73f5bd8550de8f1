package testlog_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"evlab/sandbox/testlog"
)

// vector is a case of testdata/vectors.txt.
type vector struct {
	line     int
	grammars []string
	report   string
	want     []string
}

func vectors(t testing.TB) (all []vector) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	var v *vector
	for i, line := range strings.Split(string(data), "\n") {
		mark, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || line[0] == '#':
			v = nil
		case mark == "|":
			v.report += strings.ReplaceAll(rest, `\t`, "\t") + "\n"
		case mark == "=":
			v.want = append(v.want, rest)
		default:
			all = append(all, vector{line: i + 1, grammars: strings.Fields(line)})
			v = &all[len(all)-1]
		}
	}
	return all
}

func TestVectors(t *testing.T) {
	covered := map[string]bool{}
	for _, v := range vectors(t) {
		for _, name := range v.grammars {
			g, err := testlog.Find(name)
			if err != nil {
				t.Errorf("vectors.txt:%d: %v", v.line, err)
				continue
			}
			covered[g.Name] = true
			report := v.report
			r, err := g.Read(strings.NewReader(report))
			if err != nil {
				t.Errorf("vectors.txt:%d: %s: %v", v.line, name, err)
				continue
			}
			var got []string
			for test, o := range r.Tests {
				got = append(got, fmt.Sprintf("%s %s", o, test))
			}
			for scope, o := range r.Packages {
				got = append(got, fmt.Sprintf("scope %s %s", o, scope))
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(v.want))
			if !slices.Equal(got, want) {
				t.Errorf("vectors.txt:%d: %s:\ngot  %s\nwant %s\nproblem %q", v.line, name, strings.Join(got, "\n     "), strings.Join(want, "\n     "), r.Problem)
			}
		}
	}
	for _, name := range testlog.Names() {
		if !covered[name] {
			t.Errorf("no vector has grammar %s", name)
		}
	}
}
