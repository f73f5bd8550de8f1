package engine_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"evlab/engine"
)

func TestStuck(t *testing.T) {
	e := start(t, engine.Options{State: t.TempDir()})
	w := startWorker(t, e, holder{})
	defer w.Stop()
	execute(t, e, client.StartWorkflowOptions{ID: "run/panics"}, typePanic)
	execute(t, e, client.StartWorkflowOptions{ID: "run/fails"}, typeRetry)
	execute(t, e, client.StartWorkflowOptions{ID: "run/unknown"}, "test.NotRegistered")
	execute(t, e, client.StartWorkflowOptions{ID: "run/waits"}, typeWait)
	execute(t, e, client.StartWorkflowOptions{ID: "runner/panics"}, typePanic)
	ctx := context.Background()
	var found []engine.StuckWorkflow
	eventually(t, 90*time.Second, "three workflows are found stuck", func() bool {
		var err error
		if found, err = e.Stuck(ctx, []string{"run"}); err != nil {
			t.Fatal(err)
		}
		return len(found) >= 3
	})
	want := []struct{ id, kind, name, cause string }{
		{"run/fails", engine.StuckActivity, activityFail, "asking the model (Provider): connection refused"},
		{"run/panics", engine.StuckWorkflowTask, typePanic, "the list of tasks is empty"},
		{"run/unknown", engine.StuckWorkflowTask, "test.NotRegistered", "test.NotRegistered"},
	}
	if len(found) != len(want) {
		t.Fatalf("stuck: %+v", found)
	}
	for i, w := range want {
		got := found[i]
		if got.ID != w.id || got.Kind != w.kind || got.Name != w.name || got.Attempt < 3 || !strings.Contains(got.Cause, w.cause) {
			t.Errorf("stuck: %+v, want %+v", got, w)
		}
	}
}

func TestExportedHistoryReplays(t *testing.T) {
	e := start(t, engine.Options{State: t.TempDir()})
	w := startWorker(t, e, holder{})
	defer w.Stop()
	run := execute(t, e, client.StartWorkflowOptions{ID: "exported"}, typeSteps, 5)
	result[int](t, run)
	ctx := context.Background()
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := e.ExportHistory(ctx, "exported", run.GetRunID(), out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two exports differ")
	}
	history, err := client.HistoryFromJSON(&first, client.HistoryJSONOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(history.GetEvents()); n < 20 {
		t.Errorf("%d events of five activities", n)
	}
	replay := func(f any) error {
		r, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{DisableRegistrationAliasing: true})
		if err != nil {
			t.Fatal(err)
		}
		r.RegisterWorkflowWithOptions(f, workflow.RegisterOptions{Name: typeSteps})
		return r.ReplayWorkflowHistory(sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)), history)
	}
	if err := replay(stepsWorkflow); err != nil {
		t.Errorf("replaying: %v", err)
	}
	changed := func(ctx workflow.Context, n int) (int, error) { return n, workflow.Sleep(ctx, time.Second) }
	if err := replay(changed); err == nil {
		t.Error("replaying other code succeeded")
	}
	if err := e.ExportHistory(ctx, "no such workflow", "", &second); err == nil {
		t.Error("exporting a missing workflow succeeded")
	}
}
