package sandbox

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
)

// cuttable passes connections on to the engine until it is cut, as a restart of the engine would.
type cuttable struct {
	listener net.Listener
	network  string
	engine   string
	mu       sync.Mutex
	cut      bool
	open     map[net.Conn]bool
}

func newCuttable(t *testing.T) *cuttable {
	t.Helper()
	u, err := url.Parse(client.DefaultDockerHost)
	if v := os.Getenv("DOCKER_HOST"); v != "" {
		u, err = url.Parse(v)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &cuttable{network: u.Scheme, engine: u.Host + u.Path, open: map[net.Conn]bool{}}
	if c.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.listener.Close(); c.set(true) })
	go func() {
		for {
			from, err := c.listener.Accept()
			if err != nil {
				return
			}
			go c.serve(from)
		}
	}()
	return c
}

func (c *cuttable) serve(from net.Conn) {
	defer from.Close()
	to, err := net.Dial(c.network, c.engine)
	if err != nil {
		return
	}
	defer to.Close()
	c.mu.Lock()
	refused := c.cut
	c.open[from], c.open[to] = true, true
	c.mu.Unlock()
	if refused {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { io.Copy(to, from); to.(interface{ CloseWrite() error }).CloseWrite() })
	wg.Go(func() { io.Copy(from, to); from.Close() })
	wg.Wait()
	c.mu.Lock()
	delete(c.open, from)
	delete(c.open, to)
	c.mu.Unlock()
}

func (c *cuttable) set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = cut
	if cut {
		for conn := range c.open {
			conn.Close()
		}
	}
}

// TestEngineLost is case 19: an engine that goes away in the middle is a fault, and the step is taken up again after it.
func TestEngineLost(t *testing.T) {
	b := open(t, "docker")
	proxy := newCuttable(t)
	t.Setenv("DOCKER_HOST", "tcp://"+proxy.listener.Addr().String())
	far := &bench{Sandbox: openKind(t, "docker", b.state, b.host), kind: b.kind, image: b.image, state: b.state, host: b.host}
	t.Cleanup(func() { far.Close() })

	t.Run("away for good", func(t *testing.T) {
		s := far.step(t, "count", "4000")
		go func() {
			b.waitLeft(t, s.ID)
			proxy.set(true)
		}()
		r, err := far.Run(context.Background(), s)
		if !faultIs(err, FaultEngineLost) || r.Outcome != EngineLost {
			t.Errorf("%+v %v", r, err)
		}
		if _, err := far.Probe(context.Background()); !faultIs(err, FaultEngineLost) {
			t.Errorf("probing: %v", err)
		}
		proxy.set(false)
		again := far.run(t, s)
		again.want(t, Completed, 3)
		if again.Starts != 0 || !again.Reattached || strings.Count(again.stdout, "start") != 1 {
			t.Errorf("%+v %q", again.Result, again.stdout)
		}
	})
	t.Run("away for a moment", func(t *testing.T) {
		s := far.step(t, "count", "4000")
		go func() {
			b.waitLeft(t, s.ID)
			proxy.set(true)
			time.Sleep(time.Second)
			proxy.set(false)
		}()
		r := far.run(t, s)
		r.want(t, Completed, 3)
		if r.Starts != 1 || strings.Count(r.stdout, "start") != 1 || r.Truncated {
			t.Errorf("%+v %q", r.Result, r.stdout)
		}
	})
	for signal, how := range map[string]func(api *client.Client, name string) error{
		"killed": func(api *client.Client, name string) error {
			return api.ContainerKill(context.Background(), name, "SIGKILL")
		},
		"stopped": func(api *client.Client, name string) error {
			return api.ContainerStop(context.Background(), name, container.StopOptions{})
		},
		"removed": func(api *client.Client, name string) error {
			return api.ContainerRemove(context.Background(), name, container.RemoveOptions{Force: true})
		},
	} {
		t.Run(signal+" by somebody else", func(t *testing.T) {
			s := b.step(t, "sleep", "300")
			go func() {
				b.waitLeft(t, s.ID)
				time.Sleep(500 * time.Millisecond)
				if err := how(b.Sandbox.(*docker).api, s.name()); err != nil {
					t.Error(err)
				}
			}()
			r, err := b.Run(context.Background(), s)
			if !faultIs(err, FaultEngineLost) || r.Outcome != EngineLost {
				t.Errorf("%+v %v", r, err)
			}
			s.Attempt, s.Command = 1, []string{"./probe", "exit", "6"}
			next := b.run(t, s)
			next.want(t, Completed, 6)
			if left := b.left(t, s.ID); left != 0 {
				t.Errorf("%d containers are left of the first attempt", left)
			}
		})
	}
}

// TestEndWithoutBeginning: a container whose supervisor ended before it began says nothing about its step, and is not kept
// for further attempts to read the same end.
func TestEndWithoutBeginning(t *testing.T) {
	b := open(t, "docker")
	d := b.Sandbox.(*docker)
	s := b.step(t, "exit", "6")
	ctx := context.Background()
	var once sync.Once
	d.at = func(point string) {
		once.Do(func() { // another takes its place, which ends at once
			c, err := d.api.ContainerInspect(ctx, s.name())
			if err != nil {
				t.Error(err)
				return
			}
			c.Config.Entrypoint = []string{contained.supervisor, "nothing"}
			if err := d.removeContainer(ctx, c.ID); err != nil {
				t.Error(err)
			}
			if _, err := d.createContainer(ctx, c.Config, c.HostConfig, s.name()); err != nil {
				t.Error(err)
			}
		})
	}
	r, err := b.Run(ctx, s)
	if !faultIs(err, FaultEngine) || !strings.Contains(err.Error(), "before it began") || b.left(t, s.ID) != 0 {
		t.Errorf("%+v %v; %d are left", r, err, b.left(t, s.ID))
	}
	again := b.run(t, s)
	again.want(t, Completed, 6)
	if again.Starts != 1 || again.Reattached {
		t.Errorf("%+v", again.Result)
	}
}

// TestKeeperLost is case 19 on the host: a keeper that is killed is a fault, takes the step with it, and another attempt runs.
func TestKeeperLost(t *testing.T) {
	b := open(t, "host")
	s := b.step(t, "stubborn")
	dir := b.Sandbox.(*host).stepDir(s.ID, 0)
	go func() {
		b.waitLeft(t, s.ID)
		time.Sleep(500 * time.Millisecond)
		var began struct{ Keeper int }
		if err := readJSON(dir+"/began.json", &began); err != nil || began.Keeper < 2 {
			t.Error(began, err)
			return
		}
		if p, err := os.FindProcess(began.Keeper); err != nil || p.Kill() != nil {
			t.Error("the keeper cannot be killed:", err)
		}
	}()
	r, err := b.Run(context.Background(), s)
	var f *Fault
	if !errors.As(err, &f) || f.Class != FaultEngineLost || r.Outcome != EngineLost {
		t.Errorf("%+v %v", r, err)
	}
	s.Attempt, s.Command = 1, []string{"./probe", "exit", "6"}
	b.run(t, s).want(t, Completed, 6)
}
