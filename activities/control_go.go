package activities

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"evlab/repos"
	"evlab/sandbox/testlog"
)

// goControlText is the control of go test. It passes, which is not its answer, where somebody came between the tests and the
// go command:
//
//   - The tests are chosen otherwise than by the command: a program's init can add to os.Args before the testing package
//     reads it, or start its own binary with others, and a parent whose subtests are all left out has passed. The go command
//     knows what it was told, and where it cannot be asked the kernel knows what the process was told. Tests may put
//     another flag set in flag.CommandLine's place; then nothing is known.
//   - The process is not the go command's own, or its output goes to somebody else than to the go command, who could write
//     the report anew: another file in os.Stdout's place, another one under its number, a binary that starts itself.
//   - A test that fails would not fail. Probes without a runner tell; where one panics, nothing is known of it.
//   - What a process may only read, its code and constants, is not in memory as the binary has it: a program that writes over
//     reflect.DeepEqual, or what an assertion library does, decides for the tests. A program that is not where its binary says
//     (PIE) is not looked at.
//
// The example runs after all tests, also those that wait to run beside others: a process that prints the results of tests
// that are to come, and ends, has it not. It only has to be there, since what a test left running may print into its output.
// A fuzz target would do as well, but for tests that put another flag set in flag.CommandLine's place. Where they left
// another os.Stdout behind, examples would report nothing.
//
// The tests' package may declare what it likes: a function close, a variable flag. So imports have names of their own here,
// and of what Go declares itself nothing is used whose name somebody would take.
const goControlText = `package %[1]s_test

import (
	bytes%[2]s "bytes"
	binary%[2]s "encoding/binary"
	flag%[2]s "flag"
	fmt%[2]s "fmt"
	io%[2]s "io"
	os%[2]s "os"
	filepath%[2]s "path/filepath"
	runtime%[2]s "runtime"
	strings%[2]s "strings"
	sync%[2]s "sync"
	testing%[2]s "testing"
)

// Tests may silence the output, and leave it so; before they began the program alone could.
var stdout%[2]s, output%[2]s = os%[2]s.Stdout, os%[2]s.Stdout.Fd()

// A test with a known answer, put here by evlab.
func %[2]s(t *testing%[2]s.T) {
	os%[2]s.Stdout = stdout%[2]s
	if runtime%[2]s.GOOS != "windows" && output%[2]s != 1 || !chosen%[2]s() || !heard%[2]s() || !fails%[2]s() || !whole%[2]s() {
		return
	}
	t.Skip("known answer")
}

func %[3]s() {
	fmt%[2]s.Println("known answer")
	// Output: known answer
}

// chosen reports whether the tests are those that the go command was told to run.
func chosen%[2]s() bool {
	line := commandLine%[2]s(os%[2]s.Getppid())
	if !isTest%[2]s(line) {
		line = commandLine%[2]s(os%[2]s.Getpid())
	}
	for _, name := range []string{"run", "skip", "short"} {
		f := flag%[2]s.Lookup("test." + name)
		if f == nil || line == nil {
			continue
		}
		want, next := f.DefValue, false
		for _, arg := range line {
			if next {
				want, next = arg, false
				continue
			}
			key, value, assigned := strings%[2]s.Cut(strings%[2]s.TrimPrefix(strings%[2]s.TrimLeft(arg, "-"), "test."), "=")
			switch {
			case !strings%[2]s.HasPrefix(arg, "-") || key != name:
			case assigned:
				want = value
			case name == "short":
				want = "true"
			default:
				next = true
			}
		}
		if f.Value.String() != want {
			return false
		}
	}
	return true
}

func isTest%[2]s(line []string) bool {
	for i, arg := range line {
		if i == 1 {
			return arg == "test"
		}
	}
	return false
}

// commandLine is what a process was started with, nil where the kernel does not say.
func commandLine%[2]s(pid int) []string {
	text, err := os%[2]s.ReadFile(fmt%[2]s.Sprintf("/proc/%%d/cmdline", pid))
	line := strings%[2]s.TrimSuffix(string(text), "\x00")
	if err != nil || line == "" {
		return nil
	}
	return strings%[2]s.Split(line, "\x00")
}

// heard reports whether the go command itself hears what this process says, as far as the kernel tells.
func heard%[2]s() bool {
	own, err := os%[2]s.Readlink("/proc/self/fd/1")
	if err != nil {
		return true
	}
	files, err := filepath%[2]s.Glob(fmt%[2]s.Sprintf("/proc/%%d/fd/*", os%[2]s.Getppid()))
	if err != nil || files == nil {
		return true
	}
	known := false
	for _, file := range files {
		other, err := os%[2]s.Readlink(file)
		if err == nil && other == own {
			return isGo%[2]s()
		}
		known = known || err == nil
	}
	return !known
}

// isGo reports whether the process above is not this one's own program.
func isGo%[2]s() bool {
	above, err := os%[2]s.Readlink(fmt%[2]s.Sprintf("/proc/%%d/exe", os%[2]s.Getppid()))
	own, err2 := os%[2]s.Readlink("/proc/self/exe")
	return err != nil || err2 != nil || above != own
}

// fails reports whether a test that fails is one that failed.
func fails%[2]s() bool {
	for _, fail := range []func(t *testing%[2]s.T){
		func(t *testing%[2]s.T) { t.Fail() },
		func(t *testing%[2]s.T) { t.FailNow() },
		func(t *testing%[2]s.T) { t.Error("probe") },
		func(t *testing%[2]s.T) { t.Errorf("probe") },
		func(t *testing%[2]s.T) { t.Fatal("probe") },
		func(t *testing%[2]s.T) { t.Fatalf("probe") },
	} {
		var probe testing%[2]s.T
		var ended sync%[2]s.WaitGroup
		passed := false
		ended.Add(1)
		go func() {
			defer ended.Done()
			defer func() { recover() }()
			fail(&probe)
			passed = !probe.Failed()
		}()
		ended.Wait()
		if passed {
			return false
		}
	}
	return true
}

// whole reports whether code and constants are in memory as the binary has them, as far as the kernel tells.
func whole%[2]s() bool {
	file, err := os%[2]s.Open("/proc/self/exe")
	if err != nil {
		return true
	}
	defer file.Close()
	memory, err := os%[2]s.Open("/proc/self/mem")
	if err != nil {
		return true
	}
	defer memory.Close()
	order := binary%[2]s.LittleEndian
	head, err := io%[2]s.ReadAll(io%[2]s.NewSectionReader(file, 0, 64))
	if err != nil || !bytes%[2]s.HasPrefix(head, []byte("\x7fELF\x02\x01")) || order.Uint16(head[16:]) != 2 {
		return true
	}
	for at, left := int64(order.Uint64(head[32:])), order.Uint16(head[56:]); left > 0; at, left = at+56, left-1 {
		part, err := io%[2]s.ReadAll(io%[2]s.NewSectionReader(file, at, 56))
		if err != nil || order.Uint32(part) != 1 || order.Uint32(part[4:])&2 != 0 {
			continue // not loaded, or there to be written
		}
		size := int64(order.Uint64(part[32:]))
		want, err := io%[2]s.ReadAll(io%[2]s.NewSectionReader(file, int64(order.Uint64(part[8:])), size))
		if err != nil {
			continue
		}
		found, err := io%[2]s.ReadAll(io%[2]s.NewSectionReader(memory, int64(order.Uint64(part[16:])), size))
		if err == nil && !bytes%[2]s.Equal(want, found) {
			return false
		}
	}
	return true
}
`

