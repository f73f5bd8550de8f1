package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoCommand: the real go command builds with it, and what it gathered serves the next build without the first cache.
func TestGoCommand(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "gather")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tree := filepath.Join(dir, "tree")
	if err := os.Mkdir(tree, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m.go": "package m\n\nimport _ \"errors\"\n"} {
		if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := func(from, to string) string {
		cmd := exec.Command("go", "build", "-x", "./...")
		cmd.Dir = tree
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", fmt.Sprintf("GOCACHEPROG=%q %q %q", program, from, to))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	first, second, third := filepath.Join(dir, "1"), filepath.Join(dir, "2"), filepath.Join(dir, "3")
	if out := build(filepath.Join(dir, "none"), first); !strings.Contains(out, "compile") {
		t.Fatalf("nothing was compiled with an empty cache:\n%s", out)
	}
	if out := build(first, second); strings.Contains(out, "/compile ") {
		t.Errorf("the first cache did not serve:\n%s", out)
	}
	// The go command's own reading of the folder is the judge of its form.
	cmd := exec.Command("go", "build", "-x", "./...")
	cmd.Dir = tree
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOCACHEPROG=", "GOCACHE="+second)
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "/compile ") {
		t.Errorf("the go command does not take the gathered folder for a cache: %v\n%s", err, out)
	}
	// A cache with other content under the same names is not believed.
	err := filepath.WalkDir(first, func(name string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, "-d") {
			data, _ := os.ReadFile(name)
			for i := range data {
				data[i] ^= 1
			}
			return os.WriteFile(name, data, 0o644)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if out := build(first, third); !strings.Contains(out, "/compile ") {
		t.Errorf("a forged cache was believed:\n%s", out)
	}
}

func TestHostileRequests(t *testing.T) {
	id := base64.StdEncoding.EncodeToString(make([]byte, sha256.Size))
	for name, in := range map[string]string{
		"no JSON":        "hello\n",
		"short body":     `{"ID":1,"Command":"put","ActionID":"` + id + `","OutputID":"` + id + `","BodySize":5}` + "\n\"AA==\"\n",
		"body no base64": `{"ID":1,"Command":"put","ActionID":"` + id + `","OutputID":"` + id + `","BodySize":5}` + "\n\"***\"\n",
		"short id":       `{"ID":1,"Command":"get","ActionID":"AA=="}` + "\n",
		"strange":        `{"ID":1,"Command":"dance","ActionID":"` + id + `"}` + "\n",
	} {
		var out bytes.Buffer
		err := serve(strings.NewReader(in), &out, t.TempDir(), t.TempDir())
		refused := err != nil
		for dec := json.NewDecoder(&out); dec.More(); {
			var r response
			if err := dec.Decode(&r); err != nil {
				t.Fatal(err)
			}
			refused = refused || r.Err != ""
		}
		if !refused {
			t.Errorf("%s: was not refused", name)
		}
	}
}
