package repos_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"evlab/repos"
)

// run is plain git with a fixed identity, the way a user would look at a folder.
func run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := try(dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=2024-05-01T00:00:00Z", "GIT_COMMITTER_DATE=2024-05-01T00:00:00Z",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always",
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

const secret = "THE-FUTURE"

// hidingPlaces makes a repository that knows the future of its base commit in every place git has for it.
func hidingPlaces(t *testing.T) (dir, base string, future []string) {
	dir = filepath.Join(t.TempDir(), "src")
	other := filepath.Join(t.TempDir(), "other")
	run(t, ".", "init", "-q", "-b", "main", dir)
	run(t, ".", "init", "-q", "-b", "main", other)
	save := func(in, name, message string) string {
		write(t, filepath.Join(in, "fix.go"), "package fix // "+secret+" "+name+"\n")
		run(t, in, "add", "-A")
		run(t, in, "commit", "-qm", message)
		id := run(t, in, "rev-parse", "HEAD")
		future = append(future, id, run(t, in, "rev-parse", "HEAD:fix.go"))
		return id
	}
	write(t, filepath.Join(dir, "bug.go"), "package fix\n")
	write(t, filepath.Join(dir, "version.txt"), "$Format:%H %d$\n")
	write(t, filepath.Join(dir, "hidden.txt"), "kept\n")
	write(t, filepath.Join(dir, ".gitattributes"), "version.txt export-subst\nhidden.txt export-ignore\n*.go filter=evil\n")
	run(t, dir, "add", "-A")
	run(t, dir, "commit", "-qm", "base")
	base = run(t, dir, "rev-parse", "HEAD")

	save(dir, "main", "the fix, "+secret)                    // 1 a branch's own future
	run(t, dir, "branch", "other")                           //   and another branch
	run(t, dir, "tag", "-am", secret, "v1")                  // 2 tags
	run(t, dir, "reset", "-q", "--hard", base)               // 3 reflog
	gone := save(dir, "reflog", "reflog "+secret)            //
	run(t, dir, "reset", "-q", "--hard", base)               //
	write(t, filepath.Join(dir, "bug.go"), secret+"stash\n") // 4 stash
	run(t, dir, "stash")                                     //
	future = append(future, run(t, dir, "rev-parse", "stash"))
	run(t, dir, "update-ref", "refs/remotes/origin/main", gone)     // 5 remote refs
	run(t, dir, "pack-refs", "--all")                               // 6 packed refs
	run(t, dir, "repack", "-adq", "--keep-unreachable")             // 7 unreachable objects, packed
	blob := filepath.Join(t.TempDir(), "blob")                      // 8 unreachable objects, loose
	write(t, blob, secret+" loose\n")                               //
	future = append(future, run(t, dir, "hash-object", "-w", blob)) //
	elsewhere := save(other, "alternate", "alternate "+secret)      // 9 alternates
	write(t, filepath.Join(dir, ".git/objects/info/alternates"), filepath.Join(other, ".git/objects")+"\n")
	run(t, dir, "update-ref", "refs/heads/borrowed", elsewhere) //
	run(t, dir, "notes", "add", "-m", secret, base)             // 10 notes
	future = append(future, run(t, dir, "rev-parse", "refs/notes/commits"))
	run(t, dir, "replace", base, gone)                                          // 11 replace refs
	run(t, ".", "init", "-q", "--bare", filepath.Join(dir, ".git/modules/sub")) // 12 submodule git dirs
	write(t, filepath.Join(dir, ".git/modules/sub/FUTURE"), secret)
	run(t, dir, "worktree", "add", "-q", filepath.Join(filepath.Dir(dir), "linked"), "other") // and a linked work tree
	for _, id := range future {
		run(t, dir, "cat-file", "-e", id) // it is there to be found
	}
	return dir, base, future
}

func TestSnapshotHoldsNothingOfTheFuture(t *testing.T) {
	ctx := context.Background()
	source, base, future := hidingPlaces(t)
	for _, from := range []string{source, filepath.Join(source, ".git"), filepath.Join(filepath.Dir(source), "linked")} {
		m, err := repos.Snapshot(ctx, filepath.Join(t.TempDir(), "store"), from, base)
		if err != nil {
			t.Fatalf("%s: %v", from, err)
		}
		if got := run(t, m.Dir(), "log", "--all", "--format=%H %s"); got != base+" base" {
			t.Errorf("log --all: %q", got)
		}
		if got := run(t, m.Dir(), "fsck", "--unreachable", "--no-progress"); got != "" {
			t.Errorf("fsck --unreachable: %q", got)
		}
		if got := run(t, m.Dir(), "for-each-ref", "--format=%(refname)"); got != "refs/heads/base" {
			t.Errorf("refs: %q", got)
		}
		if got := run(t, m.Dir(), "remote"); got != "" {
			t.Errorf("remotes: %q", got)
		}
		for _, id := range future {
			if out, err := try(m.Dir(), "cat-file", "-e", id); err == nil {
				t.Errorf("the snapshot has %s %s", id, out)
			}
		}
		err = filepath.WalkDir(m.Dir(), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(p)
			if bytes.Contains(data, []byte(secret)) || bytes.Contains(data, []byte(filepath.Dir(source))) || strings.Contains(p, "logs/") {
				t.Errorf("%s tells of the future or of its source", p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		got := archive(t, m, base)
		want := map[string]string{
			"bug.go": "package fix\n", "version.txt": "$Format:%H %d$\n", "hidden.txt": "kept\n",
			".gitattributes": "version.txt export-subst\nhidden.txt export-ignore\n*.go filter=evil\n",
		}
		if len(got) != len(want) {
			t.Errorf("archive has %v", got)
		}
		for p, content := range want {
			if got[p] != content {
				t.Errorf("archive: %s is %q", p, got[p])
			}
		}
	}
}

// archive reads Archive's tar; a link's content is "-> target".
func archive(t *testing.T, m *repos.Mirror, treeish string) map[string]string {
	t.Helper()
	var b bytes.Buffer
	if err := m.Archive(context.Background(), treeish, &b); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	r := tar.NewReader(&b)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.ModTime.Year() != 2001 || (h.Mode != 0o644 && h.Mode != 0o755 && h.Mode != 0o777) {
			t.Errorf("%s: owner %d:%d, mode %o, time %v", h.Name, h.Uid, h.Gid, h.Mode, h.ModTime)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got[h.Name] = string(data)
		if h.Typeflag == tar.TypeSymlink {
			got[h.Name] = "-> " + h.Linkname
		}
	}
}

func TestSnapshotIsIdempotentAndConcurrent(t *testing.T) {
	ctx := context.Background()
	source, heads := history(t, commit(1, "one\n", file("a", "1")), commit(2, "two\n", file("a", "2")))
	store := filepath.Join(t.TempDir(), "store")
	var wg sync.WaitGroup
	dirs := make([]string, 8)
	for i := range dirs {
		wg.Go(func() {
			m, err := repos.Snapshot(ctx, store, source, heads[i%2])
			if err != nil {
				t.Error(err)
				return
			}
			dirs[i] = m.Dir()
		})
	}
	wg.Wait()
	slices.Sort(dirs)
	if got := slices.Compact(dirs); len(got) != 2 {
		t.Errorf("folders: %v", got)
	}
	left, err := os.ReadDir(store)
	if err != nil || len(left) != 2 {
		t.Errorf("left in the store: %v %v", left, err)
	}
	if err := os.RemoveAll(source); err != nil {
		t.Fatal(err)
	}
	if _, err := repos.Snapshot(ctx, store, source, heads[0]); err != nil {
		t.Errorf("a finished snapshot needs its source again: %v", err)
	}
}

func TestSnapshotRefuses(t *testing.T) {
	ctx := context.Background()
	source, heads := history(t, commit(1, "one\n", file("a", "1")), commit(2, "two\n", file("a", "2")))
	shallow := filepath.Join(t.TempDir(), "shallow")
	run(t, ".", "clone", "-q", "--bare", "--depth=1", "file://"+source, shallow)
	empty := t.TempDir()
	for _, c := range []struct{ source, commit, want string }{
		{source, strings.Repeat("a", 40), "no commit or tree " + strings.Repeat("a", 40)},
		{source, "HEAD", "not a full commit id"},
		{source, "--upload-pack=touch x", "not a full commit id"},
		{source, run(t, source, "rev-parse", "main^{tree}"), "is a tree, expected a commit"},
		{shallow, heads[0], "shallow clone"},
		{empty, heads[0], "expected a git directory"},
		{filepath.Join(empty, "none"), heads[0], "no such file"},
	} {
		store := filepath.Join(t.TempDir(), "store")
		_, err := repos.Snapshot(ctx, store, c.source, c.commit)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.source) {
			t.Errorf("%s of %s: got %v, want %q and the source's name", c.commit, c.source, err, c.want)
		}
		if left, _ := os.ReadDir(store); len(left) > 0 {
			t.Errorf("left in the store: %v", left)
		}
	}
	if _, err := repos.Snapshot(ctx, t.TempDir(), shallow, heads[1]); err != nil {
		t.Errorf("the commit that a shallow clone does have: %v", err)
	}
}

func TestSnapshotOfASHA256Repository(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "src")
	run(t, ".", "init", "-q", "--object-format=sha256", dir)
	write(t, filepath.Join(dir, "f.go"), "package f\n")
	run(t, dir, "add", "-A")
	run(t, dir, "commit", "-qm", "base")
	commit := run(t, dir, "rev-parse", "HEAD")
	m, err := repos.Snapshot(context.Background(), t.TempDir(), dir, commit)
	if err != nil {
		t.Fatal(err)
	}
	if a := apply(t, m, commit, edit); a.Outcome != "applied" || len(a.Tree) != 64 || content(t, m, a.Tree)["f.go"] != "package g\n" {
		t.Errorf("%+v", a)
	}
}

// unpack makes loose objects of a pack that is not in the repository.
func unpack(t *testing.T, dir, pack string) {
	t.Helper()
	in, err := os.Open(pack)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd := exec.Command("git", "unpack-objects", "-q")
	cmd.Dir, cmd.Stdin = dir, in
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// A source's own configuration must not start programs.
func TestSnapshotIgnoresTheSourcesConfiguration(t *testing.T) {
	source, heads := history(t, commit(1, "one\n", file("a", "1")))
	mark := filepath.Join(t.TempDir(), "ran")
	hook := filepath.Join(source, "hooks", "post-checkout")
	write(t, hook, "#!/bin/sh\ntouch "+mark+"\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"core.fsmonitor", "core.sshCommand", "core.alternateRefsCommand", "uploadpack.packObjectsHook", "core.pager", "diff.external", "core.editor"} {
		run(t, source, "config", key, "touch "+mark+"; false")
	}
	m, err := repos.Snapshot(context.Background(), t.TempDir(), source, heads[0])
	if err != nil {
		t.Fatal(err)
	}
	archive(t, m, heads[0])
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program named by the source's configuration ran")
	}
}
