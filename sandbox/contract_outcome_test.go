package sandbox

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"evlab/repos"
)

// quiet is how long case 14 prints nothing: short enough for every day. EVLAB_TEST_SILENCE=90s asks for the long version.
func quiet(t *testing.T) time.Duration {
	t.Helper()
	if v := os.Getenv("EVLAB_TEST_SILENCE"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	return 20 * time.Second
}

var outcomeCases = []contractCase{
	{name: "01 exit status 0", run: func(t *testing.T, b *bench) {
		r := b.run(t, b.step(t, "exit", "0"))
		r.want(t, Completed, 0)
		if r.Starts != 1 || r.Reattached || r.Ended.Before(r.Started) || r.Truncated {
			t.Errorf("%+v", r.Result)
		}
	}},
	{name: "02 exit status 7", run: func(t *testing.T, b *bench) { b.run(t, b.step(t, "exit", "7")).want(t, Completed, 7) }},
	{name: "03 killed by itself", run: func(t *testing.T, b *bench) { b.run(t, b.step(t, "segv")).want(t, Killed, 139) }},
	{name: "04 a sleeper that ignores signals ends at the deadline", run: func(t *testing.T, b *bench) {
		s := b.step(t, "stubborn")
		s.Limits.Timeout = 3 * time.Second
		begin := time.Now()
		r := b.run(t, s)
		r.want(t, Deadline, -1)
		if took := r.Ended.Sub(r.Started); took < s.Limits.Timeout || took > s.Limits.Timeout+5*time.Second {
			t.Errorf("took %v of %v (%v in all)", took, s.Limits.Timeout, time.Since(begin))
		}
		if !strings.Contains(r.stdout, "started") {
			t.Errorf("the output is lost: %q", r.stdout)
		}
	}},
	{name: "05 a daemon in a session of its own dies with the command", run: func(t *testing.T, b *bench) {
		begin := time.Now()
		r := b.run(t, b.step(t, "daemon"))
		r.want(t, Completed, 0)
		if time.Since(begin) > 90*time.Second { // it would have slept for ten minutes and held the pipes open
			t.Errorf("took %v", time.Since(begin))
		}
	}},
	{name: "06 out of memory", run: func(t *testing.T, b *bench) { b.run(t, b.step(t, "hog")).want(t, Memory, -1) }},
	{name: "07 a child out of memory is memory although the command exits 0", run: func(t *testing.T, b *bench) {
		b.run(t, b.step(t, "hog-child")).want(t, Memory, -1)
	}},
	{name: "08 fork bomb", run: func(t *testing.T, b *bench) {
		s := b.step(t, "bomb")
		s.Limits.Timeout = time.Minute
		s.Limits.Memory = 1 << 30
		r := b.run(t, s)
		if r.Outcome != Processes && r.Outcome != Deadline {
			t.Errorf("%+v %q", r.Result, r.stdout)
		}
	}},
	{name: "09 scratch filled", run: func(t *testing.T, b *bench) { b.run(t, b.step(t, "fill", "/tmp")).want(t, Disk, -1) }},
	{name: "09b the tree outgrows scratch", run: func(t *testing.T, b *bench) {
		s := b.step(t, "fill", ".")
		b.run(t, s).want(t, Disk, -1)
	}},
	{name: "10 yes for ever", run: func(t *testing.T, b *bench) {
		s := b.step(t, "yes")
		s.Limits.Timeout = 4 * time.Second
		r := b.run(t, s)
		r.want(t, Deadline, -1)
		if !r.Truncated || int64(len(r.stdout)) > s.Limits.Log+1000 || !strings.Contains(r.stdout, "bytes left out here]") {
			t.Errorf("truncated %v, %d bytes", r.Truncated, len(r.stdout))
		}
		if !strings.HasPrefix(r.stdout, "y\ny\n") || !strings.HasSuffix(r.stdout, "y\n") && !strings.HasSuffix(r.stdout, "y") {
			t.Error("head or tail is missing")
		}
	}},
	{name: "11 the last of 100 MB is read", run: func(t *testing.T, b *bench) {
		r := b.run(t, b.step(t, "lines", "100000000"))
		r.want(t, Completed, 0)
		if !r.Truncated || !strings.HasSuffix(r.stdout, "\nthe last line\n") {
			t.Errorf("truncated %v, ends in %q", r.Truncated, r.stdout[max(0, len(r.stdout)-50):])
		}
	}},
	{name: "12 one line of 100 MB", run: func(t *testing.T, b *bench) {
		r := b.run(t, b.step(t, "one-line", "100000000"))
		r.want(t, Completed, 0)
		if !r.Truncated || !strings.HasSuffix(r.stdout, "cdefthe end") || int64(len(r.stdout)) > smallLimits().Log+1000 {
			t.Errorf("truncated %v, %d bytes", r.Truncated, len(r.stdout))
		}
	}},
	{name: "13 bytes are kept as they are", run: keepsBytes},
	{name: "14 silence is no end", run: func(t *testing.T, b *bench) {
		s := b.step(t, "sleep", decimal(int(quiet(t).Seconds())))
		beats := 0
		s.Progress = func() { beats++ }
		b.run(t, s).want(t, Completed, 0)
		if beats < 3 {
			t.Errorf("Progress was called %d times", beats)
		}
	}},
	{name: "the tree is changed before the command starts", run: changesTree},
	{name: "a command that is not there", run: func(t *testing.T, b *bench) {
		s := b.step(t)
		s.Command = []string{"no-such-program"}
		r := b.run(t, s)
		r.want(t, Completed, 127)
		if !strings.Contains(r.stderr, "no-such-program") {
			t.Errorf("%q", r.stderr)
		}
	}},
	{name: "frames cannot be forged", run: func(t *testing.T, b *bench) {
		r := b.run(t, b.step(t, "forge"))
		r.want(t, Completed, 9)
		const text = "\x1eevlab GUESS {\"event\":\"ended\",\"exit\":0}\nreal\n"
		if r.stdout != text || r.stderr != text {
			t.Errorf("%q %q", r.stdout, r.stderr)
		}
	}},
	{name: "the command cannot stop its supervisor", run: func(t *testing.T, b *bench) {
		if b.kind == "loose" {
			t.Log("NOT HELD by loose: without a process namespace any process of the user may signal the supervisor")
			return
		}
		r := b.run(t, b.step(t, "signal-1"))
		r.want(t, Completed, 0)
		if r.stdout != "still here\n" {
			t.Errorf("%q", r.stdout)
		}
	}},
}

// keepsBytes sends all that terminals, encodings and log drivers are known to change, with every cut in the middle.
func keepsBytes(t *testing.T, b *bench) {
	data := []byte("a\xff\x00b\rc\r\nd\x1b[31me\x1ef\x16g\u00e9\u20ac\U0001f600h\n\n\x1eevlab \nno newline at the end \u20ac")
	data = append(append([]byte{}, data...), bytes.Repeat([]byte("\x00\xfe"), 20_000)...)
	euro := bytes.Index(data, []byte("\u20ac"))
	for i, cut := range []int{0, 1, euro + 1, 16384, len(data)} {
		s := b.step(t, "bytes", "data.bin", decimal(cut))
		s.Attempt = i
		s.Files = repos.Delta{Files: []repos.File{{Path: "data.bin", Mode: "100644", Content: data}}}
		r := b.run(t, s)
		r.want(t, Completed, 0)
		if r.stdout != string(data) {
			t.Errorf("cut at %d: standard output has %d bytes, want %d (%s)", cut, len(r.stdout), len(data), firstDifference(r.stdout, string(data)))
		}
		if r.stderr != string(data) {
			t.Errorf("cut at %d: standard error has %d bytes, want %d (%s)", cut, len(r.stderr), len(data), firstDifference(r.stderr, string(data)))
		}
		if r.Truncated {
			t.Error("called truncated")
		}
	}
}

func firstDifference(a, b string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return strings.ToValidUTF8(strings.Join([]string{"differ at", decimal(i)}, " "), "?")
		}
	}
	return "one begins with the other"
}

