package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
)

var lifeCases = []contractCase{
	{name: "15 killed with -9 while the step runs", run: func(t *testing.T, b *bench) { survives(t, b, pointStarted, "4000", 0, true) }},
	{name: "16 killed after the end and before the reading", run: func(t *testing.T, b *bench) { survives(t, b, pointEnded, "10", 0, true) }},
	{name: "17 killed between making and starting", run: func(t *testing.T, b *bench) { survives(t, b, pointCreated, "10", 1, false) }},
	{name: "17b read but not stored", run: func(t *testing.T, b *bench) {
		s := b.step(t, "count", "10")
		first, err := b.Run(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		text := read(t, s.Stdout)
		again := b.run(t, s)
		if !again.Reattached || again.Starts != 0 || again.Exit != first.Exit || again.stdout != text || !again.Started.Equal(first.Started) {
			t.Errorf("first %+v %q, again %+v %q", first, text, again.Result, again.stdout)
		}
	}},
	{name: "17c another command under the same id is not mistaken for it", run: func(t *testing.T, b *bench) {
		s := b.step(t, "exit", "4")
		if r, err := b.Run(context.Background(), s); err != nil || r.Exit != 4 {
			t.Fatal(r, err)
		}
		s.Command = []string{"./probe", "exit", "5"}
		r := b.run(t, s)
		if r.Exit != 5 || r.Starts != 1 || r.Reattached {
			t.Errorf("%+v", r.Result)
		}
	}},
	{name: "18 cancelling removes the container in five seconds", run: cancels},
	{name: "18b detaching leaves it running", run: detaches},
	{name: "20 the reaper removes only what nobody claims", alone: true, run: reaps},
	{name: "21 two installations do not reap each other's", alone: true, run: reapsOwn},
	{name: "22 forty steps at once within the slots", run: fortySteps},
	{name: "23 forgetting twice and forgetting nothing", run: func(t *testing.T, b *bench) {
		s := b.step(t, "exit", "0")
		b.run(t, s)
		for _, id := range []string{s.ID, "never was"} {
			if err := b.Forget(context.Background(), id, 0); err != nil {
				t.Error(err)
			}
		}
		if left := b.left(t, s.ID); left != 0 {
			t.Errorf("%d are left", left)
		}
	}},
	{name: "a step of an image that is gone is a fault", run: func(t *testing.T, b *bench) {
		s := b.step(t, "exit", "0")
		s.Image.Ref = strings.Map(func(r rune) rune {
			if strings.ContainsRune("0123456789abcdef", r) {
				return 'a'
			}
			return r
		}, s.Image.Ref[len(s.Image.Ref)-24:])
		s.Image.Ref = b.image.Ref[:len(b.image.Ref)-24] + s.Image.Ref
		if r, err := b.Run(context.Background(), s); !faultIs(err, FaultImage) || r.Starts != 0 {
			t.Errorf("%+v %v", r, err)
		}
	}},
	{name: "only evlab's images are removed", run: func(t *testing.T, b *bench) {
		if b.kind != "docker" {
			if err := b.Remove(context.Background(), Image{Ref: "../../etc"}); !faultIs(err, FaultOptions) {
				t.Error(err)
			}
			return
		}
		if err := b.Remove(context.Background(), Image{Ref: "evlab/none:000000000000000000000000"}); err != nil {
			t.Error("removing what is absent:", err)
		}
	}},
	{name: "the same recipe is the same image", run: func(t *testing.T, b *bench) {
		again, err := b.Ensure(context.Background(), probeRecipe(t))
		if err != nil || again != b.image {
			t.Errorf("%+v %v, want %+v", again, err, b.image)
		}
	}},
}

// survives kills the process that runs a step at the point and runs it again: the command started once in all.
func survives(t *testing.T, b *bench, point, millis string, starts int, reattached bool) {
	s := b.step(t, "count", millis)
	b.killedAt(t, point, s)
	r := b.run(t, s)
	r.want(t, Completed, 3)
	if r.Starts != starts || r.Reattached != reattached {
		t.Errorf("%+v", r.Result)
	}
	if strings.Count(r.stdout, "start") != 1 || !strings.HasSuffix(r.stdout, "end\n") {
		t.Errorf("the output is %q", r.stdout)
	}
}

func cancels(t *testing.T, b *bench) {
	s := b.step(t, "stubborn")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var asked time.Time
	go func() {
		b.waitLeft(t, s.ID)
		asked = time.Now()
		cancel()
	}()
	r, err := b.Run(ctx, s)
	took := time.Since(asked)
	if !errors.Is(err, context.Canceled) || r.Outcome != Cancelled || faultIs(err, FaultEngine) {
		t.Errorf("%+v %v", r, err)
	}
	if took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	if left := b.left(t, s.ID); left != 0 {
		t.Errorf("%d containers are left", left)
	}
}

func detaches(t *testing.T, b *bench) {
	s := b.step(t, "count", "3000")
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		b.waitLeft(t, s.ID)
		cancel(ErrDetach)
	}()
	if r, err := b.Run(ctx, s); !errors.Is(err, ErrDetach) {
		t.Fatalf("%+v %v", r, err)
	}
	r := b.run(t, s)
	r.want(t, Completed, 3)
	if strings.Count(r.stdout, "start") != 1 {
		t.Errorf("%+v %q", r.Result, r.stdout)
	}
}

