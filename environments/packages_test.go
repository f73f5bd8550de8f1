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

// localSource makes an archive of packages in a folder, each a tree of files by path, and an apt that knows nothing else.
// A package's name is that of the Debian package, with its version behind an underscore.
func localSource(t *testing.T, packages map[string]map[string]string) (dir string) {
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
	index := ""
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("archive/none", "", 0o644)
	for id, files := range packages {
		name, version, _ := strings.Cut(id, "_")
		control := "Package: " + name + "\nVersion: " + version + "\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: a sample\n"
		write(id+"/DEBIAN/control", control, 0o644)
		write(id+"/DEBIAN/postinst", "#!/bin/sh\ntouch "+filepath.Join(dir, "ran")+"\n", 0o755)
		for file, text := range files {
			mode := os.FileMode(0o644)
			if strings.HasPrefix(text, "#!") {
				mode = 0o755
			}
			write(id+"/"+file, text, mode)
		}
		deb := filepath.Join(dir, "archive", id+"_all.deb")
		if out, err := exec.Command("dpkg-deb", "--build", "--root-owner-group", filepath.Join(dir, id), deb).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		data, err := os.ReadFile(deb)
		if err != nil {
			t.Fatal(err)
		}
		index += control + fmt.Sprintf("Filename: ./%s_all.deb\nSize: %d\nSHA256: %x\n\n", id, len(data), sha256.Sum256(data))
	}
	write("archive/Packages", index, 0o644)
	write("sources.list", "deb [trusted=yes] copy:"+filepath.Join(dir, "archive")+" ./\n", 0o644)
	if err := os.Mkdir(filepath.Join(dir, "none.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("apt.conf", fmt.Sprintf("Dir::Etc::sourcelist %q;\nDir::Etc::sourceparts %q;\n", filepath.Join(dir, "sources.list"), filepath.Join(dir, "none.d")), 0o644)
	t.Setenv("APT_CONFIG", filepath.Join(dir, "apt.conf"))
	return dir
}

func TestFetch(t *testing.T) {
	source := localSource(t, map[string]map[string]string{"evlab-sample_1.0": {"usr/share/sample.txt": "sample\n"}})
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
