package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallDemo is an experiment on the bundled cohort that takes seconds: a few tasks, every kind of condition.
const smallDemo = `name: small
cohort: demo
tasks: [%s]
conditions: [bm25, oracle-mss, oracle-minus-group, none]
executors: [simulated]
contrasts:
  - {metric: strict, a: oracle-mss, b: oracle-minus-group, family: main}
  - {metric: strict, a: bm25, b: none, family: main}
sandbox: %s
`

// lab is a data folder of its own with an experiment file beside it.
type lab struct {
	t          *testing.T
	data, file string
}

func newLab(t *testing.T, sandbox string) *lab { return newLabOf(t, sandbox, 3) }

func newLabOf(t *testing.T, sandbox string, tasks int) *lab {
	t.Helper()
	dir := t.TempDir()
	l := &lab{t, filepath.Join(dir, "data"), filepath.Join(dir, "small.yaml")}
	if err := os.WriteFile(l.file, fmt.Appendf(nil, smallDemo, strings.Join(demoTasks(t)[:tasks], ", "), sandbox), 0o600); err != nil {
		t.Fatal(err)
	}
	return l
}

func demoTasks(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "cohorts", "demo", "cohort.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cohort struct{ Tasks []string }
	if err := json.Unmarshal(data, &cohort); err != nil || len(cohort.Tasks) < 3 {
		t.Fatalf("the demo cohort lists %d tasks (%v)", len(cohort.Tasks), err)
	}
	return cohort.Tasks
}

// command is the real program in a process of its own.
func (l *lab) command(args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	l.t.Helper()
	program, err := exec.LookPath("evlab")
	if err != nil {
		l.t.Fatal(err)
	}
	cmd = exec.Command(program, args...)
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.Env = append(os.Environ(), "EVLAB_DATA="+l.data)
	return cmd, stdout, stderr
}

// evlab runs the program to its end and wants an exit code.
func (l *lab) evlab(code int, args ...string) (stdout, stderr string) {
	l.t.Helper()
	cmd, out, errs := l.command(args...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		l.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		l.t.Fatalf("evlab %v ended with code %d, want %d\n%s\n%s", args, got, code, out, errs)
	}
	return out.String(), errs.String()
}

// summary is the last JSON line of an output, without what may differ between a run and its repetition.
func (l *lab) summary(stdout string) map[string]any {
	l.t.Helper()
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	var s map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &s); err != nil || s["type"] != "summary" {
		l.t.Fatalf("the last line is no summary: %v\n%s", err, stdout)
	}
	for _, key := range []string{"run_id", "started", "finished", "wall_s"} {
		delete(s, key)
	}
	return s
}

func (l *lab) containers(run string) []string {
	l.t.Helper()
	out, err := exec.Command("docker", "ps", "-aq", "--filter", "label=evlab.run="+run).Output()
	if err != nil {
		l.t.Fatalf("docker ps: %v", err)
	}
	return strings.Fields(string(out))
}

// TestKilledRunsLoseNothing kills a run with SIGKILL at three random moments, resumes it, and compares it with one that
// was left alone: the same summary, each sandbox step started once, each executor asked once, no container left.
func TestKilledRunsLoseNothing(t *testing.T) {
	began := time.Now()
	l := newLab(t, "docker")
	undisturbed, _ := l.evlab(0, "run", l.file, "--yes", "--json", "--run-id", "whole")
	took := time.Since(began)
	want := l.summary(undisturbed)
	cells := want["cells"].(map[string]any)
	if cells["planned"] != 12.0 || cells["done"] != 12.0 {
		t.Fatalf("the undisturbed run did %v", cells)
	}

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	since := time.Now()
	args := []string{"run", l.file, "--yes", "--json", "--fresh", "--run-id", "killed"}
	killed := 0
	for range 3 {
		cmd, _, errs := l.command(args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second + time.Duration(random.Int64N(int64(took/2))))
		if err := cmd.Process.Signal(syscall.SIGKILL); err == nil {
			killed++
		}
		cmd.Wait()
		t.Logf("killed after %v: %s", time.Since(since).Round(time.Millisecond), lastLine(errs.String()))
		args = []string{"resume", "killed", "--json"}
	}
	if killed == 0 {
		t.Fatal("every process ended before it could be killed")
	}
	stdout, _ := l.evlab(0, args...)
	got := l.summary(stdout)
	if a, b := jsonText(t, want), jsonText(t, got); a != b {
		t.Errorf("the killed run's summary differs:\n%s\n%s", a, b)
	}
	l.wantOneStartPerStep("killed", since)
	l.wantOneCallPerRound("killed", killed)
	if left := l.containers("killed"); len(left) > 0 {
		t.Errorf("%d containers are left: %v", len(left), left)
	}
	again, _ := l.evlab(0, "resume", "killed", "--json")
	if a, b := jsonText(t, got), jsonText(t, l.summary(again)); a != b {
		t.Errorf("resuming a finished run gave another summary:\n%s\n%s", a, b)
	}
	// The histories tell of more than one process.
	boots := map[string]bool{}
	for _, task := range demoTasks(t)[:3] {
		out, _ := l.evlab(0, "history", "killed", task, "--json")
		var h struct{ Events []struct{ Boot string } }
		if err := json.Unmarshal([]byte(out), &h); err != nil {
			t.Fatal(err)
		}
		for _, e := range h.Events {
			boots[e.Boot] = true
		}
	}
	if len(boots) < 2 {
		t.Errorf("the histories name %d processes, expected every one that did something", len(boots))
	}
}

