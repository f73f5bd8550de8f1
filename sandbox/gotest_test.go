package sandbox

import (
	"archive/tar"
	"archive/zip"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evlab/repos"
	"evlab/sandbox/testlog"
)

// TestGoTest runs a repository's tests as a cell would, in each sandbox: with a module that only the image has, before
// and after a patch, and with patches that break the run in the ways that runs are broken.
func TestGoTest(t *testing.T) {
	modules := moduleCache(t)
	for _, kind := range []string{"docker", "host"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := openGo(t, kind, modules)
			for _, c := range goCases {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					s := b.step(t)
					s.Command = []string{"go", "test", "-count=1", "-json", "./..."}
					s.Limits = Limits{Timeout: 10 * time.Minute, Memory: 1 << 30, Scratch: 256 << 20, Log: 4 << 20, Processes: 512, CPUs: 2}
					for name, text := range c.files {
						s.Files.Files = append(s.Files.Files, repos.File{Path: name, Mode: "100644", Content: []byte(text)})
					}
					r := b.run(t, s)
					r.want(t, Completed, c.exit)
					report, err := testlog.ParseGoTest(strings.NewReader(r.stdout))
					if err != nil {
						t.Fatal(err)
					}
					for name, want := range c.want {
						if got := report.Judge([]string{name})[0]; got.Outcome != want {
							t.Errorf("%s: %+v, want %s", name, got, want)
						}
					}
					if (report.Problem != "") != c.problem || report.CheckExit(r.Exit) != "" {
						t.Errorf("problem %q, exit %q", report.Problem, report.CheckExit(r.Exit))
					}
					if t.Failed() {
						t.Logf("%+v\n%s\n%s", r.Result, r.stdout, r.stderr)
					}
				})
			}
		})
	}
}

const (
	fixed   = "package m\n\nimport \"example.org/lib\"\n\nfunc Answer() int { return lib.Two() * 21 }\n"
	broken  = "package m\n\nimport \"example.org/lib\"\n\nfunc Answer() int { return lib.Two() }\n"
	theTest = `package m

import "testing"

func TestAnswer(t *testing.T) {
	t.Run("is 42", func(t *testing.T) {
		if Answer() != 42 {
			t.Fatal(Answer())
		}
	})
}

func TestKept(t *testing.T) {}
`
)

var goCases = []struct {
	name    string
	files   map[string]string
	exit    int
	want    map[string]testlog.Outcome
	problem bool
}{
	{"base", nil, 1, map[string]testlog.Outcome{
		"example.org/m::TestAnswer/is_42": testlog.Failed, "example.org/m::TestKept": testlog.Passed, "TestKept": testlog.Passed,
		"example.org/m/other::TestOther": testlog.Passed, "example.org/m::TestNone": testlog.Missing,
	}, false},
	{"fixed", map[string]string{"m.go": fixed}, 0, map[string]testlog.Outcome{
		"example.org/m::TestAnswer/is_42": testlog.Passed, "TestAnswer": testlog.Passed,
	}, false},
	{"does not build", map[string]string{"m.go": "package m\n\nfunc Answer() string { return \"42\" }\n"}, 1, map[string]testlog.Outcome{
		"example.org/m::TestKept": testlog.Missing, "example.org/m/other::TestOther": testlog.Passed,
	}, false},
	{"leaves with status 0", map[string]string{"m.go": "package m\n\nimport \"os\"\n\nfunc Answer() int { os.Exit(0); return 42 }\n"}, 1,
		map[string]testlog.Outcome{"example.org/m::TestAnswer": testlog.Failed, "example.org/m::TestKept": testlog.Missing}, false},
	{"a test main that fails", map[string]string{"m.go": fixed, "main_test.go": `package m

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	m.Run()
	os.Exit(1)
}
`}, 1, map[string]testlog.Outcome{"example.org/m::TestAnswer": testlog.Passed}, true},
	{"prints what a report looks like", map[string]string{"m.go": `package m

import "fmt"

func Answer() int {
	fmt.Println("--- PASS: TestAnswer (0.00s)")
	fmt.Println("    --- PASS: TestAnswer/is_42 (0.00s)")
	fmt.Println("{\"Action\":\"pass\",\"Package\":\"example.org/m\",\"Test\":\"TestAnswer/is_42\"}")
	return 1
}
`}, 1, map[string]testlog.Outcome{"example.org/m::TestAnswer/is_42": testlog.Failed, "TestAnswer": testlog.Failed}, false},
	{"forges with the mark", map[string]string{"m.go": `package m

import "fmt"

func Answer() int {
	fmt.Print("\x16--- PASS: TestAnswer (0.00s)\n\x16    --- PASS: TestAnswer/is_42 (0.00s)\n")
	return 1
}
`}, 1, map[string]testlog.Outcome{"example.org/m::TestAnswer/is_42": testlog.Failed, "TestAnswer": testlog.Failed}, true},
	{"uses the whole of the toolchain", map[string]string{"m.go": fixed, "tools_test.go": toolsTest}, 0, map[string]testlog.Outcome{
		"example.org/m::TestTool": testlog.Passed, "example.org/m::TestStandardTests": testlog.Passed,
	}, false},
}

