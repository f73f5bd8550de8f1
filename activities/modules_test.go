package activities

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"evlab/experiments"
	"evlab/organizer"
	"evlab/sandbox/testlog"
)

// TestModulesInTheirPlaces: a module may stand in for another of the same repository, and then only where both are can the
// modules of either be fetched.
func TestModulesInTheirPlaces(t *testing.T) {
	m, commit := repository(t, map[string]string{
		"lib/go.mod":      "module x.org/lib\n\ngo 1.21\n\nrequire x.org/near v1.0.0\n\nreplace x.org/near => ../near\n",
		"lib/lib_test.go": "package lib\n\nimport \"testing\"\n\nfunc TestL(t *testing.T) {}\n",
		"near/go.mod":     "module x.org/near\n\ngo 1.21\n",
		"far/go.mod":      "module x.org/far\n\ngo 1.21\n\nrequire x.org/nowhere v1.0.0\n", // of no test's concern
	})
	set, err := modulesOf(context.Background(), m, commit, []string{"x.org/lib::TestL"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(set.Folders, []string{"lib"}) {
		t.Fatalf("modules are fetched for %q, want lib alone", set.Folders)
	}
	t.Setenv("GOPROXY", "off")
	if err := download(context.Background(), t.TempDir(), set); err != nil {
		t.Error(err)
	}
}

// TestModulesOfAWorkspace: those of the workspace itself are fetched from nowhere, unless a version that is required there
// was released: the go command wants its go.mod then.
func TestModulesOfAWorkspace(t *testing.T) {
	m, commit := repository(t, map[string]string{
		"go.work": "go 1.21\n\nuse (\n\t.\n\t./sub\n)\n", "go.mod": "module x.org/w\n\ngo 1.21\n",
		"sub/go.mod":    "module x.org/w/sub\n\ngo 1.21\n\nrequire (\n\tx.org/w v0.0.0\n)\n",
		"sub/s_test.go": "package sub\n\nfunc TestS() {}\n",
	})
	set, err := modulesOf(context.Background(), m, commit, []string{"TestS"}, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	if err := download(context.Background(), t.TempDir(), set); err != nil || len(set.Folders) == 0 {
		t.Error(set.Folders, err)
	}
	proxy, cache := t.TempDir(), t.TempDir()
	released := filepath.Join(proxy, "x.org", "w", "@v")
	if err := os.MkdirAll(released, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"v0.0.0.info": `{"Version":"v0.0.0"}`, "v0.0.0.mod": "module x.org/w\n"} {
		if err := os.WriteFile(filepath.Join(released, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy))
	t.Setenv("GOSUMDB", "off")
	if err := download(context.Background(), cache, set); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(cache, "cache", "download", "x.org", "w", "@v", "v0.0.0.mod")); err != nil {
		t.Error(err)
	}
	mod := "module x.org/w\n\nrequire x.org/a v1.0.0\nrequire \"x.org/b\" v1.0.0\nreplace x.org/a => ../a\n"
	if got := string(withoutRequirements([]byte(mod), []string{"x.org/a", "x.org/b"})); got != "module x.org/w\n\nreplace x.org/a => ../a\n" {
		t.Errorf("%q", got)
	}
}

// TestVendoredModules: a vendor folder counts where the go command would take it, and nothing is fetched for it then.
func TestVendoredModules(t *testing.T) {
	const mod = "module x.org/v\n\ngo 1.21\n\nrequire (\n\tcorp.invalid/lib v1.0.0\n\tcorp.invalid/other v1.1.0 // indirect\n)\n"
	const list = "# corp.invalid/lib v1.0.0\n## explicit; go 1.21\ncorp.invalid/lib\n# corp.invalid/other v1.1.0\n## explicit\n"
	for name, c := range map[string]struct {
		mod, list string
		want      bool
	}{
		"in step":                {mod, list, true},
		"another version":        {mod, strings.Replace(list, "lib v1.0.0", "lib v1.0.1", 1), false},
		"one more is required":   {mod + "require x.org/y v1.0.0\n", list, false},
		"one less is":            {strings.Replace(mod, "\tcorp.invalid/other v1.1.0 // indirect\n", "", 1), list, false},
		"in another one's place": {mod + "replace corp.invalid/lib => ./near\n", strings.Replace(list, "lib v1.0.0", "lib v1.0.0 => ./near", 1), true},
		"a place not known":      {mod + "replace corp.invalid/lib => ./near\n", list, false},
		"of an old go":           {mod, "# corp.invalid/lib v1.0.0\ncorp.invalid/lib\n", false},
	} {
		m, commit := repository(t, map[string]string{"a/go.mod": c.mod, "a/vendor/modules.txt": c.list, "a/a_test.go": "package a\n\nfunc TestA() {}\n"})
		got, err := vendoredModules(context.Background(), m, commit)
		if err != nil {
			t.Fatal(err)
		}
		if got["a"] != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		t.Setenv("GOPROXY", "off")
		cache, err := prefetch(context.Background(), t.TempDir(), m, &experiments.FrozenTask{ID: "t", BaseCommit: commit}, handOut{Tests: organizer.Tests{FailToPass: []string{"TestA"}}}, false)
		if (err == nil) != c.want || cache.dir != "" {
			t.Errorf("%s: fetched %+v, %v", name, cache, err)
		}
		command, err := newTestCommand(context.Background(), environment(t, "go"), m, trial{id: "t", run: []string{"TestA"}, tree: commit}, "go1.26.8")
		if err != nil || slices.Contains(command.env, "GOFLAGS=-mod=vendor") != c.want {
			t.Errorf("%s: %q, %v", name, command.env, err)
		}
	}
	// Where another module has tests, too, no vendor folder counts.
	several, commit := repository(t, map[string]string{
		"go.mod": mod, "vendor/modules.txt": list, "a_test.go": "package a\n\nfunc TestA() {}\n",
		"b/go.mod": "module x.org/b\n", "b/b_test.go": "package b\n\nfunc TestB() {}\n",
	})
	run := []string{"TestA", "TestB"}
	command, err := newTestCommand(context.Background(), environment(t, "go"), several, trial{id: "t", run: run, tree: commit}, "go1.26.8")
	if err != nil || !slices.Contains(command.env, "GOFLAGS=-mod=readonly") {
		t.Errorf("%q, %v", command.env, err)
	}
	if _, err := prefetch(context.Background(), t.TempDir(), several, &experiments.FrozenTask{ID: "t", BaseCommit: commit}, handOut{Tests: organizer.Tests{FailToPass: run}}, false); err == nil {
		t.Error("nothing is fetched of what is required there")
	}
	// A vendor folder that a candidate adds does not decide that there is one.
	m, base := repository(t, map[string]string{"go.mod": mod, "a_test.go": "package a\n\nfunc TestA() {}\n"})
	lines := strings.Split(strings.TrimSuffix(list, "\n"), "\n")
	patch := "--- /dev/null\n+++ b/vendor/modules.txt\n@@ -0,0 +1," + strconv.Itoa(len(lines)) + " @@\n+" + strings.Join(lines, "\n+") + "\n"
	applied, err := m.Apply(context.Background(), base, []byte(patch))
	if err != nil || applied.Tree == "" {
		t.Fatal(applied, err)
	}
	work, started := repository(t, map[string]string{"go.work": "go 1.21\n\nuse .\n", "go.mod": "module x.org/w\n", "a_test.go": "package a\n\nfunc TestA() {}\n"})
	if applied, err := work.Apply(context.Background(), started, []byte(patch)); err != nil || applied.Tree == "" {
		t.Fatal(applied, err)
	} else {
		for at, want := range map[string]string{started: "GOFLAGS=-mod=readonly", "": "GOFLAGS="} {
			command, err := newTestCommand(context.Background(), environment(t, "go"), work, trial{id: "t", run: []string{"TestA"}, tree: applied.Tree, base: at}, "go1.26.8")
			if err != nil || !slices.Contains(command.env, want) {
				t.Errorf("a workspace, with base %q: %q, %v", at, command.env, err)
			}
		}
	}
	for at, want := range map[string]bool{base: false, "": true} {
		command, err := newTestCommand(context.Background(), environment(t, "go"), m, trial{id: "t", run: []string{"TestA"}, tree: applied.Tree, base: at}, "go1.26.8")
		if err != nil || slices.Contains(command.env, "GOFLAGS=-mod=vendor") != want {
			t.Errorf("with base %q: %q, %v", at, command.env, err)
		}
	}
}

// TestModulesOfTheHostsCache: what the host has in its cache is fetched from there, without a network.
func TestModulesOfTheHostsCache(t *testing.T) {
	host := t.TempDir()
	var zipped bytes.Buffer
	w := zip.NewWriter(&zipped)
	for name, text := range map[string]string{"go.mod": "module corp.invalid/lib\n", "l.go": "package lib\n"} {
		f, err := w.Create("corp.invalid/lib@v1.0.0/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(host, "cache", "download", "corp.invalid", "lib", "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": "v1.0.0\n", "v1.0.0.info": `{"Version":"v1.0.0"}`, "v1.0.0.mod": "module corp.invalid/lib\n", "v1.0.0.zip": zipped.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOMODCACHE", host)
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOSUMDB", "off")
	cache := t.TempDir()
	mod := []byte("module x.org/m\n\ngo 1.21\n\nrequire corp.invalid/lib v1.0.0\n")
	if err := download(context.Background(), cache, moduleSet{Files: map[string][]byte{"go.mod": mod}, Folders: []string{"."}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(cache, "corp.invalid", "lib@v1.0.0", "l.go")); err != nil {
		t.Error(err)
	}
}

// TestModulesThatWereNotFetched: what the go command says of its cache is told as what it means.
func TestModulesThatWereNotFetched(t *testing.T) {
	for line, want := range map[string]string{
		"c.go:3:8: mkdir /evlab/mod/cache/download/github.com/google/uuid: permission denied":                        "github.com/google/uuid",
		"c_test.go:5:2: open /evlab/mod/cache/download/github.com/google/go-cmp/@v/v0.7.0.lock: permission denied\n": "github.com/google/go-cmp",
	} {
		if got := compilerSaid(&testlog.Report{Build: line}); !strings.Contains(got, "the module "+want+" is none of those") {
			t.Errorf("%q", got)
		}
	}
}

// TestRequirementsOfHiddenTests: what hidden tests import, and the task's own repair requires for them, is required
// whatever the candidate says; what the candidate's program imports is the candidate's to require.
func TestRequirementsOfHiddenTests(t *testing.T) {
	added := addedRequirements([]byte("--- a/sub/go.mod\n+++ b/sub/go.mod\n@@ -1 +1,6 @@\n module x.org/s\n+require (\n+\tx.org/check v1.2.0\n+\tx.org/below v1.0.0 // indirect\n+)\n+go 1.21\n+require x.org/dep/v2 v2.0.0\n" +
		"--- a/sub/go.sum\n+++ b/sub/go.sum\n@@ -1 +1,2 @@\n a\n+x.org/check v1.2.0 h1:a=\n"))
	want := []string{"x.org/check v1.2.0", "x.org/below v1.0.0", "x.org/dep/v2 v2.0.0"}
	if len(added) != 1 || !slices.Equal(added["sub/go.mod"], want) {
		t.Fatalf("%q, want %q", added, want)
	}
	for name, c := range map[string]struct {
		mod, program, want string
	}{
		"none is known":             {"module x.org/s\n", "", "module x.org/s\n\nrequire x.org/check v1.2.0\n"},
		"another version is":        {"module x.org/s\n\nrequire x.org/check v1.0.0\n", "", ""},
		"the program imports it":    {"module x.org/s\n", "import _ \"x.org/check/in\"\n", ""},
		"the program imports other": {"module x.org/s\n", "import _ \"x.org/checked\"\n", "module x.org/s\n\nrequire x.org/check v1.2.0\n"},
	} {
		m, commit := repository(t, map[string]string{
			"sub/go.mod": c.mod, "sub/s.go": "package s\n\n" + c.program, "sub/s_test.go": "package s\n\nimport (\n\t\"testing\"\n\t\"x.org/check\"\n)\n\nfunc TestS(t *testing.T) { check.It(t) }\n",
		})
		command, err := newTestCommand(context.Background(), environment(t, "go"), m, trial{id: "t", run: []string{"TestS"}, tree: commit, adds: added}, "go1.26.8")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range command.files {
			if f.Path == "sub/go.mod" {
				got = string(f.Content)
			}
		}
		if got != c.want {
			t.Errorf("%s: go.mod is %q, want %q", name, got, c.want)
		}
	}
	// So is what base requires, and a candidate tidied up.
	m, base := repository(t, map[string]string{"go.mod": "module x.org/s\n\nrequire x.org/check v1.0.0\n", "s_test.go": "package s\n\nimport _ \"x.org/check\"\n\nfunc TestS() {}\n"})
	applied, err := m.Apply(context.Background(), base, []byte("--- a/go.mod\n+++ b/go.mod\n@@ -1,3 +1 @@\n module x.org/s\n-\n-require x.org/check v1.0.0\n"))
	if err != nil || applied.Tree == "" {
		t.Fatal(applied, err)
	}
	mod, err := forTests(context.Background(), m, trial{tree: applied.Tree, base: base}, ".")
	if err != nil || mod == nil || string(mod.Content) != "module x.org/s\n\nrequire x.org/check v1.0.0\n" {
		t.Errorf("%v, %v", mod, err)
	}
}
