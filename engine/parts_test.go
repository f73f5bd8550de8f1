package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/log/tag"
)

// The disk's end is brought about by SQLite itself: a database that may not grow gives the same error.
func TestFullDiskIsSaidInWords(t *testing.T) {
	file := filepath.Join(t.TempDir(), databaseName)
	err := inWords(file, createDatabase(context.Background(), file, "max_page_count=5"))
	if !errors.Is(err, ErrDiskFull) || !strings.Contains(err.Error(), "is full: free some space") || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a file was left: %v", err)
	}
	if err := createDatabase(context.Background(), file); err != nil {
		t.Errorf("making it with room: %v", err)
	}
	// The server hands some errors on as text.
	if err := inWords(file, errors.New("operation failed: database or disk is full (13)")); !errors.Is(err, ErrDiskFull) {
		t.Errorf("error %v", err)
	}
}

func TestFingerprintTellsSchemasApart(t *testing.T) {
	ctx := context.Background()
	want, err := schemaFingerprint()
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != fingerprintLength {
		t.Errorf("fingerprint %q", want)
	}
	file := filepath.Join(t.TempDir(), databaseName)
	if err := createDatabase(ctx, file); err != nil {
		t.Fatal(err)
	}
	db, err := openDatabase(file, "rw")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got, err := fingerprint(ctx, db); err != nil || got != want {
		t.Errorf("fingerprint of the file %q, %v, want %q", got, err, want)
	}
	if err := readBackPragmas(ctx, db, file); err != nil {
		t.Error(err)
	}
	if _, err := db.Exec("ALTER TABLE namespaces ADD COLUMN extra INT"); err != nil {
		t.Fatal(err)
	}
	if got, err := fingerprint(ctx, db); err != nil || got == want {
		t.Errorf("fingerprint after a change %q, %v", got, err)
	}
	if _, err := db.Exec("PRAGMA journal_mode=delete"); err != nil {
		t.Fatal(err)
	}
	if err := readBackPragmas(ctx, db, file); err == nil {
		t.Error("a file without a write-ahead log was accepted")
	}
}

func TestLogFileStaysBounded(t *testing.T) {
	folder := t.TempDir()
	const limit = 1000
	l, err := openLog(folder, limit)
	if err != nil {
		t.Fatal(err)
	}
	failed := ""
	out := serverLog{out: l.logger(slog.LevelError, "server"), fatal: func(text string) { failed = text }}
	for i := range 100 {
		out.Warn("not written")
		out.With(tag.NewInt("round", i)).Error("written", tag.Error(fmt.Errorf("fault %d", i)))
	}
	fmt.Fprint(l, strings.Repeat("long ", limit))
	ended := make(chan bool, 1)
	go func() {
		defer func() { ended <- true }()
		out.Fatal("no listener", tag.Error(errors.New("address in use")))
		ended <- false
	}()
	if !<-ended || !strings.Contains(failed, "no listener") || !strings.Contains(failed, "address in use") {
		t.Errorf("fatal record told as %q", failed)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 2 {
		t.Fatalf("files %v, %v", entries, err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil || len(text) > limit || strings.Contains(string(text), "not written") {
			t.Errorf("%s has %d bytes, %v", entry.Name(), len(text), err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(folder, logName)); err != nil || !strings.Contains(string(text), "no listener") {
		t.Errorf("the last record is not in %s: %q, %v", logName, text, err)
	}
}

// A server whose file has no namespace of ours stands for one that somebody else runs.
func TestDialMakesTheNamespace(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	schema, err := schemaFingerprint()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), databaseName)
	if err := prepareDatabase(ctx, file, schema); err != nil {
		t.Fatal(err)
	}
	held, err := reserve(0, len(services))
	if err != nil {
		t.Fatal(err)
	}
	s, err := startServer(ctx, sqlConfig(file), held, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.running.Stop()
	for range 2 { // the second time everything is there already
		e, err := Dial(ctx, address(s.port), Options{})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := e.Client().WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: Namespace})
		if err != nil {
			t.Fatal(err)
		}
		if got := answer.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration(); got != Retention {
			t.Errorf("retention %v", got)
		}
		if _, err := e.Client().CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: `EvlabCondition = "x"`}); err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// kept is a listener that stays although it is told to close: a program that takes a port in the last moment.
type kept struct{ net.Listener }

func (kept) Close() error { return nil }

// Left to itself, the server ends the process when it loses a port.
func TestPortLostInTheLastMoment(t *testing.T) {
	ctx := context.Background()
	schema, err := schemaFingerprint()
	if err != nil {
		t.Fatal(err)
	}
	for lost := range services {
		file := filepath.Join(t.TempDir(), databaseName)
		if err := prepareDatabase(ctx, file, schema); err != nil {
			t.Fatal(err)
		}
		held, err := reserve(0, len(services))
		if err != nil {
			t.Fatal(err)
		}
		thief := held.listeners[lost]
		held.listeners[lost] = kept{thief}
		s, err := startServer(ctx, sqlConfig(file), held, slog.New(slog.DiscardHandler))
		if err == nil {
			t.Errorf("the server started without its port for %s", services[lost])
			_ = s.running.Stop()
		} else if !strings.Contains(err.Error(), "address already in use") {
			t.Errorf("losing the port of %s: %v", services[lost], err)
		}
		thief.Close()
	}
}

func TestWalkOrder(t *testing.T) {
	ids := []string{"run-1", "run-1/a", "run-10", "run-1/a/b", "x:y", "x"}
	if got := fmt.Sprint(tops(ids)); got != "[run-1 run-10 x]" {
		t.Errorf("tops %s", got)
	}
	for child, want := range map[string]bool{
		"run-1/a": true, "run-1:a": true, "run-1": false, "run-10": false, "run-1-b": false, "run-": false,
	} {
		if isBelow(child, "run-1") != want {
			t.Errorf("isBelow(%q) is not %v", child, want)
		}
	}
	if got := quote(`a"b\c`); got != `"a\"b\\c"` {
		t.Errorf("quoted %s", got)
	}
	if got := oneLine("a\n b\xffc é", 9); got != "a b\uFFFDc ..." {
		t.Errorf("line %q", got)
	}
}
