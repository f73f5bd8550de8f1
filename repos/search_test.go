package repos_test

import (
	"context"
	"slices"
	"testing"

	"evlab/repos"
)

func TestSearch(t *testing.T) {
	var files []repos.File
	for name, text := range map[string]string{
		"a.go": "x \"os/exec\" y\n", "x/b.go": "-e\n", "x/c.txt": "\"os/exec\"\n", "vendor/a.go": "\"os/exec\"\n", "x/vendor/y/a.go": "\"os/exec\"\n", "x/é [1].go": "\"os/exec\"\x00\n",
	} {
		files = append(files, repos.File{Path: name, Mode: "100644", Content: []byte(text)})
	}
	m, base := mirror(t, files...)
	for name, c := range map[string]struct{ words, specs, want []string }{
		"by word":        {[]string{`"os/exec"`, "-e"}, []string{"*.go", ":(exclude,glob)**/vendor/**"}, []string{"a.go", "x/b.go", "x/é [1].go"}},
		"everywhere":     {[]string{`"os/exec" y`}, nil, []string{"a.go"}},
		"none":           {[]string{"nothing"}, []string{"*.go"}, nil},
		"no words":       {nil, nil, nil},
		"no such folder": {[]string{"os"}, []string{"y/*.go"}, nil},
	} {
		got, err := m.Search(context.Background(), base, c.words, c.specs...)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
