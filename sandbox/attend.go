package sandbox

import (
	"context"
	"errors"
	"time"
)

// attend is what Run is in every sandbox: run, which calls enter before its command is started to wait for a slot, and
// settle what becomes of a step whose context ends.
func attend(ctx context.Context, b Sandbox, slots *slots, s Step, run func(ctx context.Context, s Step, enter func() error) (Result, error)) (Result, error) {
	defer heartbeat(s.Progress)()
	var release func()
	enter := func() error {
		if release != nil {
			return nil
		}
		free, err := slots.acquire(ctx, s.Limits.Memory+s.Limits.Scratch)
		if err == nil {
			release = free
		}
		return err
	}
	r, err := run(ctx, s, enter)
	if release != nil {
		release()
	}
	if errors.Is(err, errNeverBegan) {
		// What is left would tell every further attempt the same; the command is not run twice by one that starts anew.
		err = errors.Join(err, b.Forget(context.WithoutCancel(ctx), s.ID, s.Attempt))
	}
	if faultIs(err, FaultEngineLost) {
		r.Outcome = EngineLost // wherever on the way it was lost
	}
	if err == nil || ctx.Err() == nil {
		return r, err
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, ErrDetach) {
		return r, cause
	}
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	r.Outcome = Cancelled
	return r, errors.Join(cause, b.Forget(clean, s.ID, s.Attempt))
}

// conclude fills in what an ending says.
func (r *Result) conclude(end ending, out *output) (err error) {
	r.Started, r.Ended, r.Peak = end.began, end.over, end.peak
	r.Truncated = out.stdout.gap || out.stderr.gap || !out.stdout.ended || !out.stderr.ended
	if end.ended != nil {
		r.Altered = end.ended.Altered
	}
	r.Outcome, r.Exit, err = end.judge()
	return err
}

// Points between which a step's life may be cut off.
const (
	pointCreated = "created"
	pointStarted = "started"
	pointEnded   = "ended"
)

func reach(at func(point string), point string) {
	if at != nil {
		at(point)
	}
}