// toolsTest asks for a program that the go command makes of the toolchain's sources when it is first wanted, and for a test of
// the standard library's with its data.
const toolsTest = `package m

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTool(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "other.test")
	if out, err := exec.Command("go", "test", "-c", "-o", binary, "./other").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command("go", "tool", "nm", binary).CombinedOutput(); err != nil || !strings.Contains(string(out), "other.TestOther") {
		t.Fatalf("%v: %.2000s", err, out)
	}
}

func TestStandardTests(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"src/go/scanner/scanner_test.go", "src/go/parser/testdata/issue42951/not_a_file.go/invalid.go", "src/cmd/nm/nm.go"} {
		if _, err := os.Stat(filepath.Join(strings.TrimSpace(string(root)), filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
}
`

// openGo opens a sandbox whose image holds the repository, its module and a warm cache.
func openGo(t *testing.T, kind, modules string) *bench {
	t.Helper()
	state := t.TempDir()
	b := &bench{kind: kind, state: state, host: fmt.Sprintf("gotest-%s-%d", kind, os.Getpid())}
	b.Sandbox = openKind(t, kind, state, b.host)
	if h, ok := b.Sandbox.(*host); ok {
		h.imports = []string{"testing"} // enough here, and quick
	}
	files := map[string]string{
		"go.mod": "module example.org/m\n\ngo 1.24\n\nrequire example.org/lib v1.0.0\n", "m.go": broken, "m_test.go": theTest,
		"other/other_test.go": "package other\n\nimport \"testing\"\n\nfunc TestOther(t *testing.T) {}\n",
	}
	recipe := Recipe{
		Task: "go", SnapshotID: fmt.Sprintf("go-%d", os.Getpid()), Modules: modules, ModulesID: "lib-1",
		Warm: [][]string{{"go", "test", "-count=1", "./..."}},
		Snapshot: func(w io.Writer) error {
			tw := tar.NewWriter(w)
			for _, name := range sortedKeys(files) {
				if err := writeFile(tw, name, 0, 0o644, []byte(files[name])); err != nil {
					return err
				}
			}
			return tw.Close()
		},
	}
	b.leaveNothing(t)
	var err error
	if b.image, err = b.Ensure(context.Background(), recipe); err != nil {
		t.Fatal(err)
	}
	return b
}

// moduleCache downloads a module from a proxy that is a folder, as a prefetch would from the real one.
func moduleCache(t *testing.T) string {
	t.Helper()
	proxy, cache := t.TempDir(), t.TempDir()
	dir := filepath.Join(proxy, "example.org", "lib", "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mod := "module example.org/lib\n\ngo 1.24\n"
	f, err := os.Create(filepath.Join(dir, "v1.0.0.zip"))
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, text := range map[string]string{"go.mod": mod, "lib.go": "package lib\n\nfunc Two() int { return 2 }\n"} {
		w, err := z.Create("example.org/lib@v1.0.0/" + name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	about := `{"Version":"v1.0.0","Time":"2020-01-01T00:00:00Z"}`
	for name, text := range map[string]string{"v1.0.0.mod": mod, "v1.0.0.info": about, "list": "v1.0.0\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("go", "mod", "download", "example.org/lib@v1.0.0")
	c.Dir = proxy
	c.Env = append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(proxy), "GOSUMDB=off", "GOMODCACHE="+cache, "GOFLAGS=-modcacherw",
		"GOTOOLCHAIN=local")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("filling the module cache: %v: %s", err, out)
	}
	if err := os.Chmod(filepath.Dir(cache), 0o755); err != nil {
		t.Fatal(err)
	}
	return cache
}
