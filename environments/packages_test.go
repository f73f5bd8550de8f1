package environments

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// localSource makes an archive of one package in a folder, and an apt that knows nothing else.
func localSource(t *testing.T) (dir string) {
	t.Helper()
	for _, program := range []string{"apt-get", "dpkg-deb"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	dir = t.TempDir()
	tree := filepath.Join(dir, "tree")
	for name, text := range map[string]string{
		"DEBIAN/control":       "Package: evlab-sample\nVersion: 1.0\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: a sample\n",
		"DEBIAN/postinst":      "#!/bin/sh\ntouch " + filepath.Join(dir, "ran") + "\n",
		"usr/share/sample.txt": "sample\n",
	} {
		file := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, "postinst") {
			mode = 0o755
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	archive := filepath.Join(dir, "archive")
	if err := os.Mkdir(archive, 0o755); err != nil {
		t.Fatal(err)
	}
	deb := filepath.Join(archive, "sample.deb")
	if out, err := exec.Command("dpkg-deb", "--build", "--root-owner-group", tree, deb).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(deb)
	if err != nil {
		t.Fatal(err)
	}
	index := fmt.Sprintf("Package: evlab-sample\nVersion: 1.0\nArchitecture: all\nMaintainer: nobody\nFilename: ./sample.deb\nSize: %d\nSHA256: %x\nDescription: a sample\n",
		len(data), sha256.Sum256(data))
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("archive/Packages", index)
	write("sources.list", "deb [trusted=yes] copy:"+archive+" ./\n")
	if err := os.Mkdir(filepath.Join(dir, "none.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("apt.conf", fmt.Sprintf("Dir::Etc::sourcelist %q;\nDir::Etc::sourceparts %q;\n", filepath.Join(dir, "sources.list"), filepath.Join(dir, "none.d")))
	t.Setenv("APT_CONFIG", filepath.Join(dir, "apt.conf"))
	return dir
}

func TestFetch(t *testing.T) {
	source := localSource(t)
	store := t.TempDir()
	first, err := Fetch(context.Background(), store, []string{"evlab-sample"}, "amd64")
	if err != nil {
		t.Fatal(err)
	}
	debs, _ := filepath.Glob(filepath.Join(first.Dir, "*.deb"))
	if len(debs) != 1 || first.ID == "" {
		t.Fatalf("fetched %q, id %q", debs, first.ID)
	}
	if _, err := os.Stat(filepath.Join(source, "ran")); err == nil {
		t.Error("the package's script was run")
	}
	_, err = Fetch(context.Background(), store, []string{"evlab-absent"}, "amd64")
	if err == nil || !strings.Contains(err.Error(), "evlab-absent") {
		t.Errorf("a package that is not there: %v", err)
	}
	// What was fetched once needs no source any more.
	if err := os.RemoveAll(filepath.Join(source, "archive")); err != nil {
		t.Fatal(err)
	}
	again, err := Fetch(context.Background(), store, []string{"evlab-sample"}, "amd64")
	if err != nil || again != first {
		t.Errorf("the second time: %+v, %v; want %+v", again, err, first)
	}
}
