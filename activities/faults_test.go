package activities

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.temporal.io/sdk/temporal"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/workflows"
)

func site(t *testing.T) (*Site, *artifacts.Run) {
	t.Helper()
	folder, err := artifacts.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	run, err := folder.CreateRun(artifacts.Header{RunID: "r"})
	if err != nil {
		t.Fatal(err)
	}
	return &Site{Folder: folder, Log: slog.New(slog.DiscardHandler)}, run
}

// class is what a workflow would make of an error, and whether it would try again.
func class(t *testing.T, err error) (class string, again bool) {
	t.Helper()
	var app *temporal.ApplicationError
	if !errors.As(err, &app) {
		return "", true
	}
	if app.Type() != workflows.FaultType {
		t.Fatalf("%v is of type %s", err, app.Type())
	}
	if err := app.Details(&class); err != nil {
		t.Fatal(err)
	}
	return class, !app.NonRetryable()
}

// TestStepsCountTheirOwnFailures: a step that fails is tried a few times in a process, a step that was stopped has not
// failed, and one that panics has been tried.
func TestStepsCountTheirOwnFailures(t *testing.T) {
	s, run := site(t)
	try := func(f func(context.Context) error) error { return s.step(t.Context(), run, "t", "", "build", f) }
	broken := func(context.Context) error { return errors.New("no such thing") }
	for n := 1; n < allowedTries; n++ {
		if class, again := class(t, try(broken)); class != "" || !again {
			t.Fatalf("failure %d: class %q, again %v", n, class, again)
		}
	}
	err := try(broken)
	if class, again := class(t, err); class != "internal" || again || !strings.Contains(err.Error(), "no such thing") {
		t.Errorf("the last failure: %v, class %q, again %v", err, class, again)
	}
	if _, again := class(t, try(broken)); !again {
		t.Error("a run that is taken up again does not begin anew")
	}
	if err := try(func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	close(stop)
	s.Stop = stop
	for range 2 * allowedTries {
		if err := try(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }); !strings.Contains(fmt.Sprint(err), "Stopping") {
			t.Fatalf("a step that was stopped: %v", err)
		}
	}
	s.Stop = nil
	for range allowedTries {
		func() {
			defer func() { recover() }()
			try(func(context.Context) error { panic("a fault of evlab's") })
		}()
	}
	began := false
	if _, again := class(t, try(func(context.Context) error { began = true; return nil })); again || began {
		t.Errorf("a step that panics each time is tried for ever")
	}
}

// TestFaultsOfTheDataFolder: what is gone does not come back by another try, and a full disk is called that, whoever met it.
func TestFaultsOfTheDataFolder(t *testing.T) {
	s, run := site(t)
	absent := experiments.DigestBytes([]byte("absent"))
	frozen := &experiments.FrozenTask{ID: "t", Repo: "o/n", BaseCommit: strings.Repeat("a", 40), Mirror: "gone"}
	full := &fs.PathError{Op: "write", Path: "result.json", Err: syscall.ENOSPC}
	for _, c := range []struct {
		what  string
		do    func(ctx context.Context) error
		class string
		again bool
		says  string
	}{
		{"a blob", func(ctx context.Context) error { _, err := s.Folder.Private.Get(ctx, absent); return err }, experiments.ClassLost, false, "is not in " + filepath.Join(s.Folder.Dir, "private")},
		{"a snapshot", func(ctx context.Context) error { _, err := s.mirror(ctx, frozen); return err }, experiments.ClassLost, false, "the snapshot of o/n at commit aaaaaaaaaaaa is not at " + s.Folder.Mirror("gone")},
		{"damage", func(context.Context) error { return fmt.Errorf("reading: %w", artifacts.ErrDamaged) }, experiments.ClassLost, false, ""},
		{"a full disk", func(context.Context) error { return fmt.Errorf("storing: %w", full) }, "disk", true, ""},
		{"git's full disk", func(context.Context) error {
			return errors.New("git: error: file write error: No space left on device")
		}, "disk", true, ""},
		{"anything else", func(context.Context) error { return errors.New("x") }, "", true, ""},
	} {
		err := s.step(t.Context(), run, "t", "", c.what, c.do)
		if class, again := class(t, err); class != c.class || again != c.again || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: class %q, again %v, want %q, %v: %v", c.what, class, again, c.class, c.again, err)
		}
	}
	b := &Sandbox{Site: s}
	if class, again := class(t, b.fault(t.Context(), "step", fmt.Errorf("x: %w", artifacts.ErrLost))); class != experiments.ClassLost || again {
		t.Errorf("something lost on the way to a sandbox: class %q, again %v", class, again)
	}
	if _, _, err := s.run("r"); err == nil {
		t.Error("a run without a contract was opened")
	} else if class, again := class(t, err); class != experiments.ClassLost || again {
		t.Errorf("a contract that is gone: class %q, again %v", class, again)
	}
	// A folder that is there and no repository is another matter: git says what is wrong with it.
	if err := os.MkdirAll(s.Folder.Mirror("gone"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := s.mirror(t.Context(), frozen); err == nil || errors.Is(err, artifacts.ErrLost) {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestCellsWhoseJudgeIsLost: a cell that was tested and can't be judged has a record that says why.
func TestCellsWhoseJudgeIsLost(t *testing.T) {
	s, run := site(t)
	absent := experiments.DigestBytes([]byte("absent"))
	c := &experiments.Contract{Schema: experiments.ContractSchema, RunID: run.ID, Tasks: []experiments.FrozenTask{{ID: "t", Private: absent}}}
	c.Spec.Replicates = 1
	c.Spec.Conditions = []experiments.ConditionSpec{{Name: "none", Kind: experiments.NoEvidence}}
	c.Spec.Executors = []experiments.ExecutorSpec{{Name: "simulated", Kind: experiments.Simulated}}
	if err := run.Freeze(c); err != nil {
		t.Fatal(err)
	}
	cell := experiments.Cell{Task: "t", Condition: "none", Executor: "simulated", Replicate: 1}
	for what, in := range map[string]workflows.ScoreInput{
		"hidden tests": {Applied: &workflows.AppliedPatch{Outcome: "applied"}},
		"results":      {Applied: &workflows.AppliedPatch{Outcome: "applied"}, Phases: []workflows.Tested{{Passed: true, Results: absent}}},
		"a bundle":     {Report: absent},
	} {
		in.RunID, in.Cell = run.ID, cell
		if _, err := (&Organizer{Site: s}).Score(t.Context(), in); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if rec, err := run.RecordOf(c, cell); err != nil || rec == nil || rec.Verdict != experiments.Infra || rec.Class != experiments.ClassLost || !strings.Contains(rec.Reason, absent.Short()) {
			t.Errorf("%s: %+v, %v", what, rec, err)
		}
	}
}
