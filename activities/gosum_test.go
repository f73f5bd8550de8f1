package activities

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"evlab/repos"
)

// TestSumsThatACandidateTookAway: without them nobody else can build what the candidate left, as long as it requires and
// imports the module.
func TestSumsThatACandidateTookAway(t *testing.T) {
	const mod, sum = "module x.org/s\n\nrequire x.org/dep v1.0.0\n", "x.org/dep v1.0.0 h1:a=\nx.org/dep v1.0.0/go.mod h1:b=\n"
	files := func(more ...string) map[string]string {
		all := map[string]string{"a/go.mod": mod, "a/go.sum": sum, "a/s.go": "package s\n\nimport _ \"x.org/dep/in\"\n"}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
			if more[i+1] == "" {
				delete(all, more[i])
			}
		}
		return all
	}
	for name, c := range map[string]struct {
		after map[string]string
		want  string
	}{
		"nothing":                      {files(), ""},
		"the file":                     {files("a/go.sum", ""), "x.org/dep v1.0.0"},
		"the line":                     {files("a/go.sum", "x.org/dep v1.0.0/go.mod h1:b=\n"), "x.org/dep v1.0.0"},
		"another line comes":           {files("a/go.sum", sum+"x.org/other v1.0.0 h1:c=\n"), ""},
		"the module goes, too":         {files("a/go.sum", "", "a/go.mod", "module x.org/s\n", "a/s.go", "package s\n"), ""},
		"another version":              {files("a/go.sum", "x.org/dep v1.1.0 h1:d=\n", "a/go.mod", "module x.org/s\n\nrequire x.org/dep v1.1.0\n"), ""},
		"nothing imports it, any more": {files("a/go.sum", "", "a/s.go", "package s\n"), ""},
		"what is vendored":             {files("a/go.sum", "", "a/vendor/modules.txt", "# x.org/dep v1.0.0\n"), ""},
	} {
		m, base := repository(t, files())
		applied, err := m.Apply(context.Background(), base, rewritten(files(), c.after))
		if err != nil || applied.Tree == "" {
			t.Fatalf("%s: %+v, %v", name, applied, err)
		}
		delta := repos.Delta{Remove: []string{"a/go.sum"}}
		if text := c.after["a/go.sum"]; text != "" {
			delta = repos.Delta{Files: []repos.File{{Path: "a/go.sum", Mode: "100644", Content: []byte(text)}}}
		}
		got, err := unsummed(context.Background(), m, base, applied.Tree, delta)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// rewritten is the patch that makes one tree's files of another's.
func rewritten(before, after map[string]string) []byte {
	patch := ""
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, is := before[name], after[name]
		if was == is {
			continue
		}
		from, to := "a/"+name, "b/"+name
		patch += "diff --git " + from + " " + to + "\n"
		if was == "" {
			from = "/dev/null"
			patch += "new file mode 100644\n"
		}
		if is == "" {
			to = "/dev/null"
			patch += "deleted file mode 100644\n"
		}
		patch += fmt.Sprintf("--- %s\n+++ %s\n@@ -%d,%d +%d,%d @@\n", from, to, min(1, len(was)), strings.Count(was, "\n"), min(1, len(is)), strings.Count(is, "\n"))
		for line := range strings.Lines(was) {
			patch += "-" + line
		}
		for line := range strings.Lines(is) {
			patch += "+" + line
		}
	}
	return []byte(patch)
}
