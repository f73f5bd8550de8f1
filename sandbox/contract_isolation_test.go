package sandbox

import (
	"archive/tar"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evlab/repos"
)

var isolationCases = []contractCase{
	{name: "24 no address answers", run: func(t *testing.T, b *bench) {
		l, err := net.Listen("tcp", "0.0.0.0:0") // this machine itself, by whatever address
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		words := []string{"dial", "127.0.0.1:" + port, "172.17.0.1:" + port, "192.0.2.1:80", "[::1]:" + port}
		addresses, err := net.InterfaceAddrs()
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range addresses {
			if ip, _, err := net.ParseCIDR(a.String()); err == nil && ip.IsGlobalUnicast() {
				words = append(words, net.JoinHostPort(ip.String(), port))
			}
		}
		r := b.run(t, b.step(t, words...))
		r.want(t, Completed, 0)
		want := "own loopback works\n"
		if own, err := net.Listen("tcp", "[::1]:0"); err != nil { // nor has this machine's kernel IPv6
			want = "no own ::1\n" + want
		} else {
			own.Close()
		}
		if r.stdout != want {
			t.Errorf("%q", r.stdout)
		}
	}},
	{name: "25 nothing of the host can be read", run: func(t *testing.T, b *bench) {
		secret := "s3cret-" + decimal(os.Getpid()) + "-of-the-organizer"
		dir := t.TempDir()
		file := filepath.Join(dir, "private.json")
		if err := os.WriteFile(file, []byte(secret), 0o644); err != nil {
			t.Fatal(err)
		}
		os.Setenv("EVLAB_TEST_SECRET", secret) // a model's key, say; children of this process inherit it
		backwards := []byte(secret)
		slices.Reverse(backwards)
		r := b.run(t, b.step(t, "seek", string(backwards)))
		r.want(t, Completed, 0)
		if r.stdout != "sought\n" {
			t.Errorf("%s", r.stdout)
		}
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		words := []string{"read", file, "/proc/1/environ", "/proc/1/mem", "/etc/shadow", "/var/run/docker.sock"}
		for _, dir := range []string{home, b.state, filepath.Join(b.state, "bin")} {
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries[:min(len(entries), 50)] {
				words = append(words, filepath.Join(dir, e.Name()))
			}
		}
		s := b.step(t, words...)
		s.Attempt = 1
		if r := b.run(t, s); r.stdout != "" {
			t.Errorf("%s", r.stdout)
		}
	}},
	{name: "26 the environment is the fixed list", run: func(t *testing.T, b *bench) {
		s := b.step(t, "env")
		s.Env = []string{"EXTRA=1", "TZ=Asia/Tokyo"}
		r := b.run(t, s)
		want := Environment()
		if b.kind == "loose" {
			h := b.Sandbox.(*host)
			dir := h.stepDir(s.ID, 0)
			want = mergeEnv(h.layout(dir).environment(), []string{"GOMODCACHE=" + filepath.Join(dir, "mod")})
		}
		want = mergeEnv(want, s.Env)
		slices.Sort(want)
		if r.stdout != strings.Join(want, "\n")+"\n" {
			t.Errorf("got\n%swant\n%s", r.stdout, strings.Join(want, "\n"))
		}
	}},
	{name: "27 nothing can be written but scratch, the tree and the cache", run: func(t *testing.T, b *bench) {
		r := b.run(t, b.step(t, "write"))
		r.want(t, Completed, 0)
		for line := range strings.Lines(r.stdout) {
			name := strings.TrimSpace(strings.TrimPrefix(line, "wrote "))
			free := []string{"/src", "/tmp", "/tmp/home", "/evlab/cache", "/dev/shm", "/dev/mqueue"}
			if !slices.Contains(free, name) {
				t.Errorf("%s", line)
			}
		}
		if !strings.Contains(r.stdout, "wrote /tmp\n") || !strings.Contains(r.stdout, "wrote /src\n") {
			t.Errorf("%q", r.stdout)
		}
	}},
	{name: "28 no privileges and no way to them", run: func(t *testing.T, b *bench) {
		status := b.run(t, b.step(t, "status")).stdout
		want := []string{"NoNewPrivs:\t1", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "CapInh:\t0000000000000000"}
		if b.kind != "loose" {
			want = append(want, "CapBnd:\t0000000000000000")
		}
		for _, line := range want {
			if !strings.Contains(status, line+"\n") {
				t.Errorf("no %q in\n%s", line, status)
			}
		}
		s := b.step(t, "whoami")
		s.Dir, s.Attempt = "data/keep", 1
		s.Command[0] = "../../probe"
		who := "65534 65534 "
		if b.kind == "loose" && os.Geteuid() != 0 {
			who = decimal(os.Geteuid()) + " " + decimal(os.Getegid()) + " "
		}
		if r := b.run(t, s); !strings.HasPrefix(r.stdout, who) || !strings.HasSuffix(r.stdout, "/data/keep\n") {
			t.Errorf("%+v %q", r.Result, r.stdout)
		}
	}},
	{name: "29 no devices and no foreign paths from a patch", run: func(t *testing.T, b *bench) {
		for _, f := range []repos.File{
			{Path: "dev", Mode: "020666"}, {Path: "sub", Mode: "160000"}, {Path: "suid", Mode: "104755"}, {Path: "../x", Mode: "100644"},
			{Path: "/etc/x", Mode: "100644"}, {Path: "a//b", Mode: "100644"}, {Path: "", Mode: "100644"}, {Path: "n\x00ul", Mode: "100644"},
			{Path: "out", Mode: "120000", Content: []byte("../etc")}, {Path: "out", Mode: "120000", Content: []byte("/etc")},
		} {
			s := b.step(t, "exit", "0")
			s.Files.Files = []repos.File{f}
			if r, err := b.Run(context.Background(), s); !faultIs(err, FaultOptions) || r.Starts != 0 {
				t.Errorf("%+v: %+v %v", f, r, err)
			}
		}
		s := b.step(t, "exit", "0")
		s.Files.Remove = []string{"../../etc/passwd"}
		if r, err := b.Run(context.Background(), s); !faultIs(err, FaultOptions) {
			t.Errorf("%+v %v", r, err)
		}
	}},
	{name: "29b no devices and no foreign paths from a snapshot", run: func(t *testing.T, b *bench) {
		for name, h := range map[string]tar.Header{
			"device":       {Name: "null", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3},
			"hard link":    {Name: "hard", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"},
			"parent":       {Name: "../x", Typeflag: tar.TypeReg},
			"absolute":     {Name: "/etc/x", Typeflag: tar.TypeReg},
			"link out":     {Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/etc"},
			"link out too": {Name: "a/l", Typeflag: tar.TypeSymlink, Linkname: "../../etc"},
		} {
			r := Recipe{Task: "hostile", SnapshotID: "hostile " + name + b.host, Snapshot: func(w io.Writer) error {
				tw := tar.NewWriter(w)
				if err := tw.WriteHeader(&h); err != nil {
					return err
				}
				return tw.Close()
			}}
			if i, err := b.Ensure(context.Background(), r); !faultIs(err, FaultImage) {
				t.Errorf("%s: %+v %v", name, i, err)
			}
		}
	}},
	{name: "30 a link in the tree is not followed", run: func(t *testing.T, b *bench) {
		s := b.step(t, "exit", "0")
		s.Files.Files = []repos.File{{Path: "link/old.txt", Mode: "100644", Content: []byte("through the link")}}
		r, err := b.Run(context.Background(), s)
		if !faultIs(err, FaultEngine) || !strings.Contains(err.Error(), "symbolic link") {
			t.Errorf("%+v %v", r, err)
		}
		if err := b.Forget(context.Background(), s.ID, 0); err != nil {
			t.Error(err)
		}
		s = b.step(t, "cat", "data/old.txt")
		s.Attempt = 1
		s.Files.Remove = []string{"link/old.txt"}
		if r := b.run(t, s); r.stdout != "data/old.txt -rw-r--r-- \"old\\n\"\n" {
			t.Errorf("%+v %q", r.Result, r.stdout)
		}
	}},
	{name: "31 a file that the command has no business changing", run: func(t *testing.T, b *bench) {
		for attempt, c := range []struct{ alter, want string }{{"held.txt", "held.txt"}, {"free.txt", ""}} {
			s := b.step(t, "alter", c.alter)
			s.Attempt = attempt
			for _, name := range []string{"free.txt", "held.txt"} {
				s.Files.Files = append(s.Files.Files, repos.File{Path: name, Mode: "100644", Content: []byte("as it was")})
			}
			s.Held = []string{"held.txt"}
			r := b.run(t, s)
			r.want(t, Completed, 0)
			if r.Altered != c.want {
				t.Errorf("%s: %q", c.alter, r.Altered)
			}
		}
	}},
}
