package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Every option set of the workflows has a name here; no workflow invents a time-out.
//
// Long steps heartbeat every few seconds from a ticker, so HeartbeatTimeout only has to outlast an outage of the
// engine; a dead worker on an embedded engine is found at the next start by the reaper, not by waiting for it.

const heartbeatTimeout = 60 * time.Second

// books: short reading and writing of the data folder.
func books(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           OrganizerQueue,
		StartToCloseTimeout: 5 * time.Minute,
		HeartbeatTimeout:    heartbeatTimeout,
		WaitForCancellation: true,
		Summary:             summary,
		RetryPolicy:         retry(),
	})
}

// thinking: retrieval and the executor's calls.
func thinking(ctx workflow.Context, queue, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           queue,
		StartToCloseTimeout: 15 * time.Minute,
		HeartbeatTimeout:    heartbeatTimeout,
		WaitForCancellation: true,
		Summary:             summary,
		RetryPolicy:         retry(),
	})
}

// building: making an image, which may fetch modules.
func building(ctx workflow.Context, system, summary string) workflow.Context {
	return sandboxed(ctx, system, summary, 45*time.Minute)
}

// testing: one sandbox step. The step's own limit is kept inside; a step waits for a slot of the host in here too.
func testing(ctx workflow.Context, system, summary string) workflow.Context {
	return sandboxed(ctx, system, summary, 25*time.Hour)
}

func sandboxed(ctx workflow.Context, system, summary string, limit time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           SandboxQueue(system),
		StartToCloseTimeout: limit,
		HeartbeatTimeout:    heartbeatTimeout,
		WaitForCancellation: true,
		Summary:             summary,
		RetryPolicy:         retry(),
	})
}

// retry leaves it to a step to say that it has failed often enough, with an error that is not retried: attempts would count
// the processes that died over it, too. Their number is for steps that end without saying anything.
func retry() *temporal.RetryPolicy {
	return &temporal.RetryPolicy{
		InitialInterval:        time.Second,
		BackoffCoefficient:     2,
		MaximumInterval:        30 * time.Second,
		MaximumAttempts:        1000,
		NonRetryableErrorTypes: []string{TaskFaultType},
	}
}
