package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"evlab/engine"
)

func TestRestartKeepsAWorkflow(t *testing.T) {
	state := filepath.Join(t.TempDir(), "with space, 100%25 and ?#")
	e := start(t, engine.Options{State: state})
	w := startWorker(t, e, holder{})
	execute(t, e, client.StartWorkflowOptions{ID: "kept"}, typeWait)
	w.Stop()
	began := time.Now()
	stop(t, e)
	if took := time.Since(began); took > 2500*time.Millisecond {
		t.Errorf("Close took %v", took)
	}

	files, err := filepath.Glob(filepath.Join(state, "temporal", "*", "temporal.db"))
	if err != nil || len(files) != 1 {
		t.Fatalf("server files below %s: %v, %v", state, files, err)
	}

	e = start(t, engine.Options{State: state})
	w = startWorker(t, e, holder{})
	defer w.Stop()
	ctx := context.Background()
	if err := e.Client().SignalWorkflow(ctx, "kept", "", "go", "still here"); err != nil {
		t.Fatal(err)
	}
	if got := result[string](t, e.Client().GetWorkflow(ctx, "kept", "")); got != "still here" {
		t.Errorf("result %q", got)
	}
}

func TestNamespaceHasRetentionAndAttributes(t *testing.T) {
	e := start(t, engine.Options{State: t.TempDir()})
	w := startWorker(t, e, holder{})
	defer w.Stop()
	ctx := context.Background()
	answer, err := e.Client().WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: engine.Namespace})
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration(); got != 30*24*time.Hour {
		t.Errorf("retention %v", got)
	}
	for id, task := range map[string]string{"r/a": "a", "r/b": "b"} {
		attributes := temporal.NewSearchAttributes(
			temporal.NewSearchAttributeKeyKeyword(engine.AttributeRun).ValueSet("r"),
			temporal.NewSearchAttributeKeyKeyword(engine.AttributeTask).ValueSet(task),
			temporal.NewSearchAttributeKeyKeyword(engine.AttributeCondition).ValueSet("none"),
		)
		result[int](t, execute(t, e, client.StartWorkflowOptions{ID: id, TypedSearchAttributes: attributes}, typeSteps, 1))
	}
	count := func(query string) int {
		answer, err := e.Client().CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		return int(answer.GetCount())
	}
	eventually(t, 10*time.Second, "both workflows are listed", func() bool { return count(`EvlabRun = "r"`) == 2 })
	if n := count(`EvlabRun = "r" AND EvlabTask = "b" AND EvlabCondition = "none"`); n != 1 {
		t.Errorf("%d workflows of task b, want 1", n)
	}
	if n := count(`EvlabTask = "c"`); n != 0 {
		t.Errorf("%d workflows of task c, want 0", n)
	}
}

func TestSecondStartIsRefused(t *testing.T) {
	state := t.TempDir()
	e := start(t, engine.Options{State: state})
	_, err := engine.Start(context.Background(), engine.Options{State: state})
	if !errors.Is(err, engine.ErrInUse) {
		t.Fatalf("second Start: %v, want ErrInUse", err)
	}
	for _, part := range []string{state, "process " + strconv.Itoa(os.Getpid()), "another data folder"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not name %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%q is not one sentence", err)
	}
	if _, err := engine.MoveAside(state); !errors.Is(err, engine.ErrInUse) {
		t.Errorf("MoveAside of a running server's file: %v, want ErrInUse", err)
	}
	var who struct {
		PID     int
		Started time.Time
	}
	text, err := os.ReadFile(filepath.Join(state, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &who); err != nil || who.PID != os.Getpid() || time.Since(who.Started) > time.Minute {
		t.Errorf("lock says %s (%v)", text, err)
	}
	stop(t, e)
	start(t, engine.Options{State: state})
}

func TestTakenPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := l.Addr().(*net.TCPAddr).Port
	state := t.TempDir()
	_, err = engine.Start(context.Background(), engine.Options{State: state, Port: taken})
	if !errors.Is(err, engine.ErrPortTaken) || !strings.Contains(err.Error(), strconv.Itoa(taken)) {
		t.Fatalf("Start on a taken port: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	e := start(t, engine.Options{State: state, Port: taken})
	if want := net.JoinHostPort("127.0.0.1", strconv.Itoa(taken)); e.Address() != want {
		t.Errorf("address %s, want %s", e.Address(), want)
	}
	for _, bad := range []int{-1, 65536} {
		if _, err := engine.Start(context.Background(), engine.Options{State: t.TempDir(), Port: bad}); err == nil {
			t.Errorf("port %d was accepted", bad)
		}
	}
}

func TestCancelledStartLeavesNothingBehind(t *testing.T) {
	state := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(150*time.Millisecond, cancel)
	e, err := engine.Start(ctx, engine.Options{State: state})
	if err == nil {
		stop(t, e) // the machine was quick
	} else if !errors.Is(err, context.Canceled) {
		t.Errorf("Start: %v", err)
	}
	start(t, engine.Options{State: state})
}

func TestOlderSchemaIsTold(t *testing.T) {
	state := t.TempDir()
	older := filepath.Join(state, "temporal", "0123456789abcdef", "temporal.db")
	if err := os.MkdirAll(filepath.Dir(older), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(older, []byte("from another version"), 0o600); err != nil {
		t.Fatal(err)
	}
	notices := new(notices)
	start(t, engine.Options{State: state, OnNotice: notices.add})
	if got := notices.String(); !strings.Contains(got, older) || strings.Count(got, "\n") != 1 {
		t.Errorf("notices %q do not name %s once", got, older)
	}
	if text, err := os.ReadFile(older); err != nil || string(text) != "from another version" {
		t.Errorf("the older file was touched: %q, %v", text, err)
	}
}

type notices struct {
	mu   sync.Mutex
	text strings.Builder
}

func (n *notices) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text.WriteString(text + "\n")
}

func (n *notices) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}
