package evlab_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGoldenTableNamesItsTests: each row of docs/method.md that says that a figure is derived or checked names tests, and
// every test that the page names is there, in the package that it names.
func TestGoldenTableNamesItsTests(t *testing.T) {
	page, err := os.ReadFile("docs/method.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(?:([a-z]+)\\.)?(Test[A-Za-z0-9_]+)`")
	sources := map[string]string{}
	rows := 0
	for line := range strings.Lines(string(page)) {
		room := "" // a test without one is of the room named last in its row
		tests := named.FindAllStringSubmatch(line, -1)
		for _, m := range tests {
			if m[1] != "" {
				room = m[1]
			}
			if _, read := sources[room]; !read {
				sources[room] = testsOf(t, room)
			}
			if !strings.Contains(sources[room], "func "+m[2]+"(") {
				t.Errorf("%s has no test %s: %s", room, m[2], strings.TrimSpace(line))
			}
		}
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue
		}
		status := strings.TrimSpace(cells[3])
		if proved := strings.HasPrefix(status, "derived") || strings.HasPrefix(status, "checked"); proved {
			rows++
			if len(tests) == 0 {
				t.Errorf("no test is named: %s", strings.TrimSpace(line))
			}
		}
	}
	if rows < 30 {
		t.Errorf("%d rows are derived or checked: is this the table?", rows)
	}
}

// testsOf is the text of a room's tests.
func testsOf(t *testing.T, room string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(room, "*_test.go"))
	if err != nil || room == "" || len(files) == 0 {
		t.Fatalf("there are no tests in %q: %v", room, err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
