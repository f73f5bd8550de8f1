package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"evlab/engine"
)

const (
	queue      = "engine-test"
	childState = "ENGINE_TEST_CHILD_STATE"

	typeSteps = "test.Steps" // n no-op activities one after the other
	typeWait  = "test.Wait"  // waits for the signal "go" and returns its text
	typeRun   = "test.Run"   // a child workflow that runs the activity activityHold
	typeTask  = "test.Task"
	typePanic = "test.Panic"
	typeRetry = "test.Retry" // runs an activity that always fails

	activityNothing = "test.Nothing"
	activityHold    = "test.Hold"
	activityFail    = "test.Fail"
)

// TestMain lets the test binary also be the process that the tests kill.
func TestMain(m *testing.M) {
	if state := os.Getenv(childState); state != "" {
		if err := workUntilKilled(state); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// workUntilKilled is the child process: it runs one workflow whose activity never returns.
func workUntilKilled(state string) error {
	ctx := context.Background()
	e, err := engine.Start(ctx, engine.Options{State: state, Identity: "host-a/first"})
	if err != nil {
		return err
	}
	w := newWorker(e, holder{starts: filepath.Join(state, "starts"), forever: true})
	if err := w.Start(); err != nil {
		return err
	}
	if _, err := e.Client().ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "run-1", TaskQueue: queue}, typeRun); err != nil {
		return err
	}
	select {}
}

// holder has the activity whose starts are counted: one line of a file for each.
type holder struct {
	starts  string
	forever bool
}

func (h holder) hold(ctx context.Context) (string, error) {
	file, err := os.OpenFile(h.starts, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return "", err
	}
	info := activity.GetInfo(ctx)
	if _, err := fmt.Fprintf(file, "attempt %d\n", info.Attempt); err != nil {
		return "", err
	}
	if err := file.Close(); err != nil {
		return "", err
	}
	if h.forever {
		select {}
	}
	return fmt.Sprintf("done at attempt %d", info.Attempt), nil
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(strings.ReplaceAll(string(text), " ", "-"))
}

func newWorker(e *engine.Engine, h holder) worker.Worker {
	w := worker.New(e.Client(), queue, worker.Options{DisableRegistrationAliasing: true})
	for name, f := range map[string]any{
		typeSteps: stepsWorkflow, typeWait: waitWorkflow, typeRun: runWorkflow, typeTask: taskWorkflow, typePanic: panicWorkflow,
		typeRetry: retryWorkflow,
	} {
		w.RegisterWorkflowWithOptions(f, workflow.RegisterOptions{Name: name})
	}
	for name, f := range map[string]any{activityNothing: nothing, activityHold: h.hold, activityFail: fail} {
		w.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
	return w
}

func stepsWorkflow(ctx workflow.Context, n int) (int, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	for range n {
		if err := workflow.ExecuteActivity(ctx, activityNothing).Get(ctx, nil); err != nil {
			return 0, err
		}
	}
	return n, nil
}

func waitWorkflow(ctx workflow.Context) (string, error) {
	var text string
	workflow.GetSignalChannel(ctx, "go").Receive(ctx, &text)
	return text, nil
}

func runWorkflow(ctx workflow.Context) (string, error) {
	ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{WorkflowID: workflow.GetInfo(ctx).WorkflowExecution.ID + "/task"})
	var text string
	err := workflow.ExecuteChildWorkflow(ctx, typeTask).Get(ctx, &text)
	return text, err
}

// taskWorkflow's activity has no heartbeat and a long timeout: left alone, a killed attempt is noticed after minutes.
func taskWorkflow(ctx workflow.Context) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 5 * time.Minute,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 10 * time.Millisecond, MaximumAttempts: 3},
	})
	var text string
	err := workflow.ExecuteActivity(ctx, activityHold).Get(ctx, &text)
	return text, err
}

func panicWorkflow(workflow.Context) error { panic("the list of tasks is empty") }

func retryWorkflow(ctx workflow.Context) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 10 * time.Millisecond, MaximumInterval: time.Second},
	})
	return workflow.ExecuteActivity(ctx, activityFail).Get(ctx, nil)
}

func nothing(context.Context) error { return nil }

func fail(context.Context) error {
	return temporal.NewApplicationErrorWithCause("asking the model", "Provider", fmt.Errorf("connection refused"))
}

// start also has the engine closed and, at the very end, waits until it has really stopped.
func start(t testing.TB, o engine.Options) *engine.Engine {
	t.Helper()
	e, err := engine.Start(context.Background(), o)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() {
		stop(t, e)
		awaitFree(t, o.State)
	})
	return e
}

// awaitFree waits for what Close leaves behind on a busy machine: a released lock is an empty file.
func awaitFree(t testing.TB, state string) {
	t.Helper()
	eventually(t, 30*time.Second, "the state folder is free", func() bool {
		info, err := os.Stat(filepath.Join(state, "lock"))
		return err == nil && info.Size() == 0
	})
}

func stop(t testing.TB, e *engine.Engine) {
	t.Helper()
	if err := e.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func startWorker(t testing.TB, e *engine.Engine, h holder) worker.Worker {
	t.Helper()
	w := newWorker(e, h)
	if err := w.Start(); err != nil {
		t.Fatalf("starting a worker: %v", err)
	}
	return w
}

func execute(t testing.TB, e *engine.Engine, o client.StartWorkflowOptions, name string, args ...any) client.WorkflowRun {
	t.Helper()
	o.TaskQueue = queue
	run, err := e.Client().ExecuteWorkflow(context.Background(), o, name, args...)
	if err != nil {
		t.Fatalf("starting workflow %s: %v", name, err)
	}
	return run
}

func result[T any](t testing.TB, run client.WorkflowRun) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var value T
	if err := run.Get(ctx, &value); err != nil {
		t.Fatalf("workflow %s: %v", run.GetID(), err)
	}
	return value
}

// eventually waits for a condition that another goroutine or process brings about.
func eventually(t testing.TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > limit {
			t.Fatalf("after %v: %s", limit, what)
		}
	}
}
