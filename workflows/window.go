package workflows

import "go.temporal.io/sdk/workflow"

// window starts n things with at most width of them open at once, and waits for all. A step that fails does not stop
// the others; the first error is returned at the end. stop, when not nil, is asked before each start: true ends the
// starting early. It returns how many were started.
func window(ctx workflow.Context, n, width int, stop func() bool, start func(ctx workflow.Context, i int) error) (int, error) {
	var first error
	open, started := 0, 0
	for started < n && (stop == nil || !stop()) {
		if err := workflow.Await(ctx, func() bool { return open < max(width, 1) }); err != nil {
			break // cancelled: what is open still gets waited for
		}
		i := started
		started++
		open++
		workflow.Go(ctx, func(ctx workflow.Context) {
			if err := start(ctx, i); err != nil && first == nil {
				first = err
			}
			open--
		})
	}
	detached, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	if err := workflow.Await(detached, func() bool { return open == 0 }); err != nil && first == nil {
		first = err
	}
	if first == nil {
		first = ctx.Err()
	}
	return started, first
}
