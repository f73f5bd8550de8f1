package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"evlab/repos"
	"evlab/sandbox/plan"
)

// framed cuts text into pieces of random length on its way into a reader.
func framed(text []byte, limit int64, seed uint64) (*outputReader, string) {
	var out bytes.Buffer
	r := newOutputReader("NONCE", limit, &out)
	random := rand.New(rand.NewPCG(seed, 2))
	for len(text) > 0 {
		n := 1 + random.IntN(min(len(text), 1+int(seed%97)))
		r.Write(text[:n])
		text = text[n:]
	}
	r.pass(r.pending)
	return r, out.String()
}

func TestFramesAreTakenOut(t *testing.T) {
	frame := func(r plan.Record) string { return string(plan.Frame("NONCE", r)) }
	started, ended := frame(plan.Record{Event: plan.Started}), frame(plan.Record{Event: plan.Ended, Reason: plan.Exit, Exit: 3})
	for name, c := range map[string]struct {
		in, out string
		ended   bool
	}{
		"nothing else":      {started + ended, "", true},
		"around text":       {started + "a\nb" + ended, "a\nb", true},
		"engine's newline":  {started + "a" + ended + "\n", "a", true},
		"a join":            {started + "a" + frame(plan.Record{Event: plan.Join}) + "b\n" + ended, "ab\n", true},
		"a gap":             {"a" + frame(plan.Record{Event: plan.Gap, Bytes: 7}) + "b" + ended, "a\n[evlab: 7 bytes left out here]\nb", true},
		"cut off":           {started + "abc", "abc", false},
		"wrong nonce":       {"\x1eevlab OTHER {\"event\":\"ended\"}\n" + ended, "\x1eevlab OTHER {\"event\":\"ended\"}\n", true},
		"no JSON":           {"\x1eevlab NONCE nonsense\nx" + ended, "\x1eevlab NONCE nonsense\nx", true},
		"separators":        {"\x1e\x1e\x1eevlab\x1e" + ended, "\x1e\x1e\x1eevlab\x1e", true},
		"half an opening":   {"text\x1eevlab NON", "text\x1eevlab NON", false},
		"nonce of a prefix": {"\x1eevlab NONCE\x1eevlab NONCE " + ended[len("\x1eevlab NONCE "):], "\x1eevlab NONCE", true},
	} {
		for seed := range uint64(40) {
			r, out := framed([]byte(c.in), 1<<20, seed)
			if out != c.out || (r.record(plan.Ended) != nil) != c.ended {
				t.Errorf("%s (seed %d): %q, records %+v; want %q", name, seed, out, r.records, c.out)
			}
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	r, out := framed(bytes.Repeat([]byte("x"), 400_000), 100_000, 96)
	if len(out) != 150_000 || !r.gap {
		t.Errorf("%d bytes, gap %v", len(out), r.gap)
	}
	endless := append([]byte("\x1eevlab NONCE "), bytes.Repeat([]byte("{"), 100_000)...)
	if r, out := framed(endless, 1<<20, 96); len(r.pending) > plan.MaxFrame || len(out) != len(endless) {
		t.Errorf("%d bytes are held back, %d of %d came out", len(r.pending), len(out), len(endless))
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("a\x1eevlab NONCE {}\n"), uint64(1))
	f.Add(append([]byte("x"), plan.Frame("NONCE", plan.Record{Event: plan.Gap, Bytes: 3})...), uint64(5))
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		_, whole := framed(bytes.Clone(text), 1<<20, 1<<40)
		if _, pieces := framed(bytes.Clone(text), 1<<20, seed); pieces != whole {
			t.Errorf("%q or %q", whole, pieces)
		}
		if !bytes.Contains(text, []byte("\x1eevlab NONCE ")) && whole != string(text) {
			t.Errorf("%q became %q", text, whole)
		}
	})
}

