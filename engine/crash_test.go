package engine_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"evlab/engine"
)

// killInActivity leaves a state folder whose process was killed in the middle of an activity.
func killInActivity(t *testing.T) (state, starts string) {
	t.Helper()
	state = t.TempDir()
	starts = filepath.Join(state, "starts")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childState+"="+state)
	var printed bytes.Buffer
	child.Stdout, child.Stderr = &printed, &printed
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	eventually(t, 30*time.Second, "the child's activity starts", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("the child ended by itself: %v\n%s", err, &printed)
		default:
		}
		return len(lines(t, starts)) == 1
	})
	_, err := engine.Start(context.Background(), engine.Options{State: state})
	if !errors.Is(err, engine.ErrInUse) || !strings.Contains(err.Error(), "process "+strconv.Itoa(child.Process.Pid)) {
		t.Errorf("Start beside the child: %v, want ErrInUse that names process %d", err, child.Process.Pid)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	if printed.Len() > 0 {
		t.Errorf("the server or the SDK printed:\n%s", &printed)
	}
	return state, starts
}

func TestKilledInActivityGoesOnAtOnce(t *testing.T) {
	state, starts := killInActivity(t)
	e := start(t, engine.Options{State: state, Identity: "host-a/second"})
	ctx := context.Background()
	began := time.Now()
	n, err := e.ReapOrphans(ctx, []string{"run-1", "run-1", "never-started"})
	if err != nil || n != 1 {
		t.Fatalf("ReapOrphans: %d, %v, want 1 activity", n, err)
	}
	if n, err := e.ReapOrphans(ctx, []string{"run-1"}); err != nil || n != 0 {
		t.Errorf("ReapOrphans again: %d, %v, want none", n, err)
	}
	w := startWorker(t, e, holder{starts: starts})
	defer w.Stop()
	if got := result[string](t, e.Client().GetWorkflow(ctx, "run-1", "")); got != "done at attempt 2" {
		t.Errorf("result %q", got)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("the run went on after %v only", took)
	}
	if got, want := lines(t, starts), []string{"attempt-1", "attempt-2"}; !slices.Equal(got, want) {
		t.Errorf("starts %v, want %v", got, want)
	}
}

// TestEndOthers: what other runs of a state folder left open is carried by nobody, whose children included, until it is started
// again; the run that is carried is let alone, and so is one of which its id is a beginning.
func TestEndOthers(t *testing.T) {
	state, starts := killInActivity(t) // run-1 and run-1/task
	ctx := context.Background()
	e := start(t, engine.Options{State: state})
	kept := execute(t, e, client.StartWorkflowOptions{ID: "run-10"}, typeWait)
	execute(t, e, client.StartWorkflowOptions{ID: "left"}, typeWait)
	if n, err := e.EndOthers(ctx, "run-10", []string{"run-1", "run-10", "left", "never-started"}, "another is carried"); err != nil || n != 3 {
		t.Fatalf("EndOthers: %d, %v, want run-1, its task and left", n, err)
	}
	w := startWorker(t, e, holder{starts: starts})
	defer w.Stop()
	for _, id := range []string{"run-1", "run-1/task", "left"} {
		d, err := e.Client().DescribeWorkflowExecution(ctx, id, "")
		if err != nil || d.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED {
			t.Errorf("%s: %v, %v", id, d.GetWorkflowExecutionInfo().GetStatus(), err)
		}
	}
	if err := e.Client().SignalWorkflow(ctx, "run-10", "", "go", "on"); err != nil {
		t.Fatal(err)
	}
	if got := result[string](t, kept); got != "on" {
		t.Errorf("the one that is carried: %q", got)
	}
	again := execute(t, e, client.StartWorkflowOptions{ID: "run-1"}, typeRun)
	if got := result[string](t, again); got != "done at attempt 1" {
		t.Errorf("started again: %q", got)
	}
	if got, want := lines(t, starts), []string{"attempt-1", "attempt-1"}; !slices.Equal(got, want) {
		t.Errorf("starts %v, want %v", got, want)
	}
	third := execute(t, e, client.StartWorkflowOptions{ID: "run-2"}, typeWait)
	if n, err := e.End(ctx, []string{"run-2", "run-1"}, "cancelled"); err != nil || n != 1 {
		t.Errorf("End: %d, %v", n, err)
	}
	if err := third.Get(ctx, nil); err == nil {
		t.Error("what was ended has a result")
	}
}

func TestFileCutBehindTheLogOfAKilledProcess(t *testing.T) {
	state, _ := killInActivity(t)
	file := serverFile(t, state)
	if info, err := os.Stat(file + "-wal"); err != nil || info.Size() == 0 {
		t.Fatalf("the killed process left no log: %v", err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, info.Size()/2); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Start(context.Background(), engine.Options{State: state}); !errors.Is(err, engine.ErrDamaged) {
		t.Fatalf("Start: %v, want ErrDamaged", err)
	}
	if _, err := engine.MoveAside(state); err != nil {
		t.Fatal(err)
	}
	start(t, engine.Options{State: state})
}

func TestRemoteReaperTakesOverItsOwnHostOnly(t *testing.T) {
	state, starts := killInActivity(t)
	owner := start(t, engine.Options{State: state, Identity: "server/1"})
	ctx := context.Background()
	join := func(identity string) *engine.Engine {
		e, err := engine.Dial(ctx, owner.Address(), engine.Options{Identity: identity})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { stop(t, e) })
		return e
	}
	for _, other := range []string{"host-b/second", "host/second", "host-a2/second"} {
		if n, err := join(other).ReapOrphans(ctx, []string{"run-1"}); err != nil || n != 0 {
			t.Errorf("%s took over %d activities of host-a, %v", other, n, err)
		}
	}
	same := join("host-a/second")
	// The task alone is given: it is not found through its parent.
	if n, err := same.ReapOrphans(ctx, []string{"run-1/task"}); err != nil || n != 1 {
		t.Errorf("host-a took over %d of its activities, %v, want 1", n, err)
	}
	w := startWorker(t, same, holder{starts: starts})
	defer w.Stop()
	if got := result[string](t, same.Client().GetWorkflow(ctx, "run-1", "")); got != "done at attempt 2" {
		t.Errorf("result %q", got)
	}
}
