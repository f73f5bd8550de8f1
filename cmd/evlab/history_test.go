//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/runs"
)

// graded is a data folder with the run "graded" of two models over the task "t", as evaluate makes one: org/new has a
// record with artifacts, org/old one without a patch.
func graded(t *testing.T) (env []string, private experiments.Digest) {
	t.Helper()
	dir := t.TempDir()
	folder, err := artifacts.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	put := func(s *artifacts.Store, text string) experiments.Digest {
		d, err := s.Put(t.Context(), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	private = put(folder.Private, "the hidden tests")
	created := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	spec := experiments.Spec{
		Name: "graded", Replicates: 1, Conditions: []experiments.ConditionSpec{{Name: "none", Kind: experiments.NoEvidence}},
		Executors: []experiments.ExecutorSpec{
			{Name: "org-new-1a2b", Kind: experiments.Replay, Model: "org/new", Missing: experiments.MissingLeftOut},
			{Name: "old", Kind: experiments.Replay, Model: "old", Missing: experiments.MissingLeftOut},
		},
	}
	run, err := folder.CreateRun(artifacts.Header{RunID: "graded", Created: created, Spec: spec})
	if err != nil {
		t.Fatal(err)
	}
	present := map[string]experiments.Digest{"org-new-1a2b": private, "old": private} // that there is one is all that counts
	contract := &experiments.Contract{
		Schema: experiments.ContractSchema, RunID: "graded", Created: created, Spec: spec, Sandbox: experiments.FrozenSandbox{Kind: "host"},
		Tasks: []experiments.FrozenTask{{ID: "t", Private: private, Executors: present}, {ID: "u", Private: private, Executors: present}},
	}
	if err := run.Freeze(contract); err != nil {
		t.Fatal(err)
	}
	full := &experiments.Record{
		RunID: "graded", Cell: experiments.Cell{Task: "t", Condition: "none", Executor: "org-new-1a2b", Replicate: 1}, Verdict: experiments.Resolved,
		Rounds: []experiments.Round{
			{Number: 1, Prompt: put(folder.Public, "first prompt"), Reply: put(folder.Public, "first reply")},
			{Number: 2, Prompt: put(folder.Public, "second prompt"), Reply: put(folder.Public, "second reply")},
		},
		Patch: put(folder.Public, "a \x1b[31mred\x1b[0m patch\r\n\xff"), Scores: experiments.Scores{Strict: true},
		Commands: []experiments.Command{{Phase: experiments.FailToPass, Log: put(folder.Public, "both")}, {Phase: experiments.PassToPass, Log: put(folder.Public, "both")}},
	}
	none := &experiments.Record{RunID: "graded", Cell: experiments.Cell{Task: "t", Condition: "none", Executor: "old", Replicate: 1}, Verdict: experiments.Empty}
	for _, r := range []*experiments.Record{full, none} {
		if r.Inputs, err = contract.Inputs(r.Cell); err != nil {
			t.Fatal(err)
		}
		r.Key = experiments.KeyOf(r.Inputs)
		r.Started, r.Finished = created, created.Add(time.Minute)
		if err := run.WriteRecord(r); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"EVLAB_DATA=" + dir}, private
}

func TestHistoryShowsArtifacts(t *testing.T) {
	env, private := graded(t)
	second := string(experiments.DigestBytes([]byte("second reply")))
	for _, c := range []struct {
		args, want, refused string
		code                int
	}{
		{args: "t --show patch", want: "a \x1b[31mred\x1b[0m patch\r\n\xff"}, // bytes as they are: this is no terminal
		{args: "t org/new --show reply-2", want: "second reply"},
		{args: "t org-new-1a2b --show " + second[:12], want: "second reply"},
		{args: "t --show " + second, want: "second reply"},
		{args: "t none/org-new-1a2b/1 --show log", want: "both"}, // one command, two phases
		{args: "t org/new --show reply", code: exitUsage, refused: "has 2 artifacts that --show reply could mean:\n  reply-1 "},
		{args: "t --show patc", code: exitUsage, refused: `(did you mean "patch"?); it has:` + "\n  prompt-1"},
		{args: "t none/org-new-1a2b/1 --show report", code: exitUsage, refused: "in run graded has no report; it has:"},
		{args: "t old --show patch", code: exitUsage, refused: "nothing was shown to anybody"},
		{args: "u --show patch", code: exitNothing, refused: "has no record yet"},
		{args: "t --show " + private.Short(), code: exitUsage, refused: "is the organizer's side of task t"},
		{args: "t --show " + string(private), code: exitUsage, refused: "is the organizer's side of task t"},
		{args: "t nwe", code: exitUsage, refused: "there are none, org-new-1a2b, org/new, old\n"},
		{args: "v", code: exitUsage, refused: "its tasks are t, u\n"},
	} {
		var stdout bytes.Buffer
		code, stderr := runIn(t, t.Context(), &stdout, env, append([]string{"history", "graded"}, strings.Fields(c.args)...)...)
		if code != c.code || stdout.String() != c.want || !strings.Contains(stderr, c.refused) {
			t.Errorf("%s: code %d, %q, %s", c.args, code, stdout.String(), stderr)
		}
	}
	var stdout bytes.Buffer
	if code, stderr := runIn(t, t.Context(), &stdout, env, "history", "graded", "t", "--show", "patch", "--json"); code != exitOK {
		t.Fatal(stderr)
	}
	var o artifactObject
	if err := json.Unmarshal(stdout.Bytes(), &o); err != nil || o.Type != "artifact" || o.Name != "patch" || o.Bytes != 23 || o.Base64 == "" || o.Text != "" {
		t.Errorf("%v: %s", err, stdout.String())
	}
}

func TestHistoryTakesAModelForACell(t *testing.T) {
	env, _ := graded(t)
	for word, want := range map[string]string{"org/new": "none / org-new-1a2b", "org-new-1a2b": "none / org-new-1a2b", "old": "none / old", "none/old": "none / old", "t/none/old/1": "none / old"} {
		var stdout bytes.Buffer
		code, stderr := runIn(t, t.Context(), &stdout, env, "history", "graded", "t", word)
		if code != exitOK || strings.Count(stdout.String(), "replicate 1:") != 1 || !strings.Contains(stdout.String(), want) {
			t.Errorf("%s: code %d, %s, %s", word, code, stdout.String(), stderr)
		}
	}
}

func TestATerminalIsNotObeyed(t *testing.T) {
	var w bytes.Buffer
	if err := writeArtifact(&w, []byte("a\x1b[2J\tb\nc\xff"), true); err != nil || w.String() != "a\\x1b[2J\tb\nc\\xff\n" {
		t.Errorf("%q, %v", w.String(), err)
	}
}

// TestContrastOfGradedModels: the models of a run that grades predictions are what is contrasted.
func TestContrastOfGradedModels(t *testing.T) {
	env, _ := graded(t)
	for _, metric := range []string{"strict", "resolved"} {
		var stdout bytes.Buffer
		code, stderr := runIn(t, t.Context(), &stdout, env, "contrast", "--run", "graded", "--metric", metric, "--a", "org/new", "--b", "old", "--json")
		if code != exitOK || !strings.Contains(stdout.String(), `"n":1,"planned":2,`) || !strings.Contains(stdout.String(), `"diff":100,`) {
			t.Errorf("%s: code %d, %s, %s", metric, code, stdout.String(), stderr)
		}
	}
}

// carried has this process carry the run "graded" until release is called.
func carried(t *testing.T, env []string) (release func()) {
	t.Helper()
	folder, err := artifacts.Open(strings.TrimPrefix(env[0], "EVLAB_DATA="))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	run, err := folder.OpenRun("graded")
	if err != nil {
		t.Fatal(err)
	}
	release, err = runs.Hold(run)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

// TestStatusTellsWhoCarries: a run with cells left is running while a process holds it, and stopped when none does.
func TestStatusTellsWhoCarries(t *testing.T) {
	env, _ := graded(t)
	status := func() string {
		var stdout bytes.Buffer
		if code, stderr := runIn(t, t.Context(), &stdout, env, "status", "graded"); code != exitOK {
			t.Fatal(stderr)
		}
		return stdout.String()
	}
	if got := status(); !strings.HasPrefix(got, "graded: stopped, 2 of 4 cells done") {
		t.Error(got)
	}
	release := carried(t, env)
	if got := status(); !strings.HasPrefix(got, "graded: running, 2 of 4") {
		t.Error(got)
	}
	release()
	if got := status(); !strings.HasPrefix(got, "graded: stopped, 2 of 4") {
		t.Error(got)
	}
}

// TestWatchEndsWhenNobodyCarries: what nobody carries gets no further, so it is not waited for.
func TestWatchEndsWhenNobodyCarries(t *testing.T) {
	env, _ := graded(t)
	release := carried(t, env)
	type end struct {
		code   int
		stderr string
	}
	ended := make(chan end, 1)
	go func() {
		code, stderr := runIn(t, t.Context(), io.Discard, env, "watch", "graded")
		ended <- end{code, stderr}
	}()
	select {
	case e := <-ended:
		t.Errorf("it ended while a process carries the run: %+v", e)
	case <-time.After(1500 * time.Millisecond):
	}
	release()
	if e := <-ended; e.code != exitUndecided || !strings.Contains(e.stderr, "2 of its 4 cells") || !strings.Contains(e.stderr, "evlab resume graded") {
		t.Errorf("%+v", e)
	}
}

func TestStartsOfOneSecondHaveNamesOfTheirOwn(t *testing.T) {
	folder, err := artifacts.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for _, want := range []string{"demo-20261201-100000", "demo-20261201-100000-2", "demo-20261201-100000-3"} {
		h := artifacts.Header{Created: time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC), Spec: experiments.Spec{Name: "demo"}}
		if run, err := createRun(folder, &h); err != nil || run.ID != want || h.RunID != want {
			t.Errorf("%v, %v, want %s", run, err, want)
		}
	}
	h := artifacts.Header{RunID: "demo-20261201-100000"}
	if _, err := createRun(folder, &h); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a chosen name that is taken: %v", err)
	}
}

// TestHistorySumsTestsUp: those that passed are a number, the others have their names, up to a bound.
func TestHistorySumsTestsUp(t *testing.T) {
	var out bytes.Buffer
	a := newApp(strings.NewReader(""), &out, &out, nil)
	var tests []experiments.TestResult
	for i := range 100 {
		tests = append(tests, experiments.TestResult{Name: fmt.Sprintf("TestP%d", i), Phase: experiments.PassToPass, Outcome: experiments.PassedTest})
	}
	tests = append(tests, experiments.TestResult{Name: "TestF", Phase: experiments.FailToPass, Outcome: "failed"})
	a.tellTests(tests)
	want := "  pass_to_pass: 100 of 100 tests passed\n  fail_to_pass: 0 of 1 test passed\n    failed TestF\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	for i := range tests {
		tests[i].Outcome = "missing"
	}
	a.tellTests(tests)
	if n := strings.Count(out.String(), "\n"); n > 50 || !strings.Contains(out.String(), "and 60 more; --json has every test") {
		t.Errorf("%d lines: %s", n, out.String())
	}
}