func TestJudge(t *testing.T) {
	start := &plan.Record{Event: plan.Started}
	end := func(change func(r *plan.Record)) *plan.Record {
		r := &plan.Record{Event: plan.Ended, Reason: plan.Exit, Counted: true}
		change(r)
		return r
	}
	for _, c := range []struct {
		name  string
		in    ending
		want  Outcome
		exit  int
		fault string
	}{
		{"exit", ending{started: start, ended: end(func(r *plan.Record) { r.Exit = 7 })}, Completed, 7, ""},
		{"it ended just before the order to kill", ending{started: start, killed: Deadline, ended: end(func(r *plan.Record) {})}, Completed, 0, ""},
		{"signal", ending{started: start, ended: end(func(r *plan.Record) { r.Exit, r.Signal = 139, 11 })}, Killed, 139, ""},
		{"killed itself", ending{started: start, ended: end(func(r *plan.Record) { r.Exit, r.Signal = 137, 9 })}, Killed, 137, ""},
		{"killed and nobody counts", ending{started: start, ended: end(func(r *plan.Record) { r.Exit, r.Signal, r.Counted = 137, 9, false })}, Memory, 137, ""},
		{"a child out of memory", ending{started: start, ended: end(func(r *plan.Record) { r.OOM = 1 })}, Memory, 0, ""},
		{"the engine's flag", ending{started: start, oomKilled: true, ended: end(func(r *plan.Record) { r.Exit = 3 })}, Memory, 3, ""},
		{"supervisor out of memory", ending{started: start, oomKilled: true, exit: 137}, Memory, 137, ""},
		{"full and failed", ending{started: start, ended: end(func(r *plan.Record) { r.Exit, r.Full = 1, true })}, Disk, 1, ""},
		{"full for a moment", ending{started: start, ended: end(func(r *plan.Record) { r.Full = true })}, Completed, 0, ""},
		{"file too large", ending{started: start, ended: end(func(r *plan.Record) { r.Exit, r.Signal = 153, 25 })}, Disk, 153, ""},
		{"forks refused", ending{started: start, ended: end(func(r *plan.Record) { r.Exit, r.Forks = 2, 9 })}, Processes, 2, ""},
		{"backstop", ending{started: start, ended: end(func(r *plan.Record) { r.Exit, r.Signal, r.Reason = 137, 9, plan.Deadline })}, Deadline, 137, ""},
		{"killed hard by us", ending{started: start, killed: Deadline, exit: 137}, Deadline, 137, ""},
		{"killed hard by one before us", ending{started: start, elapsed: true, exit: 137}, Deadline, 137, ""},
		{"killed by somebody", ending{started: start, exit: 137}, EngineLost, 0, FaultEngineLost},
		{"stopped by somebody", ending{started: start, ended: end(func(r *plan.Record) { r.Reason = plan.Stopped })}, EngineLost, 0, FaultEngineLost},
		{"never began", ending{exit: 127, tail: "no such file"}, "", 0, FaultEngine},
		{"refused", ending{exit: 125, failed: &plan.Record{Event: plan.Failed, Reason: "no tree"}}, "", 0, FaultEngine},
	} {
		outcome, exit, err := c.in.judge()
		if outcome != c.want || exit != c.exit || (err != nil) != (c.fault != "") || err != nil && !faultIs(err, c.fault) {
			t.Errorf("%s: %s %d %v", c.name, outcome, exit, err)
		}
	}
}

func TestSlots(t *testing.T) {
	s := &slots{most: 3, memory: 100}
	var now, peak, memory atomic.Int64
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			need := int64(10 + 10*(i%5))
			release, err := s.acquire(context.Background(), need)
			if err != nil {
				t.Error(err)
				return
			}
			peak.Store(max(peak.Load(), now.Add(1)))
			if memory.Add(need) > 100 {
				t.Error("more memory than there is")
			}
			time.Sleep(time.Millisecond)
			memory.Add(-need)
			now.Add(-1)
			release()
			release() // twice is once
		})
	}
	wg.Wait()
	if peak.Load() > 3 || s.used != 0 || s.taken != 0 {
		t.Errorf("peak %d, used %d, taken %d", peak.Load(), s.used, s.taken)
	}
	release, err := s.acquire(context.Background(), 1000) // more than there is, but alone
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	go cancel(ErrDetach)
	if _, err := s.acquire(ctx, 1); !errors.Is(err, ErrDetach) {
		t.Error(err)
	}
	release()
	if release, err = s.acquire(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	release()
}