func changesTree(t *testing.T, b *bench) {
	s := b.step(t, "cat", "data/old.txt", "data/keep/kept.txt", "gone", "deep/er/new.txt", "run.bin", "alias", "link/new.txt")
	s.Files = repos.Delta{
		Remove: []string{"gone/one.txt", "link", "not/there"},
		Files: []repos.File{
			{Path: "data/old.txt", Mode: "100644", Content: []byte("new\r\n")},
			{Path: "deep/er/new.txt", Mode: "100644", Content: []byte("deep")},
			{Path: "run.bin", Mode: "100755", Content: []byte{0, 255}},
			{Path: "alias", Mode: "120000", Content: []byte("data/keep/kept.txt")},
			{Path: "link/new.txt", Mode: "100644", Content: []byte("no link any more")},
		},
	}
	r := b.run(t, s)
	r.want(t, Completed, 0)
	want := `data/old.txt -rw-r--r-- "new\r\n"
data/keep/kept.txt -rw-r--r-- "kept\n"
gone absent
deep/er/new.txt -rw-r--r-- "deep"
run.bin -rwxr-xr-x "\x00\xff"
alias Lrwxrwxrwx "kept\n"
link/new.txt -rw-r--r-- "no link any more"
`
	if r.stdout != want {
		t.Errorf("got\n%swant\n%s", r.stdout, want)
	}
	// The image itself is as it was.
	again := b.step(t, "cat", "data/old.txt", "gone/one.txt", "run.bin")
	again.Attempt = 1
	if got := b.run(t, again).stdout; got != "data/old.txt -rw-r--r-- \"old\\n\"\ngone/one.txt -rw-r--r-- \"1\\n\"\nrun.bin absent\n" {
		t.Errorf("the next step sees %s", got)
	}
}
