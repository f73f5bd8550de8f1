package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// The contract suite: the cases that every sandbox must hold, run on each of them as a real thing. A case that a sandbox
// cannot hold is listed in notHeld with the reason, and the suite says so.

// bench is one sandbox under test with an image that holds the probe.
type bench struct {
	Sandbox
	kind  string
	image Image
	state string
	host  string
}

// notHeld lists the cases that a kind cannot hold, by the number in the case's name.
var notHeld = map[string]map[string]string{
	"docker": {},
	"host":   {},
	"loose": {
		"09": "there is no scratch file system of its own to be full",
		"24": "the machine's network is the command's",
		"25": "files that the unprivileged user may read can be read",
		"27": "folders that the unprivileged user may write can be written",
	},
}

func TestContract(t *testing.T) {
	for _, kind := range []string{"docker", "host", "loose"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := open(t, kind)
			for _, c := range cases {
				number, _, _ := strings.Cut(c.name, " ")
				if why, not := notHeld[kind][number]; not {
					t.Logf("NOT HELD by %s: %s: %s", kind, c.name, why)
					continue
				}
				t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
					if !c.alone {
						t.Parallel()
					}
					c.run(t, b)
				})
			}
		})
	}
}

// contractCase is one promise. One that is alone disturbs others, or would be disturbed by them.
type contractCase struct {
	name  string
	alone bool
	run   func(t *testing.T, b *bench)
}

var cases = append(append(append([]contractCase{}, outcomeCases...), lifeCases...), isolationCases...)

// open opens a sandbox and makes the image; at the test's end nothing of it is left, and that is checked.
func open(t *testing.T, kind string) *bench {
	t.Helper()
	state := t.TempDir()
	if err := os.Chmod(filepath.Dir(state), 0o755); err != nil { // for the unprivileged user to enter
		t.Fatal(err)
	}
	b := &bench{kind: kind, state: state, host: fmt.Sprintf("contract-%s-%d", kind, os.Getpid())}
	b.Sandbox = openKind(t, kind, b.state, b.host)
	b.leaveNothing(t)
	var err error
	if b.image, err = b.Ensure(context.Background(), probeRecipe(t)); err != nil {
		t.Fatal(err)
	}
	return b
}

// leaveNothing removes at the test's end what is there of the sandbox, and checks that.
func (b *bench) leaveNothing(t *testing.T) {
	t.Cleanup(func() {
		ctx := context.Background()
		if _, err := b.Reap(ctx, nil); err != nil {
			t.Error("reaping:", err)
		}
		if err := b.Remove(ctx, b.image); err != nil {
			t.Error("removing the image:", err)
		}
		checkNothingLeft(t, b)
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		removeAll(b.state) // what a command made unreadable is in the way of TempDir's own cleaning
	})
}

func openKind(t *testing.T, kind, state, hostID string) Sandbox {
	t.Helper()
	o := Options{State: state, Host: hostID, Boot: "test", Label: map[string]string{LabelRun: "contract"}}
	s, err := openOptions(kind, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openOptions(kind string, o Options) (Sandbox, error) {
	ctx := context.Background()
	if kind == "docker" {
		return OpenDocker(ctx, o)
	}
	s, err := OpenHost(ctx, o)
	if err != nil {
		return nil, err
	}
	h := s.(*host)
	if !h.namespaces {
		return nil, fmt.Errorf("this machine grants no namespaces, so the contract of the host sandbox cannot be shown")
	}
	h.namespaces = kind == "host"
	return s, nil
}

var probeBinary = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "evlab-probe-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, "probe"), "./testdata/probe")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the probe: %w: %s", err, out)
	}
	return os.ReadFile(filepath.Join(dir, "probe"))
})