func TestStepNamesAndDigests(t *testing.T) {
	s := Step{ID: "run/task/condition/executor/1/test", Attempt: 2, Image: Image{Ref: "r"}, Command: []string{"a", "b"}, Limits: smallLimits()}
	if name := s.name(); !strings.HasPrefix(name, "evlab-") || len(name) != len("evlab-")+12+2 || !strings.HasSuffix(name, "-2") {
		t.Error(name)
	}
	seen := map[string]string{s.digest(): "itself"}
	for what, change := range map[string]func(s *Step){
		"command":  func(s *Step) { s.Command = []string{"ab"} },
		"split":    func(s *Step) { s.Command = []string{"a"}; s.Env = []string{"b"} },
		"dir":      func(s *Step) { s.Dir = "d" },
		"image":    func(s *Step) { s.Image.Ref = "q" },
		"limits":   func(s *Step) { s.Limits.Timeout++ },
		"file":     func(s *Step) { s.Files.Files = []repos.File{{Path: "p", Mode: "100644", Content: []byte("c")}} },
		"mode":     func(s *Step) { s.Files.Files = []repos.File{{Path: "p", Mode: "100755", Content: []byte("c")}} },
		"removing": func(s *Step) { s.Files.Remove = []string{"p"} },
	} {
		other := s
		change(&other)
		if same := seen[other.digest()]; same != "" {
			t.Errorf("%s has the digest of %s", what, same)
		}
		seen[other.digest()] = what
	}
	other := s
	other.Stdout, other.Labels, other.Image.ID = "elsewhere", map[string]string{"a": "b"}, "x"
	if other.digest() != s.digest() {
		t.Error("where output goes is part of the digest")
	}
}

func TestStepsThatCannotBe(t *testing.T) {
	good := Step{ID: "s", Image: Image{Ref: "r"}, Command: []string{"a"}, Limits: smallLimits()}
	if err := good.check(); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(s *Step){
		"no id": func(s *Step) { s.ID = "" }, "no image": func(s *Step) { s.Image.Ref = "" }, "no command": func(s *Step) { s.Command = nil },
		"negative attempt": func(s *Step) { s.Attempt = -1 }, "dir outside": func(s *Step) { s.Dir = "../x" }, "absolute dir": func(s *Step) { s.Dir = "/etc" },
		"no time": func(s *Step) { s.Limits.Timeout = 0 }, "no memory": func(s *Step) { s.Limits.Memory = 0 }, "no log": func(s *Step) { s.Limits.Log = 0 },
		"absurd memory": func(s *Step) { s.Limits.Memory = 1 << 62 }, "negative CPUs": func(s *Step) { s.Limits.CPUs = -1 },
		"env without name": func(s *Step) { s.Env = []string{"=x"} }, "env without value": func(s *Step) { s.Env = []string{"X"} },
		"NUL": func(s *Step) { s.Command = []string{"a", "b\x00c"} },
	} {
		bad := good
		change(&bad)
		if err := bad.check(); !faultIs(err, FaultOptions) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestEnvironmentIsMerged(t *testing.T) {
	got := mergeEnv([]string{"A=1", "B=2"}, []string{"B=3", "C=4", "C=5"})
	if !slices.Equal(got, []string{"A=1", "B=3", "C=5"}) {
		t.Error(got)
	}
	if !slices.IsSorted(Environment()) {
		t.Error("the fixed environment is not sorted")
	}
}

func TestSnapshotsThatNoTreeHolds(t *testing.T) {
	write := func(headers ...tar.Header) func(io.Writer) error {
		return func(w io.Writer) error {
			tw := tar.NewWriter(w)
			for _, h := range headers {
				if err := tw.WriteHeader(&h); err != nil {
					return err
				}
				if _, err := tw.Write(make([]byte, h.Size)); err != nil {
					return err
				}
			}
			return tw.Close()
		}
	}
	file := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeReg, Name: name, Size: 3} }
	link := func(name, target string) tar.Header {
		return tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target}
	}
	for name, c := range map[string]struct {
		snapshot func(io.Writer) error
		want     string
	}{
		"beyond a link":  {write(link("a", "b"), file("a/x")), "no folder"},
		"beyond a file":  {write(file("a"), file("a/x")), "no folder"},
		"twice":          {write(file("a"), file("a")), "twice"},
		"link over file": {write(file("a"), link("a", "b")), "twice"},
		"climbing":       {write(file("a/../../x")), "inside the tree"},
		"link out":       {write(link("a/b", "../../x")), "out of the tree"},
		"not a tar":      {func(w io.Writer) error { _, err := w.Write(bytes.Repeat([]byte("x"), 2048)); return err }, "reading the snapshot"},
		"cut off": {func(w io.Writer) error {
			return errors.Join(write(file("a"))(io.Discard), errors.New("the mirror is gone"))
		}, "the mirror is gone"},
		"fifo":             {write(tar.Header{Typeflag: tar.TypeFifo, Name: "f"}), "neither file"},
		"writer complains": {func(w io.Writer) error { return errors.Join(write(file("a"))(w), fmt.Errorf("late")) }, "late"},
	} {
		err := readSnapshot(c.snapshot, func(e entry, content io.Reader) error { _, err := io.Copy(io.Discard, content); return err })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	var names []string
	err := readSnapshot(write(file("./a/b"), link("c", "a/b"), link("a/d", "../c")), func(e entry, _ io.Reader) error {
		names = append(names, e.name)
		return nil
	})
	if err != nil || !slices.Equal(names, []string{"a/b", "c", "a/d"}) {
		t.Errorf("%q %v", names, err)
	}
}

