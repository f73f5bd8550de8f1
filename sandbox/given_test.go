package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/image"

	"evlab/repos"
)

// givenFiles are what somebody else's image holds: a repository with its history, something built in it, users.
var givenFiles = map[string]string{
	"srv/repo/.git/HEAD":    "the future\n",
	"srv/repo/built.so":     "built\n",
	"srv/repo/data/old.txt": "of the image\n",
	"etc/passwd":            "root:x:0:0:root:/root:/bin/sh\nrunner:x:1234:1234::/home/runner:/bin/sh\n",
	"etc/group":             "runner:x:1234:\n",
	"home/runner/.cache":    "warm\n",
}

// importGiven makes an image outside of evlab and says its id; it is removed at the test's end.
func importGiven(t *testing.T, d *docker, ref string, changes ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range sortedKeys(givenFiles) {
		owner := 0
		if !strings.HasPrefix(name, "etc/") {
			owner = 1234
		}
		if err := writeFile(w, name, owner, 0o600|0o044, []byte(givenFiles[name])); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"srv/repo", "srv/repo/.git", "home/runner", "tmp"} {
		if err := writeDir(w, dir, 1234, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	body, err := d.api.ImageImport(ctx, image.ImportSource{Source: &b, SourceName: "-"}, ref, image.ImportOptions{Changes: changes})
	if err == nil {
		err = messages(body)
		body.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	i, err := d.api.ImageInspect(ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := d.api.ImageRemove(ctx, ref, image.RemoveOptions{}); err != nil {
			t.Error(err)
		}
	})
	return i.ID
}

// openGiven makes a task's image of a given one; at the test's end it is gone.
func openGiven(t *testing.T, given Given) *bench {
	t.Helper()
	state := t.TempDir()
	b := &bench{kind: "docker", state: state, host: fmt.Sprintf("given-%d", os.Getpid())}
	b.Sandbox = openKind(t, "docker", state, b.host)
	b.leaveNothing(t)
	r := probeRecipe(t)
	r.Given = &given
	var err error
	if b.image, err = b.Ensure(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	return b
}

func engineOf(t *testing.T) *docker {
	t.Helper()
	s := openKind(t, "docker", t.TempDir(), "given")
	t.Cleanup(func() { s.Close() })
	return s.(*docker)
}

// TestGiven: commands run in somebody else's image as its user and with its variables, on the tree of the base commit
// with what was built beside it, and without the history.
func TestGiven(t *testing.T) {
	d := engineOf(t)
	for name, c := range map[string]struct{ user, who, home string }{
		"a user by name":   {"runner", "1234 1234 /srv/repo\n", "/home/runner"},
		"a user by number": {"4321:77", "4321 77 /srv/repo\n", "/tmp"},
		"root":             {"", "0 0 /srv/repo\n", "/root"},
	} {
		t.Run(name, func(t *testing.T) {
			changes := []string{"WORKDIR /srv/repo", "ENV FOO=image PATH=/opt/bin:/bin EVLAB_PLAN=x", "ENTRYPOINT [\"/no\"]", "CMD [\"no\"]"}
			if c.user != "" {
				changes = append(changes, "USER "+c.user)
			}
			id := importGiven(t, d, fmt.Sprintf("evlab-test-given:%d", os.Getpid()), changes...)
			b := openGiven(t, Given{Image: id})
			step := func(nth int, words ...string) Step {
				s := b.step(t, words...)
				s.ID += decimal(nth)
				s.Env = []string{"BAR=step"}
				s.Files = repos.Delta{Remove: []string{"data/keep/kept.txt"}, Files: []repos.File{{Path: "data/new/one.txt", Mode: "100644", Content: []byte("new\n")}}}
				return s
			}
			r := b.run(t, step(1, "whoami"))
			r.want(t, Completed, 0)
			if r.stdout != c.who {
				t.Errorf("who and where: %q, want %q", r.stdout, c.who)
			}
			r = b.run(t, step(2, "cat", "data/old.txt", "built.so", ".git/HEAD", "data/keep/kept.txt", "data/new/one.txt"))
			for _, want := range []string{`"old\n"`, `"built\n"`, ".git/HEAD absent", "data/keep/kept.txt absent", `"new\n"`} {
				if !strings.Contains(r.stdout, want) {
					t.Errorf("the tree lacks %s: %q", want, r.stdout)
				}
			}
			env := strings.Fields(b.run(t, step(3, "env")).stdout)
			for _, want := range []string{"FOO=image", "BAR=step", "HOME=" + c.home, "PATH=/opt/bin:/bin", "TZ=UTC"} {
				if !slices.Contains(env, want) {
					t.Errorf("the environment lacks %s: %q", want, env)
				}
			}
			if i := slices.IndexFunc(env, func(v string) bool { return strings.HasPrefix(v, "EVLAB_") }); i >= 0 {
				t.Errorf("the command sees %s", env[i])
			}
			b.run(t, step(4, "signal-1")).want(t, Completed, 0)
			if r := b.run(t, step(5, "read", "/proc/1/environ", "/proc/1/mem")); r.stdout != "" {
				t.Errorf("the supervisor's secrets: %s", r.stdout)
			}
			forged := b.run(t, step(6, "forge"))
			forged.want(t, Completed, 9)
			dialled := b.run(t, step(7, "dial", "127.0.0.1:1", "1.1.1.1:53"))
			if strings.Contains(dialled.stdout, "reached") {
				t.Errorf("the network: %s", dialled.stdout)
			}
		})
	}
}

func TestGivenSaysWhatIsWrong(t *testing.T) {
	d := engineOf(t)
	ref := fmt.Sprintf("evlab-test-bad:%d", os.Getpid())
	for name, c := range map[string]struct {
		given   Given
		changes []string
		want    string
	}{
		"no folder":        {Given{}, nil, "no working folder"},
		"a volume":         {Given{Workdir: "/srv/repo"}, []string{"VOLUME /srv"}, "volume /srv"},
		"nobody knows him": {Given{Workdir: "/srv/repo"}, []string{"USER somebody"}, "somebody"},
	} {
		t.Run(name, func(t *testing.T) {
			c.given.Image = importGiven(t, d, ref, c.changes...)
			r := probeRecipe(t)
			r.Given = &c.given
			if _, err := d.Ensure(context.Background(), r); !faultIs(err, FaultImage) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
	for name, r := range map[string]Recipe{
		"both":     {Given: &Given{Image: "a", Dockerfile: "b"}},
		"neither":  {Given: &Given{}},
		"root":     {Given: &Given{Image: "a", Workdir: "/x/.."}},
		"relative": {Given: &Given{Image: "a", Workdir: "x"}},
	} {
		r.Snapshot, r.SnapshotID = func(io.Writer) error { return nil }, "x"
		if _, err := d.Ensure(context.Background(), r); !faultIs(err, FaultOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDockerfile: the base commit's tree is the context, and a build that fails says what it said.
func TestDockerfile(t *testing.T) {
	d := engineOf(t)
	importGiven(t, d, fmt.Sprintf("evlab-test-from:%d", os.Getpid()))
	text := fmt.Sprintf("FROM evlab-test-from:%d\nCOPY probe /opt/probe\nRUN [\"/opt/probe\", \"whoami\"]\nWORKDIR /srv/repo\n", os.Getpid())
	b := openGiven(t, Given{Dockerfile: text})
	t.Cleanup(func() { // what the Dockerfile builds is kept for the next run, as other bases are
		ours := b.Sandbox.(*docker)
		base, err := ours.ensureGiven(context.Background(), Recipe{Given: &Given{Dockerfile: text}, SnapshotID: fmt.Sprintf("probe-%d", os.Getpid())})
		if err == nil {
			_, err = d.api.ImageRemove(context.Background(), base.ref, image.RemoveOptions{PruneChildren: true})
		}
		if err != nil {
			t.Error(err)
		}
		if _, err := d.api.BuildCachePrune(context.Background(), build.CachePruneOptions{}); err != nil {
			t.Error(err)
		}
	})
	if r := b.run(t, b.step(t, "whoami")); r.stdout != "0 0 /srv/repo\n" {
		t.Errorf("%q", r.stdout)
	}
	r := probeRecipe(t)
	r.Given = &Given{Dockerfile: strings.Split(text, "\n")[0] + "\nRUN [\"/none\", \"of this\"]\n"}
	if _, err := d.Ensure(context.Background(), r); !faultIs(err, FaultImage) || !strings.Contains(err.Error(), "/none") {
		t.Errorf("a build that fails: %v", err)
	}
}

// registry serves one image by the protocol of registries, and counts what it is asked.
type registry struct {
	blobs    map[string][]byte // by digest
	manifest []byte
	asked    int
}

func newRegistry(t *testing.T) (*registry, string) {
	t.Helper()
	r := &registry{blobs: map[string][]byte{}}
	put := func(kind string, data []byte) map[string]any {
		digest := fmt.Sprintf("sha256:%x", sha256.Sum256(data))
		r.blobs[digest] = data
		return map[string]any{"mediaType": kind, "digest": digest, "size": len(data)}
	}
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	for _, name := range sortedKeys(givenFiles) {
		if err := writeFile(w, name, 0, 0o644, []byte(givenFiles[name])); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	text := func(v any) []byte {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	goos, goarch := "linux", engineOf(t).facts.Arch
	config := put("application/vnd.oci.image.config.v1+json", text(map[string]any{
		"os": goos, "architecture": goarch, "config": map[string]any{"WorkingDir": "/srv/repo"},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer.Bytes()))}},
	}))
	r.manifest = text(map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config,
		"layers": []any{put("application/vnd.oci.image.layer.v1.tar", layer.Bytes())},
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: r}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return r, l.Addr().String()
}

func (r *registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.asked++
	last := q.URL.Path[strings.LastIndexByte(q.URL.Path, '/')+1:]
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(r.manifest))
	switch {
	case q.URL.Path == "/v2/":
	case strings.HasPrefix(q.URL.Path, "/v2/some/thing/manifests/") && (last == "v1" || last == digest):
		w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
		w.Header().Set("Docker-Content-Digest", digest)
		w.Header().Set("Content-Length", decimal(len(r.manifest)))
		if q.Method != http.MethodHead {
			w.Write(r.manifest)
		}
	case strings.HasPrefix(q.URL.Path, "/v2/some/thing/blobs/") && r.blobs[last] != nil:
		w.Header().Set("Content-Length", decimal(len(r.blobs[last])))
		if q.Method != http.MethodHead {
			w.Write(r.blobs[last])
		}
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}`)
	}
}

// TestPin: a name is pinned to the digest that the registry has for it, and that is what is pulled.
func TestPin(t *testing.T) {
	d := engineOf(t)
	r, address := newRegistry(t)
	p, err := NewPinner("test")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx := context.Background()
	name := address + "/some/thing:v1"
	want := fmt.Sprintf("%s/some/thing@sha256:%x", address, sha256.Sum256(r.manifest))
	pinned, err := p.Pin(ctx, name)
	if err != nil || pinned != want {
		t.Fatalf("%q, %v; want %q", pinned, err, want)
	}
	t.Cleanup(func() { d.api.ImageRemove(ctx, pinned, image.RemoveOptions{}) })
	b := openGiven(t, Given{Image: pinned})
	if r := b.run(t, b.step(t, "whoami")); r.stdout != "0 0 /srv/repo\n" {
		t.Errorf("%q", r.stdout)
	}
	if again, err := p.Pin(ctx, pinned); err != nil || again != want {
		t.Errorf("what is on the machine: %q, %v", again, err)
	}
	if _, err := p.Pin(ctx, address+"/some/thing:v2"); err == nil || !strings.Contains(err.Error(), "does not have it") {
		t.Errorf("a tag that is not there: %v", err)
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	deaf := closed.Addr().String()
	_, first := p.Pin(ctx, deaf+"/a:1")
	_, second := p.Pin(ctx, deaf+"/b:1")
	if first == nil || !strings.Contains(first.Error(), "could not be asked") || second != first {
		t.Errorf("a registry that is not there: %v; then %v", first, second)
	}
	for _, bad := range []string{"", "UPPER/case", "a b", "x:y:z", "../..", strings.Repeat("a/", 300)} {
		if _, err := p.Pin(ctx, bad); err == nil {
			t.Errorf("%q was pinned", bad)
		}
	}
	// An image that no registry has goes by the engine's own id.
	ref := fmt.Sprintf("evlab-test-pin:%d", os.Getpid())
	id := importGiven(t, d, ref)
	if pinned, err := p.Pin(ctx, ref); err != nil || pinned != id {
		t.Errorf("%q, %v; want %q", pinned, err, id)
	}
}