func probeRecipe(t *testing.T) Recipe {
	t.Helper()
	binary, err := probeBinary()
	if err != nil {
		t.Fatal(err)
	}
	snapshot := func(w io.Writer) error {
		tw := tar.NewWriter(w)
		for name, text := range map[string]string{"data/old.txt": "old\n", "data/keep/kept.txt": "kept\n", "gone/one.txt": "1\n", "go.mod": "module m\n"} {
			if err := writeFile(tw, name, 0, 0o644, []byte(text)); err != nil {
				return err
			}
		}
		link := &tar.Header{Typeflag: tar.TypeSymlink, Name: "link", Linkname: "data", Mode: 0o777}
		if err := tw.WriteHeader(link); err != nil {
			return err
		}
		if err := writeFile(tw, "probe", 0, 0o755, binary); err != nil {
			return err
		}
		return tw.Close()
	}
	return Recipe{Task: "probe", Snapshot: snapshot, SnapshotID: fmt.Sprintf("probe-%d", os.Getpid())}
}

func smallLimits() Limits {
	return Limits{Timeout: 2 * time.Minute, Memory: 128 << 20, Scratch: 32 << 20, Log: 1 << 20, Processes: 64, CPUs: 1}
}

// step is a probe's command as a step whose output lands in a folder of the test.
func (b *bench) step(t *testing.T, words ...string) Step {
	t.Helper()
	dir := t.TempDir()
	return Step{
		ID: b.kind + "/" + t.Name(), Image: b.image, Command: append([]string{"./probe"}, words...), Limits: smallLimits(),
		Stdout: filepath.Join(dir, "stdout"), Stderr: filepath.Join(dir, "stderr"),
	}
}

// ran is a result with its output.
type ran struct {
	Result
	stdout, stderr string
}

// run runs the step, which must not be a fault, and forgets it.
func (b *bench) run(t *testing.T, s Step) ran {
	t.Helper()
	r, err := b.Run(context.Background(), s)
	if err != nil {
		t.Fatalf("Run: %v (%+v)", err, r)
	}
	got := ran{Result: r, stdout: read(t, s.Stdout), stderr: read(t, s.Stderr)}
	if err := b.Forget(context.Background(), s.ID, s.Attempt); err != nil {
		t.Errorf("Forget: %v", err)
	}
	return got
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// want fails unless the step ended so.
func (r ran) want(t *testing.T, outcome Outcome, exit int) {
	t.Helper()
	if r.Outcome != outcome || exit >= 0 && r.Exit != exit {
		t.Errorf("ended as %s with status %d, want %s with %d\nstdout: %.500q\nstderr: %.500q", r.Outcome, r.Exit, outcome, exit, r.stdout, r.stderr)
	}
}

// childPlan is what a child process of the test is told: to run a step and to die at a point of its life.
type childPlan struct {
	Kind, State, Host, Point string
	Step                     Step
}

const childVariable = "EVLAB_TEST_CHILD"

// TestMain is also the program of the processes that the suite kills.
func TestMain(m *testing.M) {
	if file := os.Getenv(childVariable); file != "" {
		if err := child(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// Most cases wait for a container; more of them at once than there are cores cost nothing.
	flag.Parse()
	if err := flag.Set("test.parallel", decimal(max(6, 3*runtime.NumCPU()))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func child(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var c childPlan
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	s, err := openOptions(c.Kind, Options{State: c.State, Host: c.Host, Label: map[string]string{LabelRun: "contract"}})
	if err != nil {
		return err
	}
	die := func(point string) {
		if point == c.Point {
			p, err := os.FindProcess(os.Getpid())
			if err != nil {
				panic(err)
			}
			p.Kill()
			select {}
		}
	}
	switch s := s.(type) {
	case *docker:
		s.at = die
	case *host:
		s.at = die
	}
	r, err := s.Run(context.Background(), c.Step)
	return fmt.Errorf("the child lives on: %+v, %v", r, err)
}

// killedAt runs the step in another process that is killed with -9 at the point.
func (b *bench) killedAt(t *testing.T, point string, s Step) {
	t.Helper()
	data, err := json.Marshal(childPlan{Kind: b.kind, State: b.state, Host: b.host, Point: point, Step: s})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "child.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), childVariable+"="+file)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err == nil || c.ProcessState.ExitCode() != -1 {
		t.Fatalf("the child was not killed at %q: %v: %s", point, err, said.String())
	}
}
