package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evlab/sandbox/plan"
)

// tree makes a folder with a file, a folder that links elsewhere, and the plan's folder with one content.
func tree(t *testing.T) (root, outside, dir string) {
	t.Helper()
	root, outside, dir = t.TempDir(), t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(root, "sub", "a.txt"): "a", filepath.Join(outside, "precious"): "precious", filepath.Join(dir, "0"): "content",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("sub", filepath.Join(root, "in")); err != nil {
		t.Fatal(err)
	}
	return root, outside, dir
}

func TestChangesStayInsideTheTree(t *testing.T) {
	for _, path := range []string{"../x", "/x", "out/x", "in/x", "sub/../../x", "", ".", "sub//x", "sub/a.txt/x"} {
		root, outside, dir := tree(t)
		p := &plan.Plan{Tree: root, Files: []plan.Change{{Path: path, Mode: "100644", Source: "0"}}}
		if err := applyChanges(p, fromFolder(dir)); err == nil {
			t.Errorf("writing %q is not refused", path)
		}
		for _, removed := range []string{"out/precious", "../" + filepath.Base(outside) + "/precious"} {
			p = &plan.Plan{Tree: root, Remove: []string{removed}}
			_ = applyChanges(p, fromFolder(dir)) // refused or without effect, as long as the file stays
			if _, err := os.Stat(filepath.Join(outside, "precious")); err != nil {
				t.Errorf("removing %q reached out of the tree: %v", removed, err)
			}
		}
		if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
			t.Errorf("writing %q left %v outside (%v)", path, entries, err)
		}
	}
}

func TestChangesReplace(t *testing.T) {
	root, outside, dir := tree(t)
	p := &plan.Plan{Tree: root, Remove: []string{"sub/a.txt", "gone/before"}, Files: []plan.Change{
		{Path: "out", Mode: "100755", Source: "0"},        // a link becomes a file, and its target is not touched
		{Path: "in", Mode: "120000", Target: "elsewhere"}, // a link becomes another
		{Path: "sub", Mode: "100644", Source: "0"},        // a folder that the removal emptied becomes a file
	}}
	if err := applyChanges(p, fromFolder(dir)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(filepath.Join(root, "out"))
	if err != nil || info.Mode() != 0o755 || !info.ModTime().Equal(fixedTime) {
		t.Errorf("%v %v", info, err)
	}
	if target, err := os.Readlink(filepath.Join(root, "in")); target != "elsewhere" {
		t.Error(target, err)
	}
	if data, err := os.ReadFile(filepath.Join(root, "sub")); string(data) != "content" {
		t.Errorf("%q %v", data, err)
	}
	if data, err := os.ReadFile(filepath.Join(outside, "precious")); string(data) != "precious" {
		t.Errorf("%q %v", data, err)
	}
	bad := &plan.Plan{Tree: root, Files: []plan.Change{{Path: "device", Mode: "020644", Source: "0"}}}
	if err := applyChanges(bad, fromFolder(dir)); err == nil || !strings.Contains(err.Error(), "020644") {
		t.Error(err)
	}
}

// TestHeldFilesThatChanged: whatever a command made of a file that it has no business changing is told, and what looks the
// same is the same.
func TestHeldFilesThatChanged(t *testing.T) {
	for name, change := range map[string]func(file string) error{
		"":                 func(file string) error { return os.Chtimes(file, fixedTime.AddDate(1, 0, 0), fixedTime) },
		"content":          func(file string) error { return os.WriteFile(file, []byte("CONTENT"), 0o644) },
		"more":             func(file string) error { return os.WriteFile(file, []byte("content and more"), 0o644) },
		"less":             func(file string) error { return os.Truncate(file, 3) },
		"removal":          os.Remove,
		"a folder":         func(file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o755)) },
		"a link to itself": func(file string) error { return errors.Join(os.Remove(file), os.Symlink(filepath.Base(file), file)) },
		"a link to the old": func(file string) error {
			return errors.Join(os.Rename(file, file+"2"), os.Symlink(filepath.Base(file)+"2", file))
		},
	} {
		root, _, dir := tree(t)
		p := &plan.Plan{Tree: root, Files: []plan.Change{
			{Path: "free.txt", Mode: "100644", Source: "0"}, {Path: "link", Mode: "120000", Target: "sub", Held: true}, {Path: "t/held.txt", Mode: "100644", Source: "0", Held: true},
		}}
		err := applyChanges(p, fromFolder(dir))
		err = errors.Join(err, os.Remove(filepath.Join(root, "free.txt")), change(filepath.Join(root, "t", "held.txt")))
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if name != "" {
			want = "t/held.txt"
		}
		if got := altered(p, fromFolder(dir)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestLookUp(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "text": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=relative:" + dir}
	for _, c := range []struct {
		name string
		file string
		code int
	}{
		{"tool", filepath.Join(dir, "tool"), 0}, {"./tool", filepath.Join(dir, "tool"), 0}, {"text", "", 126}, {"./text", "", 126},
		{"none", "", 127}, {"./none", "", 127}, {dir, "", 126},
	} {
		file, code, err := lookUp(c.name, dir, env)
		if file != c.file || code != c.code || (err == nil) != (code == 0) {
			t.Errorf("%s: %q %d %v", c.name, file, code, err)
		}
	}
}
