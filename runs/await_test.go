package runs

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
)

// answers is a workflow that is asked for its end time and again.
type answers struct {
	client.WorkflowRun
	errs []error
}

func (a *answers) Get(context.Context, any) error {
	err := a.errs[0]
	a.errs = a.errs[1:]
	return err
}

func TestAwaitAsksABusyEngineAgain(t *testing.T) {
	failed := errors.New("the workflow failed")
	for name, c := range map[string]struct {
		errs []error
		want error
	}{
		"late, away, then done": {[]error{context.DeadlineExceeded, serviceerror.NewUnavailable("busy"), serviceerror.NewDeadlineExceeded("late"), nil}, nil},
		"late, then failed":     {[]error{context.DeadlineExceeded, failed}, failed},
	} {
		a := &answers{errs: c.errs}
		if err := await(context.Background(), a, time.Microsecond); !errors.Is(err, c.want) || len(a.errs) > 0 {
			t.Errorf("%s: %v, and %d answers were not asked for", name, err, len(a.errs))
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := await(ctx, &answers{errs: []error{context.DeadlineExceeded}}, time.Hour); err == nil {
		t.Error("it waits although it was told to stop")
	}
}
