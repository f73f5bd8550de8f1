package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestExecuteWaitsForABusyProgram: the file is held open for writing for a while, as by a process that was forked beside
// the one that wrote it.
func TestExecuteWaitsForABusyProgram(t *testing.T) {
	const variable = "EVLAB_TEST_EXECUTE"
	if file := os.Getenv(variable); file != "" {
		t.Fatal(execute(file, []string{file}))
	}
	text, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, text, 0o755); err != nil {
		t.Fatal(err)
	}
	busy, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	if err := syscall.Exec(file, []string{file}, nil); err != syscall.ETXTBSY {
		t.Skipf("a program that is being written is not busy here: %v", err)
	}
	command := exec.Command(os.Args[0], "-test.run=^TestExecuteWaitsForABusyProgram$")
	command.Env = append(os.Environ(), variable+"="+file)
	time.AfterFunc(200*time.Millisecond, func() { busy.Close() })
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
