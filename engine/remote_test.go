package engine_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"evlab/engine"
)

func TestDial(t *testing.T) {
	server := start(t, engine.Options{State: t.TempDir()})
	state := t.TempDir()
	e, err := engine.Dial(context.Background(), server.Address(), engine.Options{State: state, UI: true})
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, e)
	if e.Embedded() || e.Address() != server.Address() {
		t.Errorf("embedded %v, address %s", e.Embedded(), e.Address())
	}
	w := startWorker(t, e, holder{})
	defer w.Stop()
	run := execute(t, e, client.StartWorkflowOptions{ID: "far"}, typeSteps, 3)
	if got := result[int](t, run); got != 3 {
		t.Errorf("result %d", got)
	}
	if _, err := os.Stat(filepath.Join(state, "temporal", "server.log")); err != nil {
		t.Error(err)
	}
	if status, _ := get(t, e.UIURL("far"), ""); status != http.StatusOK {
		t.Errorf("UI of a remote server: status %d", status)
	}
}

// TestNamespacesKeepWorkApart: a worker of one namespace takes no step of another's workflow, and the ids do not meet.
func TestNamespacesKeepWorkApart(t *testing.T) {
	server := start(t, engine.Options{State: t.TempDir()})
	join := func(namespace string) *engine.Engine {
		e, err := engine.Dial(context.Background(), server.Address(), engine.Options{Namespace: namespace, UI: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { stop(t, e) })
		return e
	}
	one, other := join("evlab-one"), join("evlab-other")
	w := startWorker(t, one, holder{})
	defer w.Stop()
	waiting := execute(t, other, client.StartWorkflowOptions{ID: "same"}, typeSteps, 2)
	if got := result[int](t, execute(t, one, client.StartWorkflowOptions{ID: "same"}, typeSteps, 3)); got != 3 {
		t.Errorf("result %d", got)
	}
	if found, err := other.Client().DescribeWorkflowExecution(context.Background(), "same", ""); err != nil || found.GetWorkflowExecutionInfo().GetHistoryLength() > 2 {
		t.Errorf("the other namespace's workflow was taken up: %v, %v", found, err)
	}
	w2 := startWorker(t, other, holder{})
	defer w2.Stop()
	if got := result[int](t, waiting); got != 2 {
		t.Errorf("result %d", got)
	}
	if url := other.UIURL("same"); !strings.Contains(url, "/namespaces/evlab-other/") {
		t.Errorf("the page is %s", url)
	}
}

func TestDialSaysWhatIsWrong(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for name, address := range map[string]string{"nobody": closed.Addr().String(), "somebody else": silent.Addr().String()} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			_, err := engine.Dial(context.Background(), address, engine.Options{})
			if took := time.Since(began); took > 6*time.Second {
				t.Errorf("took %v", took)
			}
			if !errors.Is(err, engine.ErrUnreachable) || !strings.Contains(err.Error(), address) {
				t.Errorf("Dial: %v", err)
			}
		})
	}
	for _, address := range []string{
		"", "localhost", ":7233", "localhost:", "localhost:http", "localhost:0", "a:b:c", "http://localhost:7233",
	} {
		if _, err := engine.Dial(context.Background(), address, engine.Options{}); err == nil || errors.Is(err, engine.ErrUnreachable) {
			t.Errorf("Dial(%q): %v, want a complaint about the form", address, err)
		}
	}
}

func TestUI(t *testing.T) {
	e := start(t, engine.Options{State: t.TempDir(), UI: true})
	if err := e.UIError(); err != nil {
		t.Fatal(err)
	}
	execute(t, e, client.StartWorkflowOptions{ID: "run 1/task?"}, typeWait)
	page := e.UIURL("run 1/task?")
	if !strings.HasPrefix(page, "http://127.0.0.1:") || !strings.HasSuffix(page, "/namespaces/evlab/workflows/run%201%2Ftask%3F") {
		t.Errorf("page %s", page)
	}
	base := strings.SplitAfter(page, "/namespaces")[0]
	base = strings.TrimSuffix(base, "/namespaces")
	if status, text := get(t, page, ""); status != http.StatusOK || !strings.Contains(text, "<html") {
		t.Errorf("page: status %d, %.80q", status, text)
	}
	api := base + "/api/v1/namespaces/evlab/workflows/run%201%2Ftask%3F"
	if status, text := get(t, api, ""); status != http.StatusOK || !strings.Contains(text, "run 1/task?") {
		t.Errorf("gateway: status %d, %.200q", status, text)
	}
	if status, _ := get(t, page, "evil.example.org"); status != http.StatusForbidden {
		t.Errorf("a foreign host name got status %d", status)
	}
	answer, err := http.Post(api+"/terminate", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode < 400 {
		t.Errorf("terminating through the UI got status %d", answer.StatusCode)
	}
	stop(t, e)
	if answer, err := http.Get(page); err == nil {
		answer.Body.Close()
		t.Error("the UI answers after Close")
	}
}

func TestUIFailureDoesNotStopTheRun(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := l.Addr().(*net.TCPAddr).Port
	notices := new(notices)
	e := start(t, engine.Options{State: t.TempDir(), UI: true, UIPort: taken, OnNotice: notices.add})
	if err := e.UIError(); !errors.Is(err, engine.ErrPortTaken) {
		t.Errorf("UIError: %v", err)
	}
	if got := notices.String(); !strings.Contains(got, strconv.Itoa(taken)) {
		t.Errorf("notices %q", got)
	}
	if got := e.UIURL("x"); got != "" {
		t.Errorf("URL %q", got)
	}
	w := startWorker(t, e, holder{})
	defer w.Stop()
	if got := result[int](t, execute(t, e, client.StartWorkflowOptions{ID: "x"}, typeSteps, 1)); got != 1 {
		t.Errorf("result %d", got)
	}
}

func get(t *testing.T, url, host string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		request.Host = host
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}