func TestShortened(t *testing.T) {
	long := strings.Repeat("é", 1000)
	if got := shortened(long); len([]rune(got)) > 500 || !strings.Contains(got, "(600 more characters; --json has them)") {
		t.Errorf("%d runes: %s", len([]rune(got)), got)
	}
	if got := shortened("go test ./..."); got != "go test ./..." {
		t.Errorf("%s", got)
	}
}

// A run whose contract is not what was frozen is no new one: resume would refuse it, so status must not propose it.
func TestStatusOfADamagedContract(t *testing.T) {
	env, _ := graded(t)
	path := filepath.Join(strings.TrimPrefix(env[0], "EVLAB_DATA="), "runs", "graded", "contract.json")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"cut off": whole[:len(whole)/2], "edited": append([]byte(" "), whole...)} {
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, flags := range [][]string{nil, {"--json"}} {
			var stdout bytes.Buffer
			code, stderr := runIn(t, t.Context(), &stdout, env, append([]string{"status", "graded"}, flags...)...)
			if code != exitDrift || stdout.Len() > 0 || !strings.Contains(stderr, "contract.json") || strings.Contains(stderr, "evlab resume") {
				t.Errorf("%s %v: code %d, %q, %s", name, flags, code, stdout.String(), stderr)
			}
		}
		var stdout bytes.Buffer
		if code, stderr := runIn(t, t.Context(), &stdout, env, "runs", "list"); code != exitOK || !strings.Contains(stdout.String(), "damaged") {
			t.Errorf("%s: code %d, %q, %s", name, code, stdout.String(), stderr)
		}
	}
}