// waitLeft waits until something of the step runs.
func (b *bench) waitLeft(t *testing.T, id string) {
	for range 1200 {
		if b.running(t, id) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("the step never began")
}

func (b *bench) running(t *testing.T, id string) bool {
	if d, ok := b.Sandbox.(*docker); ok {
		c, err := d.api.ContainerInspect(context.Background(), stepName(id, 0))
		return err == nil && c.State.Running
	}
	return begun(b.Sandbox.(*host).stepDir(id, 0))
}

// left counts what is there of the step, in whatever state.
func (b *bench) left(t *testing.T, id string) int {
	t.Helper()
	if d, ok := b.Sandbox.(*docker); ok {
		ours := filters.NewArgs(filters.Arg("label", LabelStep+"="+id))
		list, err := d.api.ContainerList(context.Background(), container.ListOptions{All: true, Filters: ours})
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	name := stepName(id, 0)
	list, err := filepath.Glob(filepath.Join(b.state, "steps", name[:len(name)-1]+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// leave starts a step and goes away from it.
func (b *bench) leave(t *testing.T, s Step) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		b.waitLeft(t, s.ID)
		cancel(ErrDetach)
	}()
	if r, err := b.Run(ctx, s); !errors.Is(err, ErrDetach) {
		t.Fatalf("%+v %v", r, err)
	}
}

func reaps(t *testing.T, b *bench) {
	mine, orphan := b.step(t, "sleep", "300"), b.step(t, "sleep", "300")
	mine.ID += "/mine"
	orphan.ID += "/orphan"
	b.leave(t, mine)
	b.leave(t, orphan)
	others := 0
	n, err := b.Reap(context.Background(), func(id string) bool {
		if id != mine.ID && id != orphan.ID {
			others++
		}
		return id != orphan.ID
	})
	if err != nil || n != 1 || b.left(t, orphan.ID) != 0 || b.left(t, mine.ID) != 1 || !b.running(t, mine.ID) {
		t.Errorf("reaped %d, %v; orphan %d, mine %d, %d others", n, err, b.left(t, orphan.ID), b.left(t, mine.ID), others)
	}
	if err := b.Forget(context.Background(), mine.ID, 0); err != nil || b.left(t, mine.ID) != 0 {
		t.Error("forgetting a running step:", err)
	}
}

func reapsOwn(t *testing.T, b *bench) {
	s := b.step(t, "sleep", "300")
	b.leave(t, s)
	other := openKind(t, b.kind, b.state, b.host+"-other")
	defer other.Close()
	if n, err := other.Reap(context.Background(), nil); err != nil || n != 0 {
		t.Errorf("reaped %d, %v", n, err)
	}
	if err := other.Forget(context.Background(), s.ID, 0); !faultIs(err, FaultOptions) {
		t.Errorf("forgot another installation's step: %v", err)
	}
	if r, err := other.Run(context.Background(), s); !faultIs(err, FaultOptions) {
		t.Errorf("took up another installation's step: %+v %v", r, err)
	}
	if !b.running(t, s.ID) {
		t.Error("the step is gone")
	}
	if err := b.Forget(context.Background(), s.ID, 0); err != nil {
		t.Error(err)
	}
}

func fortySteps(t *testing.T, b *bench) {
	const steps, most = 40, 4
	few, err := openOptions(b.kind, Options{State: b.state, Host: b.host, Slots: most, Label: map[string]string{LabelRun: "contract"}})
	if err != nil {
		t.Fatal(err)
	}
	defer few.Close()
	results := make([]Result, steps)
	var wg sync.WaitGroup
	for i := range steps {
		wg.Go(func() {
			s := b.step(t, "exit", decimal(i))
			s.ID += "/" + decimal(i)
			var err error
			if results[i], err = few.Run(context.Background(), s); err != nil {
				t.Error(err)
			}
			if err := few.Forget(context.Background(), s.ID, 0); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	type edge struct {
		at    time.Time
		delta int
	}
	var edges []edge
	for i, r := range results {
		if r.Outcome != Completed || r.Exit != i || r.Starts != 1 {
			t.Errorf("step %d: %+v", i, r)
		}
		edges = append(edges, edge{r.Started, 1}, edge{r.Ended, -1})
	}
	slices.SortFunc(edges, func(a, b edge) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.delta - b.delta
	})
	now, peak := 0, 0
	for _, e := range edges {
		now += e.delta
		peak = max(peak, now)
	}
	if peak > most {
		t.Errorf("%d steps ran at once, want at most %d", peak, most)
	}
}

// checkNothingLeft is case 23: after a run there is no container, no image and no folder of it.
func checkNothingLeft(t *testing.T, b *bench) {
	t.Helper()
	if d, ok := b.Sandbox.(*docker); ok {
		ours := filters.NewArgs(filters.Arg("label", LabelHost+"="+b.host))
		list, err := d.api.ContainerList(context.Background(), container.ListOptions{All: true, Filters: ours})
		if err != nil || len(list) != 0 {
			t.Errorf("23: containers left: %v %v", list, err)
		}
		if _, found, err := d.findImage(context.Background(), b.image.Ref); found || err != nil {
			t.Errorf("23: the image is left (%v)", err)
		}
		return
	}
	entries, err := os.ReadDir(filepath.Join(b.state, "steps"))
	if err != nil || len(entries) != 0 {
		t.Errorf("23: steps left: %v %v", entries, err)
	}
	if _, err := os.Stat(filepath.Join(b.state, "images", b.image.ID)); !os.IsNotExist(err) {
		t.Errorf("23: the image is left (%v)", err)
	}
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err == nil && strings.Contains(string(mounts), b.state) {
		t.Error("23: a mount is left")
	}
	if out := processesNaming(b.state); len(out) != 0 {
		t.Errorf("23: processes left: %v", out)
	}
}

// processesNaming lists processes whose command line names the folder.
func processesNaming(dir string) (found []string) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range lines {
		if data, err := os.ReadFile(name); err == nil && strings.Contains(string(data), dir) {
			found = append(found, fmt.Sprintf("%s %q", name, data))
		}
	}
	return found
}