func TestRecipesAreNamedByContent(t *testing.T) {
	r := Recipe{Task: "t", SnapshotID: "s"}
	seen := map[string]bool{r.ID(): true}
	for _, other := range []Recipe{
		{Task: "t", SnapshotID: "z"}, {Task: "t", SnapshotID: "s", ModulesID: "m"},
		{Task: "t", SnapshotID: "s", Warm: [][]string{{"a", "b"}}}, {Task: "t", SnapshotID: "s", Warm: [][]string{{"a"}, {"b"}}},
		{Task: "t", SnapshotID: "s", GoVersion: "go1.26.8"},
	} {
		if seen[other.ID()] {
			t.Errorf("%+v has the name of another", other)
		}
		seen[other.ID()] = true
	}
	r.Labels, r.Task = map[string]string{"a": "b"}, "another"
	if !seen[r.ID()] {
		t.Error("labels, or the task that asks first, are part of the name")
	}
}

// TestOwnNameHasAnAddress: programs ask for the address of the machine that they run on, and there is one without a network.
func TestOwnNameHasAnAddress(t *testing.T) {
	config := (&docker{}).hostConfig(Limits{}, surroundings{})
	if !slices.Equal(config.ExtraHosts, []string{"evlab:127.0.0.1"}) || config.NetworkMode != "none" {
		t.Errorf("%q in the network %q", config.ExtraHosts, config.NetworkMode)
	}
}

// TestEnginesWithoutIPv6: an engine that refuses a container for the setting's sake is not asked for it again.
func TestEnginesWithoutIPv6(t *testing.T) {
	d := &docker{}
	if d.loopback6() == nil || d.refusesLoopback6(nil) || d.refusesLoopback6(errors.New("no space left on device")) || d.loopback6() == nil {
		t.Error("another fault was taken for one of the setting")
	}
	refused := errors.New("OCI runtime create failed: write sysctl key net.ipv6.conf.lo.disable_ipv6: open /proc/sys/net/ipv6/conf/lo/disable_ipv6: no such file or directory")
	if !d.refusesLoopback6(refused) || d.loopback6() != nil || !d.refusesLoopback6(refused) {
		t.Error("the engine is asked again")
	}
}