// wantOneStartPerStep asks the engine itself how often each step's command was started.
func (l *lab) wantOneStartPerStep(run string, since time.Time) {
	l.t.Helper()
	out, err := exec.Command("docker", "events", "--since", fmt.Sprint(since.Unix()), "--until", fmt.Sprint(time.Now().Unix()+1),
		"--filter", "event=start", "--filter", "label=evlab.run="+run, "--format", `{{index .Actor.Attributes "evlab.step"}}`).Output()
	if err != nil {
		l.t.Fatalf("docker events: %v", err)
	}
	starts := map[string]int{}
	for _, step := range strings.Fields(string(out)) {
		starts[step]++
	}
	if len(starts) < 9 { // three tasks: before, fail-to-pass and pass-to-pass with the reference repair
		l.t.Errorf("the engine started %d steps, expected three for each task at least", len(starts))
	}
	for step, n := range starts {
		if n != 1 {
			l.t.Errorf("step %s was started %d times", step, n)
		}
	}
}

// wantOneCallPerRound counts the intents in the store of calls. A process that dies in the middle of a call leaves an
// intent without a result, so at most one call per kill may have a second one.
func (l *lab) wantOneCallPerRound(run string, kills int) {
	l.t.Helper()
	folders, err := filepath.Glob(filepath.Join(l.data, "calls", "*", "*"))
	if err != nil || len(folders) == 0 {
		l.t.Fatalf("no calls are stored (%v)", err)
	}
	twice := 0
	for _, folder := range folders {
		intents, err := filepath.Glob(filepath.Join(folder, "intent-*.json"))
		if err != nil || len(intents) == 0 {
			l.t.Fatalf("%s has no intent (%v)", folder, err)
		}
		if len(intents) > 1 {
			twice++
		}
	}
	if twice > 2*kills { // two cells at once can be in a call when the process dies
		l.t.Errorf("%d calls were begun twice over %d kills", twice, kills)
	}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestWhatASessionSurvives goes through the faults that users meet, in one data folder: a second process, an interrupt,
// a deleted engine file, a record cut in half, a changed experiment.
func TestWhatASessionSurvives(t *testing.T) {
	l := newLab(t, "host")
	first, _, errs := l.command("run", l.file, "--yes", "--run-id", "first")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	defer first.Process.Kill()
	header := filepath.Join(l.data, "runs", "first", "run.json")
	plan := filepath.Join(l.data, "runs", "first", "plan.json")
	for deadline := time.Now().Add(60 * time.Second); ; {
		if _, err := os.Stat(plan); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the run has no plan after a minute: %s", errs)
		}
		time.Sleep(50 * time.Millisecond)
	}
	if _, err := os.Stat(header); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second) // the engine holds its folder

	_, refused := l.evlab(exitPrecondition, "run", l.file, "--yes", "--run-id", "second")
	if !strings.Contains(refused, "in use") || !strings.Contains(refused, "evlab watch first follows it") {
		t.Errorf("a second process was refused with: %s", refused)
	}
	if _, err := os.Stat(filepath.Join(l.data, "runs", "second")); err == nil {
		t.Error("a start that was refused left a run behind")
	}

	if err := first.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	first.Wait()
	if code := first.ProcessState.ExitCode(); code != exitInterrupted && code != exitOK {
		t.Errorf("an interrupted run ended with code %d: %s", code, errs)
	} else if code == exitInterrupted && !strings.Contains(errs.String(), "evlab resume first") {
		t.Errorf("an interrupted run does not say how to go on: %s", errs)
	}

	// The engine's file goes: what is finished is kept, the rest runs.
	if err := os.RemoveAll(filepath.Join(l.data, "state", "engine")); err != nil {
		t.Fatal(err)
	}
	stdout, _ := l.evlab(exitOK, "resume", "first", "--json")
	want := l.summary(stdout)
	l.evlab(exitOK, "run", l.file, "--yes", "--json", "--run-id", "second")

	// A record is cut in half: it counts as absent and comes back from the index of finished cells.
	records, err := filepath.Glob(filepath.Join(l.data, "runs", "first", "cells", "*", "*", "*.json"))
	if err != nil || len(records) != 12 {
		t.Fatalf("%d records (%v)", len(records), err)
	}
	slices.Sort(records)
	if err := os.Truncate(records[0], 100); err != nil {
		t.Fatal(err)
	}
	out, _ := l.evlab(exitOK, "status", "first")
	if !strings.Contains(out, "stopped, 11 of 12") {
		t.Errorf("the status over a damaged record: %s", out)
	}
	stdout, _ = l.evlab(exitOK, "resume", "first", "--json")
	got := l.summary(stdout)
	if a, b := jsonText(t, want), jsonText(t, got); a != b {
		t.Errorf("after the damage the summary differs:\n%s\n%s", a, b)
	}

	// A third run takes everything over; a changed limit takes nothing over and the plan says why.
	stdout, _ = l.evlab(exitOK, "run", l.file, "--yes", "--json", "--run-id", "third")
	if cells := l.summary(stdout)["cells"].(map[string]any); cells["cached"] != 12.0 {
		t.Errorf("the third run took over %v", cells)
	}
	data, err := os.ReadFile(l.file)
	if err != nil {
		t.Fatal(err)
	}
	changed := l.file + ".changed.yaml"
	if err := os.WriteFile(changed, append(data, "limits: {memory: 1GiB}\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ = l.evlab(exitPending, "plan", changed, "--exit-code")
	if !strings.Contains(out, "limits changed since run") {
		t.Errorf("the plan of a changed experiment: %s", out)
	}
}
