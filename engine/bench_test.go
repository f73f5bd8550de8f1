package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"evlab/engine"
)

// BenchmarkStart is a start over a new file until the server answers; the goal is 1.5 s.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		state := b.TempDir()
		e, err := engine.Start(context.Background(), engine.Options{State: state})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		stop(b, e)
		awaitFree(b, state)
		b.StartTimer()
	}
}

// BenchmarkActivities runs 50 workflows of 20 sequential activities that do nothing; the goal is 250 activities/s.
func BenchmarkActivities(b *testing.B) {
	const workflows, steps = 50, 20
	e := start(b, engine.Options{State: b.TempDir()})
	w := startWorker(b, e, holder{})
	defer w.Stop()
	began, done, round := time.Now(), 0, 0
	for b.Loop() {
		round++
		runs := make([]client.WorkflowRun, workflows)
		for i := range runs {
			runs[i] = execute(b, e, client.StartWorkflowOptions{ID: fmt.Sprintf("bench-%d-%d", round, i)}, typeSteps, steps)
		}
		for _, run := range runs {
			done += result[int](b, run)
		}
	}
	b.ReportMetric(float64(done)/time.Since(began).Seconds(), "activities/s")
}
