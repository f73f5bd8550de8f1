package activities

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"evlab/sandbox/testlog"
)

// TestGoControlAgainstChoosers: a program that has its own subtests left out, or its tests be short, is seen; tests that
// have arguments or a flag set of their own are not taken for one.
func TestGoControlAgainstChoosers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the command that a process was started with is read from /proc")
	}
	const tests = "package p\n\nimport (\n\t\"testing\"\n\t\"flag\"\n\t\"os\"\n)\n\nfunc TestA(t *testing.T) {\n\tt.Run(\"sub\", func(t *testing.T) {\n\t\tif testing.Short() {\n\t\t\tt.Skip()\n\t\t}\n\t\tt.Log(A(), flag.Arg(0), os.Args[0])\n\t})\n}\n"
	program := func(init string) string {
		return "package p\n\nimport (\n\t_ \"flag\"\n\t\"os\"\n)\n\nfunc A() string { return os.Args[0] }\n\nfunc init() {\n" + init + "\n}\n"
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
		"tests that silence the output":     {program(""), tests + "\nfunc TestB(t *testing.T) { os.Stdout = nil }\n", false},
		"tests with an output of their own": {program(""), tests + "\nfunc TestB(t *testing.T) {\n\tdefer func(f *os.File) { os.Stdout = f }(os.Stdout)\n\tos.Stdout = nil\n}\n", false},
		"a package that is main":            {"package main\n\nfunc A() int { return 1 }\n\nfunc main() {}\n", "package main" + tests[len("package p"):], false},
		"a package called like a go":        {"package flag\n\nfunc A() int { return 1 }\n", "package flag_test\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n", false},
	} {
		m, commit := repository(t, map[string]string{"go.mod": "module x.org/p\n\ngo 1.21\n", "p.go": c.program, "p_test.go": c.tests})
		run := []string{"TestA", "TestB"}
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
