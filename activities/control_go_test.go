package activities

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"evlab/sandbox/testlog"
)

// TestGoControlAgainstChoosers: a program that has its own subtests left out, or its tests be short, is seen; tests that
// have arguments or a flag set of their own are not taken for one. So is who writes the report anew, ends it early, has
// tests not fail, or writes over the code that they decide by.
func TestGoControlAgainstChoosers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the command that a process was started with is read from /proc")
	}
	const tests = "package p\n\nimport (\n\t\"testing\"\n\t\"flag\"\n\t\"os\"\n\t\"syscall\"\n\t\"time\"\n)\n\nvar _, _ = syscall.Exit, time.Now\n\nfunc TestA(t *testing.T) {\n\tt.Run(\"sub\", func(t *testing.T) {\n\t\tif testing.Short() {\n\t\t\tt.Skip()\n\t\t}\n\t\tt.Log(A(), flag.Arg(0), os.Args[0])\n\t})\n}\n"
	program := func(init string) string {
		imports := "\"os\""
		for name, word := range map[string]string{"os/exec": "exec.", "syscall": "syscall.", "io": "io.", "reflect": "reflect.", "unsafe": "unsafe.", "testing": "testing."} {
			if strings.Contains(init, word) {
				imports += "\n\t\"" + name + "\""
			}
		}
		return "package p\n\nimport (\n\t_ \"flag\"\n\t" + imports + "\n)\n\nfunc A() string { return os.Args[0] }\n\nfunc init() {\n" + init + "\n}\n"
	}
	for name, c := range map[string]struct {
		program, tests string
		seen           bool
	}{
		"honest":                {program(""), tests, false},
		"no subtest":            {program(`os.Args = append(os.Args, "-test.skip=./.")`), tests, true},
		"no subtest of one":     {program(`os.Args = append(os.Args, "-test.skip=TestA/.")`), tests, true},
		"others than asked for": {program(`os.Args = append(os.Args, "-test.run=./^none$")`), tests, true},
		"short":                 {program(`os.Args = append(os.Args, "-test.short")`), tests, true},
		"tests with arguments":  {program(""), tests + "\nfunc init() { os.Args = append(os.Args, \"x\") }\n\nfunc TestB(t *testing.T) { os.Args = []string{\"x\"} }\n", false},
		"tests with flags":      {program(""), tests + "\nfunc TestB(t *testing.T) { flag.CommandLine = flag.NewFlagSet(\"x\", flag.PanicOnError) }\n", false},
		"a report that is rewritten": {program(`
	other, err := os.OpenFile("/dev/stdout", os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	os.Stdout = other`), tests, true},
		"a binary that starts itself": {program(`
	if os.Getenv("AGAIN") == "" {
		again := exec.Command(os.Args[0], os.Args[1:]...)
		again.Env = append(os.Environ(), "AGAIN=1")
		out, _ := again.Output()
		os.Stdout.Write(out)
		os.Exit(0)
	}`), tests, true},
		"one that takes its own place": {program(`
	if os.Getenv("AGAIN") == "" {
		os.Setenv("AGAIN", "1")
		panic(syscall.Exec("/proc/self/exe", append(os.Args, "-test.skip=./."), os.Environ()))
	}`), tests, true},
		"another output under its number": {program(`
	old, _ := syscall.Dup(1)
	r, w, _ := os.Pipe()
	syscall.Dup3(int(w.Fd()), 1, 0)
	go io.Copy(os.NewFile(uintptr(old), ""), r)`), strings.Replace(tests, "func TestA", "func TestMain(m *testing.M) {\n\tm.Run()\n\ttime.Sleep(time.Second)\n}\n\nfunc TestA", 1), true},
		"results of tests to come": {program(""), tests + "\nfunc TestC(t *testing.T) {\n\tt.Parallel()\n\tos.Stdout.WriteString(\"\\x16--- PASS: TestC (0.00s)\\n\\x16=== NAME  \\n\")\n\tsyscall.Exit(0)\n}\n", true},
		"tests that do not fail": {program(`
	method, _ := reflect.TypeFor[*testing.T]().Elem().FieldByName("common")
	fail, _ := reflect.PointerTo(method.Type).MethodByName("Errorf")
	at := fail.Func.Pointer()
	page := unsafe.Slice((*byte)(unsafe.Pointer(at&^4095)), 8192)
	if err := syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC); err != nil {
		panic(err)
	}
	*(*byte)(unsafe.Pointer(at)) = 0xc3`), tests, runtime.GOARCH == "amd64"},
		"a comparison of the program's own": {program(`
	at := reflect.ValueOf(reflect.DeepEqual).Pointer()
	page := unsafe.Slice((*byte)(unsafe.Pointer(at&^4095)), 8192)
	if err := syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC); err != nil {
		panic(err)
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(at)), 8), "\xb8\x01\x00\x00\x00\xc3")`), tests, true},
		"code that the kernel writes": {program(`
	memory, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	if _, err := memory.WriteAt([]byte("\xc3"), int64(reflect.ValueOf(reflect.DeepEqual).Pointer())); err != nil {
		panic(err)
	}`), tests, true},
		"tests that silence the output":     {program(""), tests + "\nfunc TestB(t *testing.T) { os.Stdout = nil }\n", false},
		"tests with an output of their own": {program(""), tests + "\nfunc TestB(t *testing.T) {\n\tdefer func(f *os.File) { os.Stdout = f }(os.Stdout)\n\tos.Stdout = nil\n}\n", false},
		"a package that is main":            {"package main\n\nfunc A() int { return 1 }\n\nfunc main() {}\n", "package main" + tests[len("package p"):], false},
		"tests that declare names of Go's":  {program(""), "package p_test\n\nimport \"testing\"\n\nvar binary, bytes, filepath, flag, fmt, io, os, runtime, strings, sync int\n\nfunc append() {}\n\nfunc close(a, b int) {}\n\nfunc len() {}\n\nfunc make() {}\n\nfunc TestA(t *testing.T) {}\n", false},
		"a package called like a go":        {"package flag\n\nfunc A() int { return 1 }\n", "package flag_test\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n", false},
	} {
		m, commit := repository(t, map[string]string{"go.mod": "module x.org/p\n\ngo 1.21\n", "p.go": c.program, "p_test.go": c.tests})
		run := []string{"TestA", "TestB", "TestC"}
		command, err := newTestCommand(context.Background(), environment(t, "go"), m, trial{id: "t", run: run, tree: commit}, "go1.26.8")
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		files := map[string]string{"go.mod": "module x.org/p\n\ngo 1.21\n", "p.go": c.program, "p_test.go": c.tests}
		for _, f := range command.files {
			files[f.Path] = string(f.Content)
		}
		for p, text := range files {
			p = filepath.Join(dir, p)
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(command.args[0], command.args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		rep, err := testlog.ParseGoTest(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		if wrong := command.control.check(rep, run); len(wrong) > 0 != c.seen || rep.Tests["x.org/p::TestA"] != testlog.Passed {
			t.Errorf("%s: the control is wrong in %q, want that it is seen: %v; %v", name, wrong, c.seen, rep.Tests)
		}
	}
}