// newGoControl puts the control into every package that declares a test asked for, as an external test, so that the
// package's own tests need not be compiled anew, and by an overlay, so that the tests do not find it among their files.
// dir is the folder that the go command is run in. The file's name is last among those of most packages, as its tests are then.
func newGoControl(g *goTree, t trial, dir string) (*control, error) {
	c := newControl(t, "TestEvlab", testlog.Skipped)
	c.scoped, c.last = true, "ExampleEvlab"+strings.TrimPrefix(c.name, "TestEvlab")
	folder := "." + strings.ToLower(c.name)
	from := func(file string) (string, error) {
		rel, err := filepath.Rel(filepath.FromSlash(dir), filepath.FromSlash(file))
		return filepath.ToSlash(rel), err
	}
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	texts := map[string]string{} // package name -> file
	for _, at := range slices.Sorted(maps.Keys(g.tests)) {
		name := g.tests[at]
		if texts[name] == "" {
			texts[name] = path.Join(folder, fmt.Sprintf("control%d.go", len(texts)))
			c.files = append(c.files, repos.File{Path: texts[name], Mode: "100644", Content: fmt.Appendf(nil, goControlText, name, c.name, c.last)})
		}
		to, err := from(path.Join(at, "zz"+strings.ToLower(c.name)+"_test.go"))
		if err != nil {
			return nil, err
		}
		if overlay.Replace[to], err = from(texts[name]); err != nil {
			return nil, err
		}
	}
	if len(overlay.Replace) == 0 {
		return c, nil
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		return nil, err
	}
	file := path.Join(folder, "overlay.json")
	c.files = append(c.files, repos.File{Path: file, Mode: "100644", Content: data})
	rel, err := from(file)
	c.args = []string{"-overlay", rel}
	return c, err
}
