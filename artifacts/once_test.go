package artifacts_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"evlab/artifacts"
)

func TestOnceDoesAStepOnce(t *testing.T) {
	dir := t.TempDir()
	var done atomic.Int32
	var all sync.WaitGroup
	o := artifacts.OpenOnce(dir)
	for range 10 {
		all.Add(1)
		go func() {
			defer all.Done()
			var got string
			err := o.Do(t.Context(), "run/cell/propose-1", "boot", &got, func(context.Context, int) (any, error) {
				done.Add(1)
				return "reply <&>", nil
			})
			if err != nil || got != "reply <&>" {
				t.Errorf("got %q, %v", got, err)
			}
		}()
	}
	all.Wait()
	if n := done.Load(); n != 1 {
		t.Errorf("the step was done %d times", n)
	}
	// Another process, later.
	var got string
	err := artifacts.OpenOnce(dir).Do(t.Context(), "run/cell/propose-1", "boot 2", &got, func(context.Context, int) (any, error) {
		t.Error("a step with a result was done again")
		return nil, nil
	})
	if err != nil || got != "reply <&>" {
		t.Errorf("a later process got %q, %v", got, err)
	}
	if n, err := o.Intents("run/cell/propose-1"); n != 1 || err != nil {
		t.Errorf("%d intents (%v), want 1", n, err)
	}
}

func TestOnceCountsEveryAttempt(t *testing.T) {
	o := artifacts.OpenOnce(t.TempDir())
	fail := errors.New("cut off")
	for want := range 3 {
		err := o.Do(t.Context(), "s", "boot", new(int), func(_ context.Context, before int) (any, error) {
			if before != want {
				t.Errorf("attempt %d was told of %d before it", want, before)
			}
			return nil, fail
		})
		if !errors.Is(err, fail) {
			t.Fatal(err)
		}
	}
	if n, _ := o.Intents("s"); n != 3 {
		t.Errorf("%d intents, want 3", n)
	}
}

func TestOnceDoesADamagedStepAgain(t *testing.T) {
	dir := t.TempDir()
	o := artifacts.OpenOnce(dir)
	do := func(v int) (got int) {
		err := o.Do(t.Context(), "s", "boot", &got, func(context.Context, int) (any, error) { return v, nil })
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	do(1)
	found, err := filepath.Glob(filepath.Join(dir, "*", "*", "result.json"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	for n := range data[:len(data)-2] {
		if err := os.WriteFile(found[0], data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if got := do(2); got != 2 {
			t.Fatalf("a result cut after %d bytes was taken for %d", n, got)
		}
	}
}
